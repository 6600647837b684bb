"""Random play against figures of an independent program, 50,000,000 games each.

All rows come from one program, which was written independently of this package.
"""

from __future__ import annotations

from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
import pytest

from engine.seats import shipped
from hanamikoji.engine import Match, codes
from hanamikoji.rules import PRESETS, Rules, load_rules
from modes import sized

THEIR_GAMES = 50_000_000


class Known(NamedTuple):
    """A row of the reference program's table; None where it says nothing."""

    starter: float
    shared: float
    rounds: float
    ends: tuple[float, ...]
    charm: float | None
    geishas: float | None
    conflict: float
    cap_geishas: float | None = None
    cap_charm: float | None = None


KNOWN = {
    "base": Known(
        0.50002, 0, 1.93544, (0.28920, 0.52223, 0.15734, 0.02699), 0.95553, 0.04447, 0.09449, 0, 0
    ),
    "three-round": Known(
        0.49844, 0.00317, 1.89941, (0.28919, 0.52221, 0.18860, 0), 0.92520, 0.04358, 0.09077,
        0.00717, 0.02088,
    ),
    "three-round-full": Known(
        0.49705, 0.00581, 3, (0, 0, 1, 0), 0.92921, 0.01095, 0.13303
    ),
    "avoid-misfortune": Known(
        0.50001, 0, 1.96770, (0.27162, 0.52850, 0.16583, 0.02933), 0.95160, 0.04840, 0.09709, 0, 0
    ),
    "avoid-misfortune, max_rounds 3": Known(
        0.49775, 0.00451, 1.92827, (0.27162, 0.52849, 0.19989, 0), 0.91864, 0.04732, 0.09295
    ),
    "base, charm goal 10": Known(0.49995, 0, 1.65309, (), 0.98798, 0.01202, 0.02301, 0, 0),
    "low goals": Known(  # both may win by a goal here: the program counts those by goal, too
        0.491436, 0.017151, 2.007769, (0, 0.992369, 0.007494, 0.000138), None, None, 0.007161
    ),
    "mixed, high goals": Known(
        0.488573, 0.022943, 1.874644, (0.125356, 0.874644, 0, 0), 0.538364, 0, 0, 0.282255, 0.156439
    ),
    "concede and reveal": Known(
        0.500004, 0, 1.935289, (0.289232, 0.522321, 0.157208, 0.026997), 0.955557, 0.044443,
        0.094553, 0, 0,
    ),
}  # fmt: skip

VARIANTS: dict[str, dict[str, object]] = {
    "avoid-misfortune, max_rounds 3": {"preset": "avoid-misfortune", "max_rounds": 3},
    "base, charm goal 10": {"preset": "base", "goals": {"charm": 10}},
    "low goals": {
        "preset": "base", "min_rounds": 2, "max_rounds": 4, "goals": {"charm": 8, "geishas": 3},
    },
    "mixed, high goals": {
        "preset": "base", "max_rounds": 2, "goals": {"charm": 12, "geishas": 5},
        "actions": [
            "base/secret", "avoid-misfortune/gift", "base/gift", "avoid-misfortune/transmission",
        ],
    },
    "concede and reveal": {
        "preset": "base",
        "actions": [
            "avoid-misfortune/concede", "base/trade-off", "avoid-misfortune/reveal",
            "base/competition",
        ],
    },
}  # fmt: skip

STARTERS_FAVOR = (0.43829, 0.43832, 0.43839, 0.47101, 0.47107, 0.48372, 0.48957)
"""How often the starter holds each geisha at the end of a base game."""


def variant(name: str) -> Rules:
    return PRESETS[name] if name in PRESETS else load_rules(VARIANTS[name])


def random_games(rules: Rules, agent: str, games: int, seed: int = 2018) -> dict[str, np.ndarray]:
    seat = shipped(rules, agent)
    return Match(rules, (seat, seat), seed).play(0, games).games


def assert_share(which: np.ndarray, known: float | None, name: str) -> None:
    """Within four standard errors, theirs included; exactly where the known share is 0 or 1."""
    if known is None:
        return
    variance = known * (1 - known)
    error = hypot(sqrt(variance / len(which)), sqrt(variance / THEIR_GAMES))
    # The figures are rounded to five places.
    assert np.mean(which) == pytest.approx(known, abs=4 * error + 5e-6 * (variance > 0)), name


def assert_favor(games: dict[str, np.ndarray]) -> None:
    for geisha, share in enumerate(STARTERS_FAVOR):
        held = games["favor_starter"] >> geisha & 1
        assert_share(held, share, f"the starter holds geisha {geisha}")
        assert not np.any(games["favor_starter"] & games["favor_second"])


def assert_figures(name: str, count: int) -> None:
    known, games = KNOWN[name], random_games(variant(name), "random", count)
    rounds, outcome = games["rounds"], games["outcome"]
    error = np.std(rounds) * hypot(1 / sqrt(count), 1 / sqrt(THEIR_GAMES))
    assert np.mean(rounds) == pytest.approx(known.rounds, abs=4 * error + 5e-6)
    for number, share in enumerate(known.ends, start=1):
        assert_share(rounds == number, share, f"ends in round {number}")
    assert_share(outcome == codes.WON_STARTER, known.starter, "starter wins")
    assert_share(outcome == codes.SHARED, known.shared, "shared")
    assert_share(outcome == codes.UNFINISHED, 0, "unfinished")
    assert_share(games["reason"] == codes.BY_CHARM, known.charm, "won with charm goal")
    assert_share(games["reason"] == codes.BY_GEISHAS, known.geishas, "only 4 geishas")
    assert_share(games["reason"] == codes.CAP_GEISHAS, known.cap_geishas, "cap: geishas")
    assert_share(games["reason"] == codes.CAP_CHARM, known.cap_charm, "cap: charm")
    assert_share(games["goal_conflict"], known.conflict, "11-over-4 decided")
    if name == "base":
        assert_favor(games)


@pytest.mark.parametrize("name", KNOWN)
def test_random__known_figures(name: str) -> None:
    assert_figures(name, sized(100_000, 300))


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("name", KNOWN)
def test_random__known_figures_at_two_million_games(name: str) -> None:
    assert_figures(name, 2_000_000)


def test_random_move__is_another_policy() -> None:
    """Known roughly: 1.90 rounds, 31 % in round 1."""
    rounds = random_games(PRESETS["base"], "random-move", sized(50_000, 200))["rounds"]
    error = np.std(rounds) / sqrt(len(rounds))
    assert np.mean(rounds) == pytest.approx(1.90, abs=4 * error + 0.005)
    first = np.mean(rounds == 1)
    assert first == pytest.approx(0.31, abs=4 * sqrt(0.31 * 0.69 / len(rounds)) + 0.005)
