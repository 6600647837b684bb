"""The seats: the starter's edge in each cell, and how it changes with the level of play."""

from __future__ import annotations

from collections.abc import Sequence

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import Chart, Paragraph, Section, Table
from hanamikoji.report.sections.labels import (
    CellLabels,
    cells_note,
    largest_edges,
    plot_note,
    plotted,
)
from hanamikoji.report.words import (
    count,
    joined,
    name_list,
    percent,
    percent_mark,
    percent_range,
    points,
    points_range,
    points_text,
    range_cell,
    verdict_cell,
)
from hanamikoji.stats import CellSummary, Ladder, Score, Summary

_LINES = 6  # of a chart
_TRENDS = {
    "grows": "further from fair as play improves",
    "vanishes": "closer to fair as play improves",
    "turns": "changing sides as play improves",
    "steady": "unchanged within the margin",
    "unclear": "with too few games to call the trend",
}


def seats_section(summary: Summary, labels: CellLabels, listed: int) -> Section | None:
    """The starter's score in each cell."""
    if not summary.cells:
        return None
    shown = largest_edges(summary.cells, listed)
    cells, note = plotted(summary.cells)
    chart = Chart(
        "intervals",
        "Starter's edge",
        _edge_text(cells, labels) + note,
        tuple(
            percent_mark(
                labels(c), c.starter.edge, c.starter.edge_interval, tone=c.verdict.decision
            )
            for c in cells
        ),
        "starter's edge, pp",
        _seats_table(shown, labels, cells_note(len(shown), len(summary.cells))),
        margin=100 * summary.facts.margin,
        middle=0.0,
    )
    return Section("Starter and second", (chart, *_stopping(summary, labels)))


def _seats_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    return table(
        cells,
        [
            text("cell", labels),
            figure("games", lambda c: c.games),
            figure("starter's score", lambda c: c.starter, "%"),
            figure("95 % interval", lambda c: range_cell(c.starter)),
            figure("wins / shared / losses", lambda c: record_of(c.starter)),
            text("verdict", lambda c: verdict_cell(c.verdict)),
        ],
        "The starter's mean score: 1 for a win, 1/2 for a shared win or an unfinished game. "
        f"Intervals are computed over {_units(cells)}. The verdict has its own: 'balanced' "
        "rests on one of 90 %, 'unbalanced' on one of 95 %, for all looks together."
        + _unfinished(cells)
        + note,
        brief=True,
    )


def _unfinished(cells: list[CellSummary]) -> str:
    if not any(c.starter.unfinished for c in cells):
        return ""
    return " '+ 3': 3 more games reached the round limit unfinished."


def record_of(score: Score) -> str:
    """``12 / 0 / 8``: games won, shared and lost, and ``+ 3`` that were unfinished."""
    listed = " / ".join(map(count, (score.wins, score.shared, score.losses)))
    return f"{listed} + {count(score.unfinished)}" if score.unfinished else listed


def _units(cells: list[CellSummary]) -> str:
    units = {
        "pairs": "pairs (a deal played in both seatings)",
        "games": "games (a mirror match-up plays each deal once)",
    }
    return joined(units.get(unit, unit) for unit in sorted({c.starter.unit for c in cells}))


def _edge_text(cells: list[CellSummary], labels: CellLabels) -> str:
    ordered = sorted(cells, key=lambda c: c.starter.edge)
    low, high = ordered[0], ordered[-1]
    if low is high:
        interval = points_range(low.starter.edge_interval)
        return f"The starter's edge is {_edge(low.starter)} pp, 95 % interval {interval}."
    return (
        f"The starter's edge ranges from {_edge(low.starter)} pp ({labels(low)}) to "
        f"{_edge(high.starter)} pp ({labels(high)}). Bars are 95 % intervals; the band is the "
        "margin."
    )


def _edge(score: Score) -> str:
    return points(score.edge, score.edge_interval)


def _stopping(summary: Summary, labels: CellLabels) -> tuple[Paragraph, ...]:
    """How cells reached their sample sizes, unless these were fixed."""
    outcomes: dict[str, list[str]] = {}
    for cell in summary.cells:
        if cell.stopping.rule != "fixed":
            outcomes.setdefault(cell.stopping.outcome, []).append(labels(cell))
    if not outcomes:
        return ()
    listed = "; ".join(f"{outcome}: {name_list(cells)}" for outcome, cells in outcomes.items())
    stop = summary.facts.stop
    if stop.score0 is not None and stop.score1 is not None:
        note = (
            f"H0: the first-named agent scores {100 * stop.score0:.4g} % (in a mirror, the starter "
            f"does); H1: {100 * stop.score1:.4g} %. The test ended these samples, so intervals "
            "that assume a fixed size are too narrow, and averages too far from the middle. "
            f"{_tested(summary, labels)}"
        )
    elif stop.margin is not None:
        note = (
            "The intervals of verdicts hold at any look; all others assume a fixed size, and are "
            "a little too narrow."
        )
    elif stop.sequence:
        note = (
            "Intervals of scores and edges come from the confidence sequence and are valid at any "
            "look; all others assume a fixed sample size."
        )
    else:
        note = "A stop that depends only on the width of an interval leaves its coverage as it is."
    return (Paragraph(f"Stopping rule, {listed}. {note}", brief=True),)


def _tested(summary: Summary, labels: CellLabels) -> str:
    """The scores that the test was about."""
    found = [
        f"{labels(c)} {percent(tested.value, tested.interval)} %, {percent_range(tested.interval)}"
        for c in summary.cells
        if (tested := c.stopping.estimate) is not None
    ]
    return f"Median-unbiased estimates of the tested score: {name_list(found)}." if found else ""


def ladder_section(summary: Summary) -> Section | None:
    """The same variant under agents of increasing strength."""
    if not summary.ladders:
        return None
    ladders = _steepest(summary.ladders)
    chart = Chart(
        "lines",
        "Starter's edge by level of play",
        " ".join(f"{ladder.variant}: {_ladder_text(ladder)}" for ladder in ladders)
        + plot_note(
            len(ladders),
            len(summary.ladders),
            "variants, those with the largest edges at best play",
        ),
        tuple(
            percent_mark(
                rung.agent,
                rung.starter.edge,
                rung.starter.edge_interval,
                series=ladder.variant,
            )
            for ladder in ladders
            for rung in ladder.rungs
        ),
        "starter's edge, pp",
        _ladder_table(summary),
        margin=100 * summary.facts.margin,
        middle=0.0,
        labels_axis="agent, weakest first",
    )
    return Section("Levels of play", (chart,))


def _steepest(ladders: Sequence[Ladder]) -> list[Ladder]:
    """The ladders that fit a chart: those with the largest edges at best play, in order."""
    if len(ladders) <= _LINES:
        return list(ladders)
    ranked = sorted(ladders, key=lambda ladder: -abs(ladder.rungs[-1].starter.edge))
    return [ladder for ladder in ladders if ladder in ranked[:_LINES]]


def _ladder_text(ladder: Ladder) -> str:
    bottom, top = ladder.rungs[0], ladder.rungs[-1]
    return (
        f"from {bottom.agent} to {top.agent}, the starter's edge goes from "
        f"{_edge(bottom.starter)} to {_edge(top.starter)} pp, {_TRENDS[ladder.trend]} "
        f"(a change of {points_text(ladder.change.value, ladder.change.interval)} pp)."
    )


def _ladder_table(summary: Summary) -> Table:
    return table(
        [(ladder, rung) for ladder in summary.ladders for rung in ladder.rungs],
        [
            text("variant", lambda row: row[0].variant),
            text("agent", lambda row: row[1].agent),
            figure("Elo", lambda row: None if row[1].elo is None else f"{row[1].elo:.0f}"),
            estimate("starter's edge", lambda row: row[1].starter, "pp"),
            figure("games", lambda row: row[1].starter.games),
            text("verdict", lambda row: verdict_cell(row[1].verdict)),
        ],
        "Mirror match-ups, weakest agent first: by rating if there is one, otherwise in the "
        "experiment's order.",
    )
