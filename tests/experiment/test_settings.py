from __future__ import annotations

import contextlib
from time import process_time
from typing import Any

import pytest

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment import Setting, apply_settings, parse_setting

BASE = ["base/secret", "base/trade-off", "base/gift", "base/competition"]


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("games=1000", ("games",), 1000),
        ("games = 1_000", ("games",), 1000),
        ("rules.goals.charm=false", ("rules", "goals", "charm"), False),
        ("rules.actions.0=base/secret", ("rules", "actions", "0"), "base/secret"),
        ("rules.charm=[1, 2]", ("rules", "charm"), [1, 2]),
        ('name="17"', ("name",), "17"),
        ("name=v1", ("name",), "v1"),
        ("name=", ("name",), ""),
        ("variants.three-round.max_rounds=4", ("variants", "three-round", "max_rounds"), 4),
        ('variants."v1.2".hand=5', ("variants", "v1.2", "hand"), 5),
        ("stop={precision = 0.01}", ("stop",), {"precision": 0.01}),
        ("agents.1.agent=a=b", ("agents", "1", "agent"), "a=b"),
        ("games=1\nseed=2", ("games",), "1\nseed=2"),
    ],
)
def test_parse_setting__key_and_value(text: str, path: tuple[str, ...], value: Any) -> None:
    assert parse_setting(text) == Setting(path, value)


@pytest.mark.parametrize(
    "text",
    ["games", "=1", "a..b=1", ".a=1", "a b=1", ".".join("a" * 50) + "=1"],
)
def test_parse_setting__refuses_what_is_no_key(text: str) -> None:
    with pytest.raises(ExperimentError) as error:
        parse_setting(text)
    assert str(error.value).isprintable()


def test_apply_settings__leaves_the_tables_alone_and_shares_the_rest() -> None:
    raw = {"rules": {"goals": {"charm": 11}}, "agents": [{"agent": "random"}, "greedy"]}
    changed = apply_settings(raw, [Setting(("rules", "goals", "charm"), 12)])
    assert changed["rules"] == {"goals": {"charm": 12}}
    assert raw["rules"] == {"goals": {"charm": 11}}
    assert changed["agents"] is raw["agents"]


def _set(raw: dict[str, Any], *texts: str) -> dict[str, Any]:
    return apply_settings(raw, [parse_setting(text) for text in texts])


def test_apply_settings__makes_tables_on_the_way() -> None:
    assert _set({}, "rules.goals.charm=12") == {"rules": {"goals": {"charm": 12}}}


def test_apply_settings__an_agents_name_becomes_a_table() -> None:
    assert _set({"agents": ["a", "b"]}, "agents.1.depth=2") == {
        "agents": ["a", {"agent": "b", "depth": 2}]
    }
    assert _set({"agents": ["a", "b"]}, "agents.1=c") == {"agents": ["a", "c"]}


def test_apply_settings__a_presets_name_becomes_a_table() -> None:
    assert _set({"rules": "wealth"}, "rules.hand=5") == {"rules": {"preset": "wealth", "hand": 5}}
    assert _set({"variants": {"x": "wealth"}}, "variants.x.hand=5") == {
        "variants": {"x": {"preset": "wealth", "hand": 5}}
    }


@pytest.mark.parametrize(
    ("raw", "texts", "rules"),
    [
        ({}, ["rules.actions.0=x"], {"actions": ["x", *BASE[1:]]}),
        ({"rules": {"actions": "wealth"}}, ["rules.actions.1=x"],
         {"actions": ["wealth/secret", "x", "wealth/discard", "wealth/competition"]}),
        ({"rules": {"preset": "wealth"}}, ["rules.actions.0=x"],
         {"preset": "wealth",
          "actions": ["x", "wealth/gift", "wealth/discard", "wealth/competition"]}),
        ({"rules": {"actions": ["a", "b"]}}, ["rules.second_actions.0=x"],
         {"actions": ["a", "b"], "second_actions": ["x", "b"]}),
        ({"rules": {"second_actions": False}}, ["rules.second_actions.3=x"],
         {"second_actions": [*BASE[:3], "x"]}),
        ({"rules": {"second_actions": "wealth", "actions": ["a"]}}, ["rules.second_actions.3=x"],
         {"actions": ["a"],
          "second_actions": ["wealth/secret", "wealth/gift", "wealth/discard", "x"]}),
        ({}, ["rules.charm.6=9"], {"charm": [2, 2, 2, 3, 3, 4, 9]}),
        ({"rules": {"charm": [1, 2]}}, ["rules.items.0=9"], {"charm": [1, 2], "items": [9, 2]}),
        ({"rules": {"charm": [1, 2]}}, ["rules.markers.1=second"],
         {"charm": [1, 2], "markers": ["none", "second"]}),
        ({}, ["rules.cap_tiebreak.0=highest-geisha"],
         {"cap_tiebreak": ["highest-geisha", "charm"]}),
        ({}, ["rules.actions.0=x", "rules.actions=wealth"],
         {"actions": ["x", "wealth/gift", "wealth/discard", "wealth/competition"]}),
        ({}, ["rules.hand=5", "rules.hand=4"], {"hand": 4}),
    ],
)  # fmt: skip
def test_apply_settings__an_entry_of_a_list_of_rules(
    raw: dict[str, Any], texts: list[str], rules: dict[str, Any]
) -> None:
    assert _set(raw, *texts)["rules"] == rules


def test_apply_settings__a_variants_list_is_what_rules_and_variant_make() -> None:
    raw = {"rules": {"actions": ["a", "b"]}, "variants": {"x": {}, "y": {"actions": "wealth"}}}
    changed = _set(raw, "variants.x.actions.0=z", "variants.y.actions.0=z")
    assert changed["variants"]["x"] == {"actions": ["z", "b"]}
    assert changed["variants"]["y"]["actions"][:2] == ["z", "wealth/gift"]
    preset = {"variants": {"x": {"preset": "health"}}}
    assert _set(preset, "variants.x.actions.3=z")["variants"]["x"]["actions"] == [
        "health/giveaway",
        "health/reveal",
        "health/gift",
        "z",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents.2.agent=x", "agents.2 can't be set: it must name an entry of agents, from 0 to 1"),
        ("agents.x=1", "agents.x can't be set: it must name an entry of agents, from 0 to 1"),
        ("agents." + "9" * 5000 + "=1", "agents.'99999"),
        ("name.x=1", "name.x can't be set: name is 'test', which has no keys"),
        (
            "rules.actions.4=x",
            "rules.actions.4 can't be set: it must name an entry of rules.actions",
        ),
        ("record.0=x", "record.0 can't be set: it must name an entry of record, which is empty"),
        ("games.0=1", "games.0 can't be set: games is 4, which has no keys"),
    ],
)
def test_apply_settings__refuses_a_path_that_leads_nowhere(text: str, message: str) -> None:
    with pytest.raises(ExperimentError) as error:
        _set({"name": "test", "agents": ["a", "b"], "record": [], "games": 4}, text)
    assert str(error.value).startswith(message)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "text",
    ["a" + ".a" * 20_000 + " = 1", "x = {a" + ".a" * 20_000 + " = 1}", "x = " + "[" * 500_000],
)
def test_parse_setting__takes_no_time_to_see_that_something_is_nested_too_deeply(text: str) -> None:
    begun = process_time()
    with contextlib.suppress(ExperimentError):
        assert isinstance(parse_setting(text).value, str)
    assert process_time() - begun < 2


def test_parse_setting__refuses_what_is_longer_than_an_experiment() -> None:
    with pytest.raises(ExperimentError, match="is longer than 1,000,000 characters"):
        parse_setting("name=" + "a" * 1_000_001)


def test_parse_setting__a_value_may_have_many_dots() -> None:
    assert parse_setting("x=" + "../" * 20 + "w.npz").value == "../" * 20 + "w.npz"
