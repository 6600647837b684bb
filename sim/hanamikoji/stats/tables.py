"""Contingency tables of units by what happened, and exact averages from them.

A *table* counts units by a small code per game: one axis for mirrors (a unit is one game), two for
pairs (seating 0, seating 1). Any average over games, with its variance given the pairing of games
by deal, follows from the table alone, so the games need not be kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import stdtrit

from hanamikoji.stats.estimates import Interval, Mean, Unit
from hanamikoji.stats.intervals import PSEUDO, BoundedMean, FloatArray, IntArray, z_of
from hanamikoji.stats.moments import Moments

Table = IntArray

FEWEST = 5
"""Units from which a mean has an interval."""


def games_in(table: Table) -> int:
    """Number of games: units times games a unit."""
    return int(table.sum()) * table.ndim


def per_game(table: Table) -> IntArray:
    """Counts of games by code, both seatings together."""
    return table if table.ndim == 1 else table.sum(axis=0) + table.sum(axis=1)


def _sum_of_squares(table: Table, residual: FloatArray) -> float:
    """Sum over units of the squared total of their games' residuals."""
    if table.ndim == 1:
        return float(table @ residual**2)
    total = residual[:, None] + residual[None, :]
    return float((table * total**2).sum())


def ratio(table: Table, numerator: FloatArray, denominator: FloatArray) -> BoundedMean:
    """Sum of ``numerator`` over games / sum of ``denominator`` over games, a value in [0, 1].

    The variance is the linearised one of a ratio over clusters (Cochran 1977, Sampling Techniques,
    6.3 and 9A.2), regularised by four pseudo-games, two of 0 and two of 1.

    Args:
        table: Counts of units.
        numerator: Per code; between 0 and the denominator.
        denominator: Per code; 0 or 1: does the game count.
    """
    counts = per_game(table)
    n = int(counts @ denominator)
    if n == 0:
        return BoundedMean(0.0, 0, 0.0)
    total = float(counts @ numerator)
    padded = (total + PSEUDO) / (n + 2 * PSEUDO)
    squares = _sum_of_squares(table, numerator - padded * denominator)
    squares += PSEUDO * (padded**2 + (1 - padded) ** 2)
    effect = squares / (n + 2 * PSEUDO) / (padded * (1 - padded))
    if table.ndim == 1 and not ((numerator > 0) & (numerator < 1)).any():
        effect = 1.0  # independent coins: exactly Wilson
    return BoundedMean(total / n, n, n / effect)


Seat = tuple[int, FloatArray, FloatArray]
"""An axis of a table, and a numerator and a denominator by code."""


def even_ratio(table: Table, seats: tuple[Seat, Seat]) -> BoundedMean | None:
    """The average of an agent's `ratio` from each of two seats, both weighed alike.

    Pooled games would weigh the seat more from which the agent gets there more often, and mix what
    the seat does with what the agent does. Returns None if it never got there from one of them.
    """
    residuals = [np.zeros(table.shape[0]) for _ in range(table.ndim)]
    total, pseudo, n, padded_mean = 0.0, 0.0, 0, 0.0
    for axis, numerator, denominator in seats:
        games = table if table.ndim == 1 else table.sum(axis=1 - axis)
        here = int(games @ denominator)
        if here == 0:
            return None
        scored = float(games @ numerator)
        padded = (scored + PSEUDO) / (here + 2 * PSEUDO)
        residuals[axis] += (numerator - padded * denominator) / (2 * (here + 2 * PSEUDO))
        pseudo += PSEUDO * (padded**2 + (1 - padded) ** 2) / (2 * (here + 2 * PSEUDO)) ** 2
        total, n, padded_mean = total + scored / here / 2, n + here, padded_mean + padded / 2
    both = residuals[0] if table.ndim == 1 else residuals[0][:, None] + residuals[1][None, :]
    variance = float((table * both**2).sum()) + pseudo
    return BoundedMean(total, n, padded_mean * (1 - padded_mean) / variance)


def share(table: Table, member: FloatArray) -> BoundedMean:
    """Share of games whose code is a ``member`` (1) rather than not (0)."""
    return ratio(table, member, np.ones_like(member))


def ratio_mean(sums: Moments, unit: Unit, least: float | None = None, level: float = 0.95) -> Mean:
    """Sum of x / sum of y of a whole-numbered figure (rounds, charm), from unit sums.

    Student's interval with `ratio_error`. A figure that is never below ``least`` is skewed to the
    right: there the upper end is taken on a logarithmic scale, and the lower is cut off. Below
    `FEWEST` units the interval is infinite.
    """
    if sums.y == 0 or sums.n < FEWEST:
        value = sums.x / sums.y if sums.y else 0.0
        return Mean(value, sums.y, unit, Interval(-math.inf, math.inf, level, "too few units"))
    value = sums.x / sums.y
    half = float(stdtrit(sums.n - 1, (1 + level) / 2)) * ratio_error(sums)
    low, high = value - half, value + half
    if least is not None:
        low = max(low, least)
        steps = min(half / (value - least), 1.0) if value > least else 1.0
        high = value + half * math.expm1(steps) / steps
    return Mean(value, sums.y, unit, Interval(low, high, level, "Student's t, by deal"))


def ratio_error(sums: Moments) -> float:
    """Standard error of sum of x / sum of y.

    The linearised one of a ratio over units (Cochran 1977, 6.3), kept positive by two
    pseudo-observations one step from the mean.
    """
    # In whole numbers, times y^2: no cancellation, however many games.
    squares = sums.xx * sums.y**2 - 2 * sums.x * sums.y * sums.xy + sums.x**2 * sums.yy
    per_unit = sums.y / sums.n
    free = sums.n / max(sums.n - 1, 1)
    return math.sqrt((squares / sums.y**2 + 2 * per_unit**2) * free) / sums.y


def delta_mean(
    table: Table, moments: FloatArray, function: Callable[[Any], Any], level: float = 0.95
) -> Mean:
    """A smooth function of a table's moments with its delta-method interval (by pair of games).

    Args:
        table: Counts of units; flattened, its cells are the outcomes of a unit.
        moments: (m, cells) values of m statistics for each outcome of a unit.
        function: From the (m,) mean moments to a number; its gradient is taken by differences.
        level: Of the interval.
    """
    counts = table.ravel().astype(np.float64)
    n = counts.sum()
    mean = moments @ counts / n
    centred = moments - mean[:, None]
    covariance = (centred * counts) @ centred.T / n
    step = 1e-6
    gradient = np.array(
        [
            (function(mean + step * unit) - function(mean - step * unit)) / (2 * step)
            for unit in np.eye(len(mean))
        ]
    )
    # One pseudo-unit's worth of a coin's variance keeps the width positive.
    variance = float(gradient @ covariance @ gradient) + 1.0 / n
    value = float(function(mean))
    half = z_of(level) * math.sqrt(max(variance, 0.0) / n)
    return Mean(value, int(n), "deals", Interval(value - half, value + half, level, "delta method"))
