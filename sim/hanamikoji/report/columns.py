"""Tables as lists of columns: ``table(cells, [text("cell", labels), figure("games", games)])``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from hanamikoji.report.document import Row, Table, TableCell, TableColumn
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

Figure = TableCell | str | int | Proportion | Score | None


def table(
    rows: Iterable[Row],
    columns: Sequence[TableColumn[Row]],
    caption: str = "",
    *,
    brief: bool = False,
) -> Table:
    """A table with a row for each of ``rows``; see `Table` for the caption and ``brief``."""
    cells = tuple(tuple(column.value(row) for column in columns) for row in rows)
    return Table(tuple(columns), cells, caption, brief)


def text(heading: str, value: Callable[[Row], str | TableCell]) -> TableColumn[Row]:
    """A column of text."""

    def cell(row: Row) -> TableCell:
        shown = value(row)
        return TableCell(shown) if isinstance(shown, str) else shown

    return TableColumn(heading, cell)


def figure(
    heading: str,
    value: Callable[[Row], Figure],
    unit: str = "",
    *,
    interval: bool = False,
    detail: bool = False,
) -> TableColumn[Row]:
    """A column of figures: counts as they are, shares and scores in per cent, a dash for None."""
    return TableColumn(heading, lambda row: _figure(value(row)), unit, interval, True, detail)


def estimate(
    heading: str,
    value: Callable[[Row], Mean | Proportion | Score | None],
    unit: Literal["", "%", "pp"] = "",
    *,
    detail: bool = False,
) -> TableColumn[Row]:
    """A column of estimates with their 95 % intervals; a score is given as its edge."""

    def cell(row: Row) -> TableCell:
        found = value(row)
        if found is None:
            return TableCell(NONE)
        if isinstance(found, Score):
            return edge_cell(found)
        if unit == "%" or isinstance(found, Proportion):
            return percent_mean_cell(found)
        return points_cell(found) if unit == "pp" else mean_cell(found)

    return figure(heading, cell, unit, interval=True, detail=detail)


def _figure(found: Figure) -> TableCell:
    if found is None:
        return TableCell(NONE)
    if isinstance(found, TableCell):
        return found
    if isinstance(found, str):
        return TableCell(found)
    if isinstance(found, int):
        return count_cell(found)
    return share_cell(found) if isinstance(found, Proportion) else score_cell(found)
