"""Averages from tables of counts, against the same worked out from the games."""

import math

import numpy as np
import pytest

from hanamikoji.stats import tables
from hanamikoji.stats.moments import Moments, moments
from hanamikoji.stats.tables import ratio, ratio_mean, share


def test_share__of_independent_games_is_wilson():
    found = share(np.array([30, 12]), np.array([0.0, 1.0]))
    assert (found.value, found.n, found.effective) == (12 / 42, 42, 42)


def test_share__of_pairs_counts_games_and_discounts_likeness():
    # 50 deals where both games have it, 50 where neither does: 200 games, worth about 100.
    alike = share(np.array([[50, 0], [0, 50]]), np.array([0.0, 1.0]))
    assert (alike.value, alike.n) == (0.5, 200)
    assert alike.effective == pytest.approx(100, rel=0.03)
    # one of each pair, always: worth far more than 200
    opposed = share(np.array([[0, 50], [50, 0]]), np.array([0.0, 1.0]))
    assert opposed.value == 0.5
    assert opposed.effective > 2000


def test_ratio__by_hand():
    # One pair: a game that counts and scores 1, and one that doesn't count.
    table = np.array([[0, 1], [0, 0]])
    found = ratio(table, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    # padded ratio 3/5; residuals 0 and 2/5; pseudo 2 (9/25 + 4/25): (4/25 + 26/25) / 5 over 6/25
    assert (found.value, found.n) == (1.0, 1)
    assert found.effective == pytest.approx(1 / (0.24 / 0.24))


def test_ratio__variance_is_that_of_resampled_deals():
    rng = np.random.default_rng(5)
    table = rng.integers(0, 400, (3, 3))
    score, member = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])
    found = ratio(table, score * member, member)
    drawn = rng.multinomial(table.sum(), table.ravel() / table.sum(), 4000).reshape(-1, 3, 3)
    values = [ratio(t, score * member, member).value for t in drawn]
    said = found.value * (1 - found.value) / found.effective
    assert np.var(values) == pytest.approx(said, rel=0.1)


def test_ratio__nothing_that_counts():
    found = ratio(np.array([5, 0]), np.array([0.0, 0.0]), np.array([0.0, 1.0]))
    assert (found.n, found.interval().low, found.interval().high) == (0, 0, 1)


def test_even_ratio__weighs_both_seats_alike():
    # code: 2 * there + won. From seat 0 it gets there 90 times and wins 9, from seat 1 10 times, 9.
    table = np.zeros((4, 4), dtype=np.int64)
    table[3, 0], table[2, 0] = 9, 81
    table[0, 3], table[0, 2] = 9, 1
    won, there = np.array([0.0, 0, 0, 1]), np.array([0.0, 0, 1, 1])
    found = tables.even_ratio(table, ((0, won, there), (1, won, there)))
    assert found.value == pytest.approx((0.1 + 0.9) / 2)
    assert found.n == 100
    # independent seats: the seat of 10 games has nearly all of the error
    error = 0.5 * math.sqrt((11 / 14) * (3 / 14) / 14)
    assert found.interval().half_width == pytest.approx(1.96 * error, rel=0.1)
    assert tables.even_ratio(table, ((0, won, there), (0, won, 0 * there))) is None


def test_ratio_mean__is_the_mean_and_its_clustered_error():
    x = np.array([3, 5, 4, 4, 9, 2])  # rounds of both games of six deals
    found = ratio_mean(moments(x, 2), "games")
    assert (found.value, found.n) == (27 / 12, 12)
    # sum of (x - 4.5)^2 = 29.5, and two pseudo-observations of one round a game: 2 * 2^2; t of 5
    half = 2.570582 * math.sqrt((29.5 + 8) * 6 / 5) / 12
    assert found.interval.half_width == pytest.approx(half, rel=1e-6)


def test_ratio_mean__impossible_ends_are_cut_off():
    x = np.array([0, 0, 1, 0, 9])
    free = ratio_mean(moments(x, 1), "games")
    assert free.interval.low < 0
    cut = ratio_mean(moments(x, 1), "games", 0.0)
    assert cut.interval.low == 0
    assert cut.interval.high > free.interval.high


def test_ratio_mean__below_five_deals_there_is_no_interval():
    found = ratio_mean(moments(np.array([3, 5, 4, 4]), 1), "games", 1.0)
    assert (found.value, found.n) == (4, 4)
    assert math.isinf(found.interval.half_width)


def test_ratio_mean__constant_figure_has_a_width():
    found = ratio_mean(moments(np.full(100, 3), 1), "games")
    assert found.value == 3
    assert 0 < found.interval.half_width < 0.05


def test_ratio_mean__without_data():
    assert ratio_mean(Moments(), "rounds").n == 0


def test_moments__add_up():
    one, two = moments(np.array([1, 2]), 2), moments(np.array([5]), np.array([3]))
    one.add(two)
    assert one == Moments(n=3, x=8, y=7, xx=30, xy=21, yy=17)


def test_delta_mean__is_the_error_of_a_product():
    # f = (mean of x) (mean of y) for independent coins: var = (p(1-p)/n) (p^2 + p^2)
    table = np.array([[250, 250], [250, 250]])
    codes = np.indices((2, 2)).reshape(2, -1).astype(float)
    found = tables.delta_mean(table, codes, lambda m: m[0] * m[1])
    assert found.value == pytest.approx(0.25)
    expected = 1.959964 * math.sqrt((2 * 0.25 * 0.25 + 0.001) / 1000)
    assert found.interval.half_width == pytest.approx(expected, rel=1e-6)
