"""A cell's counts to its summary: scores by agent and role, verdict, failures, luck."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from hanamikoji.stats import sequences, sprt
from hanamikoji.stats.counts import FIRST_FORFEIT, OUTCOMES, REASONS, RESULTS, CellCounts
from hanamikoji.stats.estimates import (
    CellSummary,
    Forfeits,
    Luck,
    Proportion,
    Score,
    Stopping,
    Unit,
    Verdict,
)
from hanamikoji.stats.facts import CellFacts, RunFacts, StopFacts
from hanamikoji.stats.intervals import (
    FloatArray,
    IntArray,
    bounded_score,
    plain_proportion,
    score,
)
from hanamikoji.stats.shape import shape_of
from hanamikoji.stats.tables import Table, delta_mean, games_in, share
from hanamikoji.stats.verdicts import NARROW, WIDE, verdict

_KINDS = len(OUTCOMES)
# Seat a's points in halves by result code; forfeited games count as played.
_A_HALVES = np.array([2, 0, 1, 1] * 2)
_CLEAN = np.array([True, True, True, False] + [False] * _KINDS)


def unit_of(facts: CellFacts) -> Unit:
    """A cell's independent observation: a mirror's game or a pair."""
    return "games" if facts.mirror else "pairs"


def _halves(view: Literal["starter", "agent"]) -> list[IntArray]:
    """Points in halves by result code, for each seating."""
    return [_A_HALVES, _A_HALVES if view == "agent" else 2 - _A_HALVES]


def pentanomial(results: Table, view: Literal["starter", "agent"]) -> IntArray:
    """How many units scored 0, 1/4, 1/2, 3/4, 1 for the starter or for agent a."""
    first, second = _halves(view)
    quarters = 2 * first if results.ndim == 1 else first[:, None] + second[None, :]
    return np.bincount(quarters.ravel(), weights=results.ravel(), minlength=5).astype(np.int64)


def _wdl(results: Table, view: Literal["starter", "agent"]) -> tuple[int, int, int]:
    """Games won, drawn and lost."""
    by_halves = np.zeros(3, dtype=np.int64)
    axes = range(results.ndim)
    for seating, halves in zip(axes, _halves(view), strict=False):
        games = results if results.ndim == 1 else results.sum(axis=1 - seating)
        by_halves += np.bincount(halves, weights=games, minlength=3).astype(np.int64)
    return int(by_halves[2]), int(by_halves[1]), int(by_halves[0])


def unit_score(results: Table, view: Literal["starter", "agent"]) -> Score:
    """Average score over units."""
    unit: Unit = "games" if results.ndim == 1 else "pairs"
    counts = pentanomial(results, view)
    return score(counts, unit, games_in(results), _wdl(results, view))


def _role_score(results: Table, seating: int, stop: StopFacts) -> Score:
    """Agent a's score in one seating: as the starter in 0, as the second in 1."""
    games = results.sum(axis=1 - seating)
    return _with_sequence(unit_score(games, "agent"), stop)


def _with_sequence(found: Score, stop: StopFacts) -> Score:
    """The score with the confidence sequence's interval if the rule is a precision stop."""
    if stop.rule != "precision" or stop.precision is None:
        return found
    return replace(found, interval=sequences.interval(found.pentanomial, WIDE, stop.precision))


def cell_verdict(found: Score, facts: RunFacts) -> Verdict:
    """The verdict on a starter's score, from the intervals that suit the stopping rule."""
    stop = facts.stop
    if stop.rule == "precision" and stop.precision is not None:
        narrow, wide = (
            sequences.interval(found.pentanomial, level, stop.precision) for level in (NARROW, WIDE)
        )
    else:
        average = bounded_score(found.pentanomial)
        narrow, wide = average.interval(NARROW), average.interval(WIDE)
    return verdict(
        found.edge,
        narrow.shifted(-0.5),
        wide.shifted(-0.5),
        margin=facts.margin,
        variance=found.variance,
        n=found.n,
        unit=found.unit,
    )


def _stopping(results: Table, cell: CellFacts, stop: StopFacts) -> Stopping:
    """How the sample reached its size, as recorded by the run or derived from its games."""
    found = _stopping_of(results, cell.mirror, stop)
    return found if cell.stopped is None else replace(found, outcome=cell.stopped)


def _stopping_of(results: Table, mirror: bool, stop: StopFacts) -> Stopping:
    if stop.rule == "precision" and stop.precision is not None:
        found = sequences.interval(pentanomial(results, "starter"), WIDE, stop.precision)
        reached = found.half_width <= stop.precision
        return Stopping("precision", "precision reached" if reached else "games ran out", False)
    if stop.rule == "sprt" and stop.score0 is not None and stop.score1 is not None:
        counts = pentanomial(results, "starter" if mirror else "agent")
        llr = sprt.log_likelihood_ratio(counts, stop.score0, stop.score1)
        lower, upper = sprt.bounds(stop.alpha, stop.beta)
        outcome = "games ran out"
        if llr >= upper:
            outcome = "accepted H1"
        elif llr <= lower:
            outcome = "accepted H0"
        return Stopping("sprt", outcome, True, llr)
    return Stopping("fixed", "fixed size", False)


def _forfeits(routes: Table, facts: CellFacts) -> tuple[Forfeits, ...]:
    """Games that each agent forfeited; in a mirror it is the same agent in both roles."""
    games = games_in(routes)
    tally: dict[tuple[str, str], int] = {}
    for seating in range(routes.ndim):
        counts = routes if routes.ndim == 1 else routes.sum(axis=1 - seating)
        starter, second = facts.agent_a, facts.agent_b
        if seating == 1:
            starter, second = second, starter
        by_winner = counts.reshape(len(REASONS), 3, 2).sum(axis=2)
        for reason in range(FIRST_FORFEIT, len(REASONS)):
            for winner, loser in enumerate((second, starter)):
                key = loser, REASONS[reason]
                tally[key] = tally.get(key, 0) + int(by_winner[reason, winner])
    return tuple(
        Forfeits(agent, reason, plain_proportion(count, games, "games"))
        for (agent, reason), count in sorted(tally.items())
        if count
    )


def _luck(results: Table, facts: CellFacts) -> Luck | None:
    """Variance of a game's (starter's) score, split by both seatings of each deal.

    With s0, s1 the starter's score in the two seatings, each game's variance is the within-seating
    one plus ((mean s0 - mean s1) / 2)^2, which who plays the starter explains. Both seatings have
    all cards in common, of every round, so cov(s0, s1) is the variance of what the deal does to
    the starter whoever it is: the intraclass correlation (Fisher 1925) in a two-way layout.
    """
    if results.ndim == 1:
        return None
    first, second = (halves / 2 for halves in _halves("starter"))
    s0 = np.repeat(first, len(second))
    s1 = np.tile(second, len(first))
    moments = np.stack([s0, s1, s0 * s0, s1 * s1, s0 * s1])

    def split(m: FloatArray) -> tuple[float, float, float]:
        between = ((m[0] - m[1]) / 2) ** 2
        within = (m[2] - m[0] ** 2 + m[3] - m[1] ** 2) / 2
        return float(m[4] - m[0] * m[1]), float(between), float(within + between)

    def part(which: int, m: FloatArray) -> float:
        parts = split(m)
        return parts[which] / parts[2] if parts[2] > 0 else 0.0

    deal = delta_mean(results, moments, lambda m: part(0, m))
    skill = delta_mean(results, moments, lambda m: part(1, m))
    a_wins, _, a_losses = _wdl(results, "agent")
    a_stronger = a_wins >= a_losses
    wins = np.zeros(RESULTS)
    wins[[0, _KINDS] if a_stronger else [1, _KINDS + 1]] = 1
    return Luck(
        stronger=facts.agent_a if a_stronger else facts.agent_b,
        stronger_wins=share(results, wins).proportion("games"),
        deal_share=deal,
        skill_share=skill,
        rest=1 - deal.value - skill.value,
    )


def _outcome_shares(counts: CellCounts) -> dict[str, Proportion]:
    """Games by role outcome; the route table has the winner by role, forfeits included."""
    routes = counts.tables["route"]
    winner = np.tile(np.repeat(np.arange(3), 2), len(REASONS))
    results = counts.tables["result"]
    unfinished = np.array(([0.0] * 3 + [1.0]) * 2)
    shared = np.array(([0.0] * 2 + [1.0, 0.0]) * 2)
    return {
        "starter": share(routes, (winner == 0).astype(float)).proportion("games"),
        "second": share(routes, (winner == 1).astype(float)).proportion("games"),
        "shared": share(results, shared).proportion("games"),
        "unfinished": share(results, unfinished).proportion("games"),
    }


def cell_summary(counts: CellCounts, cell: CellFacts, facts: RunFacts) -> CellSummary:
    """All estimates of one cell, which must have at least one deal."""
    results = counts.tables["result"]
    starter = _with_sequence(unit_score(results, "starter"), facts.stop)
    clean = _clean_score(results, facts.stop)
    outcomes = _outcome_shares(counts)
    pairs = results.ndim == 2
    return CellSummary(
        cell=cell.cell,
        variant=cell.variant,
        rules_hash=cell.rules_hash,
        agent_a=cell.agent_a,
        agent_b=cell.agent_b,
        mirror=cell.mirror,
        deals=counts.deals,
        games=games_in(results),
        starter=starter,
        agent=_with_sequence(unit_score(results, "agent"), facts.stop) if pairs else None,
        agent_as_starter=_role_score(results, 0, facts.stop) if pairs else None,
        agent_as_second=_role_score(results, 1, facts.stop) if pairs else None,
        starter_wins=outcomes["starter"],
        second_wins=outcomes["second"],
        shared=outcomes["shared"],
        unfinished=outcomes["unfinished"],
        verdict=cell_verdict(starter, facts),
        stopping=_stopping(results, cell, facts.stop),
        forfeits=_forfeits(counts.tables["route"], cell),
        clean_starter=clean,
        clean_verdict=None if clean is None else cell_verdict(clean, facts),
        luck=_luck(results, cell),
        shape=shape_of(counts, cell),
    )


def _clean_score(results: Table, stop: StopFacts) -> Score | None:
    """The starter's score over units without unfinished or forfeited games.

    Returns None if there are no such games, or no others.
    """
    clean = results * (_CLEAN if results.ndim == 1 else np.outer(_CLEAN, _CLEAN))
    left = int(clean.sum())
    if left in (0, int(results.sum())):
        return None
    return _with_sequence(unit_score(clean, "starter"), stop)
