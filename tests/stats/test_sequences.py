"""The confidence sequence: validity over many looks, width, and its arithmetic."""

import math

import numpy as np
import pytest

from hanamikoji.stats import sequences
from hanamikoji.stats.intervals import QUARTERS
from stats.test_intervals import LAWS


def misses(law, p, looks, experiments, *, target=0.01, seed=3):
    """Share of experiments in which any look's interval leaves out the mean."""
    chances = np.array(LAWS[law](p))
    rng = np.random.default_rng(seed)
    steps = np.diff([0, *looks])
    bad = 0
    for _ in range(experiments):
        counts = np.cumsum(rng.multinomial(steps, chances / chances.sum()), axis=0)
        wealth = [
            sequences._log_wealth(c.astype(float), p, *sequences._stakes(target)) for c in counts
        ]
        bad += max(wealth) >= math.log(20)
    return bad / experiments


def test_interval__is_where_the_wealth_meets_the_bound():
    counts = np.array([30.0, 5, 40, 5, 60])
    found = sequences.interval(counts.astype(int), 0.95, 0.02)
    stakes = sequences._stakes(0.02)
    for end in (found.low, found.high):
        wealth = sequences._log_wealth(counts, end, *stakes)
        assert wealth == pytest.approx(math.log(20), abs=1e-4)
    assert found.low < QUARTERS @ counts / counts.sum() < found.high


def test_wealth__by_hand():
    # one stake of 1/2: a win against m = 1/2 multiplies by 1 + 1/4, a loss by 1 - 1/4
    wealth = sequences._log_wealth(
        np.array([1.0, 0, 0, 0, 2]), 0.5, np.array([0.5]), np.array([0.0])
    )
    assert wealth == pytest.approx(math.log(0.75 * 1.25**2))


def test_stakes__are_a_prior():
    for target in (0.1, 0.002, 1e-5):
        stakes, weights = sequences._stakes(target)
        assert np.exp(weights).sum() == pytest.approx(1)
        assert np.abs(stakes).max() < 1


def test_interval__before_any_game_says_nothing():
    found = sequences.interval([0, 0, 0, 0, 0])
    assert (found.low, found.high) == (0, 1)


def test_interval__extreme_records_stay_inside_and_have_a_width():
    for counts in ([0, 0, 0, 0, 292], [292, 0, 0, 0, 0], [0, 0, 10**9, 0, 0], [1, 0, 0, 0, 0]):
        found = sequences.interval(counts)
        assert 0 <= found.low < found.high <= 1


def test_interval__is_near_the_best_width_at_the_target():
    # No sequence can beat z = 1.96; a normal mixture's best is 3.03 (Robbins 1970).
    for target in (0.02, 0.002):
        for law in ("game", "independent"):
            chances = np.array(LAWS[law](0.5))
            variance = (QUARTERS - 0.5) ** 2 @ chances
            n = round((3.1 / target) ** 2 * variance)
            found = sequences.interval(np.rint(n * chances).astype(int), 0.95, target)
            z = found.half_width / math.sqrt(variance / n)
            assert 1.96 < z < 3.2


def test_interval__gains_by_the_pairs_small_variance():
    pairs = sequences.interval([2500, 0, 5000, 0, 2500], 0.95, 0.02)
    games = sequences.interval([5000, 0, 0, 0, 5000], 0.95, 0.02)
    assert pairs.half_width < 0.75 * games.half_width


LOOKS = np.unique(np.geomspace(20, 40_000, 200).astype(int))


@pytest.mark.parametrize("law", ["game", "alike"])
def test_sequence__holds_at_all_looks(law):
    for p in (0.5, 0.9):
        found = misses(law, p, LOOKS, 200)
        assert found <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 200) - 0.03


@pytest.mark.soak
@pytest.mark.parametrize("law", list(LAWS))
@pytest.mark.parametrize("p", [0.5, 0.9, 0.999])
def test_sequence__holds_at_all_looks_in_full(law, p):
    assert len(LOOKS) >= 190
    assert misses(law, p, LOOKS, 4000) <= 0.05
