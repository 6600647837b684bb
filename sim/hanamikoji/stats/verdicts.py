"""Verdicts by equivalence testing within a margin, and their power.

Two one-sided tests at 5 % (TOST): the edge is inside the margin if its 90 % interval is (Schuirmann
1987, J. Pharmacokinetics and Biopharmaceutics 15). It is outside if its 95 % interval is entirely
outside. Otherwise it is undecided: lack of evidence is no evidence of balance. Both intervals hold
at all looks at a run together, see :mod:`hanamikoji.stats.looks`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from hanamikoji.stats.contrasts import PowerRow, PowerTable
from hanamikoji.stats.estimates import Decision, Interval, Role, Score, Unit, Verdict
from hanamikoji.stats.intervals import bounded_score
from hanamikoji.stats.looks import Look, critical_z

NARROW = 0.90
WIDE = 0.95
POWER = 0.80

_MOST_GAMES = 10**12  # beyond any feasible run
_PHI = NormalDist().cdf


def decide(narrow: Interval, wide: Interval, margin: float) -> Decision:
    """The decision from intervals of an edge (or of a difference of edges)."""
    if -margin < narrow.low and narrow.high < margin:
        return "balanced"
    if wide.low > margin or wide.high < -margin:
        return "unbalanced"
    return "undecided"


def verdict_intervals(found: Score, look: Look, margin: float) -> tuple[Interval, Interval]:
    """90 % and 95 % interval of an edge, each valid at this and all other looks."""
    average = bounded_score(found.pentanomial)
    error = math.sqrt(found.variance / max(found.n, 1))
    narrow, wide = (
        average.interval_at(critical_z(level, look, error, margin), level)
        for level in (NARROW, WIDE)
    )
    return narrow.shifted(-0.5), wide.shifted(-0.5)


def verdict(
    found: Score,
    margin: float,
    look: Look = "planned",
    intervals: tuple[Interval, Interval] | None = None,
) -> Verdict:
    """A cell's verdict.

    Args:
        found: The starter's score.
        margin: The designer's margin, in score; positive.
        look: What this look may spend.
        intervals: 90 % and 95 % interval of the edge; by default `verdict_intervals`.
    """
    narrow, wide = intervals or verdict_intervals(found, look, margin)
    decision = decide(narrow, wide, margin)
    favours: Role | None = None
    if decision == "unbalanced":
        favours = "starter" if found.edge > 0 else "second"
    further: int | None = 0
    if decision == "undecided":
        later: Look = "any" if look == "any" else "other"
        needed = units_needed(found.edge, margin, math.sqrt(found.variance), look=later)
        further = None if needed is None else max(needed - found.n, 1) * games_per(found.unit)
    return Verdict(
        decision, margin, found.edge, narrow, wide, favours, further, found.n, found.unit
    )


def games_per(unit: Unit) -> int:
    """Games per unit."""
    return 2 if unit == "pairs" else 1


def chances(
    edge: float, margin: float, error: float, look: Look = "planned"
) -> tuple[float, float]:
    """P(balanced), P(unbalanced) when the estimate is normal around the true ``edge``.

    Args:
        edge: True edge.
        margin: Of the verdict.
        error: Standard error of the estimate.
        look: The look at which it is taken.
    """
    inside = margin - critical_z(NARROW, look, error, margin) * error
    balanced = _PHI((inside - edge) / error) - _PHI((-inside - edge) / error) if inside > 0 else 0.0
    outside = margin + critical_z(WIDE, look, error, margin) * error
    unbalanced = _PHI((-outside - edge) / error) + _PHI((edge - outside) / error)
    return balanced, unbalanced


def units_needed(
    edge: float, margin: float, deviation: float, power: float = POWER, look: Look = "planned"
) -> int | None:
    """Units for the correct verdict at a true ``edge`` to have probability ``power``.

    Returns None if even 10^12 do not suffice: the edge is the margin, or close to it.
    """

    def enough(n: int) -> bool:
        balanced, unbalanced = chances(edge, margin, deviation / math.sqrt(n), look)
        return (balanced if abs(edge) < margin else unbalanced) >= power

    if not enough(_MOST_GAMES):
        return None
    low, high = 0, _MOST_GAMES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def power_table(
    margin: float,
    games: Sequence[int] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    edges: Sequence[float] | None = None,
    *,
    unit: Unit = "games",
    deviation: float | None = None,
) -> PowerTable:
    """The power of fixed numbers of games: probabilities of each verdict, and the games needed.

    Args:
        margin: Of the verdict, in score.
        games: Numbers of games per cell.
        edges: True edges; by default 0, 1/4, 1/2, 3/4, 1, 3/2 and 2 margins.
        unit: ``pairs`` for two different agents, ``games`` for a mirror.
        deviation: Standard deviation of a unit's score; by default a fair coin's (1/2), and for a
            pair that of two independent ones. A finished run's figure is more accurate.
    """
    if edges is None:
        edges = [margin * f for f in (0, 0.25, 0.5, 0.75, 1, 1.5, 2)]
    if deviation is None:
        deviation = 0.5 / math.sqrt(games_per(unit))
    rows = []
    for edge in edges:
        for number in games:
            error = deviation / math.sqrt(max(number // games_per(unit), 1))
            balanced, unbalanced = chances(edge, margin, error)
            rows.append(PowerRow(number, edge, balanced, unbalanced, 1 - balanced - unbalanced))
    needed = []
    for edge in edges:
        units = units_needed(edge, margin, deviation)
        needed.append((edge, None if units is None else units * games_per(unit)))
    return PowerTable(margin, unit, deviation, tuple(rows), tuple(needed))
