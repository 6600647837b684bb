"""The engine against the naive referee, decision by decision; see drive.py for what is compared."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from engine.drive import (
    any_choice,
    any_kind,
    first_choice,
    follow,
    followed,
    last_choice,
)
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.rules import ACTION_SETS, PRESETS, Action, Rules, load_rules
from modes import sized
from strategies import rules as any_rules

MIXES = list(product(("base", "avoid-misfortune"), repeat=4))

REPEATED = [
    "avoid-misfortune/transmission", "serendipity/referral", "serendipity/referral", "base/gift",
    "base/gift",
]  # fmt: skip


def lottery(**row: object) -> Action:
    return Action(**{"name": "lottery", "chosen_to": "opponent", **row})


TWO_SIZES = {"face": "down", "cards": 4, "groups": [1, 1, 2], "chooser": "opponent", "choose": 2}

ODD_RULES: dict[str, dict[str, object]] = {
    "repeated markers and handicap": {
        "actions": REPEATED, "second_actions": ["base/secret", "health/intercept", "base/gift"],
        "hand": 7, "removed": 0, "charm": [2, 2, 2, 3, 3, 4, 5, 3], "goals": {"charm": 13},
    },
    "face-down offer": {"actions": [lottery(**TWO_SIZES), "base/secret"]},
    "face-down offer, all to one place": {
        "actions": [lottery(**TWO_SIZES, rest_to="opponent"), "base/secret"],
    },
    "face-down offer, the actor sees": {
        "actions": [lottery(**TWO_SIZES, actor_sees=True), "base/secret"],
    },
    "chance, face down, sizes differ": {
        "actions": [lottery(face="down", cards=3, groups=[1, 2], chooser="chance"), "base/gift"],
    },
    "chance, face up": {
        "actions": [lottery(face="up", cards=4, chooser="chance", choose=2), "base/competition"],
    },
    "exchange, face up": {
        "actions": [Action(name="swap", cards=1, face="up", exchange=True), "base/secret"],
    },
    "exchange with an empty deck": {
        "actions": ["serendipity/referral"] * 3, "removed": 3,
    },
    "draw two, cards left over": {
        "actions": ["base/secret", "base/gift"], "draw": 2, "hand": 3, "removed": 4,
    },
    "winner starts, markers reset": {
        "keep_markers": False, "next_starter": "winner", "max_rounds": 6,
        "markers": ["starter", "second", "none", "none", "second", "none", "starter"],
        "goals": {"charm": 15, "geishas": 6},
    },
    "loser starts, geishas prevail": {
        "next_starter": "loser", "goals": {"prevails": "geishas"}, "min_rounds": 2, "max_rounds": 4,
        "cap_tiebreak": ["highest-geisha", "charm"],
    },
    "random starter, endless": {
        "next_starter": "random", "goals": {"charm": 21, "geishas": 7}, "round_limit": 7,
    },
    "low goals, both at once": {
        "goals": {"charm": 6, "geishas": 2, "prevails": "geishas"}, "next_starter": "same",
    },
    "geishas only": {"goals": {"charm": False, "geishas": 3}},
    "charm only": {"goals": {"charm": 9, "geishas": False}},
    "cap by charm alone": {"max_rounds": 1, "cap_tiebreak": ["charm"]},
    "cap by nothing": {"max_rounds": 1, "cap_tiebreak": [], "goals": {"charm": 20}},
}  # fmt: skip


@pytest.mark.parametrize("name", PRESETS)
def test_presets__agree(name: str) -> None:
    for deal in range(sized(40, 4)):
        followed(PRESETS[name], deal, seating=deal % 2)
        followed(PRESETS[name], deal + 1000, any_choice)
    followed(PRESETS[name], 0, first_choice)
    followed(PRESETS[name], 1, last_choice)


@pytest.mark.parametrize("sets", MIXES, ids="-".join)
def test_mixed_sets__agree(sets: tuple[str, ...]) -> None:
    mixed = load_rules(
        {"preset": "base", "actions": [ACTION_SETS[s][k] for k, s in enumerate(sets)]}
    )
    for deal in range(sized(25, 3)):
        followed(mixed, deal)


@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules__agree(name: str) -> None:
    odd = load_rules({"preset": "base", **ODD_RULES[name]})
    for deal in range(sized(25, 3)):
        followed(odd, deal, any_kind if deal % 2 else any_choice)


@settings(max_examples=sized(250, 25))
@given(any_rules(), hst.integers(0, 2**62), hst.integers(0, 2**63 - 1), hst.booleans())
def test_random_rules__agree(rules: Rules, deal: int, seed: int, evenly: bool) -> None:
    choose = any_choice if evenly else any_kind
    followed(rules, deal, choose, seed=seed, seating=deal % 2)


@pytest.mark.soak
@settings(max_examples=20_000, derandomize=False)
@given(any_rules(most_moves=20_000), hst.integers(0, 2**62), hst.integers(0, 2**63 - 1))
def test_random_rules__agree_for_long(rules: Rules, deal: int, seed: int) -> None:
    followed(rules, deal, any_kind, seed=seed)


@pytest.mark.parametrize("name", ["base", "avoid-misfortune", "serendipity"])
def test_illegal_choices__change_nothing(name: str) -> None:
    """Every id that isn't among the legal ones is refused, and numbers that are no ids."""
    game = Game.of(PRESETS[name])
    beyond = [-1, -(2**31), game.moves + game.responses, 2**31, 2**40, -(2**62)]

    def choose(single: SingleGame, rng: Random) -> int:
        legal = set(single.legal.tolist())
        moves = [n for n in range(game.moves) if n not in legal]
        responses = [game.moves + n for n in range(game.responses) if game.moves + n not in legal]
        before = single.state.copy()
        for number in beyond + responses + rng.sample(moves, sized(40, 5)):
            assert not single.decide(number)
            assert np.array_equal(single.state, before)
        return any_kind(single, rng)

    for deal in range(sized(10, 2)):
        follow(SingleGame(game, ("a", "b"), 1, deal), choose, Random(deal))
