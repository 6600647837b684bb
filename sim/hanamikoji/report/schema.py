"""report.json: all estimates of a run, in a documented schema.

The schema is derived from the estimates' types and docstrings, so the two cannot disagree. Numbers
are not rounded; non-finite ones are null.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_type_hints

from hanamikoji.report.document import Tone
from hanamikoji.report.source import Origin
from hanamikoji.stats import Summary

SCHEMA_VERSION: Literal[1] = 1
"""Incremented when a key of report.json is renamed, removed or changes its meaning."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report as JSON. Shares, scores and edges are fractions of 1, never per cent."""

    schema_version: Literal[1]
    verdict: str
    """The report's first line."""
    tone: Tone
    """The worst decision of any cell; ``none`` without games."""
    summary: Summary
    origins: tuple[Origin, ...]
    """One for each run."""


_INDENTED = 100  # cells; with more, indenting takes longer than everything else


def to_json(verdict: str, tone: Tone, summary: Summary, origins: tuple[Origin, ...]) -> str:
    """report.json's text."""
    report = Report(SCHEMA_VERSION, verdict, tone, summary, origins)
    indent = 1 if len(summary.cells) <= _INDENTED else None
    return f"{json.dumps(_plain(report), indent=indent, ensure_ascii=False, default=str)}\n"


def _plain(value: Any) -> Any:
    """A value in JSON's types. `dataclasses.asdict` would copy it and keep non-finite numbers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of report.json, with a description of every key."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(Report).json_schema(mode="serialization")
    for end in ("low", "high"):  # null if nothing bounds it
        schema["$defs"]["Interval"]["properties"][end]["type"] = ["number", "null"]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    classes = {kind.__name__: kind for kind in _dataclasses(Report)}
    for name, part in {"Report": schema, **schema["$defs"]}.items():
        for key, meaning in _descriptions(classes[name]).items():
            part["properties"][key].setdefault("description", meaning)
    return schema


def _dataclasses(kind: Any) -> set[type]:
    """All dataclasses that a type refers to."""
    found: set[type] = set()
    waiting = [kind]
    while waiting:
        one = waiting.pop()
        waiting += get_args(one)
        if is_dataclass(one) and isinstance(one, type) and one not in found:
            found.add(one)
            names = vars(sys.modules[one.__module__])
            waiting += get_type_hints(one, names).values()
    return found


def _descriptions(kind: type) -> dict[str, str]:
    """The docstrings of a dataclass's fields."""
    tree = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(tree, ast.ClassDef)
    names = {field.name for field in fields(kind)}
    found = {}
    for line, after in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and line.target.id in names
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[line.target.id] = " ".join(str(after.value.value).split())
    return found
