from __future__ import annotations

import json
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings

from hanamikoji.errors import RulesError
from hanamikoji.rules import ACTION_SETS, ACTIONS, PRESETS, Rules, load_rules
from strategies import rules

# One changed value for every field of the rules: each must make another variant.
CHANGES = {
    "charm": (2, 2, 2, 3, 3, 4, 6),
    "items": (2, 2, 2, 3, 3, 5, 5),
    "hand": 5,
    "removed": 0,
    "draw": 0,
    "actions": ACTION_SETS["health"],
    "second_actions": ACTION_SETS["health"],
    "goals": {"charm": 10},
    "max_rounds": 3,
    "min_rounds": 2,
    "cap_tiebreak": ("charm",),
    "next_starter": "same",
    "keep_markers": False,
    "markers": ("starter", *("none",) * 6),
    "round_limit": 50,
}


def test_rules__default_to_the_base_game() -> None:
    assert Rules() == PRESETS["base"]


@pytest.mark.parametrize("field", Rules.model_fields)
def test_hash__differs_when_a_field_does(field: str) -> None:
    roomy = {"actions": ACTION_SETS["base"][:3], "items": Rules().items}  # cards to spare
    assert Rules(**{**roomy, field: CHANGES[field]}).hash != Rules(**roomy).hash


def test_hash__leaves_names_out() -> None:
    rows = [action.model_dump() | {"name": f"my {action.cards}"} for action in ACTION_SETS["base"]]
    renamed = Rules(actions=rows)
    assert renamed.hash == Rules().hash
    assert renamed != Rules()


def test_hash__same_for_the_same_markers_told_in_another_way() -> None:
    assert Rules(second_actions=ACTION_SETS["base"]).hash == Rules().hash
    assert Rules(items=(2, 2, 2, 3, 3, 4, 5)).hash == Rules().hash


def test_hash__follows_a_copy() -> None:
    base = PRESETS["base"]
    assert base.hash != base.model_copy(update={"max_rounds": 3}).hash == Rules(max_rounds=3).hash


def test_kinds__first_appearance_in_actions_then_second_actions() -> None:
    a, b, c = (ACTIONS[f"base/{name}"] for name in ("secret", "gift", "trade-off"))
    variant = Rules(actions=[b, a, b], second_actions=[c, a])
    assert variant.kinds == (b, a, c)
    assert variant.marker_lists == ((0, 1, 0), (2, 1))
    assert variant.marker_counts == ((2, 1, 0), (0, 1, 1))


def test_marker_counts__same_for_both_without_second_actions() -> None:
    assert PRESETS["base"].marker_counts == ((1, 1, 1, 1), (1, 1, 1, 1))


def test_rules__are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Rules().hand = 7  # type: ignore[misc]


def test_rules__raise_our_own_error() -> None:
    with pytest.raises(
        RulesError, match=r"^hand is 'six'; it must be a whole number from 0 to 99$"
    ):
        Rules(hand="six")


def test_rules__keyed_error_survives_pickling() -> None:
    with pytest.raises(RulesError) as error:
        Rules(hand=99)
    copy = pickle.loads(pickle.dumps(error.value))
    assert str(copy) == str(error.value)


@settings(deadline=None)
@given(rules())
def test_rules__survive_json_and_pickle(variant: Rules) -> None:
    written = json.loads(json.dumps(variant.model_dump(mode="json")))
    assert Rules(**written) == variant == load_rules(written)
    assert pickle.loads(pickle.dumps(variant)) == variant
    assert Rules(**written).hash == variant.hash
    assert len(variant.hash) == 16


@settings(deadline=None)
@given(rules())
def test_rules__marker_counts_add_up(variant: Rules) -> None:
    second = variant.second_actions or variant.actions
    for counts, actions in zip(variant.marker_counts, (variant.actions, second), strict=True):
        names = [kind.name for kind, n in zip(variant.kinds, counts, strict=True) for _ in range(n)]
        assert sorted(names) == sorted(action.name for action in actions)
    assert len({kind.name for kind in variant.kinds}) == len(variant.kinds)


def test_import__needs_no_heavy_library() -> None:
    code = (
        "import sys, hanamikoji.rules.table, hanamikoji.experiment;"
        "print({'numpy', 'numba', 'polars', 'pyarrow', 'rich'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
