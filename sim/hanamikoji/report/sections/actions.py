"""The actions: how often each opens, in which order they are played, and how that scores."""

from __future__ import annotations

from hanamikoji.report.document import Block, Cell, Chart, Column, Point, Section, Table, row
from hanamikoji.report.sections.labels import (
    DETAILED,
    Labels,
    at_best_play,
    left_out,
    match_up,
    most_telling,
)
from hanamikoji.report.words import NONE, count_cell, joined, mean_score_cell, percent, share_cell
from hanamikoji.stats import ActionShape, CellSummary, Summary

_CELLS = 4


def actions_section(summary: Summary, labels: Labels) -> Section | None:
    """Openings, actions by turn, and whole orders of round 1."""
    cells = most_telling(summary.cells, DETAILED)
    if not any(c.shape.openings for c in cells):
        return None
    more = left_out(len(cells), len(summary.cells))
    blocks: list[Block] = [
        _brief_table(cells, labels, more),
        _opening_chart(
            at_best_play(summary, _CELLS),
            len(summary.cells),
            labels,
            _actions_table(cells, labels, more),
        ),
    ]
    if any(c.shape.actions for c in cells):
        blocks += [_turns_table(cells, labels, more), _orders_table(cells, labels, more)]
    return Section("Actions", tuple(blocks))


def _used(shapes: tuple[ActionShape, ...], role: str) -> list[ActionShape]:
    mine = [shape for shape in shapes if shape.role == role and shape.share.count]
    return sorted(mine, key=lambda shape: -shape.share.value)


def _brief_table(cells: list[CellSummary], labels: Labels, more: str) -> Table:
    def told(cell: CellSummary, role: str) -> str:
        return ", ".join(
            f"{shape.action} {100 * shape.share.value:.1f}"
            for shape in _used(cell.shape.openings, role)
        )

    return Table(
        (Column("cell"), Column("starter opens with, %"), Column("second opens with, %")),
        tuple(row(labels(c), told(c, "starter"), told(c, "second")) for c in cells),
        "First action of each player in round 1, in % of games." + more,
        brief=True,
    )


def _opening_chart(drawn: list[CellSummary], there: int, labels: Labels, table: Table) -> Chart:
    points = []
    for c in drawn:
        where = f"{c.variant if labels.variants else labels(c)} · " if len(drawn) > 1 else ""
        for shape in _used(c.shape.openings, "starter"):
            if shape.score is not None:
                points.append(
                    Point(
                        f"{where}{shape.action}",
                        100 * shape.score.value,
                        100 * shape.score.interval.low,
                        100 * shape.score.interval.high,
                    )
                )
    best = max(points, key=lambda p: p.value, default=None)
    played = joined(dict.fromkeys(match_up(c.agent_a, c.agent_b) for c in drawn))
    return Chart(
        "intervals",
        "The starter's score by its opening action",
        "No game had an opening."
        if best is None
        else f"Play by {played}. Best drawn is {best.label} with {best.value:.1f} %; bars are 95 % "
        "intervals."
        + (f" Drawn are {len(drawn)} of {there:,} cells." if len(drawn) < there else ""),
        tuple(points),
        "starter's score, %",
        table,
        middle=50.0,
    )


def _actions_table(cells: list[CellSummary], labels: Labels, more: str) -> Table:
    return Table(
        (
            Column("cell"),
            Column("player"),
            Column("opens with"),
            Column("% of games", True),
            Column("its score % then (95 %)", True),
        ),
        tuple(
            row(
                labels(c),
                shape.role,
                shape.action,
                share_cell(shape.share),
                mean_score_cell(shape.score),
            )
            for c in cells
            for role in ("starter", "second")
            for shape in _used(c.shape.openings, role)
        ),
        "Openings and how whoever plays them scores in the game." + more,
    )


def _turns_table(cells: list[CellSummary], labels: Labels, more: str) -> Table:
    turns = max((shape.turn for c in cells for shape in c.shape.actions), default=0)
    rows = []
    for c in cells:
        by_turn = {(s.role, s.action, s.turn): s for s in c.shape.actions}
        for role, action in dict.fromkeys((s.role, s.action) for s in c.shape.actions):
            cells_of_row = [
                _turn_cell(by_turn.get((role, action, turn))) for turn in range(1, turns + 1)
            ]
            rows.append(row(labels(c), role, action, *cells_of_row))
    return Table(
        (
            Column("cell"),
            Column("player"),
            Column("action"),
            *(Column(f"turn {turn}: % / score %", True) for turn in range(1, turns + 1)),
        ),
        tuple(rows),
        "Round 1: how often the action is played as this turn, and the player's score in the game "
        "then." + more,
    )


def _turn_cell(shape: ActionShape | None) -> Cell:
    if shape is None:
        return Cell(NONE)
    score = NONE if shape.score is None else percent(shape.score.value, shape.score.interval)
    share = percent(shape.share.value, shape.share.interval)
    return Cell(f"{share} / {score}", shape.share.value)


def _orders_table(cells: list[CellSummary], labels: Labels, more: str) -> Table:
    return Table(
        (
            Column("cell"),
            Column("player"),
            Column("order of actions"),
            Column("games", True),
            Column("% of games", True),
            Column("its score % (95 %)", True),
        ),
        tuple(
            row(
                labels(c),
                o.role,
                " > ".join(o.order),
                count_cell(o.share.count),
                share_cell(o.share),
                mean_score_cell(o.score),
            )
            for c in cells
            for o in c.shape.orders
        ),
        "The most frequent orders of actions in round 1." + more,
    )
