"""The band that attacks leave a game's value, and when two trainings disagree."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji.stats import Interval
from hanamikoji.stats.bands import (
    Band,
    Reached,
    disagree,
    exact_decision,
    spread,
    value_band,
)
from hanamikoji.stats.intervals import bounded_score, plain_proportion


def score(value: float, half: float) -> Interval:
    return Interval(value - half, value + half, 0.95, "")


def test_value_band__each_end_is_of_the_agent_that_is_harder_to_beat_there() -> None:
    one, two = Reached(as_starter=0.6, as_second=0.55), Reached(as_starter=0.56, as_second=0.7)
    assert value_band([one], 0.0) == Band(pytest.approx(0.45), 0.6)
    assert value_band([one, two], 0.0) == Band(pytest.approx(0.45), 0.56)
    assert value_band([one, two], 0.02) == Band(pytest.approx(0.43), pytest.approx(0.58))


def test_value_band__stays_within_scores_and_admits_a_contradiction() -> None:
    assert value_band([Reached(0.99, 0.99)], 0.05) == Band(0.0, 1.0)
    assert value_band([Reached(0.4, 0.5)], 0.0) == Band(0.4, 0.5, crossed=True)


def test_value_band__best_responses_to_any_play_hold_the_value_of_a_matrix_game() -> None:
    """The minimax theorem, on random games whose values a linear program gives."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(5)
    for _ in range(50):
        payoffs = rng.uniform(size=(4, 5))  # the row player is the starter
        rows, columns = payoffs.shape
        solved = linprog(
            np.r_[np.zeros(rows), -1.0],
            A_ub=np.c_[-payoffs.T, np.ones(columns)], b_ub=np.zeros(columns),
            A_eq=[np.r_[np.ones(rows), 0.0]], b_eq=[1.0],
            bounds=[(0, None)] * rows + [(None, None)],
        )  # fmt: skip
        reached = []
        for _ in range(3):
            starter, second = rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
            reached.append(Reached((payoffs @ second).max(), 1 - (starter @ payoffs).min()))
        band = value_band(reached, 0.0)
        assert not band.crossed
        assert band.low - 1e-9 <= -solved.fun <= band.high + 1e-9


def test_spread__its_interval_holds_the_true_difference_95_times_in_100() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(2000):
        wins = rng.binomial(20_000, (0.5, 0.51))
        one, two = (plain_proportion(int(n), 20_000, "games").interval for n in wins)
        interval = spread(one, two).interval
        held += interval.low <= 0.01 <= interval.high
    assert 0.935 < held / 2000 < 0.965


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (score(0.500, 0.001), score(0.501, 0.007), False),  # noise
        (score(0.500, 0.001), score(0.508, 0.001), False),  # beyond noise, the verdict is the same
        (score(0.500, 0.001), score(0.530, 0.007), True),
        (score(0.505, 0.001), score(0.512, 0.001), True),  # within the margin, but other verdicts
        (score(0.422, 0.007), score(0.573, 0.007), True),
        (score(0.420, 0.007), score(0.425, 0.007), False),
        (score(0.500, 0.020), score(0.515, 0.020), False),
    ],
)
def test_disagree__only_if_it_is_no_noise_and_matters(
    first: Interval, second: Interval, expected: bool
) -> None:
    assert disagree(first, second, 0.01) is expected
    assert disagree(second, first, 0.01) is expected


def test_disagree__two_trainings_that_play_alike_are_seldom_said_to() -> None:
    """At most 5 in 100, whatever the true score."""
    rng = np.random.default_rng(3)
    for true in (0.5, 0.51, 0.56):
        wrong = 0
        for _ in range(1000):
            one, two = (
                bounded_score([20_000 - n, 0, 0, 0, n]).interval()
                for n in rng.binomial(20_000, (true, true))
            )
            wrong += disagree(one, two, 0.01)
        assert wrong / 1000 <= 0.06, true


def test_exact_decision__leaves_nothing_undecided() -> None:
    values = (0.4901, 0.4899, 0.5099, 0.5161)
    assert [exact_decision(value, 0.01) for value in values] == [
        "balanced", "unbalanced", "balanced", "unbalanced",
    ]  # fmt: skip
