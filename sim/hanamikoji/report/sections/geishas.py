"""The geishas: who ends up with each, and what she is worth."""

from __future__ import annotations

from hanamikoji.report.document import Cell, Chart, Column, Point, Section, Table, row
from hanamikoji.report.sections.labels import DETAILED, Labels, at_best_play, left_out, most_telling
from hanamikoji.report.words import mean_score_cell, percent, percent_range, share_cell
from hanamikoji.stats import CellSummary, GeishaShape, Mean, Summary

_LINES = 4


def geishas_section(summary: Summary, labels: Labels) -> Section | None:
    """Geisha by geisha: favor at the end, and the score of whoever holds her."""
    if not summary.cells:
        return None
    cells = most_telling(summary.cells, DETAILED)
    more = left_out(len(cells), len(summary.cells))
    detailed = any(
        g.score_if_held_after_round_1 is not None for c in cells for g in c.shape.geishas
    )
    blocks: list[Table | Chart] = [
        _worth_chart(
            at_best_play(summary, _LINES), labels, detailed, _table(cells, labels, detailed, more)
        )
    ]
    if len({tuple(g.charm for g in c.shape.geishas) for c in cells}) == 1:
        blocks.insert(0, _favor_table(cells, labels, more))
    return Section("Geishas", tuple(blocks))


def name_of(geisha: GeishaShape) -> str:
    """``2 (charm 5)``; geishas count from 1."""
    return f"{geisha.geisha + 1} (charm {geisha.charm})"


def _favor_table(cells: list[CellSummary], labels: Labels, more: str) -> Table:
    return Table(
        (
            Column("cell"),
            *(Column(f"geisha {name_of(g)}", True) for g in cells[0].shape.geishas),
        ),
        tuple(
            row(
                labels(c),
                *(
                    Cell(f"{100 * g.starter.value:.1f} / {100 * g.second.value:.1f}")
                    for g in c.shape.geishas
                ),
            )
            for c in cells
        ),
        "Favor at the end: % of games in which the starter / the second holds her." + more,
        brief=True,
    )


def _worth(geisha: GeishaShape, detailed: bool) -> Mean | None:
    return geisha.score_if_held_after_round_1 if detailed else geisha.score_if_held


def _worth_chart(drawn: list[CellSummary], labels: Labels, detailed: bool, table: Table) -> Chart:
    when = "after round 1" if detailed else "at the end"
    points = []
    for c in drawn:
        for g in c.shape.geishas:
            mean = _worth(g, detailed)
            if mean is not None:
                points.append(
                    Point(
                        name_of(g),
                        100 * mean.value,
                        100 * mean.interval.low,
                        100 * mean.interval.high,
                        series=labels(c),
                    )
                )
    best = max(points, key=lambda p: p.value, default=None)
    text = (
        "Nobody held a geisha."
        if best is None
        else f"Most telling is geisha {best.label} in {best.series}: whoever holds her {when} "
        f"scores {best.value:.1f} %."
    )
    return Chart(
        "lines",
        f"Score of whoever holds her {when}",
        text,
        tuple(points),
        "score, %",
        table,
        middle=50.0,
        labels_axis="geisha",
    )


def _table(cells: list[CellSummary], labels: Labels, detailed: bool, more: str) -> Table:
    late = (Column("score % if held after round 1 (95 %)", True),) if detailed else ()
    return Table(
        (
            Column("cell"),
            Column("geisha"),
            Column("starter % (95 %)", True),
            Column("second % (95 %)", True),
            Column("nobody %", True),
            Column("score % if held at the end (95 %)", True),
            *late,
        ),
        tuple(
            row(
                labels(c),
                name_of(g),
                *(
                    Cell(
                        f"{percent(p.value, p.interval)} ({percent_range(p.interval)})",
                        p.value,
                    )
                    for p in (g.starter, g.second)
                ),
                share_cell(g.nobody),
                mean_score_cell(g.score_if_held),
                *((mean_score_cell(g.score_if_held_after_round_1),) if detailed else ()),
            )
            for c in cells
            for g in c.shape.geishas
        ),
        "Who holds each geisha at the end, in % of games, and the score of whoever does." + more,
    )
