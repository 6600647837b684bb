"""The brief report: a document's brief blocks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from hanamikoji.report.document import Block, Chart, Code, Document, Items, Paragraph, Table, Tone
from hanamikoji.report.words import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

_WIDTH = 120
"""Columns where the output is no terminal, so that a log is read as easily."""

_NAME = 16
"""With less room than this for each name, figures are folded too."""

_GAP = 3

_STYLES: dict[Tone, str] = {
    "none": "",
    "balanced": "green",
    "unbalanced": "red",
    "undecided": "yellow",
}


def show_document(document: Document, console: Console | None = None) -> None:
    """Print the headline and the brief blocks."""
    console = console or make_console()
    console.print(
        _text(document.headline, f"bold {_STYLES[document.tone]}".strip()), soft_wrap=True
    )
    for section in document.sections:
        shown = [shape for block in section.blocks for shape in _brief(block, console.width)]
        if not shown:
            continue
        console.print()
        console.print(_text(section.title, "bold"))
        for shape in shown:
            console.print(shape)


def make_console() -> Console:
    """Standard output; names are text, so nothing in them is markup, emoji or highlighted."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    return console


def _text(words: str, style: str = "") -> Text:
    return Text(plain(words), style=style)


def _brief(block: Block, width: int) -> Iterator[RenderableType]:
    """What of a block belongs on the terminal."""
    if isinstance(block, Chart):
        yield from _brief(block.table, width)
    elif isinstance(block, Table):
        if block.brief and block.rows:
            yield _table(block, width)
            if block.caption:
                yield _text(block.caption, "dim")
    elif block.brief:
        if isinstance(block, Items):
            yield from (_text(f"- {text}") for text in block.texts)
        elif isinstance(block, Code):
            yield Padding(_text(block.text), (0, 0, 0, 4))
        elif isinstance(block, Paragraph):
            yield _text(block.text, "bold" if block.strong else "")


def _table(table: Table, width: int) -> RichTable:
    """Figures are never folded while there is room; names are, if they must."""
    shape = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    shown = [i for i, column in enumerate(table.columns) if not column.detail]
    needs = {i: _needs(table, i) for i in shown}
    texts = [i for i in shown if not table.columns[i].number]
    left = width - _GAP * len(shown) - sum(needs[i] for i in shown if i not in texts)
    room = left // max(len(texts), 1)
    for i in shown:
        column = table.columns[i]
        least = min(needs[i], room) if i in texts else needs[i]
        shape.add_column(
            _text(column.title),
            justify="right" if column.number else "left",
            overflow="fold",
            min_width=least if room >= _NAME else None,
        )
    for row in table.rows:
        shape.add_row(*(_text(row[i].text, _STYLES[row[i].tone]) for i in shown))
    return shape


def _needs(table: Table, column: int) -> int:
    """Columns on the screen that keep a table's column from being folded."""
    words = table.columns[column].title.split()
    return max(map(cell_len, [*words, *(plain(row[column].text) for row in table.rows)]))
