"""Intervals: by hand, against statsmodels, and by their coverage."""

import math

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from hanamikoji.stats import intervals
from hanamikoji.stats.intervals import QUARTERS, BoundedMean, bounded_score, plain_proportion


def _pair_with_draws(p):
    d = 0.4 * min(p, 1 - p)
    w, lose = p - d / 2, 1 - p - d / 2
    return [lose**2, 2 * lose * d, 2 * w * lose + d * d, 2 * w * d, w * w]


# Laws of a unit's score with mean p: a game, and pairs whose games go together in various ways.
LAWS = {
    "game": lambda p: [1 - p, 0, 0, 0, p],
    "independent": lambda p: [(1 - p) ** 2, 0, 2 * p * (1 - p), 0, p * p],
    "alike": lambda p: [
        (1 - p) * (1 - p / 2),
        0,
        p * (1 - p),
        0,
        p * (1 + p) / 2,
    ],
    "with draws": _pair_with_draws,
}


def coverage(law, p, n, experiments, seed=20240):
    """Share of experiments whose 95 % interval holds p."""
    chances = np.array(LAWS[law](p))
    assert QUARTERS @ chances == pytest.approx(p)
    drawn = np.random.default_rng(seed).multinomial(n, chances / chances.sum(), experiments)
    distinct, times = np.unique(drawn, axis=0, return_counts=True)
    hits = 0
    for counts, many in zip(distinct, times, strict=True):
        found = bounded_score(counts).interval()
        hits += int(many) * (found.low <= p <= found.high)
    return hits / experiments


def exact_wilson_coverage(p, n):
    """Probability that Wilson's interval holds p, summed over the binomial law."""
    total = 0.0
    for k in range(n + 1):
        low, high = intervals.wilson_ends(k / n, n, intervals.z_of(0.95))
        if low <= p <= high:
            log = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            total += math.exp(log + k * math.log(p) + (n - k) * math.log1p(-p))
    return total


def test_wilson__by_hand():
    # 8 of 10 with z = 1.959964: (0.8 + z^2/20 -+ z sqrt(0.016 + z^2/400)) / (1 + z^2/10)
    found = plain_proportion(8, 10, "games")
    assert (found.value, found.count, found.n) == (0.8, 8, 10)
    assert found.interval.low == pytest.approx(0.490162, abs=1e-6)
    assert found.interval.high == pytest.approx(0.943318, abs=1e-6)


@pytest.mark.parametrize(("count", "n"), [(0, 7), (1, 7), (50, 99), (999, 1000), (1000, 1000)])
def test_wilson__agrees_with_statsmodels(count, n):
    found = plain_proportion(count, n, "games").interval
    assert (found.low, found.high) == pytest.approx(
        proportion_confint(count, n, method="wilson"), abs=1e-12
    )


def test_wilson__without_data_says_nothing():
    found = plain_proportion(0, 0, "games").interval
    assert (found.low, found.high) == (0, 1)


def test_bounded_score__is_wilson_for_wins_and_losses():
    ours = bounded_score([13, 0, 0, 0, 37]).interval()
    assert ours.method == "Wilson"
    assert (ours.low, ours.high) == pytest.approx(proportion_confint(37, 50, method="wilson"))


def test_bounded_score__pairs_by_hand():
    # Scores 0, 1/2, 1/2, 1: mean 1/2. Plus four: 0 x3, 1/2 x2, 1 x3, variance 6 (1/4) / 8 = 3/16,
    # a coin's 1/4: design effect 3/4, worth 4 / (3/4) = 16/3 flips.
    found = bounded_score([1, 0, 2, 0, 1])
    assert found == BoundedMean(0.5, 4, pytest.approx(16 / 3))
    assert intervals.regularised_variance([1, 0, 2, 0, 1]) == pytest.approx(3 / 16)


@pytest.mark.parametrize("counts", [[0, 0, 9, 0, 0], [0, 0, 0, 0, 292], [1, 0, 0, 0, 0]])
def test_bounded_score__never_of_zero_width(counts):
    found = bounded_score(counts).interval()
    assert 0 <= found.low < found.high <= 1
    assert found.low <= QUARTERS @ np.array(counts) / sum(counts) <= found.high
    assert intervals.regularised_variance(counts) > 0


def test_bounded_score__pairs_that_cancel_narrow_it():
    steady, wild = bounded_score([0, 0, 900, 0, 100]), bounded_score([450, 0, 0, 0, 550])
    assert steady.value == wild.value == pytest.approx(0.55)
    assert steady.interval().half_width < wild.interval().half_width / 2


def _check_coverage(experiments):
    for n in (50, 1000):
        for p in (0.5, 0.9, 0.999):
            exact = exact_wilson_coverage(p, n)
            error = math.sqrt(exact * (1 - exact) / experiments)
            assert coverage("game", p, n, experiments) == pytest.approx(exact, abs=4 * error)
    for law in LAWS:
        for p in (0.5, 0.9):
            assert coverage(law, p, 1000, experiments) >= 0.94 - 2 / math.sqrt(experiments) * 0.23


def test_bounded_score__coverage():
    _check_coverage(1000)


@pytest.mark.soak
def test_bounded_score__coverage_in_full():
    _check_coverage(4000)
    for law in LAWS:  # without the allowance for few experiments
        for p in (0.5, 0.9):
            assert coverage(law, p, 1000, 4000) >= 0.94, law


def test_exact_wilson_coverage__is_the_known_one():
    # Brown, Cai & DasGupta (2001): near nominal inside, dips near the ends.
    assert 0.935 < exact_wilson_coverage(0.5, 50) < 0.97
    assert 0.91 < exact_wilson_coverage(0.999, 1000) < 0.93


def test_difference_ends__agrees_with_statsmodels_unpaired():
    one, two = BoundedMean(30 / 70, 70, 70), BoundedMean(22 / 90, 90, 90)
    theirs = confint_proportions_2indep(30, 70, 22, 90, method="newcomb")
    assert intervals.difference_ends(one, two, 0.0, intervals.z_of(0.95)) == pytest.approx(theirs)


def test_difference_ends__paired_by_hand():
    # Both halves of 100 with r = 0.6: each Wilson end is d = 0.0963... from 1/2, so the distance is
    # d sqrt(2 - 2 * 0.6).
    one = BoundedMean(0.5, 100, 100)
    d = 0.5 - intervals.wilson_ends(0.5, 100, 1.96)[0]
    low, high = intervals.difference_ends(one, one, 0.6, 1.96)
    assert high == pytest.approx(d * math.sqrt(0.8))
    assert low == pytest.approx(-high)


def test_difference_p__matches_the_interval_and_the_normal():
    one, two = BoundedMean(0.52, 10_000, 10_000), BoundedMean(0.50, 10_000, 10_000)
    p = intervals.difference_p(one, two)
    z = intervals.z_of(1 - p)
    assert intervals.difference_ends(one, two, 0.0, z)[0] == pytest.approx(0, abs=1e-9)
    assert p == pytest.approx(intervals.two_sided_p(0.02 / math.sqrt(2 * 0.25 / 10_000)), rel=0.02)
    assert intervals.difference_p(one, one) == 1
    assert (
        0
        <= intervals.difference_p(BoundedMean(1, 10**8, 10**8), BoundedMean(0, 10**8, 10**8))
        < 1e-100
    )


def test_adjustments__agree_with_statsmodels():
    p = [0.001, 0.04, 0.03, 0.2, 0.9, 0.011]
    assert intervals.holm(p) == pytest.approx(list(multipletests(p, method="holm")[1]))
    assert intervals.benjamini_hochberg(p) == pytest.approx(
        list(multipletests(p, method="fdr_bh")[1])
    )
    assert intervals.holm([]) == intervals.benjamini_hochberg([]) == []


def test_holm__by_hand():
    assert intervals.holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
