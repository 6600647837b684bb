"""What a score is, given that a sequential test may have ended its sample: median-unbiased.

The average where the test stops is too far from the middle, since it stops when it is. So samples
are ordered by how they ended: a lead over the upper bound is the higher the sooner it comes, then
come those that never left the bounds, and a lower bound crossed sooner is lower. The estimate is
the score at which half of all samples would be higher than this one, and the interval's ends those
at which a fortieth would, or all but a fortieth (Siegmund 1978, Biometrika 65; stagewise order:
Jennison & Turnbull 2000, Group Sequential Methods, 8.4).

Sums of scores are taken as normal, and the likelihood ratio as linear in them. Their density while
no bound is crossed is computed look by look (Armitage, McPherson & Rowe 1969, JRSS A 132), once and
without drift: with drift d it is ``exp(d x - d^2 k / 2)`` times that at the k-th look.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from hanamikoji.stats.estimates import Interval, Mean, Unit
from hanamikoji.stats.intervals import FloatArray, IntArray, bounded_score, regularised_variance

_LEVEL = 0.95
_FARTHEST = 1e-4  # from scores of 0 and 1
_MOST_LOOKS = 1000  # more are taken together
_SPACING = 0.2  # of the grid, in standard deviations between two looks
_MOST_POINTS = 400


class _Walk:
    """A normal random walk that ends outside (low, high); its steps have variance 1."""

    def __init__(self, low: float, high: float, steps: int) -> None:
        self.low, self.high, self.steps = low, high, steps
        points = min(max(int((high - low) / _SPACING), 20), _MOST_POINTS)
        width = (high - low) / points
        self._x = low + width * (np.arange(points) + 0.5)
        normal = math.sqrt(2 * math.pi) / width
        move = np.exp(-((self._x[:, None] - self._x) ** 2) / 2) / normal
        inside = np.exp(-(self._x**2) / 2) / normal
        self._inside: list[FloatArray] = []
        for _ in range(steps - 1):
            self._inside.append(inside)
            inside = move @ inside

    def _before(self, drift: float) -> FloatArray:
        """(steps - 1, points) chances to be at each point after the first steps but the last."""
        k = np.arange(1, self.steps)[:, None]
        tilt = drift * self._x - drift**2 * k / 2
        return np.asarray(np.stack(self._inside) * np.exp(np.minimum(tilt, 700)))

    def higher(self, drift: float, end: float) -> float:
        """P(the walk ends in a way that is as high as being at ``end`` after all its steps)."""
        if self.steps == 1:
            return float(ndtr(drift - end))
        before = self._before(drift)
        up = ndtr(self._x + drift - self.high)
        down = ndtr(self.low - self._x - drift)
        if end > self.low:
            sooner = ndtr(drift - self.high) + float((before[:-1] @ up).sum())
            return float(sooner + before[-1] @ ndtr(self._x + drift - end))
        sooner = ndtr(self.low - drift) + float((before[:-1] @ down).sum())
        return float(1 - sooner - before[-1] @ ndtr(end - self._x - drift))


def estimate(
    counts: Sequence[int] | IntArray,
    unit: Unit,
    hypotheses: tuple[float, float],
    bounds: tuple[float, float],
    step: int,
) -> Mean:
    """The tested score.

    Args:
        counts: Units that scored 0, 1/4, 1/2, 3/4, 1 when the sample ended.
        unit: Their kind.
        hypotheses: The two scores.
        bounds: Log likelihood ratios, the lower and the upper, at which the test stops.
        step: Units between two looks.
    """
    average = bounded_score(counts)
    step = max(step, average.n // _MOST_LOOKS)
    looks = -(-average.n // step)
    if looks == 1:
        return average.mean(unit)
    scale = math.sqrt(regularised_variance(counts) * step)
    middle, gap = sum(hypotheses) / 2, hypotheses[1] - hypotheses[0]
    low, high = (bound * scale / step / gap for bound in bounds)
    walk = _Walk(low, high, looks)
    end = (average.value - middle) * average.n / scale

    def score_where(chance: float) -> float:
        def excess(score: float) -> float:
            return walk.higher((score - middle) * step / scale, end) - chance

        ends = _FARTHEST, 1 - _FARTHEST
        if excess(ends[0]) >= 0 or excess(ends[1]) <= 0:
            return ends[0] if excess(ends[0]) >= 0 else ends[1]
        return float(brentq(excess, *ends, xtol=1e-7))

    least, value, most = (score_where(c) for c in ((1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2))
    return Mean(value, average.n, unit, Interval(least, most, _LEVEL, "order of stopping"))
