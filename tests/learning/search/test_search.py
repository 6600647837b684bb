"""The search agent: legal, repeatable, by what the player knows alone; and it plays well."""

from __future__ import annotations

import dataclasses
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from engine.drive import any_kind
from engine.test_against_naive import ODD_RULES
from hanamikoji._jit import address_of, call_agent, kernel
from hanamikoji.agents.loading import load_agent
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import CompiledSeat, Context, Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.attack.probe import pair_counts
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.weights import Weights, WeightsOrigin
from hanamikoji.learning.search.agent import Search, search_parameters, search_seat
from hanamikoji.learning.search.values import learn_values, unguided_values
from hanamikoji.learning.training import train
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from hanamikoji.stats.intervals import bounded_score
from learning.network.test_network import random_weights
from learning.scorer import Scorer
from modes import sized
from strategies import rules as any_rules

BASE = PRESETS["base"]


def weights_of(rules: Rules) -> Weights:
    features = build_features(rules)
    origin = WeightsOrigin(rules.hash, features.signature, 1, 1)
    return dataclasses.replace(random_weights(features), origin=origin)


@kernel
def _call(agent, view, context, word):  # type: ignore[no-untyped-def]
    return call_agent(agent, address_of(view), context, word)


class Asked:
    """A compiled seat, asked decision by decision."""

    def __init__(self, game: Game, seat: CompiledSeat) -> None:
        self._seat = seat
        self.context = Context(game.tables, seat.parameters)

    def __call__(self, view: np.ndarray, word: int) -> int:
        view = np.array(view, np.int32)
        return int(_call(self._seat.address, view, self.context.address, np.uint64(word)))


def searches(
    rules: Rules, rollouts: int = sized(12, 2), top: int = sized(4, 2)
) -> list[CompiledSeat]:
    game = Game.of(rules)
    return [
        search_seat(search_parameters(game, guide, rollouts, top))
        for guide in (None, weights_of(rules))
    ]


def assert_plays_legally(rules: Rules, deals: int, first: int = 0) -> None:
    game = Game.of(rules)
    random = load_agent(AgentUse(name="random", agent="random")).seat(game)
    for seat in searches(rules):
        Match(game, (seat, random), 1).play(first, first + deals)  # raises at an illegal move


@pytest.mark.parametrize("name", PRESETS)
def test_presets__only_legal_moves(name: str) -> None:
    assert_plays_legally(PRESETS[name], sized(10, 1))


@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules__only_legal_moves(name: str) -> None:
    assert_plays_legally(load_rules({"preset": "base", **ODD_RULES[name]}), sized(4, 1))


@settings(max_examples=sized(8, 3))
@given(any_rules(most_rounds=3), hst.integers(0, 2**40))
def test_random_rules__only_legal_moves(rules: Rules, deal: int) -> None:
    assert_plays_legally(rules, 1, deal)


@pytest.mark.jit
def test_same_word__same_move_whatever_scratch_holds() -> None:
    game = Game.of(BASE)
    junk = np.random.default_rng(1)
    different = 0
    for seat in searches(BASE, 40, 0):
        ask, again = Asked(game, seat), Asked(game, seat)
        for deal in range(sized(6, 1)):
            single, rng = SingleGame(game, ("a", "b"), 1, deal), Random(deal)
            while not single.finished:
                again.context.memory[:] = junk.integers(-(2**62), 2**62, len(again.context.memory))
                again.context.lanes[:] = junk.integers(-(2**15), 2**15, again.context.lanes.shape)
                before = single.view.copy()
                choice = ask(single.view, single.word)
                assert choice == again(single.view, single.word)
                assert choice in single.legal
                assert np.array_equal(before, single.view)
                different += choice != ask(single.view, single.word + 1)
                single.decide(any_kind(single, rng))
    assert different > 0  # the word does decide which worlds are looked at


def test_one_candidate__is_the_network_s_choice() -> None:
    game, weights = Game.of(BASE), weights_of(BASE)
    ask = Asked(game, search_seat(search_parameters(game, weights, 50, 1)))
    scorer = Scorer(game, weights)
    single, rng = SingleGame(game, ("a", "b"), 1, 3), Random(3)
    while not single.finished:
        assert ask(single.view, single.word) == scorer.choice(single.view)
        single.decide(any_kind(single, rng))


# --- what a move is worth -------------------------------------------------------------------------

LAST_CARD = {
    "charm": [5, 1, 1],
    "items": [1, 1, 1],
    "hand": 1,
    "removed": 0,
    "draw": 0,
    "actions": ["base/secret"],
    "goals": {"charm": 5, "geishas": False},
}


def test_sees_a_win_in_hand() -> None:
    """With the card that wins in a hand of two, one of which is played, it is played."""
    table = LAST_CARD | {"hand": 2, "items": [1, 2, 2]}
    rules = load_rules(table | {"max_rounds": 1})
    game = Game.of(rules)
    ask = Asked(game, search_seat(search_parameters(game, None, 40, 0)))
    held = 0
    for deal in range(40):
        single = SingleGame(game, ("a", "b"), 1, deal)
        while not single.finished:
            choice = ask(single.view, single.word)
            if single.view[ix.HAND]:
                held += 1
                card = game.tables[ix.MOVE_CARDS_AT] + choice * ix.MOST_CARDS
                assert game.tables[card] == 0
            single.decide(choice)
    assert held > 10


@pytest.mark.jit
def test_unguided_values__of_a_solved_variant_are_exact_ones() -> None:
    """Each draws one of three cards and takes that geisha; two win: as test_trainer solves it."""
    from learning.training.test_trainer import DRAW_ONE, exact_values

    rules = load_rules(DRAW_ONE)
    found = learn_values(rules)
    features = build_features(rules).array
    ranks = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (0, 3): 3, (1, 0): 4, (1, 1): 5, (1, 2): 6}
    assert features[lay.CONFIGS] == 10
    compared = 0
    for state, value in exact_values(rules).items():
        own, their = state.count(1), state.count(-1)
        if own < 2 and their < 2:
            assert found[ranks[own, their]] == pytest.approx(value, abs=0.03)
            compared += 1
    assert compared == 13


@pytest.mark.jit
def test_unguided_values__are_kept_and_the_same_again(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from hanamikoji.learning.search import values

    monkeypatch.setattr(values, "cache_folder", lambda: tmp_path)
    first = unguided_values(BASE)
    (kept,) = (tmp_path / "search").iterdir()
    assert np.array_equal(first, unguided_values(BASE))
    whole = kept.read_bytes()
    for damaged in (b"rubbish", whole[:-8], whole[:200] + bytes([whole[200] ^ 4]) + whole[201:]):
        kept.write_bytes(damaged)
        with monkeypatch.context() as patch:
            patch.setattr(values, "learn_values", lambda _: first)
            assert np.array_equal(first, unguided_values(BASE))
        assert kept.read_bytes() == whole
    assert 0.3 < first[0] < 0.7


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rollouts": 0}, "rollouts is 0"),
        ({"rollouts": "many"}, "rollouts is 'many'"),
        ({"top": -1}, "top is -1"),
        ({"top": True}, "top is True"),
        ({"guide": "oracle"}, "learned or none"),
        ({"guide": "none", "effort": "quick"}, "leave out effort, seed, weights"),
        ({"effort": "huge"}, "quick, standard, long"),
    ],
)
def test_options__bad_ones_are_told(options: dict[str, object], said: str) -> None:
    with pytest.raises(PluginError, match=said):
        Search(**options)  # type: ignore[arg-type]


# --- strength -------------------------------------------------------------------------------------


def assert_beats(one: CompiledSeat, other: object, game: Game, deals: int, least: float) -> None:
    played = Match(game, (one, other), 7).play(0, deals)  # type: ignore[arg-type]
    score = bounded_score(pair_counts(played.games))
    assert score.interval(0.999).low > least, score


@pytest.mark.jit
def test_flat_search__beats_random_play() -> None:
    game = Game.of(BASE)
    flat = search_seat(search_parameters(game, None, 200, 0), "flat")
    for name in ("random", "random-move"):
        other = load_agent(AgentUse(name=name, agent=name)).seat(game)
        assert_beats(flat, other, game, 200, 0.85)


@pytest.mark.jit
def test_flat_search__more_rollouts_play_better() -> None:
    game = Game.of(BASE)
    many, few = (search_seat(search_parameters(game, None, n, 0), f"{n}") for n in (1000, 20))
    assert_beats(many, few, game, 250, 0.5)


@pytest.mark.jit
@pytest.mark.soak
@pytest.mark.parametrize("name", ["base", "serendipity"])
def test_search__beats_the_network_that_guides_it(name: str) -> None:
    game = Game.of(PRESETS[name])
    weights = train(PRESETS[name], 500_000)
    search = search_seat(search_parameters(game, weights, 400, 6))
    assert_beats(search, learned_seat(weights, game), game, 2000, 0.5)
