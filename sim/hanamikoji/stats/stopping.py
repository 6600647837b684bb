"""Stopping rules, which the runner feeds with counts in the order of deals.

All look only at contiguous prefixes of deals that end on multiples of :data:`BLOCK`, so the same
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
from hanamikoji.stats.estimates import Interval, StopRule
from hanamikoji.stats.facts import StopFacts
from hanamikoji.stats.intervals import IntArray, bounded_score, score
from hanamikoji.stats.verdicts import decide, verdict_intervals

BLOCK = 256
"""Deals between two looks, at the least."""

Outcome = Literal["continue", "precision reached", "verdict reached", "accepted H0", "accepted H1"]

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


class _SparseRule:
    """A rule that adds up units and looks at them whenever there are 1 % more."""

    def __init__(self) -> None:
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
        return self._look(units)

    def _look(self, units: int) -> Look:
        raise NotImplementedError


class PrecisionRule(_SparseRule):
    """Stop when the interval of the unit score is narrow enough.

    The interval is an ordinary one: a stop that depends on its width, not on the score, leaves its
    coverage what it was (Chow & Robbins 1965, Ann. Math. Stat. 36). Or it is that of a confidence
    sequence, which holds whatever one looks at, for 2.5 times the games.

    Args:
        half_width: Of the 95 % interval, in score; 0 < half_width < 1/2.
        sequence: Whether to take the confidence sequence.

    Raises:
        ExperimentError: The half width is out of range.
    """

    def __init__(self, half_width: float, *, sequence: bool = False) -> None:
        super().__init__()
        if not 0 < half_width < 0.5:
            raise ExperimentError(f"stop.precision: {half_width:g} must lie between 0 and 0.5")
        self.half_width, self.sequence = half_width, sequence

    def _look(self, units: int) -> Look:
        found = bounded_score(self.counts).interval(_LEVEL)
        if self.sequence:
            found = sequences.interval(self.counts, _LEVEL, self.half_width)
        stop = found.half_width <= self.half_width
        return Look(stop, "precision reached" if stop else "continue", units, found)


class VerdictRule(_SparseRule):
    """Stop when the starter's edge is found to be within the margin or beyond it.

    Args:
        margin: Of the verdict, in score.
    """

    def __init__(self, margin: float) -> None:
        super().__init__()
        self.margin = margin

    def _look(self, units: int) -> Look:
        narrow, wide = verdict_intervals(score(self.counts, "games"), "any", self.margin)
        stop = decide(narrow, wide, self.margin) != "undecided"
        return Look(stop, "verdict reached" if stop else "continue", units, wide)


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


def stop_facts(stop: Mapping[str, Any] | None, margin: float) -> StopFacts:
    """The stopping rule of an experiment's [stop] table, whose keys may be missing or None.

    Args:
        stop: The table.
        margin: The experiment's, which a verdict is about.
    """
    if not stop:
        return StopFacts()
    if stop.get("verdict") is not None:
        return StopFacts("verdict", margin=margin)
    if stop.get("precision") is not None:
        sequence = bool(stop.get("sequence"))
        return StopFacts("precision", precision=stop["precision"], sequence=sequence)
    test = {key: value for key, value in stop["sprt"].items() if value is not None}
    low, high = (
        test[f"score{i}"] if f"score{i}" in test else sprt.elo_score(test[f"elo{i}"])
        for i in (0, 1)
    )
    errors = {key: test[key] for key in ("alpha", "beta") if key in test}
    return replace(StopFacts("sprt", score0=low, score1=high), **errors)


Rule = PrecisionRule | VerdictRule | SprtRule


def make_rule(stop: StopFacts) -> Rule | None:
    """A new rule for one cell; returns None for a fixed size."""
    if stop.rule == "precision" and stop.precision is not None:
        return PrecisionRule(stop.precision, sequence=stop.sequence)
    if stop.rule == "verdict" and stop.margin is not None:
        return VerdictRule(stop.margin)
    if stop.rule == "sprt" and stop.score0 is not None and stop.score1 is not None:
        return SprtRule(stop.score0, stop.score1, alpha=stop.alpha, beta=stop.beta)
    return None


def block_counts(outcomes: np.ndarray[Any, Any], *, mirror: bool, rule: StopRule) -> IntArray:
    """Units by score, for each block of :data:`BLOCK` deals (the last may be shorter).

    A precision target and a verdict are about the cell's estimand, the starter's score. An SPRT is
    about agent a's score or, in a mirror, the starter's.

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
