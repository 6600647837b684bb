"""One policy in three forms, loaded by entry point: the same games, mixed in any way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from agents.use import BASE, seat
from hanamikoji.agents import Game
from hanamikoji.engine import Match, Played
from hanamikoji.rules import PRESETS
from modes import sized

FORMS = ("steady-plain", "steady-batched", "steady-compiled")
DEALS = sized(40, 3)

pytestmark = pytest.mark.usefixtures("bad")


def played(a: str, b: str, game: Game = BASE, shift: int = 0, batch: int = 512) -> Played:
    """A match-up of two agents that are called the same whatever they are."""
    seats = seat(a, "a", game, shift=shift), seat(b, "b", game)
    return Match(game, seats, seed=5).play(0, DEALS, record=("rounds", "moves"), batch=batch)


def assert_same(one: Played, two: Played) -> None:
    for table in ("games", "rounds", "moves"):
        columns, others = getattr(one, table), getattr(two, table)
        for name, values in columns.items():
            assert np.array_equal(values, others[name]), f"{table}.{name}"


@pytest.mark.parametrize("pair", list(itertools.product(FORMS, FORMS)), ids=" - ".join)
def test_kinds__mix_in_any_way(pair: tuple[str, str]) -> None:
    assert_same(played(*pair), played("steady-compiled", "steady-compiled"))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("form", FORMS[:2])
def test_forms__play_alike_on_each_preset(form: str, name: str) -> None:
    game = Game.of(PRESETS[name])
    assert_same(played(form, "steady-compiled", game), played("steady-compiled", form, game))


@pytest.mark.parametrize("batch", [1, 7, 2048])
@pytest.mark.parametrize("form", FORMS[:2])
def test_batches__of_any_size(form: str, batch: int) -> None:
    assert_same(played(form, "steady-batched", batch=batch), played(form, "steady-batched"))


@pytest.mark.parametrize("form", FORMS)
def test_options__change_the_play_and_replay_alike(form: str) -> None:
    plain, shifted = played(form, form), played(form, form, shift=3)
    assert_same(shifted, played("steady-compiled", "steady-compiled", shift=3))
    assert plain.moves["choice"].tolist() != shifted.moves["choice"].tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shipped", ["random", "random-move", "greedy"])
def test_shipped_agents__meet_any_kind(form: str, shipped: str) -> None:
    """In both orders: the same games in role terms."""
    one = Match(BASE, (seat(form), seat(shipped)), seed=5).play(0, DEALS).games
    two = Match(BASE, (seat(shipped), seat(form)), seed=5).play(0, DEALS).games
    for seating in (0, 1):
        these, those = one["seating"] == seating, two["seating"] == 1 - seating
        for name in one:
            if name != "seating":
                assert np.array_equal(one[name][these], two[name][those]), name
