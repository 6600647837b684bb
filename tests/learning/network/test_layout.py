"""Feature layouts: every state that can be has a row of its own, for rules of any size."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import PARTS, FeatureLayout, build_features
from hanamikoji.learning.network.rows import pair_rank
from hanamikoji.rules import PRESETS, Rules, load_rules


def assert_sound(features: FeatureLayout) -> None:
    p = features.array
    assert p[lay.SIZE] == len(p)
    assert features.parts.shape == (features.rows, PARTS)
    assert sorted(features.parts[:, 0].tolist()) == sorted(set(features.parts[:, 0].tolist()))
    assert features.parts.max() < features.trained
    covered = [row for first, end, _ in features.slots for row in range(first, end)]
    assert covered == list(range(features.rows))


@pytest.mark.parametrize("name", PRESETS)
def test_presets__have_a_table_for_everything(name: str) -> None:
    features = build_features(PRESETS[name])
    assert_sound(features)
    assert features.notes == ()
    assert features.array[lay.SINGLE]
    assert features.rows < 10_000


def test_base__rows_of_a_geisha_are_all_divisions_of_her_cards() -> None:
    """Two items: hand, mine, theirs, secret, trade-off (2), in the offer as 1, 2, 1 or 1+1 or 2."""
    p = build_features(PRESETS["base"]).array
    begin, end = (int(p[lay.FACTOR + g * lay.FACTOR_WIDTH]) for g in (0, 3))
    assert len(set(p[begin:end].tolist()) | {0}) == 3 * 35


def test_equal_geishas__share_their_rows() -> None:
    p = build_features(PRESETS["base"]).array
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
    features = build_features(rules)
    assert_sound(features)
    assert not features.array[lay.SINGLE]
    assert any("geishas have too many local states" in note for note in features.notes)
    assert any("are learned by a model" in note for note in features.notes)
    assert features.trained * lay.LANES * 4 * 4 < 400e6  # bytes of weights, gradient and moments


def test_signature__differs_between_rules() -> None:
    layouts = [build_features(rules) for rules in PRESETS.values()]
    assert len({features.signature for features in layouts}) == len(layouts)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_pair_rank__numbers_all_pairs(n: int) -> None:
    pairs = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    assert [pair_rank(n, a, b) for a, b in pairs] == list(range(len(pairs)))


def test_stages__tell_rounds_apart_only_where_they_matter() -> None:
    stages = {name: int(build_features(rules).array[lay.STAGES]) for name, rules in PRESETS.items()}
    assert stages["base"] == 1
    assert stages["three-round"] == 3
    assert stages["three-round-full"] == 9
    assert build_features(Rules(min_rounds=2)).array[lay.STAGES] == 2
    assert np.all(build_features(Rules(max_rounds=50)).array[lay.STAGES] == 1)
