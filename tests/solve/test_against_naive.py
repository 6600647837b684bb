"""Trees and values against the naive referee's: its own tree, its own linear program."""

from __future__ import annotations

import pytest

from hanamikoji.rules import Rules, load_rules
from hanamikoji.solve import solve
from hanamikoji.solve.shipped import suite_names, suite_rules
from hanamikoji.solve.solving import build_model
from modes import JITTED
from solve.naive_tree import grow, value_by_program

SMALL = {
    "charm": [1, 2],
    "items": [3, 3],
    "hand": 1,
    "removed": 0,
    "markers": ["none", "second"],
    "max_rounds": 1,
    "goals": {"charm": 2, "geishas": False},
}
OFFER = {"name": "offer", "cards": 2, "chooser": "opponent", "chosen_to": "opponent"}
TINY = {
    "face-up offer": [{**OFFER, "face": "up"}],
    "answered unseen": [{**OFFER, "face": "down"}],
    "answer seen by the actor": [{**OFFER, "face": "down", "actor_sees": True}],
    "sizes that differ": [{**OFFER, "face": "down", "cards": 3, "groups": [1, 2]}],
    "blind choice": [{**OFFER, "face": "down", "chooser": "chance", "chosen_to": "out"}],
    "open lottery": [{**OFFER, "face": "up", "chooser": "chance"}],
    "exchange": ["serendipity/referral"],
    "open exchange": [{"name": "swap", "cards": 1, "face": "up", "exchange": True}],
}
"""Beside a secret; each has other things to remember, or to be unaware of."""


def tiny_rules(name: str) -> Rules:
    rules = {**SMALL, "actions": ["base/secret", *TINY[name]]}
    if "sizes" in name:
        rules["items"], rules["hand"] = [4, 4], 2
    if "exchange" in name:
        rules["items"] = [4, 4]
    return load_rules(rules)


def check(rules: Rules) -> None:
    value, sets = value_by_program(grow(rules))
    solution = solve(rules, gap=1e-5 if JITTED else 0.02)
    assert solution.status == "solved"
    assert solution.low - 1e-9 <= value <= solution.high + 1e-9
    # As many as there are things to tell apart by perfect recall: none merged, none split.
    assert tuple(len(player.parent) for player in solution.model.tree.players) == sets


PLAIN = ("answered unseen", "blind choice")
"""Those that are solved as plain Python as well."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in PLAIN else pytest.mark.jit) for name in TINY]
)
def test_solve__agrees_with_a_linear_program_on_tiny_rules(name: str) -> None:
    check(tiny_rules(name))


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", ["blind-split", "two-drawn", "geishas-prevail", "base-like"])
def test_solve__agrees_with_a_linear_program_on_the_suite(name: str) -> None:
    check(suite_rules(name))


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", suite_names())
def test_estimated_size__is_near_the_tree(name: str) -> None:
    model, size = build_model(suite_rules(name))
    assert size.decisions == pytest.approx(model.tree.nodes, rel=0.15)
