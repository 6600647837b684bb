"""Stopping rules, which the runner feeds with counts in the order of deals.

Both look only at contiguous prefixes of deals that end on multiples of :data:`BLOCK`, so the same
seed stops at the same deal for any number of workers and any chunk size: cut each chunk by
:func:`block_counts`, feed the blocks in order, stop at the first look that says so, and drop
the deals beyond ``look.units``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hanamikoji.errors import ExperimentError
from hanamikoji.stats import sequences, sprt
from hanamikoji.stats.estimates import Interval
from hanamikoji.stats.facts import StopFacts
from hanamikoji.stats.intervals import IntArray

BLOCK = 256
"""Deals between two looks, at the least."""

Outcome = Literal["continue", "precision reached", "accepted H0", "accepted H1"]

_LOOK_GROWTH = 1.01  # a look per 1 % more units: stops are at most that late, and looks are few
_LEVEL = 0.95

# Quarters that a game adds to its unit's score (pairs), by role outcome and by seating: the
# starter's, and agent a's (the starter in seating 0).
_STARTER = np.array([[2, 0, 1, 1], [2, 0, 1, 1]])
_AGENT = np.array([[2, 0, 1, 1], [0, 2, 1, 1]])


@dataclass(frozen=True, slots=True)
class Look:
    """The result of a look at the counts so far."""

    stop: bool
    outcome: Outcome
    units: int
    """Units so far: the deals 0 to units - 1."""
    interval: Interval | None = None
    """Of the score, if the rule computes one."""
    llr: float | None = None


class PrecisionRule:
    """Stop when the confidence sequence of the unit score is narrow enough.

    Args:
        half_width: Of the 95 % sequence, in score; 0 < half_width < 1/2.

    Raises:
        ExperimentError: The half width is out of range.
    """

    def __init__(self, half_width: float) -> None:
        if not 0 < half_width < 0.5:
            raise ExperimentError(f"stop.precision: {half_width:g} must lie between 0 and 0.5")
        self.half_width = half_width
        self.counts: IntArray = np.zeros(5, dtype=np.int64)
        self._next_look = 0

    def update(self, counts: Sequence[int] | IntArray, *, last: bool = False) -> Look:
        """Add a block's units, by score 0, 1/4, 1/2, 3/4, 1, and decide.

        After the ``last`` block there is always a decision, otherwise only at some looks.
        """
        self.counts = self.counts + np.asarray(counts, dtype=np.int64)
        units = int(self.counts.sum())
        if units < self._next_look and not last:
            return Look(False, "continue", units)
        self._next_look = int(units * _LOOK_GROWTH)
        found = sequences.interval(self.counts, _LEVEL, self.half_width)
        stop = found.half_width <= self.half_width
        return Look(stop, "precision reached" if stop else "continue", units, found)


class SprtRule:
    """Stop when the GSPRT accepts one of two scores.

    Args:
        score0: Score under H0, in (0, 1).
        score1: Score under H1, above score0.
        alpha: Probability of accepting H1 under H0.
        beta: Probability of accepting H0 under H1.

    Raises:
        ExperimentError: The test is invalid.
    """

    def __init__(
        self, score0: float, score1: float, *, alpha: float = 0.05, beta: float = 0.05
    ) -> None:
        sprt.check_hypotheses(score0, score1, alpha, beta)
        self.score0, self.score1 = score0, score1
        self.lower, self.upper = sprt.bounds(alpha, beta)
        self.counts: IntArray = np.zeros(5, dtype=np.int64)

    @classmethod
    def from_elo(
        cls, elo0: float, elo1: float, *, alpha: float = 0.05, beta: float = 0.05
    ) -> SprtRule:
        """The same with the hypotheses as (logistic) Elo differences."""
        return cls(sprt.elo_score(elo0), sprt.elo_score(elo1), alpha=alpha, beta=beta)

    def update(self, counts: Sequence[int] | IntArray, *, last: bool = False) -> Look:
        """Add a block's units, by score 0, 1/4, 1/2, 3/4, 1, and decide."""
        del last  # it looks after every block
        self.counts = self.counts + np.asarray(counts, dtype=np.int64)
        units = int(self.counts.sum())
        llr = sprt.log_likelihood_ratio(self.counts, self.score0, self.score1)
        outcome: Outcome = "continue"
        if llr >= self.upper:
            outcome = "accepted H1"
        elif llr <= self.lower:
            outcome = "accepted H0"
        return Look(outcome != "continue", outcome, units, llr=llr)


def stop_facts(stop: Mapping[str, Any] | None) -> StopFacts:
    """The stopping rule of an experiment's [stop] table, whose keys may be missing or None."""
    if not stop:
        return StopFacts()
    if stop.get("precision") is not None:
        return StopFacts("precision", precision=stop["precision"])
    test = {key: value for key, value in stop["sprt"].items() if value is not None}
    low, high = (
        test[f"score{i}"] if f"score{i}" in test else sprt.elo_score(test[f"elo{i}"])
        for i in (0, 1)
    )
    errors = {key: test[key] for key in ("alpha", "beta") if key in test}
    return replace(StopFacts("sprt", score0=low, score1=high), **errors)


def make_rule(stop: StopFacts) -> PrecisionRule | SprtRule | None:
    """A new rule for one cell; returns None for a fixed size."""
    if stop.rule == "precision" and stop.precision is not None:
        return PrecisionRule(stop.precision)
    if stop.rule == "sprt" and stop.score0 is not None and stop.score1 is not None:
        return SprtRule(stop.score0, stop.score1, alpha=stop.alpha, beta=stop.beta)
    return None


def block_counts(
    outcomes: np.ndarray[Any, Any], *, mirror: bool, rule: Literal["precision", "sprt"]
) -> IntArray:
    """Units by score, for each block of :data:`BLOCK` deals (the last may be shorter).

    A precision target is for the cell's estimand, the starter's score. An SPRT is for agent a's
    score or, in a mirror, the starter's.

    Args:
        outcomes: (games,) role outcomes as the engine codes them (0 starter, 1 second, 2 shared,
            3 unfinished), sorted by deal and seating; the first deal must begin a block.
        mirror: One game a deal rather than two.
        rule: The rule that the counts are for.

    Returns:
        (blocks, 5) counts of units that scored 0, 1/4, 1/2, 3/4, 1.
    """
    points = _AGENT if rule == "sprt" and not mirror else _STARTER
    if mirror:
        quarters = 2 * points[0][outcomes]
    else:
        quarters = points[0][outcomes[0::2]] + points[1][outcomes[1::2]]
    blocks = -(-len(quarters) // BLOCK)
    where = 5 * (np.arange(len(quarters)) // BLOCK) + quarters
    return np.bincount(where, minlength=5 * blocks).reshape(blocks, 5).astype(np.int64)
