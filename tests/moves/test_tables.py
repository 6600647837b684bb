"""Move tables: the published counts, and the automaton that reads cards in any order."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, prod
from random import Random
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from hanamikoji.engine.turns import legal_moves
from hanamikoji.errors import RulesError
from hanamikoji.moves import build_tables, count_moves, kind_table, kinds
from hanamikoji.moves import index as ix
from hanamikoji.rules import ACTIONS, PRESETS, Action, Rules
from modes import sized
from naive.moves import divisions
from strategies import rules as any_rules

BASE = PRESETS["base"]


def hands(size: int) -> list[tuple[int, ...]]:
    """All hands of so many base cards, as counts per geisha."""
    counts = product(*(range(items + 1) for items in BASE.items))
    return [hand for hand in counts if sum(hand) == size]


def first_turn(rules: Rules, hand: tuple[int, ...]) -> list[int]:
    """How many legal moves each kind has on the first turn with this hand."""
    tables = build_tables(rules)
    view = np.zeros(ix.VIEW_SIZE, np.int32)
    view[ix.HAND : ix.HAND + len(hand)] = hand
    view[ix.HAND_SIZE] = sum(hand)
    view[ix.LEFT : ix.LEFT + len(rules.kinds)] = rules.marker_counts[0]
    out = np.zeros(1000, np.int64)
    n = legal_moves(view, tables, out, len(out))
    kind_of = tables[tables[ix.MOVE_KIND_AT] + out[:n]]
    return np.bincount(kind_of, minlength=len(rules.kinds)).tolist()


def test_hands__known_counts() -> None:
    assert sum(len(hands(size)) for size in range(22)) == 12_960
    assert (len(hands(6)), len(hands(7))) == (611, 910)


@pytest.mark.parametrize(
    ("name", "most", "mean", "means"),
    [
        ("base", 168, 73.0, [4.89, 11.58, 17.17, 39.39]),
        ("avoid-misfortune", 98, 50.8, [4.89, 11.58, 17.17, 17.17]),
    ],
)
def test_first_turn__known_counts(name: str, most: int, mean: float, means: list[float]) -> None:
    seven = hands(7)
    if name == "base":
        assert first_turn(BASE, (1,) * 7) == [7, 21, 35, 105]
    counts = np.array([first_turn(PRESETS[name], hand) for hand in seven])
    ways = [prod(comb(i, n) for i, n in zip(BASE.items, hand, strict=True)) for hand in seven]
    assert sum(ways) == comb(21, 7)
    average = np.average(counts, axis=0, weights=ways)
    assert counts.sum(axis=1).max() == most
    assert average.sum().round(1) == mean
    # Transmission has as many as reveal: four cards out of seven leave three.
    np.testing.assert_array_equal(average.round(2), means)


@pytest.mark.parametrize(
    ("action", "moves"),
    [("base/secret", 7), ("base/gift", 81), ("base/competition", 383), ("wealth/gift", 28)],
)
def test_kinds__known_counts(action: str, moves: int) -> None:
    assert count_moves(ACTIONS[action], BASE.items) == moves


@pytest.mark.parametrize("name", PRESETS)
def test_tables__count_what_the_kinds_count(name: str) -> None:
    rules = PRESETS[name]
    tables = build_tables(rules)
    rows = tables[ix.KIND_ROW : ix.KIND_GROUP].reshape(-1, ix.KIND_WIDTH)
    counts = [count_moves(kind, rules.items) for kind in rules.kinds]
    assert rows[: len(counts), ix.KIND_MOVES].tolist() == counts
    assert tables[ix.MOVES] == sum(counts)
    assert tables[ix.TABLES_SIZE] == len(tables)


@pytest.mark.parametrize("groups", [(1,) * 6, (2, 2, 2), (3, 3)])
def test_kinds__the_limit_itself_is_allowed(
    groups: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    action = Action(name="pairs", cards=6, groups=groups, face="up", chooser="opponent",
                    chosen_to="out")  # fmt: skip
    moves = len(divisions((0, 0, 1, 1, 1, 2, 2, 2, 2), groups))
    for limit in (moves, moves - 1):
        kinds._kind_table.cache_clear()
        monkeypatch.setattr(kinds, "MOST_MOVES", limit)
        if limit == moves:
            assert len(kind_table(action, (2, 3, 4)).moves) == moves
            continue
        with pytest.raises(RulesError, match="action 'pairs' has more than"):
            kind_table(action, (2, 3, 4))


@settings(max_examples=sized(100, 30))
@given(any_rules(most_moves=1000), hst.randoms(use_true_random=False))
def test_step__any_order_of_cards_ends_at_the_move(rules: Rules, rng: Random) -> None:
    """Cards within a group, and groups of one size, may come in any order."""
    tables = build_tables(rules)
    geishas = len(rules.charm)
    first = 0
    for k, action in enumerate(rules.kinds):
        root = tables[ix.KIND_ROW + k * ix.KIND_WIDTH + ix.KIND_ROOT]
        moves = kind_table(action, rules.items).moves
        for number in rng.sample(range(len(moves)), min(20, len(moves))):
            groups = [list(group) for group in moves[number]]
            rng.shuffle(groups)
            groups.sort(key=len)
            state = root
            for group in groups:
                rng.shuffle(group)
                for card in group:
                    state = tables[tables[ix.STEP_AT] + state * geishas + card]
            assert state == first + number
        first += len(moves)


@settings(max_examples=sized(100, 30))
@given(any_rules(most_moves=1000))
def test_moves__are_distinct_and_canonical(rules: Rules) -> None:
    for action in rules.kinds:
        moves = kind_table(action, rules.items).moves
        assert len(set(moves)) == len(moves)
        for groups in moves:
            assert tuple(len(group) for group in groups) == action.groups
            assert list(groups) == sorted(groups, key=lambda group: (len(group), group))
            assert all(list(group) == sorted(group) for group in groups)


@settings(max_examples=sized(100, 30))
@given(any_rules(most_moves=1000))
def test_responses__every_choice_of_groups_has_an_id(rules: Rules) -> None:
    tables = build_tables(rules)
    number = int(tables[ix.MOVES])
    for k, action in enumerate(rules.kinds):
        row = tables[ix.MASK_RESPONSE + k * 256 : ix.MASK_RESPONSE + (k + 1) * 256]
        masks = set()
        if action.chooser != "nobody":
            for chosen in combinations(range(len(action.groups)), action.choose):
                masks.add(sum(1 << j for j in chosen))
        assert {int(mask) for mask in np.flatnonzero(row >= 0)} == masks
        assert sorted(row[row >= 0]) == list(range(number, number + len(masks)))
        for mask in masks:
            assert tables[tables[ix.RESPONSE_MASK_AT] + row[mask] - tables[ix.MOVES]] == mask
        number += len(masks)
    assert tables[ix.RESPONSES] == number - tables[ix.MOVES]


def test_equal_groups__by_content_or_by_size() -> None:
    action = Action(name="uneven", cards=7, groups=(1, 1, 1, 2, 2), face="up", chooser="opponent",
                    chosen_to="out")  # fmt: skip
    table = kind_table(action, (5, 5, 5))
    number = table.moves.index(((0,), (0,), (1,), (1, 2), (1, 2)))
    assert table.equal_groups(face_up=True)[number] == 0b10010
    assert set(table.equal_groups(face_up=False)) == {0b10110}


@pytest.mark.parametrize("groups", [(1,) * 7, (1, 2, 2)])
def test_build_tables__at_the_limits_of_the_language_takes_seconds(groups: tuple[int, ...]) -> None:
    """16 geishas and some 200,000 moves took half a minute."""
    action = Action(name="big", cards=sum(groups), groups=groups, face="up", chooser="opponent",
                    chosen_to="out")  # fmt: skip
    begun = process_time()
    table = kind_table(action, (12,) * 16)
    assert len(table.cards) > 100_000
    assert process_time() - begun < 3
