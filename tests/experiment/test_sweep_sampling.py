"""Random points are functions of the seed, and of nothing else."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from hanamikoji.engine import rng
from hanamikoji.experiment import load_experiment
from hanamikoji.experiment.sweep import sampling
from hanamikoji.experiment.sweep.sampling import draw


def points(seed: int = 1, **keys: Any) -> list[dict[str, Any]]:
    """Sampled options of an agent."""
    sample = {f"agents.0.{key}": values for key, values in keys.items()}
    table = {"name": "x", "seed": seed, "agents": ["search"]}
    found = load_experiment(table | {"sweep": {"sample": {"points": 20, **sample}}})
    return [use.options for use in found.agents]


def test_sample__is_the_same_for_a_seed_and_another_for_another() -> None:
    depth = {"from": 1, "to": 1000}
    assert points(depth=depth) == points(depth=depth)
    assert points(depth=depth) != points(seed=2, depth=depth)


def test_sample__a_key_does_not_depend_on_the_others() -> None:
    depth, width = {"from": 1, "to": 10**6}, {"from": 0.0, "to": 1.0}
    alone = [point["depth"] for point in points(depth=depth)]
    assert [point["depth"] for point in points(width=width, depth=depth)] == alone


def test_sample__points_are_different() -> None:
    found = points(depth={"from": 1, "to": 5}, mode=["a", "b", "c", "d"])
    assert len({tuple(point.items()) for point in found}) == 20  # all there are


def test_draw__both_ends_of_whole_numbers_and_no_more() -> None:
    seen = Counter(draw(7, "k", {"from": -1, "to": 2}, n) for n in range(4000))
    assert set(seen) == {-1, 0, 1, 2}
    assert all(abs(count - 1000) < 4 * math.sqrt(750) for count in seen.values())


def test_draw__entries_of_a_list_alike() -> None:
    seen = Counter(draw(7, "k", ["a", "b", "b"], n) for n in range(3000))
    assert abs(seen["a"] - 1000) < 4 * math.sqrt(667)


def test_draw__fractions_have_four_digits_and_stay_inside() -> None:
    drawn = [draw(7, "k", {"from": 1000, "to": 1000.5}, n) for n in range(2000)]
    assert all(1000 <= value <= 1000.5 and round(value, 4) == value for value in drawn)
    assert abs(float(np.mean(drawn)) - 1000.25) < 4 * 0.5 / math.sqrt(12 * 2000)


def test_draw__log_scale_is_even_over_decades() -> None:
    found = [draw(7, "k", {"from": 1, "to": 9999, "scale": "log"}, n) for n in range(4000)]
    assert all(type(value) is int for value in found)
    decades = Counter(int(math.log10(value)) for value in found)
    assert all(abs(decades[d] - 1000) < 4 * math.sqrt(750) for d in range(4))
    fractions = [draw(7, "k", {"from": 0.01, "to": 1.0, "scale": "log"}, n) for n in range(2000)]
    assert abs(sum(value < 0.1 for value in fractions) - 1000) < 4 * math.sqrt(500)


def test_words__are_not_those_of_deals_or_agents() -> None:
    assert len({sampling.SWEEPS, int(rng.DEALS), int(rng.AGENTS)}) == 3
