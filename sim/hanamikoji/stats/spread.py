"""The error of a weighted sum of cells' average scores, with what shared deals do to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from hanamikoji.stats.cells import pentanomial
from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.crossing import Crossings
from hanamikoji.stats.estimates import CellSummary
from hanamikoji.stats.intervals import FloatArray, regularised_variance, two_sided_p, z_of

_FEWEST_BATCHES = 8
_LEAST = 1e-300  # a variance that divides


def errors_of(
    cells: Sequence[CellSummary], counts: Mapping[int, CellCounts], crossings: Crossings
) -> Crossed | Batched:
    """From the covariances of all cells, or from batches of deals where there are too many."""
    variances = np.array(
        [
            regularised_variance(pentanomial(counts[c.cell].tables["result"], "starter"))
            / c.starter.n
            for c in cells
        ]
    )
    if cells[0].cell in crossings.batches:
        return _batched(cells, variances, crossings)
    covariance = np.diag(variances)
    for i, one in enumerate(cells):
        for j, two in enumerate(cells[:i]):
            cross = crossings.between(one.cell, two.cell)
            if cross.n:
                both = cross.covariance() * cross.n / (one.starter.n * two.starter.n)
                covariance[i, j] = covariance[j, i] = both
    return Crossed(covariance)


def _batched(
    cells: Sequence[CellSummary], variances: FloatArray, crossings: Crossings
) -> Crossed | Batched:
    batches = [crossings.batches[c.cell] for c in cells]
    n, total = np.array([b.n for b in batches]), np.array([b.total for b in batches])
    whole = (n > 0).all(axis=0)
    if whole.sum() < _FEWEST_BATCHES:  # a few deals a cell: nothing to be told from
        return Crossed(np.diag(variances))
    means = total[:, whole] / (4 * n[:, whole])
    units = n.sum(axis=1)
    # 'Plus four' adds this much to the variance of a cell's average where all units are equal.
    return Batched(means, 1.0 / (units * (units + 4.0)))


@dataclass(frozen=True)
class Crossed:
    """All covariances of the cells' average scores are known."""

    covariance: FloatArray
    method: str = "normal, paired by deal"

    def of(self, weights: FloatArray, value: float) -> tuple[float, float]:
        """Half width of the weighted sum's 95 % interval, and the two-sided p of it being 0."""
        error = math.sqrt(max(float(weights @ self.covariance @ weights), _LEAST))
        return z_of(0.95) * error, two_sided_p(value / error)


@dataclass(frozen=True)
class Batched:
    """Batch means: the sum in each batch of deals is one of as many independent observations."""

    means: FloatArray
    """Average score by cell and batch."""
    least: FloatArray
    """Variance that a cell's average has at least."""
    method: str = "t over batches of deals"

    def of(self, weights: FloatArray, value: float) -> tuple[float, float]:
        """Half width of the weighted sum's 95 % interval, and the two-sided p of it being 0."""
        sums = weights @ self.means
        variance = float(sums.var(ddof=1)) / len(sums) + float(weights**2 @ self.least)
        error = math.sqrt(max(variance, _LEAST))
        free = len(sums) - 1
        return float(stdtrit(free, 0.975)) * error, float(2 * stdtr(free, -abs(value) / error))
