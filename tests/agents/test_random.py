"""``random`` and ``random-move`` against the exact chances of what they say they do."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from engine.drive import book_of
from engine.seats import shipped
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import Match, rng
from hanamikoji.engine.seat import Game
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Action, Rules, load_rules
from modes import sized
from naive import Move
from naive.moves import canonical

WORDS = sized(60_000, 1_500)

DOUBLES = load_rules(
    {
        "preset": "base", "hand": 8, "removed": 0, "charm": [2, 2, 2, 3, 3, 4, 5, 3],
        "actions": ["base/gift", "base/gift", "serendipity/competition", "avoid-misfortune/gift"],
        "goals": {"charm": 13},
    }
)  # fmt: skip


def view_of(rules: Rules, hand: list[int], left: list[int]) -> np.ndarray:
    view = np.zeros(ix.VIEW_SIZE, np.int32)
    view[ix.HAND : ix.HAND + ix.MOST_GEISHAS] = np.bincount(hand, minlength=ix.MOST_GEISHAS)
    view[ix.HAND_SIZE] = len(hand)
    view[ix.LEFT : ix.LEFT + len(left)] = left
    return view


def chosen(game: Game, view: np.ndarray) -> Counter[int]:
    words = (np.uint64(rng.word(np.uint64(77), n)) for n in range(WORDS))
    return Counter(int(random_choice(view, game.tables, word)) for word in words)


def assert_as_likely(found: Counter[int], wanted: dict[int, Fraction]) -> None:
    """A chi-square test; choices that are rarer than five times in all are taken as one."""
    assert sum(wanted.values()) == 1
    assert set(found) <= set(wanted)
    common = [choice for choice, share in wanted.items() if share * WORDS >= 5]
    counts = [found[choice] for choice in common]
    expected = [float(wanted[choice] * WORDS) for choice in common]
    if len(common) < len(wanted):
        counts.append(WORDS - sum(counts))
        expected.append(WORDS - sum(expected))
    if len(counts) > 1:
        assert 1e-4 < stats.chisquare(counts, expected).pvalue < 1 - 1e-6


@pytest.mark.parametrize(
    ("rules", "hand", "left"),
    [
        (PRESETS["base"], [0, 0, 1, 2, 2, 5, 6], [1, 1, 1, 1]),
        (PRESETS["base"], [3, 3, 3, 4], [0, 0, 1, 1]),
        (PRESETS["base"], [3], [1, 0, 0, 0]),
        (PRESETS["serendipity"], [0, 0, 1, 1, 6], [1, 0, 1, 1]),
        (DOUBLES, [0, 0, 1, 2, 3], [2, 1, 1]),
        (DOUBLES, [4, 4], [2, 1, 1]),
    ],
    ids=lambda value: "" if isinstance(value, Rules) else "".join(map(str, value)),
)
def test_random__uniform_marker_then_uniform_cards(
    rules: Rules, hand: list[int], left: list[int]
) -> None:
    """Markers that the hand can't pay don't count; two alike count twice; groups in card order."""
    game = Game.of(rules)
    ids = book_of(game).ids
    kinds = [k for k, kind in enumerate(rules.kinds) if kind.cards <= len(hand) and left[k]]
    wanted: Counter[int] = Counter()
    for k in kinds:
        sizes = rules.kinds[k].groups
        orders = list(permutations(hand, sum(sizes)))
        for order in orders:
            cards = iter(order)
            groups = canonical([[next(cards) for _ in range(size)] for size in sizes])
            share = Fraction(left[k], sum(left[k] for k in kinds) * len(orders))
            wanted[ids[Move(k, groups)]] += share
    assert_as_likely(chosen(game, view_of(rules, hand, left)), wanted)


@pytest.mark.parametrize("geishas", [14, 7])
def test_random__with_as_many_cards_in_hand_as_rules_allow(geishas: int) -> None:
    """A player who draws 20 cards a turn, eight turns long, and plays one: up to 153."""
    rules = load_rules(
        {
            "preset": "base", "charm": [1] * geishas, "items": [min(15, 196 // geishas)] * geishas,
            "hand": 0, "removed": 0, "draw": 20 if geishas == 14 else 11,
            "actions": ["base/secret"] * 8, "second_actions": ["base/secret"],
            "goals": {"charm": 1, "geishas": False}, "round_limit": 2,
        }
    )  # fmt: skip
    seat = shipped(rules, "random")
    played = Match(rules, (seat, seat), 1).play(0, sized(300, 20), record=["moves"])
    moves = played.moves
    last = moves["choice"][moves["turn"] == 8]
    assert set(moves["legal"][moves["turn"] == 8].tolist()) == {geishas}
    counts = np.bincount(last, minlength=geishas)
    assert stats.chisquare(counts).pvalue > 1e-4


@cache
def offer_rules() -> Rules:
    row = {"face": "up", "chooser": "opponent", "chosen_to": "opponent"}
    offers = [
        Action(name="two of four", cards=4, choose=2, **row),
        Action(name="sizes", cards=5, groups=(1, 2, 2), choose=2, **row),
        Action(name="unseen", cards=4, groups=(1, 1, 2), choose=2, **(row | {"face": "down"})),
    ]
    table = {"actions": [*offers, "base/secret"], "hand": 10, "removed": 0, "items": [5] * 7}
    return load_rules({"preset": "base", **table})


@pytest.mark.parametrize(
    ("kind", "groups"),
    [
        (0, ((0,), (0,), (1,), (2,))),
        (0, ((0,), (0,), (0,), (0,))),
        (0, ((3,), (4,), (5,), (6,))),
        (1, ((0,), (5, 5), (5, 5))),
        (1, ((0,), (3, 5), (4, 5))),
        (2, ((0,), (1,), (2, 2))),
    ],
)
def test_random__answers_with_uniform_physical_groups(
    kind: int, groups: tuple[tuple[int, ...], ...]
) -> None:
    rules = offer_rules()
    game = Game.of(rules)
    book = book_of(game)
    move = Move(kind, groups)
    view = np.zeros(ix.VIEW_SIZE, np.int32)
    view[ix.PHASE] = ix.RESPOND
    view[ix.OFFER_KIND] = 1 + kind
    if rules.kinds[kind].face == "up":
        if move not in book.ids:
            pytest.skip("the game has not so many of these cards")
        view[ix.OFFER_MOVE] = 1 + book.ids[move]
    pairs = list(combinations(range(len(groups)), 2))
    first = ix.MASK_RESPONSE + kind * 2**ix.MOST_GROUPS
    wanted: Counter[int] = Counter()
    for pair in pairs:
        response = int(game.tables[first + sum(1 << j for j in pair)])
        alike = book.response(move, book.take(move, response))
        wanted[alike] += Fraction(1, len(pairs))
    assert_as_likely(chosen(game, view), wanted)


def test_random_move__every_legal_move_alike() -> None:
    """The first decision of many games of the same two hands can't be had: small rules instead."""
    rules = load_rules({"preset": "base", "charm": [2], "items": [9], "hand": 2, "removed": 0,
                        "actions": ["base/secret", "base/trade-off"],
                        "goals": {"charm": 2, "geishas": False}, "round_limit": 1})  # fmt: skip
    seat = shipped(rules, "random-move")
    moves = Match(rules, (seat, seat), 1).play(0, sized(20_000, 500), record=["moves"]).moves
    first = moves["choice"][moves["turn"] == 0]
    counts = np.bincount(first, minlength=2)
    assert stats.chisquare(counts).pvalue > 1e-4
    assert set(moves["legal"][moves["turn"] == 0].tolist()) == {2}
