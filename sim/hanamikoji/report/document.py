"""A report before it is rendered: sections of blocks that hold plain text.

Nothing here is markup. Every string, names from experiments and plugins among them, is text that a
renderer escapes in its own way, so that a name can't be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["none", "balanced", "unbalanced", "undecided"]
ChartKind = Literal["intervals", "stack", "heat", "lines"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A table's cell."""

    text: str
    key: float | None = None
    """What a column of figures is sorted by; None for text."""
    tone: Tone = "none"
    short: str = ""
    """What a narrow terminal shows instead."""


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column."""

    title: str
    number: bool = False
    """Figures are set flush right."""
    detail: bool = False
    """Left out on the terminal."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    """What is shown, with units and denominators."""
    brief: bool = False
    """Shown on the terminal too."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str
    strong: bool = False
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short texts."""

    texts: tuple[str, ...]
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be typed or compared as they stand."""

    text: str
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """One mark of a chart."""

    label: str
    """Its row, or its place on the x axis of a chart of lines."""
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""
    """Its colour's name in the legend; in a heat map its column."""
    tone: Tone = "none"


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, the sentence that stands for it, and the table of what it shows."""

    kind: ChartKind
    title: str
    text: str
    """What there is to see, for whoever can't see it."""
    points: tuple[Point, ...]
    axis: str
    """The values' axis title, with its unit."""
    table: Table
    margin: float | None = None
    """Draws the band of values from -margin to +margin."""
    middle: float | None = None
    """Draws a line at this value; a heat map's neutral one."""
    labels_axis: str = ""
    ordered: bool = False
    """The series are steps of one scale, not kinds."""


Block = Table | Paragraph | Items | Code | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def anchor(self) -> str:
        """A name for links to it, of letters and hyphens."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.title.lower()).split())


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    headline: str
    """The verdict: its first line."""
    tone: Tone
    sections: tuple[Section, ...]


def columns(*titles: str, text: int = 1) -> tuple[Column, ...]:
    """Columns of which the first ``text`` hold text and the others figures."""
    return tuple(Column(title, number=i >= text) for i, title in enumerate(titles))


def row(*cells: str | Cell) -> tuple[Cell, ...]:
    """A table's row; a string is a cell of text."""
    return tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in cells)


def tables_of(blocks: Sequence[Block]) -> Iterator[Table]:
    """All tables among blocks, those of charts included."""
    for block in blocks:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Chart):
            yield block.table
