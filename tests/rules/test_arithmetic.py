from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanamikoji.errors import RulesError
from hanamikoji.rules import PRESETS, Rules, load_rules
from hanamikoji.rules.arithmetic import most_cards_on_a_side, most_held, stuck_after

B = ("base/secret", "base/trade-off", "base/gift", "base/competition")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"items": [3, 3]}, "items has 2 entries; it must have one for each of the 7 geishas"),
        ({"markers": ["none"]}, "markers has 1 entries; it must have one for each of the 7 geisha"),
        ({"charm": [3] * 14, "items": [15] * 14}, "items adds up to 210 cards; it must be at most"),
        ({"removed": 22}, "removed is 22; it must be at most 21, the item cards there are"),
        ({"hand": 11}, "hand is 11; it must be at most 10, since 21 items less 1 removed make two"),
        ({"hand": 7}, "draw is 1; 8 turns would draw 8 cards, but 21 items less 1 removed and two"),
        ({"removed": 2}, "draw is 1; 8 turns would draw 8 cards, but 21 items less 2 removed and"),
        ({"draw": 2}, "draw is 2; 8 turns would draw 16 cards"),
        ({"hand": 5}, "actions can leave a player stuck: after"),
        ({"second_actions": [*B, "base/gift"], "removed": 0}, "second_actions can leave a player"),
        (
            {"actions": ["base/competition"], "hand": 2},
            "actions can leave a player stuck: a hand of",
        ),
        ({"max_rounds": 101}, "max_rounds is 101; it must be at most round_limit, which is 100"),
        ({"min_rounds": 101}, "min_rounds is 101; it must be at most round_limit, which is 100"),
        ({"min_rounds": 4, "max_rounds": 3}, "min_rounds is 4; it must be at most max_rounds"),
        ({"goals": {"charm": 22}}, "goals.charm is 22; it must be at most 21"),
        ({"goals": {"geishas": 8}}, "goals.geishas is 8; it must be at most 7"),
        (
            {"goals": {"charm": False, "geishas": False}},
            "goals has charm and geishas both off; max",
        ),
        ({"actions": ["base/trade-off"]}, "goals.charm is 11; it must be at most 0"),
        ({"cap_tiebreak": ["charm", "charm"]}, "cap_tiebreak is ['charm', 'charm']; each of"),
    ],
)
def test_rules__refuse_what_cannot_be_played(table: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as error:
        load_rules(table)
    assert str(error.value).startswith(message)


def test_rules__refuse_two_rows_of_one_name() -> None:
    row = {"cards": 2, "face": "up"}
    with pytest.raises(RulesError, match=r"^actions\.1 is another row than the 'base/secret'"):
        load_rules({"actions": ["base/gift", {"name": "base/secret", **row}]})
    with pytest.raises(RulesError, match=r"^second_actions\.0 is another row than the 'mine'"):
        load_rules(
            {
                "actions": [{"name": "mine", **row}],
                "second_actions": [{"name": "mine", **row, "face": "down"}],
            }
        )


def test_rules__left_over_cards_are_no_fault() -> None:
    assert load_rules({"actions": B[:3], "hand": 4}).deck_size == 12


def test_stuck__text_tells_a_way_to_get_there() -> None:
    with pytest.raises(RulesError) as error:
        load_rules({"actions": ["base/gift", "base/trade-off"], "hand": 2})
    assert str(error.value) == (
        "actions can leave a player stuck: after base/gift, a hand of 1 holds too few cards for "
        "base/trade-off (2); hand, draw and the cards of the actions must leave a playable one at "
        "every turn"
    )


def _gets_stuck(hand: int, draw: int, sizes: tuple[int, ...]) -> bool:
    """Whether some order of play comes to a turn without a playable marker, by trying them all."""
    for order in itertools.permutations(sizes):
        held = hand
        for i, size in enumerate(order):
            held += draw
            if all(left > held for left in order[i:]):
                return True
            if size > held:
                break  # not playable now: other orders go on with another marker
            held -= size
    return False


@given(st.integers(0, 8), st.integers(0, 3), st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_stuck_after__agrees_with_every_order_of_play(
    hand: int, draw: int, cards: list[int]
) -> None:
    sizes = tuple(sorted(cards))
    used = stuck_after(hand, draw, sizes)
    assert (used is not None) == _gets_stuck(hand, draw, sizes)
    if used is not None:
        held = hand + draw * (len(used) + 1) - sum(used)
        left = list(sizes)
        for size in used:
            left.remove(size)
        assert left
        assert min(left) > held


def test_stuck_after__eight_different_markers_are_quick() -> None:
    assert stuck_after(99, 0, tuple(range(1, 9))) is None


@pytest.mark.parametrize(
    ("preset", "cards"),
    [
        ("base", 1 + 2 + 2 + 1 + 2),  # secret, gift and competition; the opponent's gift and pair
        ("avoid-misfortune", 1 + 3 + 1 + 1 + 1),
        ("health", 2 + 1 + 2 + 1 + 2),
        ("serendipity", 1 + 2 + 3 + 2 + 1),
    ],
)
def test_most_cards_on_a_side__of_published_sets(preset: str, cards: int) -> None:
    assert most_cards_on_a_side(PRESETS[preset]) == cards


def test_most_held__counts_rounds_and_markers_held_at_first() -> None:
    few = {"actions": ["base/secret"], "goals": {"charm": 1, "geishas": 1}}
    assert most_held(load_rules(few | {"max_rounds": 2})) == (5 + 4, 2)
    assert most_held(load_rules(few | {"max_rounds": 2, "keep_markers": False})) == (5, 1)
    markers = ["none"] * 6 + ["second"]
    assert most_held(load_rules(few | {"max_rounds": 1, "markers": markers})) == (5 + 4, 2)
    assert most_held(load_rules(few | {"max_rounds": 1, "markers": ["second"] * 7})) == (21, 7)


def test_goals__both_off_with_a_cap_is_a_game() -> None:
    rules = Rules(goals={"charm": False, "geishas": False}, max_rounds=3)
    assert rules.goals.charm is False


def test_rules__refuse_more_moves_in_all_than_tables_hold() -> None:
    """Eight actions, each of as many moves as one may have, took half a gigabyte."""
    rows = [
        {"name": f"{n}", "cards": 7, "face": "up", "chooser": "opponent", "choose": n,
         "chosen_to": "out"}
        for n in range(1, 5)
    ]  # fmt: skip
    table = {"charm": [1] * 16, "items": [12] * 16, "hand": 60, "actions": rows}
    message = "actions has actions of 682,176 distinct moves in all .* at most 500,000"
    with pytest.raises(RulesError, match=message):
        load_rules(table)
    load_rules(table | {"actions": rows[:2]})
