"""Estimates after a sequential test: by hand at one and two looks."""

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from hanamikoji.stats.after_sprt import _Walk, estimate
from hanamikoji.stats.intervals import bounded_score


def test_walk__two_steps_by_hand():
    walk = _Walk(-1.5, 2.0, 2)
    both = multivariate_normal([0.3, 0.6], [[1, 1], [1, 2]])
    # above 2 at once, or within the bounds and then above 1
    once = norm.sf(2.0 - 0.3)
    later = (
        norm.cdf(2.0 - 0.3) - norm.cdf(-1.5 - 0.3) - (both.cdf([2.0, 1.0]) - both.cdf([-1.5, 1.0]))
    )
    assert walk.higher(0.3, 1.0) == pytest.approx(once + later, abs=2e-3)


def test_walk__the_order_covers_all_ways_to_end():
    walk = _Walk(-3.0, 3.0, 40)
    ends = [-8, -3.5, -3.0, -1, 0, 1, 3.0, 5]
    chances = [walk.higher(0.05, end) for end in ends]
    assert chances == sorted(chances, reverse=True)
    rising = [walk.higher(drift, 1.0) for drift in (-2, -0.5, -0.1, 0, 0.1, 0.5, 2)]
    assert rising == sorted(rising)
    assert rising[0] == pytest.approx(0, abs=1e-3)
    assert rising[-1] == pytest.approx(1, abs=1e-3)
    # symmetric bounds, no drift: as often above as below
    assert _Walk(-3.0, 3.0, 40).higher(0.0, 0.0) == pytest.approx(0.5, abs=2e-3)


def test_estimate__of_one_look_is_the_average():
    counts = np.array([10, 20, 100, 80, 46])
    found = estimate(counts, "pairs", (0.5, 0.52), (-2.94, 2.94), 256)
    assert found == bounded_score(counts).mean("pairs")


def test_estimate__is_drawn_towards_the_middle():
    counts = np.array([600, 0, 0, 0, 680])
    found = estimate(counts, "games", (0.5, 0.54), (-2.94, 2.94), 256)
    assert 0.51 < found.value < 680 / 1280
    assert found.interval.low < found.value < found.interval.high
    mirrored = estimate(counts[::-1], "games", (0.46, 0.5), (-2.94, 2.94), 256)
    assert mirrored.value == pytest.approx(1 - found.value, abs=1e-4)
    assert mirrored.interval.low == pytest.approx(1 - found.interval.high, abs=1e-4)


def test_estimate__of_many_looks_takes_little_time():
    n = 4_000_000
    counts = np.array([n // 2 - 1000, 0, 0, 0, n // 2 + 1000])
    found = estimate(counts, "games", (0.5, 0.501), (-2.94, 2.94), 256)
    assert math.isfinite(found.value)
    assert found.value == pytest.approx(0.5, abs=0.001)
