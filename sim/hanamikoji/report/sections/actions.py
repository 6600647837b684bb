"""The actions: how often each is the opening, in what order they are played, and their scores."""

from __future__ import annotations

from dataclasses import dataclass

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import Block, Chart, Section, Table, TableCell, TableColumn
from hanamikoji.report.sections.labels import (
    DETAILED,
    CellLabels,
    at_best_play,
    cells_note,
    highest,
    largest_edges,
    match_up,
)
from hanamikoji.report.words import NONE, joined, percent, percent_mark
from hanamikoji.stats import ActionShape, CellSummary, Summary

_PLOTTED = 4


def actions_section(summary: Summary, labels: CellLabels) -> Section | None:
    """Openings, actions by turn, and whole orders of round 1."""
    cells = largest_edges(summary.cells, DETAILED)
    if not any(c.shape.openings for c in cells):
        return None
    note = cells_note(len(cells), len(summary.cells))
    blocks: list[Block] = [
        _summary_table(cells, labels, note),
        _opening_chart(summary, labels, _openings_table(cells, labels, note)),
    ]
    if any(c.shape.actions for c in cells):
        blocks += [_turns_table(cells, labels, note), _orders_table(cells, labels, note)]
    return Section("Actions", tuple(blocks))


def _openings(cell: CellSummary, role: str) -> list[ActionShape]:
    """A role's openings by agent, the most frequent first."""
    played = [shape for shape in cell.shape.openings if shape.role == role and shape.share.count]
    return sorted(played, key=lambda shape: (shape.agent, -shape.share.value))


def _summary_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    def listed(row: tuple[CellSummary, str], role: str) -> str:
        openings = (s for s in _openings(row[0], role) if s.agent == row[1])
        return ", ".join(f"{shape.action} {100 * shape.share.value:.1f}" for shape in openings)

    return table(
        [(c, agent) for c in cells for agent in dict.fromkeys((c.agent_a, c.agent_b))],
        [
            text("cell", lambda row: labels(row[0])),
            text("agent", lambda row: row[1]),
            text("openings as starter (%)", lambda row: listed(row, "starter")),
            text("openings as second (%)", lambda row: listed(row, "second")),
        ],
        "Each agent's first action in round 1, as % of its games in that seat." + note,
        brief=True,
    )


def _opening_chart(summary: Summary, labels: CellLabels, openings: Table) -> Chart:
    cells, note = at_best_play(summary, _PLOTTED)
    points, shapes = [], []
    for c in cells:
        where = f"{c.variant if labels.variants else labels(c)} · " if len(cells) > 1 else ""
        for shape in _openings(c, "starter"):
            if shape.score is not None:
                who = "" if c.mirror else f" by {shape.agent}"
                label = f"{where}{shape.action}{who}"
                points.append(percent_mark(label, shape.score.value, shape.score.interval))
                shapes.append((label, shape.score))
    agents = joined(dict.fromkeys(match_up(c.agent_a, c.agent_b) for c in cells))
    return Chart(
        "intervals",
        "Starter's score by opening action",
        "No openings were played."
        if not points
        else f"Agents: {agents}. {highest(shapes, 'opening')} Bars are 95 % intervals." + note,
        tuple(points),
        "starter's score, %",
        openings,
        middle=50.0,
    )


def _openings_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    rows = [(c, s) for c in cells for role in ("starter", "second") for s in _openings(c, role)]
    return table(
        rows,
        [
            text("cell", lambda row: labels(row[0])),
            text("agent", lambda row: row[1].agent),
            text("seat", lambda row: row[1].role),
            text("opening", lambda row: row[1].action),
            figure("games", lambda row: row[1].share.count),
            figure("games", lambda row: row[1].share, "%"),
            estimate("score", lambda row: row[1].score, "%"),
        ],
        "Openings, and the game score that goes with them: agents choose them, so the score is no "
        "measure of the action alone." + note,
    )


@dataclass(frozen=True, slots=True)
class _Turns:
    """An agent's use of one action from one seat, by turn of round 1."""

    cell: CellSummary
    agent: str
    role: str
    action: str
    by_turn: dict[int, ActionShape]

    def at(self, turn: int) -> TableCell:
        """How often the action is played in this turn, and the score then."""
        shape = self.by_turn.get(turn)
        if shape is None:
            return TableCell(NONE)
        score = NONE if shape.score is None else percent(shape.score.value, shape.score.interval)
        return TableCell(
            f"{percent(shape.share.value, shape.share.interval)} / {score}", shape.share.value
        )


def _turns_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    turns = max((shape.turn for c in cells for shape in c.shape.actions), default=0)
    rows: dict[tuple[int, str, str, str], _Turns] = {}
    for c in cells:
        for s in c.shape.actions:
            key = c.cell, s.agent, s.role, s.action
            row = rows.setdefault(key, _Turns(c, s.agent, s.role, s.action, {}))
            row.by_turn[s.turn] = s

    def column(turn: int) -> TableColumn[_Turns]:
        return figure(f"turn {turn}: games / score", lambda row: row.at(turn), "%")

    return table(
        rows.values(),
        [
            text("cell", lambda row: labels(row.cell)),
            text("agent", lambda row: row.agent),
            text("seat", lambda row: row.role),
            text("action", lambda row: row.action),
            *map(column, range(1, turns + 1)),
        ],
        "Round 1: how often each agent plays each action in each turn, and the game score that "
        "goes with it." + note,
    )


def _orders_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    return table(
        [(c, order) for c in cells for order in c.shape.orders],
        [
            text("cell", lambda row: labels(row[0])),
            text("agent", lambda row: row[1].agent),
            text("seat", lambda row: row[1].role),
            text("order of actions", lambda row: " > ".join(row[1].order)),
            figure("games", lambda row: row[1].share.count),
            figure("games", lambda row: row[1].share, "%"),
            estimate("score", lambda row: row[1].score, "%"),
        ],
        "The most frequent orders of actions in round 1 of each agent from each seat." + note,
    )
