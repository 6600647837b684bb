from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from hanamikoji.errors import ExperimentError, HanamikojiError
from hanamikoji.experiment import (
    AgentUse,
    Sprt,
    Stop,
    build_experiment,
    load_experiment,
    load_variants,
)
from hanamikoji.experiment.loader import EXPERIMENT_KEYS
from hanamikoji.rules import PRESETS

HERE = Path(__file__).parent
SMALL: dict[str, Any] = {"name": "x", "agents": ["random"]}
TWO: dict[str, Any] = {"name": "x", "agents": ["a", "b"]}


def test_load_experiment__house_rules_as_a_designer_writes_them() -> None:
    experiment = load_experiment(HERE / "house-rules.toml")
    assert (experiment.name, experiment.seed, experiment.games) == ("house-rules", 7, 200_000)
    assert experiment.agents == (
        AgentUse(name="random", agent="random"),
        AgentUse(name="careful", agent="greedy"),
    )
    assert experiment.pairs == (("random", "random"), ("careful", "careful"))
    assert (experiment.record, experiment.on_error) == (("rounds",), "stop")
    assert list(experiment.variants) == ["house-rules"]
    rules = experiment.variants["house-rules"]
    assert [action.name for action in rules.actions] == [
        "base/secret",
        "avoid-misfortune/gift",
        "bribe",
        "base/competition",
    ]
    assert rules.actions[2].groups == (1, 2)
    assert (rules.max_rounds, rules.goals.charm, rules.goals.geishas) == (3, 12, 4)


def test_load_experiment__command_line_overrides() -> None:
    experiment = load_experiment(
        HERE / "house-rules.toml",
        ["rules.goals.charm=11", "actions.bribe.choose=1", "agents.1.name=keen", "games=8"],
        games=1000,
        seed=0,
    )
    assert (experiment.games, experiment.seed) == (1000, 0)
    assert experiment.variants["house-rules"].goals.charm == 11
    assert experiment.agents[1].name == "keen"


def test_load_experiment__defaults() -> None:
    experiment = load_experiment(SMALL)
    assert (experiment.seed, experiment.games, experiment.matchups) == (1, 100_000, "mirror")
    assert (experiment.record, experiment.on_error, experiment.margin) == ((), "stop", 0.01)
    assert experiment.baseline is experiment.stop is experiment.stall is experiment.sweep is None
    assert experiment.variants == {"base": PRESETS["base"]}


def test_load_experiment__options_are_the_other_keys_of_an_agent() -> None:
    agents = [{"agent": "search", "budget": 100, "deep": {"a": [1]}}, {"agent": "x", "name": "Ä b"}]
    experiment = load_experiment(SMALL | {"agents": agents})
    assert experiment.agents[0] == AgentUse(
        name="search", agent="search", options={"budget": 100, "deep": {"a": [1]}}
    )
    assert experiment.agents[1].name == "Ä b"


@pytest.mark.parametrize(
    ("matchups", "pairs"),
    [
        ("mirror", (("a", "a"), ("b", "b"), ("c", "c"))),
        ("round-robin", (("a", "b"), ("a", "c"), ("b", "c"))),
        ("gauntlet", (("a", "b"), ("a", "c"))),
        ([["c", "a"], ["b", "b"]], (("c", "a"), ("b", "b"))),
    ],
)
def test_pairs__of_each_way_to_match_up(matchups: Any, pairs: tuple[tuple[str, str], ...]) -> None:
    raw = {"name": "x", "agents": ["a", "b", "c"], "matchups": matchups}
    assert load_experiment(raw).pairs == pairs


def test_games__odd_in_a_mirror_is_fine() -> None:
    assert load_experiment(TWO | {"games": 3}).games == 3


@pytest.mark.parametrize(
    ("stall", "seconds"),
    [
        ("60s", 60),
        ("2m", 120),
        ("1.5h", 5400),
        ("250ms", 0.25),
        (5, 5),
        (False, None),
        (None, None),
    ],
)
def test_stall__in_seconds(stall: Any, seconds: float | None) -> None:
    assert load_experiment(SMALL | {"stall": stall}).stall == seconds


def test_stop__precision_or_sprt() -> None:
    assert load_experiment(SMALL | {"stop": {"precision": 0.002}}).stop == Stop(precision=0.002)
    sprt = {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.1}
    assert load_experiment(SMALL | {"stop": {"sprt": sprt}}).stop == Stop(sprt=Sprt(**sprt))
    score = {"score0": 0.5, "score1": 0.51}
    assert load_experiment(SMALL | {"stop": {"sprt": score}}).stop == Stop(sprt=Sprt(**score))


def test_sweep__is_kept_as_it_stands() -> None:
    sweep = {"grid": {"rules.goals.charm": [10, 11]}, "skip_invalid": True}
    assert load_experiment(SMALL | {"sweep": sweep}).sweep == sweep


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "name is missing; it must be 1 to 100 of the characters"),
    ({"name": "x"}, "agents is missing; it must be a list of at least one agent"),
    (SMALL | {"name": ".x"}, "name is '.x'; it must be 1 to 100 of the characters A-Z a-z"),
    (SMALL | {"name": "a/b"}, "name is 'a/b'; it must be 1 to 100"),
    (SMALL | {"name": "a\n"}, "name is 'a\\n'; it must be 1 to 100"),
    (SMALL | {"name": ""}, "name is ''; it must be 1 to 100"),
    (SMALL | {"name": "x" * 101}, "name is 'xxxx"),
    (SMALL | {"name": 5}, "name is 5; it must be 1 to 100"),
    (SMALL | {"nmae": 5}, "nmae is not a known key; did you mean name?"),
    (SMALL | {"source": {}}, "source is not a known key; "),
    (SMALL | {"seed": -1}, "seed is -1; it must be a whole number from 0 to 9223372036854775807"),
    (SMALL | {"seed": 2**63}, "seed is 9223372036854775808; it must be a whole number from 0"),
    (SMALL | {"games": 0}, "games is 0; it must be a whole number from 1 to 1000000000000"),
    (SMALL | {"games": 10**13}, "games is 10000000000000; it must be a whole number from 1"),
    (SMALL | {"games": 1e3}, "games is 1000.0; it must be a whole number from 1"),
    (SMALL | {"games": True}, "games is true; it must be a whole number from 1"),
    (TWO | {"games": 3, "matchups": "gauntlet"}, "games is 3; it must be even where two different"),
    (SMALL | {"agents": []}, "agents is []; it must be a list of at least one agent"),
    (SMALL | {"agents": "random"}, 'agents is \'random\'; it must be a list such as ["random", '),
    (SMALL | {"agents": [3]}, "agents.0 is 3; it must be an agent's name or a table such as"),
    (SMALL | {"agents": [{"name": "y"}]}, "agents.0.agent is missing; it must be the name of an"),
    (SMALL | {"agents": [{"agent": 5}]}, "agents.0.agent is 5; it must be "),
    (SMALL | {"agents": ["x", ""]}, "agents.1.agent is ''; it must be "),
    (SMALL | {"agents": ["x", "x"]}, "agents.1.name is 'x', which another agent has; each must"),
    (SMALL | {"agents": [{"agent": "x", "name": "a\tb"}]}, "agents.0.name is 'a\\tb'; it must be"),
    (SMALL | {"agents": [{"agent": "x", "name": " a"}]}, "agents.0.name is ' a'; it must be print"),
    (SMALL | {"matchups": "all"}, "matchups is 'all'; it must be mirror, round-robin, gauntlet"),
    (SMALL | {"matchups": "gauntlet"}, "matchups is 'gauntlet' with one agent; it takes at least"),
    (SMALL | {"matchups": []}, "matchups is an empty list; it must have at least one pair"),
    (SMALL | {"matchups": [["random"]]}, "matchups.0 is ['random']; it must be a pair of agents'"),
    (SMALL | {"matchups": [["random", "y"]]}, "matchups.0 names 'y', which is not an agent here; "),
    (TWO | {"matchups": [["a", "b"], ["b", "a"]]}, "matchups.1 is ['b', 'a'], which is already"),
    (SMALL | {"record": ["round"]}, "record.0 is 'round'; record must be a list out of rounds and"),
    (SMALL | {"record": "rounds"}, "record is 'rounds'; it must be a list out of rounds and moves"),
    (SMALL | {"record": ["moves"] * 2}, "record names a table twice; rounds and moves may each"),
    (SMALL | {"on_error": "go on"}, "on_error is 'go on'; it must be stop or forfeit"),
    (SMALL | {"margin": 0.5}, "margin is 0.5; it must be a number above 0 and below 0.5"),
    (SMALL | {"margin": float("nan")}, "margin is nan; it must be a finite number"),
    (SMALL | {"baseline": "bsae"}, "baseline is 'bsae', which is not a variant; did you mean b"),
    (SMALL | {"stop": {}}, "stop must have exactly one of verdict, precision and sprt"),
    (SMALL | {"stop": {"precision": 1}}, "stop.precision is 1; it must be a number above 0 and"),
    (SMALL | {"stop": {"sprt": {"elo0": 1}}}, "stop.sprt must have elo0 and elo1, or score0 and"),
    (SMALL | {"stop": {"sprt": {"elo0": 5, "elo1": 5}}}, "stop.sprt.elo0 is 5.0; it must be less"),
    (SMALL | {"stop": {"sprt": {"alfa": 1}}}, "stop.sprt.alfa is not a known key; did you mean al"),
    (SMALL | {"stall": "soon"}, 'stall is \'soon\'; it must be a time from 0.001 s to 7 days'),
    (SMALL | {"stall": "8000h"}, "stall is '8000h'; it must be a time from 0.001 s to 7 days"),
    (SMALL | {"stall": 0}, "stall is 0; it must be a time from 0.001 s to 7 days"),
    (SMALL | {"stall": True}, "stall is true; it must be a time from 0.001 s to 7 days"),
    (SMALL | {"sweep": 1}, "sweep is 1; it must be a table"),
    (SMALL | {"sweep": {"gird": {}}}, "sweep.gird is not a known key; did you mean grid?"),
    (SMALL | {"sweep": {"grid": {"rules": {"hand": [1]}}}}, "sweep.grid.rules is a table; a"),
    (SMALL | {"sweep": {"grid": {"rules.hand": []}}}, "sweep.grid.'rules.hand' is []; it must"),
    (SMALL | {"sweep": {"zip": {"a": [1], "b": [1, 2]}}}, "sweep.zip has lists of 1 to 2 values;"),
    (SMALL | {"sweep": {"list": [1]}}, "sweep.list is not a list of tables; it must be one"),
    (SMALL | {"sweep": {"sample": 1}}, "sweep.sample is 1; it must be a table"),
    (SMALL | {"sweep": {"skip_invalid": 1}}, "sweep.skip_invalid is 1; it must be true or false"),
    (SMALL | {"rules": 5}, "rules is 5; it must be a table of rules or the name of a preset"),
    (SMALL | {"rules": "bass"}, "rules.preset is 'bass'; did you mean base?"),
    (SMALL | {"rules": {"hands": 5}}, "rules.hands is not a known key; did you mean hand?"),
    (SMALL | {"actions": ["base/secret"]}, "actions is ['base/secret']; it must have a table for"),
    (SMALL | {"actions": {"bribe": {"cards": 2}}}, "actions.bribe.face is missing; it must be up"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "message"), BAD)
def test_load_experiment__one_sentence_for_bad_input(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(HanamikojiError) as error:
        load_experiment(raw)
    assert str(error.value).startswith(message)
    assert str(error.value).isprintable()
    assert error.value.exit_code == 2


def test_load_experiment__a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="is a folder"):
        load_experiment(tmp_path)


def test_source__makes_the_same_experiment_again() -> None:
    experiment = load_experiment(HERE / "house-rules.toml", ["seed=5"], games=10)
    written = json.loads(json.dumps(experiment.source))
    assert build_experiment(written) == experiment
    assert pickle.loads(pickle.dumps(experiment)) == experiment


# A changed value for each key: does it make other results, so that a folder can't hold both?
MATTERS: dict[str, Any] = {
    "seed": 2,
    "agents": ["a", "c"],
    "matchups": "round-robin",
    "record": ["rounds"],
    "on_error": "forfeit",
    "stop": {"precision": 0.01},
    "sweep": {"grid": {"rules.max_rounds": [3]}},
    "rules": "wealth",
    "variants": {"base": "wealth"},
}
DOES_NOT: dict[str, Any] = {
    "name": "y",
    "games": 50,
    "margin": 0.02,
    "baseline": "base",
    "stall": "5s",
    "attack": "none",
    "actions": {"unused": {"cards": 1, "face": "up"}},
}


def test_digest__every_key_is_thought_of() -> None:
    assert set(MATTERS) | set(DOES_NOT) == set(EXPERIMENT_KEYS)


@pytest.mark.parametrize("key", MATTERS)
def test_digest__differs_where_results_do(key: str) -> None:
    assert load_experiment(TWO | {key: MATTERS[key]}).digest != load_experiment(TWO).digest


@pytest.mark.parametrize("key", DOES_NOT)
def test_digest__same_where_results_are(key: str) -> None:
    assert load_experiment(TWO | {key: DOES_NOT[key]}).digest == load_experiment(TWO).digest


def test_digest__same_for_another_way_to_say_it() -> None:
    said = {
        "name": "z",
        "agents": [{"name": "a", "agent": "a"}, "b"],
        "matchups": [["a", "a"], ["b", "b"]],
        "variants": {"base": {"preset": "base", "hand": 6}},
        "seed": 1,
    }
    assert load_experiment(said).digest == load_experiment(TWO).digest


def test_digest__order_of_record_and_skip_invalid_mean_nothing() -> None:
    sweep = {"grid": {"rules.max_rounds": [3]}}
    one = TWO | {"record": ["rounds", "moves"], "sweep": sweep}
    other = TWO | {"record": ["moves", "rounds"], "sweep": sweep | {"skip_invalid": True}}
    assert load_experiment(one).digest == load_experiment(other).digest


def test_load_variants__of_an_experiment_or_of_rules_alone(tmp_path: Path) -> None:
    assert list(load_variants(HERE / "house-rules.toml")) == ["house-rules"]
    bare = tmp_path / "mine.toml"
    bare.write_text('preset = "three-round"\nactions = "wealth"\n')
    assert load_variants(bare) == {
        "mine": PRESETS["wealth"].model_copy(update={"max_rounds": 3}),
    }
    bare.write_text("hand = 6\nhands = 5\n")
    with pytest.raises(HanamikojiError, match=r"^rules\.hands is not a known key; did you mean"):
        load_variants(bare)
    bare.write_text("")
    with pytest.raises(HanamikojiError, match=r"^name is missing"):
        load_variants(bare)
