"""Intervals and p-values for means of bounded scores: never of zero width, never outside [0, 1].

All rest on the effective sample size. A score in [0, 1] with mean p has a variance of at most
p(1 - p), that of a coin (Bhatia & Davis 2000, Am. Math. Monthly 107). The ratio of the two, the
*design effect*, gives the number of coin flips that an observation is worth, and Wilson's interval
(1927, JASA 22) for that many flips is the interval of the score: the effective-sample-size Wilson
interval (Korn & Graubard 1998, Survey Methodology 24; Franco et al. 2019, JSSAM 7, who find it the
best all-rounder for clustered data). For plain wins and losses the design effect is 1 and it is
Wilson's own.

A design effect estimated from few or one-sided observations is regularised by 'plus four' (Agresti
& Coull 1998, Am. Statistician 52): two pseudo-observations of 0 and two of 1, in the variance only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from hanamikoji.stats.estimates import Interval, Mean, Proportion, Score, Unit

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]

QUARTERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""A unit's possible scores."""

PSEUDO = 2.0
"""Pseudo-observations at each end."""

_NORMAL = NormalDist()
_FARTHEST_Z = 38.0  # beyond it a two-sided p is below the smallest float


def z_of(level: float) -> float:
    """Half width of a central normal interval in standard errors: 1.96 for 0.95."""
    return _NORMAL.inv_cdf((1 + level) / 2)


def two_sided_p(z: float) -> float:
    """P(|Z| >= z) of a standard normal."""
    return math.erfc(abs(z) / math.sqrt(2))


def wilson_ends(value: float, n: float, z: float) -> tuple[float, float]:
    """Ends of Wilson's score interval for a share ``value`` of ``n`` (maybe effective) flips."""
    if n <= 0:
        return 0.0, 1.0
    scale = 1 + z * z / n
    centre = (value + z * z / (2 * n)) / scale
    half = z * math.sqrt(value * (1 - value) / n + z * z / (4 * n * n)) / scale
    # At 0 and 1 the ends are exact in theory and an ulp off in floats.
    low = 0.0 if value <= 0 else max(0.0, centre - half)
    high = 1.0 if value >= 1 else min(1.0, centre + half)
    return low, high


@dataclass(frozen=True, slots=True)
class BoundedMean:
    """An average over ``n`` observations in [0, 1], and its effective sample size in coin flips."""

    value: float
    n: int
    effective: float

    def interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the effective sample size."""
        return self.interval_at(z_of(level), level)

    def interval_at(self, z: float, level: float) -> Interval:
        """The same, ``z`` standard errors to either side, which make it hold at ``level``."""
        low, high = wilson_ends(self.value, self.effective, z)
        name = "Wilson" if self.effective == self.n else "Wilson on the effective number"
        return Interval(low, high, level, name)

    def scaled(self, factor: float) -> BoundedMean:
        """The same with ``factor`` times the effective sample size."""
        return BoundedMean(self.value, self.n, self.effective * factor)

    def mean(self, unit: Unit) -> Mean:
        """The average as an estimate over units of a kind."""
        return Mean(self.value, self.n, unit, self.interval())

    def proportion(self, unit: Unit) -> Proportion:
        """The share as an estimate over units of a kind."""
        count = round(self.value * self.n)
        return Proportion(self.value, count, self.n, unit, self.interval())


def plain_proportion(count: int, n: int, unit: Unit, level: float = 0.95) -> Proportion:
    """A share of independent units with Wilson's interval; for ``n`` = 0, 0 with [0, 1]."""
    value = count / n if n else 0.0
    low, high = wilson_ends(value, n, z_of(level))
    return Proportion(value, count, n, unit, Interval(low, high, level, "Wilson"))


def _mean_variance(values: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Mean and variance of values that occur so many times."""
    total = counts.sum()
    mean = float(values @ counts / total)
    return mean, float((values - mean) ** 2 @ counts / total)


def regularised_variance(counts: Sequence[int] | IntArray) -> float:
    """Variance of one unit's score from pentanomial counts, 'plus four': never zero."""
    return _plus_four(np.asarray(counts, dtype=np.float64))[1]


def _plus_four(counts: FloatArray) -> tuple[float, float]:
    padded = counts.copy()
    padded[[0, -1]] += PSEUDO
    return _mean_variance(QUARTERS, padded)


def bounded_score(counts: Sequence[int] | IntArray) -> BoundedMean:
    """The mean of units that score 0, 1/4, 1/2, 3/4 or 1, from how many scored which."""
    exact = np.asarray(counts, dtype=np.float64)
    n = int(exact.sum())
    if n == 0:
        return BoundedMean(0.5, 0, 0.0)
    mean, _ = _mean_variance(QUARTERS, exact)
    padded_mean, variance = _plus_four(exact)
    effect = variance / (padded_mean * (1 - padded_mean))
    # Wins and losses only: exactly Wilson, whatever the rounding of the ratio.
    effective = n / effect if exact[1:4].any() else float(n)
    return BoundedMean(mean, n, effective)


def score(
    counts: Sequence[int] | IntArray, unit: Unit, record: tuple[int, int, int, int] = (0, 0, 0, 0)
) -> Score:
    """A :class:`Score` from pentanomial counts and games won, lost, shared, unfinished."""
    average = bounded_score(counts)
    c = [int(x) for x in counts]
    return Score(
        value=average.value,
        n=average.n,
        unit=unit,
        games=sum(record),
        variance=regularised_variance(counts),
        interval=average.interval(),
        wins=record[0],
        losses=record[1],
        shared=record[2],
        unfinished=record[3],
        pentanomial=(c[0], c[1], c[2], c[3], c[4]),
    )


def difference_ends(
    one: BoundedMean, two: BoundedMean, correlation: float, z: float
) -> tuple[float, float]:
    """Ends of an interval for ``one - two`` from each one's own: Newcombe's hybrid of scores.

    Newcombe (1998, Statistics in Medicine 17:2635, method 10 for paired data); as a general method
    MOVER, Zou & Donner (2008, Statistics in Medicine 27). ``correlation`` is of the two averages.
    """
    low1, high1 = wilson_ends(one.value, one.effective, z)
    low2, high2 = wilson_ends(two.value, two.effective, z)
    gap = one.value - two.value

    def distance(a: float, b: float) -> float:
        return math.sqrt(max(a * a + b * b - 2 * correlation * a * b, 0.0))

    low = gap - distance(one.value - low1, high2 - two.value)
    high = gap + distance(high1 - one.value, two.value - low2)
    return max(low, -1.0), min(high, 1.0)


def difference_p(
    one: BoundedMean, two: BoundedMean, correlation: float = 0.0, margin: float = 0.0
) -> float:
    """Two-sided p-value of a difference of at most ``margin`` to either side.

    It is 1 - the level of the interval that ends there.
    """
    if abs(one.value - two.value) <= margin:
        return 1.0

    def reaches_margin(z: float) -> bool:
        low, high = difference_ends(one, two, correlation, z)
        return low <= margin and high >= -margin

    near, far = 0.0, _FARTHEST_Z
    if not reaches_margin(far):
        return two_sided_p(far)
    for _ in range(40):
        middle = (near + far) / 2
        near, far = (near, middle) if reaches_margin(middle) else (middle, far)
    return two_sided_p(far)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for the family-wise error rate (Holm 1979, Scand. J. Stat. 6)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for the false discovery rate (Benjamini & Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    if not p_values:
        return []
    return [float(q) for q in false_discovery_control(np.asarray(p_values), method="bh")]
