"""report.json: everything there is to know about a run, in a documented schema.

The schema is made from the estimates' own types and docstrings, so that it can't tell another story
than they do. Numbers are not rounded; what is not finite is null.
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
"""Goes up when a key of report.json is renamed, removed or given another meaning."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report as JSON. Shares, scores and edges are fractions of 1, never per cent."""

    schema_version: Literal[1]
    verdict: str
    """The report's first line."""
    tone: Tone
    """The verdict's worst decision; none: no games."""
    summary: Summary
    origins: tuple[Origin, ...]
    """One a run; several in a comparison."""


_READ_BY_EYE = 100  # cells; indenting those of more takes longer than all else about them


def to_json(verdict: str, tone: Tone, summary: Summary, origins: tuple[Origin, ...]) -> str:
    """report.json's text."""
    report = Report(SCHEMA_VERSION, verdict, tone, summary, origins)
    indent = 1 if len(summary.cells) <= _READ_BY_EYE else None
    return f"{json.dumps(_bare(report), indent=indent, ensure_ascii=False, default=str)}\n"


def _bare(value: Any) -> Any:
    """A value as JSON has it. `dataclasses.asdict` would copy deep and keep what is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value):
        return {field.name: _bare(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _bare(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_bare(inner) for inner in value]
    return value


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of report.json, every key with what it means."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(Report).json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    classes = {kind.__name__: kind for kind in _dataclasses(Report)}
    for name, part in {"Report": schema, **schema["$defs"]}.items():
        for key, meaning in _meanings(classes[name]).items():
            part["properties"][key].setdefault("description", meaning)
    return schema


def schema_text() -> str:
    """The JSON Schema as text."""
    return json.dumps(json_schema(), indent=1)


def _dataclasses(kind: Any) -> set[type]:
    """All dataclasses that a type is made of."""
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


def _meanings(kind: type) -> dict[str, str]:
    """The docstrings that stand under a dataclass's fields."""
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
