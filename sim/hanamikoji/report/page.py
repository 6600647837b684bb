"""report.html: one self-contained file, for phone, desk and printer, light and dark.

The template escapes every text; in addition, a content security policy allows no script but the
page's own and no request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from hanamikoji.report.charts import draw
from hanamikoji.report.document import (
    Chart,
    Code,
    Document,
    Items,
    Paragraph,
    Table,
    TableCell,
    TableColumn,
)
from hanamikoji.text import escape_terminal

_FOLDED = 14
"""Rows beyond which a table is folded."""


def to_html(document: Document) -> str:
    """The whole document as one HTML file; its first line is the verdict."""
    style, script, template = map(_resource, ("page.css", "page.js", "page.html.j2"))
    digest = hashlib.sha256(script.encode()).digest()
    return (
        _environment()
        .from_string(template)
        .render(
            document=document,
            style=Markup(style),
            script=Markup(script),
            script_hash=base64.b64encode(digest).decode(),
            folded=_FOLDED,
        )
    )


def _resource(name: str) -> str:
    return files("hanamikoji.report").joinpath(name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=_printable,
    )
    environment.globals["newline"] = Markup("\n")
    environment.filters |= {"svg": _svg, "classes": _classes}
    blocks = (Chart, Table, Items, Code, Paragraph)
    environment.tests |= {kind.__name__.lower(): _instance_test(kind) for kind in blocks}
    return environment


def _instance_test(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _printable(value: Any) -> Any:
    """Text without control characters; markup as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return escape_terminal(value)
    return value


def _svg(chart: Chart) -> Markup:
    """The drawn chart with its text alternative."""
    label = escape_terminal(f"{chart.title}. {chart.text}")
    opening = Markup('<svg role="img" aria-label="{}" ').format(label)
    return Markup(draw(chart).replace("<svg ", opening, 1))


def _classes(cell: TableCell, column: TableColumn[Any]) -> str | None:
    """A cell's CSS classes."""
    names = ["n"] * column.number + [cell.tone] * (cell.tone != "none")
    return " ".join(names) or None
