"""The geishas: who holds each at the end, and the score of whoever does."""

from __future__ import annotations

from collections.abc import Callable

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import Block, Chart, Section, Table, TableColumn
from hanamikoji.report.sections.labels import (
    DETAILED,
    CellLabels,
    at_best_play,
    cells_note,
    largest_edges,
)
from hanamikoji.report.words import percent_mark
from hanamikoji.stats import CellSummary, GeishaShape, Mean, Summary

_PLOTTED = 4


def geishas_section(summary: Summary, labels: CellLabels) -> Section | None:
    """Favor at the end, and the score of whoever holds each geisha."""
    if not summary.cells:
        return None
    cells = largest_edges(summary.cells, DETAILED)
    note = cells_note(len(cells), len(summary.cells))
    recorded = any(g.score_if_held_after_round_1 for c in cells for g in c.shape.geishas)
    geishas = _geishas_table(cells, labels, recorded, note)
    blocks: list[Block] = [_score_chart(at_best_play(summary, _PLOTTED), labels, recorded, geishas)]
    if len({tuple(g.charm for g in c.shape.geishas) for c in cells}) == 1:
        blocks.insert(0, _favor_table(cells, labels, note))
    return Section("Geishas", tuple(blocks))


def name_of(geisha: GeishaShape) -> str:
    """``2 (charm 5)``; geishas count from 1."""
    return f"{geisha.geisha + 1} (charm {geisha.charm})"


def _favor_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    def column(geisha: GeishaShape) -> TableColumn[CellSummary]:
        def shares(cell: CellSummary) -> str:
            here = cell.shape.geishas[geisha.geisha]
            return f"{100 * here.starter.value:.1f} / {100 * here.second.value:.1f}"

        return figure(f"geisha {name_of(geisha)}", shares)

    return table(
        cells,
        [text("cell", labels), *map(column, cells[0].shape.geishas)],
        "Favor at the end: % of games in which the starter / the second holds the geisha." + note,
        brief=True,
    )


def _score_chart(
    cells: list[CellSummary], labels: CellLabels, recorded: bool, geishas: Table
) -> Chart:
    when = "after round 1" if recorded else "at the end"
    score: Callable[[GeishaShape], Mean | None] = (
        (lambda g: g.score_if_held_after_round_1) if recorded else (lambda g: g.score_if_held)
    )
    points = [
        percent_mark(name_of(g), mean.value, mean.interval, series=labels(c))
        for c in cells
        for g in c.shape.geishas
        if (mean := score(g)) is not None
    ]
    best = max(points, key=lambda p: p.value, default=None)
    return Chart(
        "lines",
        f"Score of whoever holds the geisha {when}",
        "No geisha was held."
        if best is None
        else f"The highest score is {best.value:.1f} %, for whoever holds geisha {best.label} "
        f"{when} in {best.series}.",
        tuple(points),
        "score, %",
        geishas,
        middle=50.0,
        labels_axis="geisha",
    )


def _geishas_table(
    cells: list[CellSummary], labels: CellLabels, recorded: bool, note: str
) -> Table:
    columns: list[TableColumn[tuple[CellSummary, GeishaShape]]] = [
        text("cell", lambda row: labels(row[0])),
        text("geisha", lambda row: name_of(row[1])),
        estimate("starter", lambda row: row[1].starter, "%"),
        estimate("second", lambda row: row[1].second, "%"),
        figure("nobody", lambda row: row[1].nobody, "%"),
        estimate("score if held at the end", lambda row: row[1].score_if_held, "%"),
    ]
    if recorded:
        columns.append(
            estimate(
                "score if held after round 1", lambda row: row[1].score_if_held_after_round_1, "%"
            )
        )
    return table(
        [(c, g) for c in cells for g in c.shape.geishas],
        columns,
        "Who holds each geisha at the end, as % of games, and the holder's score." + note,
    )
