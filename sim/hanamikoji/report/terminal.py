"""The brief report: a document's brief blocks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from hanamikoji.report.document import (
    Block,
    Chart,
    Code,
    Document,
    Items,
    Paragraph,
    Table,
    TableCell,
    TableColumn,
    Tone,
)
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import JustifyMethod, RenderableType

_WIDTH = 120
"""Columns when the output is not a terminal, so that logs are legible."""

_NAME = 16
"""With less room than this for each text column, figures are folded too."""

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
        parts = [part for block in section.blocks for part in _brief(block, console.width)]
        if not parts:
            continue
        console.print()
        console.print(_text(section.title, "bold"))
        for part in parts:
            console.print(part)


def make_console() -> Console:
    """A console on standard output that prints names verbatim: no markup, emoji or highlighting."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    return console


def _text(words: str, style: str = "") -> Text:
    return Text(escape_terminal(words), style=style)


def _brief(block: Block, width: int) -> Iterator[RenderableType]:
    """The parts of a block that belong on the terminal."""
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
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    kept = [i for i, column in enumerate(table.columns) if not column.detail]
    lines = [[_cell(row[i], width) for i in kept] for row in table.rows]
    columns = [table.columns[i] for i in kept]
    widths = _widths(columns, lines, width - _GAP * (len(columns) - 1))
    for column, column_width in zip(columns, widths, strict=True):
        justify: JustifyMethod = "right" if column.number else "left"
        rich.add_column(_text(column.title), justify=justify, overflow="fold", width=column_width)
    for line in lines:
        rich.add_row(*line)
    return rich


def _cell(cell: TableCell, width: int) -> Text:
    short = cell.short and width < _WIDTH
    return _text(cell.short if short else cell.text, _STYLES[cell.tone])


def _widths(
    columns: Sequence[TableColumn[Any]], lines: Sequence[Sequence[Text]], width: int
) -> list[int | None]:
    """TableColumn widths that fold text and headings before figures; None leaves a width to Rich.

    Rich alone folds all columns in proportion, figures included.
    """
    numbers = range(len(columns))
    most = [max(line[i].cell_len for line in lines) for i in numbers]
    titles = [max(map(cell_len, column.title.split())) for column in columns]
    figures = [i for i in numbers if columns[i].number]
    names = [i for i in numbers if not columns[i].number]
    least = {i: max(most[i], titles[i]) for i in figures}
    room = width - sum(least.values())
    if room < _NAME * len(names):
        return [None] * len(columns)
    found = dict(least)
    for place, i in enumerate(sorted(names, key=lambda i: most[i])):
        found[i] = min(max(most[i], titles[i]), room // (len(names) - place))
        room -= found[i]
    for i in figures:
        more = min(cell_len(columns[i].title) - found[i], room)
        if more > 0:
            found[i], room = found[i] + more, room - more
    return [found[i] for i in numbers]
