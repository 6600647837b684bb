from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanamikoji.errors import RulesError
from hanamikoji.rules import PRESETS, load_rules
from hanamikoji.rules.counting import MOST_MOVES, count_distinct_moves, count_moves_at_most


def _listed(groups: list[int], items: list[int]) -> int:
    """Distinct moves by dealing out physical cards in every order."""
    cards = [g for g, count in enumerate(items) for _ in range(count)]
    moves = set()
    for order in itertools.permutations(cards, sum(groups)):
        parts, at = [], 0
        for size in groups:
            parts.append(tuple(sorted(order[at : at + size])))
            at += size
        moves.add(tuple(sorted(parts, key=lambda part: (len(part), part))))
    return len(moves)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda groups: sum(groups) <= 5),
    st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda items: sum(items) <= 7),
)
def test_count_distinct_moves__agrees_with_listing_them(
    groups: list[int], items: list[int]
) -> None:
    counted = count_distinct_moves(groups, items)
    assert counted == _listed(groups, items)
    assert counted <= count_moves_at_most(groups, items)


def test_count_distinct_moves__base_offers() -> None:
    items = PRESETS["base"].items
    assert count_distinct_moves((1, 1, 1), items) == 81
    assert count_distinct_moves((2, 2), items) == 383


def test_count_distinct_moves__is_quick_for_the_largest() -> None:
    begun = time.perf_counter()
    assert count_distinct_moves((2, 2, 2, 2), (3,) * 16) > MOST_MOVES
    assert time.perf_counter() - begun < 2


def test_rules__refuses_an_action_with_too_many_moves() -> None:
    row = {"name": "huge", "cards": 8, "face": "up", "groups": [2, 2, 2, 2]}
    row |= {"chooser": "opponent", "chosen_to": "opponent"}
    table = {"charm": [4] * 10, "hand": 16, "actions": ["base/secret", row]}
    with pytest.raises(RulesError, match=r"^actions\.1 is 'huge', which has [\d,]+ distinct moves"):
        load_rules(table)
    assert load_rules(table | {"charm": [4] * 5, "hand": 8, "removed": 0})
