"""A cell's counts to its summary: scores by agent and role, verdict, failures, luck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hanamikoji.stats import after_sprt, sequences, sprt
from hanamikoji.stats.counts import FIRST_FORFEIT, OUTCOMES, REASONS, RESULTS, CellCounts
from hanamikoji.stats.estimates import (
    CellSummary,
    Forfeits,
    Luck,
    Mean,
    Proportion,
    Score,
    Stopping,
    Unit,
)
from hanamikoji.stats.facts import CellFacts, RunFacts, StopFacts
from hanamikoji.stats.intervals import (
    FloatArray,
    plain_proportion,
)
from hanamikoji.stats.judging import is_lopsided, judge, look_of, score_verdict
from hanamikoji.stats.scores import halves, pentanomial, record, unit_score
from hanamikoji.stats.shape import shape_of
from hanamikoji.stats.sprt import ELO
from hanamikoji.stats.stopping import BLOCK
from hanamikoji.stats.tables import Table, delta_mean, games_in, share
from hanamikoji.stats.verdicts import WIDE, verdict

_KINDS = len(OUTCOMES)
_CLEAN = np.array([True, True, True, False] + [False] * _KINDS)


def unit_of(facts: CellFacts) -> Unit:
    """A cell's independent observation: a mirror's game or a pair."""
    return "games" if facts.mirror else "pairs"


def _role_score(results: Table, seating: int, stop: StopFacts) -> Score:
    """Agent a's score in one seating: as the starter in 0, as the second in 1."""
    games = results.sum(axis=1 - seating)
    return _with_sequence(unit_score(games, "agent"), stop)


def _with_sequence(found: Score, stop: StopFacts) -> Score:
    """The score with the confidence sequence's interval if the rule asks for it."""
    if not stop.sequence or stop.precision is None:
        return found
    return replace(found, interval=sequences.interval(found.pentanomial, WIDE, stop.precision))


def _stopping(results: Table, cell: CellFacts, stop: StopFacts) -> Stopping:
    """How the sample reached its size, as recorded by the run or derived from its games."""
    found = _stopping_of(results, unit_of(cell), stop)
    if cell.stopped == "still open":
        found = replace(found, estimate=None)
    return found if cell.stopped is None else replace(found, outcome=cell.stopped)


def _stopping_of(results: Table, unit: Unit, stop: StopFacts) -> Stopping:
    if stop.rule == "precision" and stop.precision is not None:
        found = _with_sequence(unit_score(results, "starter"), stop).interval
        reached = found.half_width <= stop.precision
        return Stopping("precision", "precision reached" if reached else "games ran out", False)
    if stop.rule == "verdict" and stop.margin is not None:
        decided = verdict(unit_score(results, "starter"), stop.margin, "any").decision
        outcome = "games ran out" if decided == "undecided" else "verdict reached"
        return Stopping("verdict", outcome, True)
    if stop.rule == "sprt" and stop.score0 is not None and stop.score1 is not None:
        counts = pentanomial(results, "starter" if unit == "games" else "agent")
        llr = sprt.log_likelihood_ratio(counts, stop.score0, stop.score1)
        lower, upper = sprt.bounds(stop.alpha, stop.beta)
        outcome = "games ran out"
        if llr >= upper:
            outcome = "accepted H1"
        elif llr <= lower:
            outcome = "accepted H0"
        hypotheses = stop.score0, stop.score1
        tested = after_sprt.estimate(counts, unit, hypotheses, (lower, upper), BLOCK)
        return Stopping("sprt", outcome, True, llr, tested)
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
    first, second = (points / 2 for points in halves("starter"))
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
    a_wins, a_losses, _, _ = record(results, "agent")
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


def _starter_elo(results: Table) -> Mean | None:
    """Half the difference of an agent's log odds as the starter and as the second, in Elo.

    Four pseudo-pairs, one for each two winners, keep it finite.
    """
    if results.ndim == 1:
        return None
    padded = results.copy()
    padded[:2, :2] += 1
    points = halves("agent")[0] / 2
    moments = np.stack([np.repeat(points, RESULTS), np.tile(points, RESULTS)])

    def elo(mean: FloatArray) -> float:
        odds = mean / (1 - mean)
        return float(ELO * np.log(odds[0] / odds[1]) / 2)

    return delta_mean(padded, moments, elo)


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
    look = look_of(cell, games_in(results), facts.stop)
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
        verdict=judge(results, cell, facts),
        stopping=_stopping(results, cell, facts.stop),
        forfeits=_forfeits(counts.tables["route"], cell),
        clean_starter=clean,
        clean_verdict=None if clean is None else score_verdict(clean, facts, look),
        lopsided=is_lopsided(results),
        starter_elo=_starter_elo(results),
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
