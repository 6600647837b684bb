"""Tables as lists of columns: ``table(cells, [text("cell", labels), figure("games", games)])``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from hanamikoji.report.document import Cell, Column, Row, Table
from hanamikoji.report.words import (
    NONE,
    count_cell,
    edge_cell,
    mean_cell,
    percent_mean_cell,
    points_cell,
    score_cell,
    share_cell,
)
from hanamikoji.stats import Mean, Proportion, Score

Figure = Cell | str | int | Proportion | Score | None


def table(
    rows: Iterable[Row], columns: Sequence[Column[Row]], caption: str = "", *, brief: bool = False
) -> Table:
    """A table with a row for each of ``rows``; see `Table` for the caption and ``brief``."""
    cells = tuple(tuple(column.value(row) for column in columns) for row in rows)
    return Table(tuple(columns), cells, caption, brief)


def text(heading: str, value: Callable[[Row], str | Cell]) -> Column[Row]:
    """A column of text."""

    def cell(row: Row) -> Cell:
        shown = value(row)
        return Cell(shown) if isinstance(shown, str) else shown

    return Column(heading, cell)


def figure(
    heading: str, value: Callable[[Row], Figure], unit: str = "", *, detail: bool = False
) -> Column[Row]:
    """A column of figures: counts as they are, shares and scores in per cent, a dash for None."""
    return Column(heading, lambda row: _figure(value(row)), unit, number=True, detail=detail)


def estimate(
    heading: str,
    value: Callable[[Row], Mean | Proportion | Score | None],
    unit: Literal["", "%", "pp"] = "",
    *,
    detail: bool = False,
) -> Column[Row]:
    """A column of estimates with their 95 % intervals; a score is shown as its edge."""

    def cell(row: Row) -> Cell:
        found = value(row)
        if found is None:
            return Cell(NONE)
        if isinstance(found, Score):
            return edge_cell(found)
        if unit == "%" or isinstance(found, Proportion):
            return percent_mean_cell(found)
        return points_cell(found) if unit == "pp" else mean_cell(found)

    return Column(heading, cell, unit, interval=True, number=True, detail=detail)


def _figure(found: Figure) -> Cell:
    if found is None:
        return Cell(NONE)
    if isinstance(found, Cell):
        return found
    if isinstance(found, str):
        return Cell(found)
    if isinstance(found, int):
        return count_cell(found)
    return share_cell(found) if isinstance(found, Proportion) else score_cell(found)
