"""report.html: one file that needs nothing else, for a phone, a desk, a printer, light or dark.

Every text is escaped where it enters the page; besides, a content security policy lets no script
run but the page's own and no request leave it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from hanamikoji.report.charts import draw
from hanamikoji.report.document import (
    Block,
    Cell,
    Chart,
    Code,
    Column,
    Document,
    Items,
    Paragraph,
    Section,
    Table,
)
from hanamikoji.report.words import plain

_FOLDED = 14
"""Rows beyond which a table is folded until it is asked for."""


def to_html(document: Document) -> str:
    """The whole document as one HTML file; its first line is the verdict."""
    here = files("hanamikoji.report")
    style, script = (
        here.joinpath(f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    sections = [s for s in document.sections if s.blocks]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(document.title)}: {_text(document.headline)}</title>",
        f"<style>{style}</style></head><body>",
        f'<p class="headline t-{document.tone}">{_text(document.headline)}</p>',
        f"<h1>{_text(document.title)}</h1>",
        "<nav>",
        *(f'<a href="#{_anchor(s)}">{_text(s.title)}</a>' for s in sections),
        "</nav><main>",
        *(line for section in sections for line in _section(section)),
        "</main><footer>Click a heading to sort its table.</footer>",
        f"<script>{script}</script></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    return escape(plain(text))


def _anchor(section: Section) -> str:
    return escape(section.anchor)


def _section(section: Section) -> Iterator[str]:
    yield f'<section aria-labelledby="{_anchor(section)}">'
    yield f'<h2 id="{_anchor(section)}">{_text(section.title)}</h2>'
    for block in section.blocks:
        yield from _block(block)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Chart):
        yield from _chart(block)
    elif isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Items):
        yield "<ul>"
        yield from (f"<li>{_text(text)}</li>" for text in block.texts)
        yield "</ul>"
    elif isinstance(block, Code):
        lines = "\n".join(_text(line) for line in block.text.split("\n"))
        yield f"<pre><code>{lines}</code></pre>"
    elif isinstance(block, Paragraph):
        text = _text(block.text)
        yield f"<p><strong>{text}</strong></p>" if block.strong else f"<p>{text}</p>"


def _chart(chart: Chart) -> Iterator[str]:
    yield '<div class="chart">'
    if chart.points:
        label = escape(f"{plain(chart.title)}. {plain(chart.text)}")
        yield f"<figure><h3>{_text(chart.title)}</h3>"
        yield draw(chart).replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
        yield f"<figcaption>{_text(chart.text)}</figcaption></figure>"
    yield "<div>"
    yield from _table(chart.table)
    yield "</div></div>"


def _table(table: Table) -> Iterator[str]:
    if not table.rows:
        return
    folded = len(table.rows) > _FOLDED
    if folded:
        yield f"<details><summary>{len(table.rows):,} rows as a table</summary>"
    name = escape(plain(table.caption) or "table")
    yield f'<div class="table" role="region" tabindex="0" aria-label="{name}"><table>'
    yield "<thead><tr>"
    yield from (_heading(column) for column in table.columns)
    yield "</tr></thead><tbody>"
    for row in table.rows:
        cells = (_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
    if table.caption:
        # Outside of what scrolls, so that a phone shows it whole.
        yield f'<p class="note">{_text(table.caption)}</p>'
    if folded:
        yield "</details>"


def _heading(column: Column) -> str:
    number = ' class="n"' if column.number else ""
    return f'<th scope="col"{number}><button type="button">{_text(column.title)}</button></th>'


def _cell(cell: Cell, column: Column) -> str:
    classes = [
        name for name in ("n" if column.number else "", cell.tone) if name not in ("", "none")
    ]
    attributes = f' class="{" ".join(classes)}"' if classes else ""
    if cell.key is not None:
        attributes += f' data-key="{cell.key!r}"'
    return f"<td{attributes}>{_text(cell.text)}</td>"
