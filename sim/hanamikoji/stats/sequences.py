"""A confidence sequence for a mean in [0, 1]: intervals valid simultaneously at every look.

Method: betting (Waudby-Smith & Ramdas 2024, 'Estimating means of bounded random variables by
betting', JRSS B 86). For a candidate mean m and a fixed stake s in (-1, 1) the wealth
``prod_i (1 + s (x_i - m))`` is a non-negative martingale when the mean is m, hence so is its
average over any fixed prior on stakes; by Ville's inequality it ever reaches 1 / alpha with
probability at most alpha. The sequence is the set of m whose average wealth is below 1 / alpha.

With a fixed prior the wealth depends only on how often each score occurred, not on their order: so
the interval is the same for any order of looks, costs the same for any n, and adapts to the actual
variance of pair scores. That is why it is taken here over the predictable plug-in form. For stakes
independent of m the wealth is convex in m, so the set is an interval.

The prior is a discrete one, exactly valid as it stands: nine tenths are a normal density with
standard deviation tau over a geometric grid of stakes (Robbins 1970, Ann. Math. Stat. 41, whose
normal mixture it is for small stakes), tau chosen for the half width one wants; a tenth is uniform
over the grid, so that samples far smaller than planned still get a fair interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hanamikoji.stats.estimates import Interval
from hanamikoji.stats.intervals import QUARTERS, FloatArray, IntArray

METHOD = "confidence sequence (betting)"
DEFAULT_TARGET = 0.002

_GRID = 160  # stakes of each sign
_SMALLEST = 1e-4  # stakes from this many tau up: for samples 10^8 times the target's
_LARGEST_STAKE = 0.95
_HEDGE = 0.1  # prior weight of the uniform part
_RATIO = 10.0  # variance of the sample at the target, in units of 1 / tau^2; see `_stakes`
_TOLERANCE = 1e-9


def interval(
    counts: Sequence[int] | IntArray, level: float = 0.95, target: float = DEFAULT_TARGET
) -> Interval:
    """The sequence's interval for the mean after units that scored 0, 1/4, 1/2, 3/4, 1.

    Args:
        counts: How many units had which score, so far.
        level: Probability that the intervals of all looks contain the mean.
        target: Half width at which the sequence is tightest; to be fixed before seeing data.
    """
    tally = np.asarray(counts, dtype=np.float64)
    n = tally.sum()
    if n == 0:
        return Interval(0.0, 1.0, level, METHOD)
    mean = float(QUARTERS @ tally / n)
    bound = -math.log1p(-level)
    stakes, weights = _stakes(target)

    def inside(m: float) -> bool:
        return _log_wealth(tally, m, stakes, weights) < bound

    low = 0.0 if inside(0.0) else _edge(inside, 0.0, mean)
    high = 1.0 if inside(1.0) else _edge(inside, 1.0, mean)
    return Interval(low, high, level, METHOD)


def _edge(inside: Any, outer: float, inner: float) -> float:
    """The boundary of ``inside`` between a point outside and one inside, rounded outwards."""
    while abs(outer - inner) > _TOLERANCE:
        middle = (outer + inner) / 2
        if inside(middle):
            inner = middle
        else:
            outer = middle
    return outer


@lru_cache(maxsize=8)
def _stakes(target: float) -> tuple[FloatArray, FloatArray]:
    """Stakes and the logarithms of their prior weights.

    A normal mixture is tightest when the sample's variance sum V satisfies V tau^2 = r for r around
    10 (at 95 %); z is then near 3. The target h is reached when V = z^2 v^2 / h^2 for a unit
    variance v, so tau = sqrt(r) h / (z v). v = 1/6 sits between a game's 1/4 and a pair's 1/8.
    """
    tau = min(math.sqrt(_RATIO) * target / (3 * (1 / 6)), 0.5)
    size = np.geomspace(tau * _SMALLEST, _LARGEST_STAKE, _GRID)
    log_density = -0.5 * (size / tau) ** 2 + np.log(size)  # on a geometric grid: times the spacing
    log_density += math.log(1 - _HEDGE) - np.logaddexp.reduce(log_density)
    weights = np.logaddexp(log_density, math.log(_HEDGE / _GRID)) - math.log(2)
    return np.concatenate([size, -size]), np.concatenate([weights, weights])


def _log_wealth(tally: FloatArray, m: float, stakes: FloatArray, weights: FloatArray) -> float:
    growth = np.log1p(np.outer(stakes, QUARTERS - m)) @ tally
    return float(np.logaddexp.reduce(growth + weights))
