"""The seats: the starter's edge in each cell, and how it changes with the level of play."""

from __future__ import annotations

from collections.abc import Sequence

from hanamikoji.report.document import Chart, Column, Paragraph, Point, Section, Table, row
from hanamikoji.report.sections.labels import Labels, left_out, most_telling, pictured
from hanamikoji.report.words import (
    NONE,
    count,
    count_cell,
    edge_cell,
    joined,
    named,
    points,
    points_range,
    score_cell,
    score_range_cell,
    verdict_cell,
)
from hanamikoji.stats import CellSummary, Ladder, Mean, Summary

_LADDERS = 6  # lines of a picture
_TRENDS = {
    "grows": "further from fair as play improves",
    "vanishes": "nearer to fair as play improves",
    "turns": "to the other seat as play improves",
    "steady": "the same within the margin",
    "unclear": "too few games to tell which way",
}


def seats_section(summary: Summary, labels: Labels, listed: int) -> Section | None:
    """The starter's score in each cell."""
    if not summary.cells:
        return None
    shown = most_telling(summary.cells, listed)
    table = _seat_table(shown, labels, left_out(len(shown), len(summary.cells)))
    bars, others = pictured(summary.cells)
    chart = Chart(
        "intervals",
        "The starter's edge",
        _edge_text(bars, labels) + others,
        tuple(
            Point(
                labels(c),
                100 * c.starter.edge,
                100 * c.starter.edge_interval.low,
                100 * c.starter.edge_interval.high,
                tone=c.verdict.decision,
            )
            for c in bars
        ),
        "starter's edge, pp",
        table,
        margin=100 * summary.facts.margin,
        middle=0.0,
    )
    return Section("Starter and second", (chart, *_stopping(summary, labels)))


def _seat_table(cells: list[CellSummary], labels: Labels, more: str) -> Table:
    return Table(
        (
            Column("cell"),
            Column("games", True),
            Column("starter's score %", True),
            Column("95 % interval", True),
            Column("wins / shared / losses", True),
            Column("verdict"),
        ),
        tuple(
            row(
                labels(c),
                count_cell(c.games),
                score_cell(c.starter),
                score_range_cell(c.starter),
                f"{count(c.starter.wins)} / {count(c.starter.draws)} / {count(c.starter.losses)}",
                verdict_cell(c.verdict),
            )
            for c in cells
        ),
        "The starter's average score: a win 1, a shared win or an unfinished game 1/2. Intervals "
        f"count {_units(cells)}. Unfinished games stand with the shared ones." + more,
        brief=True,
    )


def _units(cells: list[CellSummary]) -> str:
    units = {
        "pairs": "pairs (a deal played in both seatings)",
        "games": "games (a mirror plays each deal once)",
    }
    return joined(units.get(unit, unit) for unit in sorted({c.starter.unit for c in cells}))


def _edge_text(cells: list[CellSummary], labels: Labels) -> str:
    ordered = sorted(cells, key=lambda c: c.starter.edge)
    low, high = ordered[0], ordered[-1]
    if low is high:
        edge = low.starter.edge_interval
        return (
            f"The starter's edge is {points(low.starter.edge, edge)} pp, "
            f"95 % interval {points_range(edge)}."
        )
    return (
        f"The starter's edge ranges from {_edge(low)} pp ({labels(low)}) to {_edge(high)} pp "
        f"({labels(high)}). Bars are 95 % intervals; the band is the margin."
    )


def _edge(cell: CellSummary) -> str:
    return points(cell.starter.edge, cell.starter.edge_interval)


def _stopping(summary: Summary, labels: Labels) -> tuple[Paragraph, ...]:
    """How samples came to their sizes, unless by plan."""
    outcomes: dict[str, list[str]] = {}
    for cell in summary.cells:
        if cell.stopping.rule != "fixed":
            outcomes.setdefault(cell.stopping.outcome, []).append(labels(cell))
    if not outcomes:
        return ()
    told = "; ".join(f"{outcome}: {named(cells)}" for outcome, cells in outcomes.items())
    stop = summary.facts.stop
    if stop.score0 is not None and stop.score1 is not None:
        note = (
            f"H0: the first-named agent scores {100 * stop.score0:.4g} % (in a mirror, the "
            f"starter); H1: {100 * stop.score1:.4g} %. The sequential test ended these samples, so "
            "the intervals, which suppose a size fixed beforehand, are too narrow: optionally "
            "stopped."
        )
    else:
        note = (
            "Scores and edges are quoted with the confidence sequence's intervals, which are valid "
            "at any look; the other figures' suppose a size fixed beforehand."
        )
    return (Paragraph(f"Stopping rule, {told}. {note}", brief=True),)


def ladder_section(summary: Summary) -> Section | None:
    """The same variant under agents of rising strength."""
    if not summary.ladders:
        return None
    drawn = _steepest(summary.ladders)
    chart = Chart(
        "lines",
        "The starter's edge by level of play",
        " ".join(f"{ladder.variant}: {_ladder_text(ladder)}" for ladder in drawn)
        + _undrawn(len(drawn), len(summary.ladders)),
        tuple(
            Point(
                rung.agent,
                100 * rung.starter.edge,
                100 * rung.starter.edge_interval.low,
                100 * rung.starter.edge_interval.high,
                series=ladder.variant,
            )
            for ladder in drawn
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
    """As many as a picture has room for: those of the largest edges at best play, in order."""
    if len(ladders) <= _LADDERS:
        return list(ladders)
    ranked = sorted(ladders, key=lambda ladder: -abs(ladder.rungs[-1].starter.edge))
    return [ladder for ladder in ladders if ladder in ranked[:_LADDERS]]


def _undrawn(drawn: int, there: int) -> str:
    if drawn == there:
        return ""
    return f" Drawn are {drawn:,} of {there:,} variants, those with the largest edges at best play."


def _ladder_text(ladder: Ladder) -> str:
    change = ladder.change
    bottom, top = ladder.rungs[0], ladder.rungs[-1]
    return (
        f"from {bottom.agent} to {top.agent} the starter's edge goes from "
        f"{points(bottom.starter.edge, bottom.starter.edge_interval)} to "
        f"{points(top.starter.edge, top.starter.edge_interval)} pp, {_TRENDS[ladder.trend]} "
        f"(a change of {_points(change)} pp)."
    )


def _points(mean: Mean) -> str:
    return f"{points(mean.value, mean.interval)} ({points_range(mean.interval)})"


def _ladder_table(summary: Summary) -> Table:
    return Table(
        (
            Column("variant"),
            Column("agent"),
            Column("Elo", True),
            Column("starter's edge, pp (95 %)", True),
            Column("games", True),
            Column("verdict"),
        ),
        tuple(
            row(
                ladder.variant,
                rung.agent,
                NONE if rung.elo is None else f"{rung.elo:.0f}",
                edge_cell(rung.starter),
                count_cell(rung.starter.games),
                verdict_cell(rung.verdict),
            )
            for ladder in summary.ladders
            for rung in ladder.rungs
        ),
        "Mirror match-ups, weakest agent first, by rating where there is one, else in the "
        "experiment's order.",
    )
