"""The geishas: who holds each at the end, and the score that goes with holding her."""

from __future__ import annotations

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import Block, Chart, Section, Table, TableColumn
from hanamikoji.report.sections.labels import (
    DETAILED,
    CellLabels,
    at_best_play,
    cells_note,
    highest,
    largest_edges,
)
from hanamikoji.report.words import percent_mark
from hanamikoji.stats import CellSummary, GeishaShape, HolderScore, Summary

_PLOTTED = 4


def geishas_section(summary: Summary, labels: CellLabels) -> Section | None:
    """Favor at the end, and each agent's score when it holds a geisha."""
    if not summary.cells:
        return None
    cells = largest_edges(summary.cells, DETAILED)
    note = cells_note(len(cells), len(summary.cells))
    recorded = any(not c.shape.missing for c in cells)
    scores = _scores_table(cells, labels, recorded, note)
    blocks: list[Block] = [
        _score_chart(summary, labels, recorded, scores),
        _holders_table(cells, labels, note),
    ]
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
    summary: Summary, labels: CellLabels, recorded: bool, scores_table: Table
) -> Chart:
    cells, note = at_best_play(summary, _PLOTTED)
    points, scores = [], []
    for c in cells:
        for g in c.shape.geishas:
            for holder in g.held:
                score = holder.after_round_1 if recorded else holder.at_end
                if score is not None:
                    series = labels(c) if c.mirror else f"{labels(c)}, {holder.agent}"
                    mark = percent_mark(name_of(g), score.value, score.interval, series=series)
                    points.append(mark)
                    scores.append((f"{name_of(g)} in {series}", score))
    when = "after round 1" if recorded else "at the end"
    return Chart(
        "lines",
        f"Score of an agent that holds the geisha {when}",
        "No geisha was held from both seats." if not points else highest(scores, "geisha") + note,
        tuple(points),
        "score, %",
        scores_table,
        middle=50.0,
        labels_axis="geisha",
    )


def _scores_table(cells: list[CellSummary], labels: CellLabels, recorded: bool, note: str) -> Table:
    columns: list[TableColumn[tuple[CellSummary, GeishaShape, HolderScore]]] = [
        text("cell", lambda row: labels(row[0])),
        text("geisha", lambda row: name_of(row[1])),
        text("agent", lambda row: row[2].agent),
        figure("games", lambda row: None if row[2].at_end is None else row[2].at_end.n),
        estimate("score if it holds her at the end", lambda row: row[2].at_end, "%"),
    ]
    if recorded:
        columns.append(
            estimate("score if it holds her after round 1", lambda row: row[2].after_round_1, "%")
        )
    return table(
        [(c, g, holder) for c in cells for g in c.shape.geishas for holder in g.held],
        columns,
        "The score that goes with holding a geisha, by agent: the average of its scores from both "
        "seats. A dash: it never held her from one of them." + note,
    )


def _holders_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    return table(
        [(c, g) for c in cells for g in c.shape.geishas],
        [
            text("cell", lambda row: labels(row[0])),
            text("geisha", lambda row: name_of(row[1])),
            estimate("starter", lambda row: row[1].starter, "%"),
            estimate("second", lambda row: row[1].second, "%"),
            figure("nobody", lambda row: row[1].nobody, "%"),
        ],
        "Who holds each geisha at the end, as % of games." + note,
    )
