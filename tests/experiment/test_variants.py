from __future__ import annotations

from typing import Any

import pytest

from hanamikoji.errors import HanamikojiError
from hanamikoji.experiment import load_experiment
from hanamikoji.rules import ACTION_SETS, PRESETS, Rules

SMALL: dict[str, Any] = {"name": "x", "agents": ["random"]}


def _variants(**tables: Any) -> dict[str, Rules]:
    return load_experiment(SMALL | tables).variants


@pytest.mark.parametrize("rules", ["three-round", {"preset": "three-round"}])
def test_variants__a_bare_preset_gives_its_name(rules: Any) -> None:
    assert _variants(rules=rules) == {"three-round": PRESETS["three-round"]}


def test_variants__rules_of_ones_own_have_the_experiments_name() -> None:
    assert list(
        _variants(
            rules={
                "hand": 5,
                "removed": 0,
                "actions": "base",
                "draw": 1,
                "second_actions": False,
                "charm": [3] * 7,
            }
            | {"hand": 6}
        )
    ) == ["x"]


def test_variants__official_ones_side_by_side_in_their_order() -> None:
    names = ["wealth", "base", "three-round"]
    found = _variants(variants={name: name for name in names})
    assert list(found) == names
    assert found == {name: PRESETS[name] for name in names}


def test_variants__override_rules_key_by_key() -> None:
    found = _variants(
        rules={"max_rounds": 3, "goals": {"charm": 12, "prevails": "geishas"}},
        variants={"a": {}, "b": {"goals": {"charm": 10}}, "c": {"max_rounds": False}},
    )
    assert [rules.max_rounds for rules in found.values()] == [3, 3, None]
    assert [rules.goals.charm for rules in found.values()] == [12, 10, 12]
    assert {rules.goals.prevails for rules in found.values()} == {"geishas"}


def test_variants__own_preset_replaces_that_of_rules_below_what_rules_says() -> None:
    found = _variants(
        rules={"preset": "three-round", "goals": {"charm": 12}},
        variants={"a": "avoid-misfortune", "b": {"preset": "wealth", "goals": {"charm": 10}}},
    )
    assert found["a"].max_rounds is None
    assert found["a"].actions == ACTION_SETS["avoid-misfortune"]
    assert found["a"].goals.charm == 12
    assert found["b"].goals.charm == 10


def test_variants__charm_of_a_variant_brings_its_items_along() -> None:
    found = _variants(rules="three-round", variants={"a": {"charm": [1, 2, 3, 4, 5, 6]}})
    assert found["a"].items == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"rules": {"goals": {"charm": 30}}}, "rules.goals.charm is 30; it must be at most 21"),
        (
            {"rules": {"goals": {"charm": 30}}, "variants": {"a": {}}},
            "rules.goals.charm (in variant a) is 30; it must be at most 21",
        ),
        (
            {"rules": {"goals": {"charm": 3}}, "variants": {"a": {"goals": {"charm": 30}}}},
            "variants.a.goals.charm is 30; it must be at most 21",
        ),
        (
            {"variants": {"a": {"charm": [3, 3]}}},
            "variants.a.hand is 6; it must be at most 2",
        ),
        ({"variants": {}}, "variants is empty; it must have a table of rules for each variant"),
        ({"variants": ["a"]}, "variants is ['a']; it must have a table of rules for each variant"),
        ({"variants": {"a": 5}}, "variants.a is 5; it must be a table of rules or the name of a p"),
        ({"variants": {"a": "bass"}}, "variants.a.preset is 'bass'; did you mean base?"),
        ({"variants": {"a b": {}}}, "variants has 'a b'; a variant's name must be 1 to 100 of the"),
        ({"variants": {".a": {}}}, "variants has '.a'; a variant's name must be 1 to 100 of the"),
        (
            {"variants": {"a\n": {}}},
            "variants has 'a\\n'; a variant's name must be 1 to 100 of the",
        ),
    ],
)
def test_variants__say_where_the_fault_stands(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(HanamikojiError) as error:
        _variants(**tables)
    assert str(error.value).startswith(message)
