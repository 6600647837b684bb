"""Feature plans: every state that can be has a row of its own, for rules of any size."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.plan import PARTS, FeaturePlan, build_plan
from hanamikoji.learning.network.rows import pair_rank
from hanamikoji.rules import PRESETS, Rules, load_rules


def assert_sound(plan: FeaturePlan) -> None:
    p = plan.array
    assert p[lay.SIZE] == len(p)
    assert plan.parts.shape == (plan.rows, PARTS)
    assert sorted(plan.parts[:, 0].tolist()) == sorted(set(plan.parts[:, 0].tolist()))
    assert plan.parts.max() < plan.trained
    covered = [row for first, end, _ in plan.slots for row in range(first, end)]
    assert covered == list(range(plan.rows))


@pytest.mark.parametrize("name", PRESETS)
def test_presets__have_a_table_for_everything(name: str) -> None:
    plan = build_plan(PRESETS[name])
    assert_sound(plan)
    assert plan.notes == ()
    assert plan.array[lay.SINGLE]
    assert plan.rows < 10_000


def test_base__rows_of_a_geisha_are_all_divisions_of_her_cards() -> None:
    """Two items: hand, mine, theirs, secret, trade-off (2), in the offer as 1, 2, 1 or 1+1 or 2."""
    p = build_plan(PRESETS["base"]).array
    begin, end = (int(p[lay.FACTOR + g * lay.FACTOR_WIDTH]) for g in (0, 3))
    assert len(set(p[begin:end].tolist()) | {0}) == 3 * 35


def test_equal_geishas__share_their_rows() -> None:
    p = build_plan(PRESETS["base"]).array
    tables = [int(p[lay.FACTOR + g * lay.FACTOR_WIDTH]) for g in range(7)]
    assert tables[0] == tables[1] == tables[2]
    assert tables[3] == tables[4]
    assert len(set(tables)) == 4


def test_large_rules__fall_back_and_say_so() -> None:
    rules = load_rules(
        {
            "preset": "base",
            "charm": list(range(1, 17)),
            "items": [10] * 16,
            "hand": 12,
            "goals": {"charm": 60, "geishas": 9},
        }
    )
    plan = build_plan(rules)
    assert_sound(plan)
    assert not plan.array[lay.SINGLE]
    assert any("geishas have too many local states" in note for note in plan.notes)
    assert any("are learned by a model" in note for note in plan.notes)
    assert plan.trained * lay.LANES * 4 * 4 < 400e6  # bytes of weights, gradient and moments


def test_signature__differs_between_rules() -> None:
    plans = [build_plan(rules) for rules in PRESETS.values()]
    assert len({plan.signature for plan in plans}) == len(plans)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_pair_rank__numbers_all_pairs(n: int) -> None:
    pairs = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    assert [pair_rank(n, a, b) for a, b in pairs] == list(range(len(pairs)))


def test_stages__tell_rounds_apart_only_where_they_matter() -> None:
    stages = {name: int(build_plan(rules).array[lay.STAGES]) for name, rules in PRESETS.items()}
    assert stages["base"] == 1
    assert stages["three-round"] == 3
    assert stages["three-round-full"] == 9
    assert build_plan(Rules(min_rounds=2)).array[lay.STAGES] == 2
    assert np.all(build_plan(Rules(max_rounds=50)).array[lay.STAGES] == 1)
