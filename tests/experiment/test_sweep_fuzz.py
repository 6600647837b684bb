"""Whatever stands in [sweep], there is a plan or one clear sentence."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hanamikoji.errors import HanamikojiError
from hanamikoji.experiment import Experiment, build_experiment
from hanamikoji.experiment.model import NAME_PATTERN
from hanamikoji.plan import make_plan
from hanamikoji.rules import ACTION_SETS, ACTIONS, PRESETS

JUNK = (
    st.integers(-1, 13)
    | st.sampled_from([True, False, None, 0.5, -0.0, 10**30, "", "\n", "é", "_", "-", "x" * 70])
    | st.sampled_from([["base/secret"] * 4, [["random", "greedy"]], [2, 3], [], {}, {"cards": 1}])
    | st.text(max_size=4)
)
COUNTS = st.integers(0, 13)
MARKERS = st.sampled_from([*ACTIONS, "own", "nothing"])
SETS = st.sampled_from([*ACTION_SETS, "base/secret"]) | st.lists(MARKERS, min_size=3, max_size=4)
PLAUSIBLE: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("rules.hand", "rules.removed", "rules.draw", "rules.items.6"), COUNTS),
    **dict.fromkeys(("rules.goals.charm", "rules.max_rounds", "variants.b.hand"), COUNTS),
    **dict.fromkeys(("rules.actions.0", "rules.actions.3"), MARKERS),
    **dict.fromkeys(("rules.actions", "rules.second_actions"), SETS),
    **dict.fromkeys(("rules.preset", "rules", "variants.a"), st.sampled_from([*PRESETS, "bass"])),
    "rules.goals": st.fixed_dictionaries({}, optional={"charm": COUNTS, "geishas": COUNTS}),
    "rules.charm": st.lists(COUNTS, min_size=6, max_size=8),
    "variants": st.sampled_from([{"a": {}}, {"c": "wealth"}, {}]),
    "actions.own.cards": COUNTS,
    "actions.own": st.just({"cards": 3, "face": "down"}) | JUNK,
    "agents.0": st.sampled_from(["random", "greedy", {"agent": "search", "budget": 5}, 3]),
    "agents.0.x": COUNTS | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    "agents.1.name": st.sampled_from(["random", "greedy", "me", ""]),
    "agents.1.x": JUNK,
    "agents.01": JUNK,
    "agents": st.sampled_from([["random"], ["random", "greedy"], ["greedy", "random"]]),
    "matchups": st.sampled_from(["mirror", "round-robin", "gauntlet", [["random", "greedy"]]]),
    "matchups.0": st.sampled_from([["random", "random"], ["greedy", "random"]]),
    **dict.fromkeys(("games", "rules.", "", "a b", 'rules."hand"', "rules.gaols.charm"), JUNK),
}


def _mostly(likely: st.SearchStrategy[Any], rare: st.SearchStrategy[Any]) -> Any:
    return st.integers(0, 19).flatmap(lambda n: likely if n < 19 else rare)


def _lists(key: str) -> st.SearchStrategy[Any]:
    return _mostly(st.lists(PLAUSIBLE[key], min_size=1, max_size=3, unique_by=repr), JUNK)


def _ranges(key: str) -> st.SearchStrategy[Any]:
    ends = st.integers(0, 9) | st.floats(allow_nan=False) | JUNK
    scales = {"scale": st.sampled_from(["log", "linear", "x"])}
    return _lists(key) | st.fixed_dictionaries({"from": ends, "to": ends}, optional=scales)


def _tables(values: Any, most: int = 3) -> st.SearchStrategy[Any]:
    keys = st.lists(st.sampled_from(list(PLAUSIBLE)), min_size=1, max_size=most, unique=True)
    return keys.flatmap(lambda keys: st.fixed_dictionaries({key: values(key) for key in keys}))


ZIPS = _tables(lambda key: st.lists(PLAUSIBLE[key], min_size=2, max_size=2, unique_by=repr))
POINTS = st.lists(_tables(PLAUSIBLE.__getitem__), min_size=1, max_size=3, unique_by=repr)
SAMPLES = st.builds(
    lambda n, t: {"points": n, **t}, _mostly(st.integers(1, 5), JUNK), _tables(_ranges)
)
FORMS = {"grid": _tables(_lists), "zip": ZIPS, "list": POINTS, "sample": SAMPLES}
SWEEPS = st.lists(st.sampled_from(list(FORMS)), min_size=1, max_size=2, unique=True).flatmap(
    lambda forms: st.fixed_dictionaries(
        {form: _mostly(FORMS[form], JUNK) for form in forms},
        optional={"skip_invalid": _mostly(st.just(True), JUNK)},
    )
)
REST = st.fixed_dictionaries(
    {
        "name": st.just("x"),
        "agents": _mostly(st.sampled_from([["random"], ["random", "greedy"]]), JUNK),
    },
    optional={
        "variants": _mostly(st.just({"a": {}, "b": "wealth"}), st.just({"a": 3})),
        "rules": _mostly(st.sampled_from(["base", {"preset": "wealth"}]), JUNK),
        "actions": st.just({"own": {"cards": 2, "face": "up"}}),
        "seed": _mostly(st.integers(0, 2**63 - 1), JUNK),
        "games": _mostly(st.just(2), JUNK),
        "baseline": _mostly(st.none(), JUNK),
    },
)


def _plan_or_sentence(tables: dict[str, Any]) -> Experiment | None:
    try:
        experiment = build_experiment(tables)
    except HanamikojiError as error:
        text = str(error)
        assert text.isprintable()
        assert 10 < len(text) < 900
        assert "pydantic" not in text
        return None
    plan = make_plan(experiment)
    cells = [(cell.variant, cell.agent_a.name, cell.agent_b.name) for cell in plan.cells]
    assert len(set(cells)) == len(cells) > 0
    assert all(re.fullmatch(NAME_PATTERN, name) for name in experiment.variants)
    assert experiment.baseline in {*experiment.variants, None}
    assert len(experiment.digest) == 64
    return experiment


def _settings(examples: int) -> Any:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


@_settings(800)
@given(REST, SWEEPS)
def test_sweep_fuzz__a_plan_or_a_sentence(rest: dict[str, Any], sweep: dict[str, Any]) -> None:
    _plan_or_sentence(rest | {"sweep": sweep})


@pytest.mark.soak
@_settings(20_000)
@given(REST, SWEEPS)
def test_sweep_fuzz__many(rest: dict[str, Any], sweep: dict[str, Any]) -> None:
    _plan_or_sentence(rest | {"sweep": sweep})


NUMBERS = st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True)
PLAYABLE = st.dictionaries(
    st.sampled_from(["rules.max_rounds", "rules.goals.charm", "agents.0.x", "variants.a.hand"]),
    NUMBERS,
    min_size=1,
)


@_settings(200)
@given(PLAYABLE, st.booleans())
def test_sweep_fuzz__grids_are_whole(grid: dict[str, list[int]], several: bool) -> None:
    """Each point's cells are there, under names of their own, with the point's values."""
    tables: dict[str, Any] = {"name": "x", "agents": ["search"]}
    tables |= {"variants": {"a": {}, "b": {}}} if several else {}
    experiment = _plan_or_sentence(tables | {"sweep": {"grid": grid, "skip_invalid": True}})
    if experiment is None or experiment.points is None:
        return
    if not experiment.points.skipped:
        of_rules = [
            len(v) for k, v in grid.items() if k in ("rules.max_rounds", "rules.goals.charm")
        ]
        own = len(grid.get("variants.a.hand", [0])) + 1 if several else 1
        if several or "variants.a.hand" not in grid:
            assert len(experiment.variants) == own * int(math.prod(of_rules))
        assert len(experiment.agents) == len(grid.get("agents.0.x", [0]))
    for name, values in experiment.points.variants.items():
        rules = experiment.variants[name]
        assert values.get("rules.max_rounds", rules.max_rounds) == rules.max_rounds
        assert values.get("rules.goals.charm", rules.goals.charm) == rules.goals.charm
