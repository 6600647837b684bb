"""The generalised sequential probability ratio test (GSPRT) on pair scores.

M. Van den Bergh, 'A practical introduction to the GSPRT' (2020), as fishtest uses it for engine
matches. The five frequencies of the pair scores are nuisance; only their mean is tested. The
likelihood ratio is that of the best multinomials with the one and the other mean, each in closed
form up to one number: p_i = q_i / (1 + t (v_i - s)) for frequencies q and scores v, where t makes
the mean s (Owen's empirical likelihood, 1988). Wald's bounds ln(beta / (1 - alpha)) and
ln((1 - beta) / alpha) end the test (Wald 1945).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hanamikoji.errors import ExperimentError
from hanamikoji.stats.intervals import QUARTERS, FloatArray, IntArray

_ZERO = 1e-3  # stands for a count of zero (fishtest): a 292-0 match has a finite likelihood ratio

ELO = 400 / math.log(10)
"""Elo points per unit of log odds."""


def elo_score(elo: float) -> float:
    """Expected score of a player ``elo`` points stronger (logistic Elo)."""
    return 1 / (1 + math.exp(-elo / ELO))


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Log likelihood ratios at which H0 (lower) and H1 (upper) are accepted."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def check_hypotheses(score0: float, score1: float, alpha: float, beta: float) -> None:
    """Reject an invalid test.

    Raises:
        ExperimentError: Not 0 < score0 < score1 < 1, or an error rate is not in (0, 1/2).
    """
    if not 0 < score0 < score1 < 1:
        raise ExperimentError(
            f"stop.sprt: scores {score0:g} and {score1:g} must rise and lie between 0 and 1"
        )
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 < value < 0.5:
            raise ExperimentError(f"stop.sprt.{name}: {value:g} must lie between 0 and 0.5")


def log_likelihood_ratio(counts: Sequence[int] | IntArray, score0: float, score1: float) -> float:
    """The log likelihood ratio of mean ``score1`` to mean ``score0``.

    ``counts`` says how many pairs scored 0, 1/4, 1/2, 3/4, 1. Finite for any counts; 0 without any.
    """
    tally = np.asarray(counts, dtype=np.float64)
    if not tally.any():
        return 0.0
    tally = np.where(tally == 0, _ZERO, tally)
    frequencies = tally / tally.sum()
    tilt0, tilt1 = _log_tilt(frequencies, score0), _log_tilt(frequencies, score1)
    return float(tally @ (tilt0 - tilt1))


def _log_tilt(frequencies: FloatArray, mean: float) -> FloatArray:
    """ln(1 + t (v - mean)) by score v, for the t that gives the tilted frequencies that mean."""
    from scipy.optimize import brentq

    gap = QUARTERS - mean
    # t lies where all 1 + t gap are positive: between -1 / (1 - mean) and 1 / mean.
    low, high = -1 / gap[-1], -1 / gap[0]
    margin = 1e-12 * (high - low)

    def excess(t: float) -> float:
        return float(frequencies @ (gap / (1 + t * gap)))

    t = brentq(excess, low + margin, high - margin, xtol=1e-15, rtol=1e-14)
    return np.asarray(np.log1p(t * gap))
