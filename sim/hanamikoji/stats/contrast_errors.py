"""Standard errors of contrasts: weighted sums of cells' means, correlated by shared deals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.estimates import CellSummary
from hanamikoji.stats.intervals import FloatArray, regularised_variance, two_sided_p, z_of
from hanamikoji.stats.pairing import MOST_PAIRED, PairedScores, score_covariance
from hanamikoji.stats.scores import pentanomial
from hanamikoji.stats.tables import ratio_error

_FEWEST_BATCHES = 8
_LEAST = 1e-300  # a variance that divides


def score_errors(
    cells: Sequence[CellSummary], counts: Mapping[int, CellCounts], paired: PairedScores
) -> CovarianceErrors | BatchErrors:
    """Standard errors of mean scores.

    From all covariances, or from batches of deals if there are too many cells.
    """
    variances = np.array(
        [
            regularised_variance(pentanomial(counts[c.cell].tables["result"], "starter"))
            / c.starter.n
            for c in cells
        ]
    )
    if len(cells) > MOST_PAIRED:
        return _batched(cells, counts, 1, 4.0) or CovarianceErrors(np.diag(variances))
    covariance = np.diag(variances)
    for i, one in enumerate(cells):
        for j, two in enumerate(cells[:i]):
            shared = paired.between(one.cell, two.cell)
            if shared.n:
                both = score_covariance(shared) * shared.n / (one.starter.n * two.starter.n)
                covariance[i, j] = covariance[j, i] = both
    return CovarianceErrors(covariance)


def length_errors(
    cells: Sequence[CellSummary], counts: Mapping[int, CellCounts]
) -> BatchErrors | ErrorBounds:
    """Errors of mean numbers of rounds: from batches of deals or, with too few deals, bounds."""
    games = 1.0 if cells[0].mirror else 2.0
    errors = np.array([ratio_error(counts[c.cell].moments["rounds"]) for c in cells])
    return _batched(cells, counts, 2, games) or ErrorBounds(errors)


def _batched(
    cells: Sequence[CellSummary], counts: Mapping[int, CellCounts], row: int, scale: float
) -> BatchErrors | None:
    """From a row of `batch_sums` in units of ``scale``; returns None if there are too few deals."""
    sums = np.array([counts[c.cell].tables["batches"] for c in cells])
    units = sums[:, 0]
    whole = (units > 0).all(axis=0)
    if whole.sum() < _FEWEST_BATCHES:
        return None
    n = units.sum(axis=1)
    # 'Plus four' adds this much to the variance of a cell's average where all units are equal.
    return BatchErrors(sums[:, row][:, whole] / (scale * units[:, whole]), 1.0 / (n * (n + 4.0)))


@dataclass(frozen=True)
class CovarianceErrors:
    """Errors from the covariance matrix of the cells' mean scores."""

    covariance: FloatArray
    method: str = "normal, paired by deal"

    def of(self, weights: FloatArray, value: float) -> tuple[float, float]:
        """Half width of the weighted sum's 95 % interval, and the two-sided p of it being 0."""
        error = math.sqrt(max(float(weights @ self.covariance @ weights), _LEAST))
        return z_of(0.95) * error, two_sided_p(value / error)


@dataclass(frozen=True)
class BatchErrors:
    """Errors from batch means: each batch of deals is an independent observation."""

    means: FloatArray
    """By cell and batch."""
    least: FloatArray
    """Lower bound of the variance of each cell's mean."""
    method: str = "t over batches of deals"

    def of(self, weights: FloatArray, value: float) -> tuple[float, float]:
        """Half width of the weighted sum's 95 % interval, and the two-sided p of it being 0."""
        sums = weights @ self.means
        variance = float(sums.var(ddof=1)) / len(sums) + float(weights**2 @ self.least)
        error = math.sqrt(max(variance, _LEAST))
        free = len(sums) - 1
        return float(stdtrit(free, 0.975)) * error, float(2 * stdtr(free, -abs(value) / error))


@dataclass(frozen=True)
class ErrorBounds:
    """Upper bounds of errors, for unknown covariances."""

    errors: FloatArray
    method: str = "normal, at most"

    def of(self, weights: FloatArray, value: float) -> tuple[float, float]:
        """Upper bounds of the 95 % interval's half width and of the two-sided p of a zero sum."""
        error = max(float(abs(weights) @ self.errors), _LEAST)
        return z_of(0.95) * error, two_sided_p(value / error)
