"""Determinizations: the player can't tell them from the game it is in."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from engine.drive import any_choice, any_kind
from engine.test_against_naive import ODD_RULES
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from learning.determinizations import Determinizations
from modes import sized
from strategies import rules as any_rules


def part(state: np.ndarray, role: int, block: int) -> np.ndarray:
    at = st.VIEWS + role * ix.VIEW_SIZE + block
    return state[at : at + ix.MOST_GEISHAS]


def assert_whole(single: SingleGame, state: np.ndarray) -> None:
    """Every card is somewhere exactly once, and what is public is the same for both."""
    rules, role = single.game.rules, single.decider
    geishas = len(rules.charm)
    cards = state[st.DECK : st.DECK + rules.total_items]
    assert np.bincount(cards, minlength=geishas).tolist() == list(rules.items)
    own = {name: part(state, role, at) for name, at in (("mine", ix.MINE), ("theirs", ix.THEIRS))}
    assert np.array_equal(part(state, 1 - role, ix.THEIRS), own["mine"])
    assert np.array_equal(part(state, 1 - role, ix.MINE), own["theirs"])
    assert np.array_equal(part(state, 1 - role, ix.MARKERS), -part(state, role, ix.MARKERS))
    lying = state[st.DECK + state[st.HEAD] : st.DECK + state[st.TAIL]]
    total = np.bincount(cards[: rules.removed], minlength=ix.MOST_GEISHAS)
    total += np.bincount(lying, minlength=ix.MOST_GEISHAS)
    total += own["mine"] + own["theirs"] + part(state, role, ix.OUT)
    downs = (ix.HAND, ix.DOWN_MINE, ix.DOWN_THEIRS, ix.DOWN_OUT, ix.BLIND)
    for seer in (0, 1):
        for block in downs:
            total += part(state, seer, block)
    if state[st.PHASE] == ix.RESPOND:
        tables, move = single.game.tables, int(state[st.MOVE])
        at = int(tables[ix.MOVE_CARDS_AT]) + move * ix.MOST_CARDS
        n = rules.kinds[int(tables[tables[ix.MOVE_KIND_AT] + move])].cards
        total += np.bincount(tables[at : at + n], minlength=ix.MOST_GEISHAS)
    assert total[:geishas].tolist() == list(rules.items)


def sample_through(rules: Rules, deal: int, tries: int, rounds: int = 2) -> tuple[int, int]:
    """Sample worlds at every decision of a game; returns how many were found, and tried."""
    rng = Random(deal)
    game = Game.of(rules)
    single, worlds = SingleGame(game, ("a", "b"), 1, deal), Determinizations(game)
    found = tried = 0
    choose = any_kind if deal % 2 else any_choice
    while not single.finished and single.state[st.ROUND] <= rounds:
        here = 0
        for _ in range(tries):
            tried += 1
            world = worlds.sample(single.view, rng.getrandbits(64))
            if world is None:
                continue
            here += 1
            state, _ = world
            role = int(state[st.DECIDER])
            at = st.VIEWS + role * ix.VIEW_SIZE
            assert role == single.decider
            assert state[at : at + ix.VIEW_SIZE].tobytes() == single.view.tobytes()
            assert state[st.STARTER] == single.state[st.STARTER]
            for place in (st.ACTOR, st.PHASE, st.TURN, st.ROUND):
                assert state[place] == single.state[place]
            for role in (0, 1):
                assert state[st.DECISIONS + role] == single.state[st.DECISIONS + role]
                assert state[st.MARKERS_LEFT + role] == single.state[st.MARKERS_LEFT + role]
            assert_whole(single, state)
        found += here
        assert single.decide(choose(single, rng))
    return found, tried


@pytest.mark.parametrize("name", PRESETS)
def test_presets__worlds_look_as_the_real_one(name: str) -> None:
    found = tried = 0
    for deal in range(sized(12, 1)):
        more = sample_through(PRESETS[name], deal, sized(6, 2))
        found, tried = found + more[0], tried + more[1]
    assert found == tried


@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules__worlds_look_as_the_real_one(name: str) -> None:
    odd = load_rules({"preset": "base", **ODD_RULES[name]})
    found = tried = 0
    for deal in range(sized(8, 1)):
        more = sample_through(odd, deal, sized(6, 2))
        found, tried = found + more[0], tried + more[1]
    assert found > 0.4 * tried
    if "the actor sees" not in name:
        assert found > 0.9 * tried


@settings(max_examples=sized(60, 8))
@given(any_rules(most_rounds=3), hst.integers(0, 2**40))
def test_random_rules__worlds_look_as_the_real_one(rules: Rules, deal: int) -> None:
    found, _ = sample_through(rules, deal, 3)
    assert found > 0


# --- how likely each world is ---------------------------------------------------------------------

TINY = {
    "charm": [1, 1, 1],
    "items": [3, 3, 3],
    "hand": 2,
    "removed": 1,
    "actions": ["base/secret", "base/gift"],
    "goals": {"charm": False, "geishas": 2},
    "max_rounds": 1,
}


def random_move(single: SingleGame, rng: Random) -> int:
    """A marker, then physical cards, all alike: what makes all worlds equally likely."""
    tables, view = single.game.tables, single.view
    if view[ix.PHASE] == ix.RESPOND:
        return any_choice(single, rng)
    kinds = [
        k
        for k, kind in enumerate(single.game.rules.kinds)
        if view[ix.LEFT + k] and kind.cards <= view[ix.HAND_SIZE]
    ]
    kind = rng.choice(kinds)
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    hand = np.repeat(np.arange(ix.MOST_GEISHAS), view[ix.HAND : ix.HAND + ix.MOST_GEISHAS]).tolist()
    move = int(tables[row + ix.KIND_ROOT])
    for card in rng.sample(hand, int(tables[row + ix.KIND_CARDS])):
        move = int(tables[tables[ix.STEP_AT] + move * len(single.game.rules.charm) + card])
    return move


def hidden_part(state: np.ndarray, role: int) -> bytes:
    """The opponent's hand and face-down cards."""
    at = st.VIEWS + (1 - role) * ix.VIEW_SIZE
    return state[at + ix.HAND : at + ix.UNDER].tobytes()


@pytest.mark.jit
def test_worlds__are_as_likely_as_after_random_play() -> None:
    """Against all random games in which the player saw the same: what else was there?"""
    rules = load_rules(TINY)
    game = Game.of(rules)
    real: dict[bytes, Counter[bytes]] = {}
    views: dict[bytes, np.ndarray] = {}
    rng = Random(5)
    for deal in range(30_000):
        single = SingleGame(game, ("a", "b"), 3, deal)
        for _ in range(rng.choice((2, 3, 4, 5))):
            if not single.finished:
                single.decide(random_move(single, rng))
        if single.finished:
            continue
        seen = single.view.tobytes()
        views[seen] = single.view.copy()
        counts = real.setdefault(seen, Counter())
        counts[hidden_part(single.state, single.decider)] += 1
    often = sorted(real, key=lambda seen: -real[seen].total())[:25]
    assert len({views[seen][ix.TURN] for seen in often}) > 1
    worlds = Determinizations(game)
    squares = freedom = 0.0
    for seen in often:
        drawn = Counter(
            hidden_part(world[0], int(views[seen][ix.ROLE]))
            for n in range(4000)
            if (world := worlds.sample(views[seen], rng.getrandbits(64))) is not None
        )
        assert set(real[seen]) <= set(drawn)
        a, b = drawn.total(), real[seen].total()
        for each in drawn:  # two samples' chi-square
            x, y = drawn[each], real[seen][each]
            squares += (x * (b / a) ** 0.5 - y * (a / b) ** 0.5) ** 2 / (x + y)
        freedom += len(drawn) - 1
    assert freedom > 50
    assert abs(squares - freedom) < 4 * (2 * freedom) ** 0.5
