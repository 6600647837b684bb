"""The oracle's scoring and endings against docs/rules.md, case by case."""

from __future__ import annotations

from itertools import product

import pytest

from hanamikoji.rules import PRESETS
from naive.score import (
    SHARED,
    Owner,
    Verdict,
    cap_check,
    charm_held,
    end_check,
    favor_mask,
    geishas_held,
    goal_check,
    lead_changes,
    markers_after,
    next_starter,
)
from naive.script import rules

BASE = PRESETS["base"]  # A2 B2 C2 D3 E3 F4 G5


def owners(text: str) -> tuple[Owner, ...]:
    """Read markers: 0 and 1 for the players, a dot for the centre."""
    return tuple({"0": 0, "1": 1, ".": None}[letter] for letter in text)


def test_markers_after__majority_takes_and_level_leaves() -> None:
    # A 2-1 taken from the other, B 1-1 stays, C 0-0 stays, D 0-1 from the centre, E 1-0 kept
    before = owners("110.0..")
    assert markers_after(before, [0, 0, 1, 4], [0, 1, 3]) == owners("01010..")


def test_held__charm_geishas_and_mask() -> None:
    markers = owners("0.1..01")
    assert [charm_held(BASE, markers, p) for p in (0, 1)] == [6, 7]
    assert [geishas_held(markers, p) for p in (0, 1)] == [2, 2]
    assert [favor_mask(markers, p) for p in (0, 1)] == [0b0100001, 0b1000100]


@pytest.mark.parametrize(
    ("markers", "verdict"),
    [
        (".......", None),
        ("0001111", Verdict(1, "charm")),  # 7 and 3 against 15 and 4
        ("00...0.", None),  # 8 and 3
        ("00.0.0.", Verdict(0, "charm")),  # 11 and 4: charm, though 4 geishas too
        (".....00", None),  # 9 and 2
        ("0....00", Verdict(0, "charm")),  # 11 and 3
        ("1111...", Verdict(1, "geishas")),  # 9 and 4
        ("0000.11", Verdict(0, "geishas")),  # 9 and 4 against 9 and 2
        ("0000111", Verdict(1, "charm", goal_conflict=True)),  # 9 and 4 against 12 and 3
        ("1111000", Verdict(0, "charm", goal_conflict=True)),
    ],
)
def test_goal_check__base(markers: str, verdict: Verdict | None) -> None:
    assert goal_check(BASE, owners(markers)) == verdict


@pytest.mark.parametrize(
    ("goals", "markers", "verdict"),
    [
        # geishas prevail
        ({"prevails": "geishas"}, "0000111", Verdict(0, "geishas", goal_conflict=True)),
        ({"prevails": "geishas"}, "0....00", Verdict(0, "charm")),
        ({"prevails": "geishas"}, "00.0.0.", Verdict(0, "geishas")),
        # both hold the prevailing goal: more charm, whoever holds the other goal
        ({"charm": 10}, "1011100", Verdict(0, "charm")),  # 11 and 3 against 10 and 4
        ({"charm": 6, "geishas": 7}, "1110.0.", Verdict(0, "charm")),  # 7 against 6
        # both hold it, level charm: more geishas
        ({"charm": 4, "geishas": False}, "00...1.", Verdict(0, "charm")),  # 4 and 2, 4 and 1
        ({"charm": 4, "geishas": False}, "11...0.", Verdict(1, "charm")),
        # one holds both goals: no conflict of one goal with the other
        ({"charm": 12, "geishas": 3}, "000.111", Verdict(1, "charm")),
        # both hold only the other one: more charm
        ({"charm": 13, "geishas": 3}, "000.111", Verdict(1, "geishas")),
        # all level
        ({"charm": 3, "geishas": False}, "...01..", Verdict(SHARED, "shared")),
        ({"charm": False, "geishas": 1}, "...01..", Verdict(SHARED, "shared")),
        # geishas prevail and both hold them: more geishas, then more charm
        ({"geishas": 2, "prevails": "geishas"}, "00.011.", Verdict(0, "geishas")),  # 3 beats 2
        ({"geishas": 3, "prevails": "geishas"}, "000.111", Verdict(1, "geishas")),
        # geishas prevail and both hold only the charm: more geishas first
        ({"charm": 5, "prevails": "geishas"}, "0.00..1", Verdict(0, "charm")),
        ({"charm": 4, "prevails": "geishas"}, "00....1", Verdict(0, "charm")),  # 4 beats 5
        # goals turned off
        ({"charm": False}, "0....00", None),
        ({"charm": False}, "0000111", Verdict(0, "geishas")),
        ({"geishas": False}, "0000...", None),
        ({"geishas": False}, "0000111", Verdict(1, "charm")),
    ],
)
def test_goal_check__other_goals(
    goals: dict[str, object], markers: str, verdict: Verdict | None
) -> None:
    assert goal_check(rules(goals=goals, max_rounds=3), owners(markers)) == verdict


def test_goal_check__number_of_marker_states_that_end_nothing() -> None:
    states = list(product((None, 0, 1), repeat=7))
    assert len(states) == 2187
    assert sum(goal_check(BASE, state) is None for state in states) == 1249


def test_goal_check__base_has_no_double_goal_but_charm_over_geishas() -> None:
    for state in product((None, 0, 1), repeat=7):
        verdict = goal_check(BASE, state)
        if verdict is not None:
            assert verdict.winner != SHARED
            loser = 1 - verdict.winner
            assert verdict.goal_conflict == (geishas_held(state, loser) >= 4)


@pytest.mark.parametrize(
    ("tiebreak", "markers", "verdict"),
    [
        (["geishas", "charm"], "000..11", Verdict(0, "cap-geishas")),
        (["charm", "geishas"], "000..11", Verdict(1, "cap-charm")),
        (["geishas", "charm"], "00...11", Verdict(1, "cap-charm")),
        (["charm", "geishas"], "00...1.", Verdict(0, "cap-geishas")),
        (["highest-geisha"], "000.11.", Verdict(1, "cap-highest-geisha")),
        (["highest-geisha"], "......1", Verdict(1, "cap-highest-geisha")),
        (["highest-geisha"], "00.01..", Verdict(SHARED, "shared")),  # 3 and 3
        (["highest-geisha", "geishas"], "00.01..", Verdict(0, "cap-geishas")),
        (["geishas", "charm"], "...01..", Verdict(SHARED, "shared")),
        (["geishas", "charm"], ".......", Verdict(SHARED, "shared")),
        ([], "00.....", Verdict(SHARED, "shared")),
    ],
)
def test_cap_check__list_in_order(tiebreak: list[str], markers: str, verdict: Verdict) -> None:
    assert cap_check(rules(max_rounds=3, cap_tiebreak=tiebreak), owners(markers)) == verdict


def test_end_check__cap_safety_limit_and_first_round_with_a_check() -> None:
    won, level = owners("0....00"), owners("0......")
    assert end_check(BASE, won, 1) == Verdict(0, "charm")
    assert end_check(BASE, level, 99) is None
    assert end_check(BASE, level, 100) == "unfinished"
    three = PRESETS["three-round"]
    assert end_check(three, level, 2) is None
    assert end_check(three, level, 3) == Verdict(0, "cap-geishas")
    assert end_check(three, won, 3) == Verdict(0, "charm")
    full = PRESETS["three-round-full"]
    assert end_check(full, won, 1) is None
    assert end_check(full, won, 2) is None
    assert end_check(full, won, 3) == Verdict(0, "charm")
    late = rules(min_rounds=4)
    assert end_check(late, won, 3) is None
    assert end_check(late, won, 4) == Verdict(0, "charm")


@pytest.mark.parametrize(
    ("setting", "after_0", "after_1"),
    [
        ("alternate", 1, 0),
        ("same", 0, 1),
        ("winner", 1, 1),
        ("loser", 0, 0),
        ("random", None, None),
    ],
)
def test_next_starter__settings(setting: str, after_0: int | None, after_1: int | None) -> None:
    chosen = rules(next_starter=setting)
    ahead = owners("000...1")  # 6 and 3 against 5 and 1: ahead by charm is 0, so turn it round
    swapped = owners("111...0")
    assert next_starter(chosen, swapped, 0) == after_0
    assert next_starter(chosen, swapped, 1) == after_1
    if setting == "winner":
        assert next_starter(chosen, ahead, 1) == 0
    if setting == "loser":
        assert next_starter(chosen, ahead, 0) == 1


@pytest.mark.parametrize("setting", ["winner", "loser"])
def test_next_starter__level_charm_alternates(setting: str) -> None:
    level = owners("00...1.")  # 4 and 2 against 4 and 1
    chosen = rules(next_starter=setting)
    assert [next_starter(chosen, level, starter) for starter in (0, 1)] == [1, 0]


def test_lead_changes__level_rounds_ignored() -> None:
    assert lead_changes([]) == 0
    assert lead_changes([(5, 5), (6, 5)]) == 0
    assert lead_changes([(6, 5), (5, 5), (7, 4)]) == 0
    assert lead_changes([(6, 5), (5, 5), (4, 7)]) == 1
    assert lead_changes([(6, 5), (5, 6), (6, 5), (5, 6)]) == 3
