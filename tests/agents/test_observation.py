"""What plain agents are shown, against the view it is read from and the naive referee's words."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from engine.drive import Book, any_kind
from engine.seats import AskedBy
from hanamikoji.agents import Game, Observation, Random64
from hanamikoji.agents.asked import PlainSeat
from hanamikoji.agents.observation import MoveBook, describe_move
from hanamikoji.engine import Match
from hanamikoji.engine.seat import Batch
from hanamikoji.engine.single import SingleGame
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS
from modes import sized

BASE = Game.of(PRESETS["base"])


def observed(single: SingleGame, book: MoveBook) -> Observation:
    return Observation(book, (single.view[None], 0), single.legal.tolist(), single.word)


@pytest.mark.parametrize("name", PRESETS)
def test_moves__are_told_as_they_are(name: str) -> None:
    game = Game.of(PRESETS[name])
    moves = Book(game).moves
    for number in range(game.moves):
        move = describe_move(game, number)
        assert move == number and move.taken == ()
        assert move.action == game.rules.kinds[moves[number].kind].name
        assert move.groups == moves[number].groups


@pytest.mark.parametrize("name", PRESETS)
def test_responses__are_told_as_they_are(name: str) -> None:
    game = Game.of(PRESETS[name])
    seen: Counter[str] = Counter()
    for number in range(game.moves, game.moves + game.responses):
        response = describe_move(game, number)
        action = next(kind for kind in game.rules.kinds if kind.name == response.action)
        assert response.groups == () and len(set(response.taken)) == action.choose
        assert set(response.taken) <= set(range(len(action.groups)))
        seen[response.action] += 1
    chosen = {kind.name for kind in game.rules.kinds if kind.chooser != "nobody"}
    assert set(seen) == chosen  # what chance takes has ids, too, for the history


@pytest.mark.parametrize("name", ["base", "avoid-misfortune", "serendipity", "health"])
def test_observation__is_the_view_in_words(name: str) -> None:
    game = Game.of(PRESETS[name])
    book, rng = MoveBook(game), Random(1)
    blocks = {
        "markers": ix.MARKERS, "hand": ix.HAND, "mine": ix.MINE, "theirs": ix.THEIRS,
        "out": ix.OUT, "down_mine": ix.DOWN_MINE, "down_theirs": ix.DOWN_THEIRS,
        "down_out": ix.DOWN_OUT, "blind": ix.BLIND, "under": ix.UNDER,
    }  # fmt: skip
    numbers = {
        "round": ix.ROUND, "turn": ix.TURN, "deck": ix.DECK, "charm": ix.CHARM,
        "their_charm": ix.THEIR_CHARM, "their_hand_size": ix.THEIR_HAND_SIZE,
    }  # fmt: skip
    shown: Counter[str] = Counter()
    for deal in range(sized(8, 1)):
        single = SingleGame(game, ("a", "b"), 1, deal)
        while not single.finished:
            view, seen = single.view, observed(single, book)
            for word, at in blocks.items():
                assert getattr(seen, word) == view[at : at + game.geishas].tolist()
                shown[word] += any(getattr(seen, word))
            for word, at in numbers.items():
                assert getattr(seen, word) == view[at]
            assert seen.role == ("starter", "second")[single.decider]
            assert seen.first == bool(view[ix.FIRST])
            assert seen.game is game and np.array_equal(seen.view, view)
            assert seen.legal_moves == seen.legal_ids == single.legal.tolist()
            _check_markers(seen, view, game)
            _check_offer(seen, view)
            single.decide(any_kind(single, rng))
    assert shown["hand"] and shown["mine"]
    assert bool(shown["under"]) == (name == "serendipity")


def _check_markers(seen: Observation, view: np.ndarray, game: Game) -> None:
    for left, at in ((seen.left, ix.LEFT), (seen.their_left, ix.THEIR_LEFT)):
        assert list(left) == [kind.name for kind in game.rules.kinds]
        assert list(left.values()) == view[at : at + len(left)].tolist()


def _check_offer(seen: Observation, view: np.ndarray) -> None:
    assert seen.responding == (view[ix.PHASE] == ix.RESPOND)
    if seen.responding:
        who, marker, move, answer = seen.history[-1]
        assert (who, answer) == ("opponent", None)
        assert marker == seen.legal_moves[0].action
        assert move is not None
        assert [Counter(group) for group in move.groups] == [
            Counter({g: n for g, n in enumerate(group) if n}) for group in seen.offer
        ]
    else:
        assert seen.offer == []


def test_history__tells_this_round_in_order() -> None:
    """Own moves with their cards, the opponent's face-down ones without."""
    single = SingleGame(BASE, ("a", "b"), 1, 0)
    book, rng = MoveBook(BASE), Random(3)
    told: list[tuple[int, str, int]] = []
    round_ = 1
    while not single.finished:
        seen = observed(single, book)
        if seen.round != round_:
            round_, told = seen.round, []
        me = single.decider
        assert len(seen.history) == len(told)
        for (who, marker, move, _), (role, name, number) in zip(seen.history, told, strict=True):
            assert (who, marker) == ("me" if role == me else "opponent", name)
            hidden = role != me and name in ("base/secret", "base/trade-off")
            assert move == (None if hidden else number)
        choice = any_kind(single, rng)
        if not seen.responding:
            told.append((me, book[choice].action, choice))
        single.decide(choice)


# --- randomness ----------------------------------------------------------------------------------


def test_rng__is_one_generator_for_a_decision() -> None:
    single = SingleGame(BASE, ("a", "b"), 1, 0)
    seen, again = observed(single, MoveBook(BASE)), observed(single, MoveBook(BASE))
    words = [seen.rng.word() for _ in range(4)]
    assert len(set(words)) == 4
    assert [again.rng.word() for _ in range(4)] == words
    assert seen.word == single.word


def test_random64__is_splitmix64() -> None:
    """The first outputs from seed 1234567, as the algorithm's authors' program prints them."""
    rng = Random64(1234567)
    assert [rng.word() for _ in range(3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip


def test_random64__draws_are_uniform() -> None:
    rng = Random64(5)
    n = 12_000
    assert np.all(np.abs(np.bincount([rng.below(6) for _ in range(n)]) - n / 6) < 4 * 41)
    floats = np.array([rng.random() for _ in range(n)])
    assert floats.min() >= 0 and floats.max() < 1 and abs(floats.mean() - 0.5) < 4 * 0.0027
    orders = Counter()  # type: ignore[var-annotated]
    for _ in range(n):
        items = [0, 1, 2]
        rng.shuffle(items)
        orders[tuple(items)] += 1
    assert len(orders) == 6 and all(abs(count - n / 6) < 4 * 41 for count in orders.values())
    assert {rng.choice("abc") for _ in range(100)} == set("abc")


def test_asking__does_not_depend_on_who_asks() -> None:
    """The same decisions one by one and all at once: the words are the decision's own."""

    class Picks:
        def act(self, observation: Observation) -> int:
            observation.rng.word()
            return observation.rng.choice(observation.legal_moves)

    plain = PlainSeat("x", Picks(), BASE)

    def second_word(batch: Batch) -> list[int]:
        picks = []
        for i, word in enumerate(batch.words.tolist()):
            legal = batch.ids[batch.offsets[i] : batch.offsets[i + 1]]
            rng = Random64(word)
            rng.word()
            picks.append(int(rng.choice(legal)))
        return picks

    asked = AskedBy("x", second_word)  # type: ignore[arg-type]
    games = [
        Match(BASE, (seat, seat), 1).play(0, sized(50, 4), record=("moves",)).moves
        for seat in (plain, asked)
    ]
    assert games[0]["choice"].tolist() == games[1]["choice"].tolist()
