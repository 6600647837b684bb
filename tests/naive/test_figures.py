"""The oracle's random play against docs/rules.md's known figures, 50,000,000 games each there."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest

from hanamikoji.rules import PRESETS, load_rules
from naive.play import any_move, any_take, play_game

if TYPE_CHECKING:
    from hanamikoji.rules import Rules
    from naive.score import Result

GAMES = 3000

# starter wins, shared, mean rounds, (ends in round 1, 2, 3, 4), won with charm goal,
# only 4 geishas, 11-over-4 decided
FIGURES = {
    "base": (0.50002, 0, 1.93544, (0.28920, 0.52223, 0.15734, 0.02699), 0.95553, 0.04447, 0.09449),
    "three-round": (0.49844, 0.00317, 1.89941, (0.28919, 0.52221, 0.18860, 0), 0.92520, 0.04358,
                    0.09077),
    "three-round-full": (0.49705, 0.00581, 3, (0, 0, 1, 0), 0.92921, 0.01095, 0.13303),
    "avoid-misfortune": (0.50001, 0, 1.96770, (0.27162, 0.52850, 0.16583, 0.02933), 0.95160,
                         0.04840, 0.09709),
    "avoid-misfortune, max_rounds 3": (0.49775, 0.00451, 1.92827, (0.27162, 0.52849, 0.19989, 0),
                                       0.91864, 0.04732, 0.09295),
    "base, charm goal 10": (0.49995, 0, 1.65309, None, 0.98798, 0.01202, 0.02301),
}  # fmt: skip


def variant(name: str) -> Rules:
    if name in PRESETS:
        return PRESETS[name]
    if name == "base, charm goal 10":
        return load_rules({"preset": "base", "goals": {"charm": 10}})
    return load_rules({"preset": "avoid-misfortune", "max_rounds": 3})


def assert_share(results: list[Result], which: list[bool], known: float) -> None:
    """Compare a share with a known one, within 4.5 standard errors."""
    error = sqrt(known * (1 - known) / len(results))
    assert fmean(which) == pytest.approx(known, abs=4.5 * error)


@pytest.mark.parametrize("name", FIGURES)
def test_random_play__known_figures(name: str) -> None:
    starter, shared, rounds, ends, charm, geishas, conflict = FIGURES[name]
    rng = Random(20_18)
    results = [play_game(variant(name), rng).result for _ in range(GAMES)]
    lengths = [r.rounds for r in results]
    error = stdev(lengths) / sqrt(GAMES)
    assert fmean(lengths) == pytest.approx(rounds, abs=4.5 * error)
    for number, known in enumerate(ends or (), start=1):
        assert_share(results, [n == number for n in lengths], known)
    assert_share(results, [r.outcome == "starter" for r in results], starter)
    assert_share(results, [r.outcome == "shared" for r in results], shared)
    assert_share(results, [r.reason == "charm" for r in results], charm)
    assert_share(results, [r.reason == "geishas" for r in results], geishas)
    assert_share(results, [r.goal_conflict for r in results], conflict)
    assert all(r.outcome != "unfinished" for r in results)
    if name == "three-round":
        assert_share(results, [r.reason == "cap-geishas" for r in results], 0.00717)
        assert_share(results, [r.reason == "cap-charm" for r in results], 0.02088)


def test_distinct_moves__is_another_policy() -> None:
    """docs/rules.md gives it roughly: 1.90 rounds, 31 % in round 1."""
    rng = Random(1)
    games = [play_game(PRESETS["base"], rng, any_move, any_take).result for _ in range(600)]
    lengths = [r.rounds for r in games]
    assert fmean(lengths) == pytest.approx(1.90, abs=4.5 * stdev(lengths) / sqrt(600) + 0.005)
    first = Counter(lengths)[1] / 600
    assert first == pytest.approx(0.31, abs=4.5 * sqrt(0.31 * 0.69 / 600) + 0.005)
