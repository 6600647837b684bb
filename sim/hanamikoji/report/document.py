"""A report before rendering: sections of blocks of plain text.

Nothing here is markup. Every string, including names from experiments and plugins, is text that
each renderer escapes in its own way, so no name can be missed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

Tone = Literal["none", "balanced", "unbalanced", "undecided"]
ChartKind = Literal["intervals", "stack", "heat", "lines"]

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class TableCell:
    """A table's cell."""

    text: str
    key: float | None = None
    """Sort key of a figure; None for text."""
    tone: Tone = "none"
    short: str = ""
    """Shown instead on a narrow terminal."""


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[Row]):
    """A column of a table: its heading and unit, its alignment, and what it shows of a row."""

    heading: str
    value: Callable[[Row], TableCell]
    unit: str = ""
    interval: bool = False
    """Each figure comes with its 95 % interval."""
    number: bool = False
    """Figures are set flush right."""
    detail: bool = False
    """Left out on the terminal."""

    @property
    def title(self) -> str:
        """The heading with its unit, as in ``edge (pp, 95 % CI)``."""
        notes = [self.unit] * bool(self.unit) + ["95 % CI"] * self.interval
        return f"{self.heading} ({', '.join(notes)})" if notes else self.heading


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings."""

    columns: tuple[TableColumn[Any], ...]
    rows: tuple[tuple[TableCell, ...], ...]
    caption: str = ""
    """What the table shows, with units and denominators."""
    brief: bool = False
    """Also shown on the terminal."""


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
    """Preformatted lines, such as a command."""

    text: str
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of a chart."""

    label: str
    """Its row, or its position on the x axis of a line chart."""
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""
    """Legend entry; in a heat map, the column."""
    tone: Tone = "none"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, its text alternative, and the table of its values."""

    kind: ChartKind
    title: str
    text: str
    """Text alternative."""
    points: tuple[Mark, ...]
    axis: str
    """Title of the value axis, with its unit."""
    table: Table
    margin: float | None = None
    """Shades the band from -margin to +margin."""
    middle: float | None = None
    """Reference line; in a heat map, the neutral value."""
    labels_axis: str = ""
    ordered: bool = False
    """The series are steps of a scale, not categories."""


Block = Table | Paragraph | Items | Code | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def anchor(self) -> str:
        """Fragment identifier: letters, digits and hyphens."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.title.lower()).split())


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    headline: str
    """First line: the verdict."""
    tone: Tone
    sections: tuple[Section, ...]
