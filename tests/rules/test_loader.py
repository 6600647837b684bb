from __future__ import annotations

from typing import Any

import pytest

from hanamikoji.errors import RulesError
from hanamikoji.rules import ACTION_SETS, ACTIONS, PRESETS, Action, load_rules
from hanamikoji.rules.loader import merge_tables

BRIBE = Action(name="bribe", cards=3, face="up")


@pytest.mark.parametrize("name", PRESETS)
def test_load_rules__a_presets_name(name: str) -> None:
    assert load_rules(name) == load_rules({"preset": name}) == PRESETS[name]


def test_load_rules__an_empty_table_is_the_base_game() -> None:
    assert load_rules({}) == PRESETS["base"]


def test_load_rules__keys_override_the_preset_one_by_one() -> None:
    rules = load_rules(
        {
            "preset": "three-round",
            "hand": 5,
            "removed": 3,
            "goals": {"charm": 12},
            "actions": "wealth",
            "draw": 2,
            "items": [3, 3, 3, 3, 4, 5, 9],
        }
    )
    assert (rules.max_rounds, rules.hand, rules.draw) == (3, 5, 2)
    assert (rules.goals.charm, rules.goals.geishas, rules.goals.prevails) == (12, 4, "charm")
    assert rules.actions == ACTION_SETS["wealth"]


def test_load_rules__false_takes_away_what_a_preset_has() -> None:
    assert load_rules({"preset": "three-round", "max_rounds": False}) == PRESETS["base"]
    assert load_rules({"second_actions": False}) == PRESETS["base"]


def test_load_rules__items_follow_charm() -> None:
    charm = [1, 2, 3, 4, 5, 6, 7]
    assert load_rules({"preset": "three-round", "charm": charm}).items == tuple(charm)
    given = load_rules({"charm": charm, "items": [4] * 7})
    assert given.items == (4,) * 7


def test_load_rules__items_must_be_given_where_charm_is_no_number_of_cards() -> None:
    with pytest.raises(RulesError, match=r"^items is missing; .* charm\.1 is 0$"):
        load_rules({"charm": [20, 0]} | {"charm": [3, 0]})
    assert load_rules({"charm": [9, 0], "items": [12, 12], "goals": {"charm": 9, "geishas": 2}})


def test_load_rules__markers_follow_the_number_of_geishas() -> None:
    assert load_rules({"charm": [5] * 5}).markers == ("none",) * 5


def test_load_rules__mixed_and_custom_actions() -> None:
    names = ["base/secret", "avoid-misfortune/gift", "bribe", "base/competition"]
    rules = load_rules({"actions": names, "second_actions": "wealth"}, {"bribe": BRIBE})
    assert [action.name for action in rules.actions] == names
    assert rules.actions[2] is BRIBE
    assert rules.second_actions == ACTION_SETS["wealth"]


def test_load_rules__a_row_in_full_may_stand_in_the_list() -> None:
    row = {"name": "mine", "cards": 2, "face": "down"}
    assert load_rules({"actions": ["base/secret", row]}).actions[1] == Action(**row)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"preset": "bass"}, "preset is 'bass'; did you mean base?"),
        (
            {"preset": "xyz"},
            "preset is 'xyz'; it must be one of base, three-round, three-round-full",
        ),
        ({"preset": ["base"]}, "preset is ['base']; it must be one of"),
        ({"max_round": 3}, "max_round is not a known key; did you mean max_rounds?"),
        ({"goals": {"charms": 3}}, "goals.charms is not a known key; did you mean charm?"),
        (
            {"goals": {"charm": True}},
            "goals.charm is true; it must be a whole number of at least 1",
        ),
        ({"goals": {"geishas": 0}}, "goals.geishas is 0; it must be a whole number of at least 1"),
        ({"goals": 11}, "goals is 11; it must be a table with charm, geishas and prevails"),
        ({"goals": {"prevails": "luck"}}, "goals.prevails is 'luck'; it must be charm or geishas"),
        ({"actions": "bse"}, "actions is 'bse'; did you mean base?"),
        (
            {"actions": []},
            "actions is []; it must be the name of an action set or a list of 1 to 8",
        ),
        ({"actions": ["base/secret"] * 9}, "actions is ["),
        ({"actions": ["base/secrets"]}, "actions.0 is 'base/secrets'; did you mean base/secret?"),
        ({"actions": [1]}, "actions.0 is 1; it must be the name of an action"),
        (
            {"actions": [{"name": "x", "cards": 0, "face": "up"}]},
            "actions.0.cards is 0; it must be",
        ),
        ({"second_actions": ["bribe"]}, "second_actions.0 is 'bribe'; "),
        ({"second_actions": True}, "second_actions is true; it must be the name of an action set"),
        ({"charm": [2, "3"]}, "charm.1 is '3'; charm must be a list of 1 to 16 whole numbers from"),
        ({"charm": []}, "charm is []; it must be a list of 1 to 16 whole numbers from 0 to 99"),
        ({"charm": [3] * 17}, "charm is [3, 3, 3"),
        ({"charm": 5}, "charm is 5; it must be a list of 1 to 16"),
        ({"items": [16, *[2] * 6]}, "items.0 is 16; items must be a list with a whole number from"),
        ({"hand": 6.0}, "hand is 6.0; it must be a whole number from 0 to 99"),
        ({"hand": float("nan")}, "hand is nan; it must be a whole number from 0 to 99"),
        ({"hand": 10**6000}, "hand is a number of more than 30 digits; it must be a whole number"),
        ({"goals": {"charm": 10**6000}}, "goals.charm is a number of more than 30 digits; it must"),
        ({"keep_markers": 1}, "keep_markers is 1; it must be true or false"),
        ({"max_rounds": True}, "max_rounds is true; it must be a whole number from 1 to 10000, or"),
        ({"max_rounds": 0}, "max_rounds is 0; it must be a whole number from 1 to 10000, or false"),
        ({"next_starter": "me"}, "next_starter is 'me'; it must be alternate, same, winner, loser"),
        ({"cap_tiebreak": "charm"}, "cap_tiebreak is 'charm'; it must be a list out of geishas"),
        (
            {"cap_tiebreak": ["luck"]},
            "cap_tiebreak.0 is 'luck'; cap_tiebreak must be a list out of",
        ),
        ({"markers": ["me"] * 7}, "markers.0 is 'me'; markers must be a list with starter, second"),
        ({"a\nb": 1}, "'a\\nb' is not a known key; it must be one of preset, charm"),
        ({"x" * 500: 1}, "'xxxx"),
    ],
)
def test_load_rules__one_sentence_for_bad_input(table: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as error:
        load_rules(table)
    text = str(error.value)
    assert text.startswith(message)
    assert text.isprintable()
    assert len(text) < 500


def test_merge_tables__key_by_key_and_lists_as_a_whole() -> None:
    lower = {"goals": {"charm": 11, "geishas": 4}, "charm": [1, 2, 3], "hand": 6}
    upper = {"goals": {"charm": 12}, "charm": [5]}
    merged = {"goals": {"charm": 12, "geishas": 4}, "charm": [5], "hand": 6}
    assert merge_tables(lower, upper) == merged
    assert lower["goals"] == {"charm": 11, "geishas": 4}


def test_load_rules__a_published_name_is_always_the_published_row() -> None:
    mine = {"base/secret": Action(name="base/secret", cards=1, face="up")}
    with pytest.raises(RulesError, match="a different action must have a name of its own"):
        load_rules({"actions": ["base/secret"], "goals": {"charm": 2, "geishas": 1}}, mine)
    assert load_rules("base").actions[0] == ACTIONS["base/secret"]
