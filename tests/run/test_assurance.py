"""What verdicts rest on beside the games: worked out before them, kept, and left out if asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hanamikoji
from hanamikoji.agents import load_agent
from hanamikoji.experiment import AgentUse, build_experiment
from hanamikoji.learning.attack.probe import Effort
from hanamikoji.learning.training import ensure_weights
from hanamikoji.plan import make_plan
from hanamikoji.results import PROBES, read_assurance, read_probe
from hanamikoji.rules import PRESETS
from hanamikoji.run import estimate
from hanamikoji.run.assurance import attacks, stage, subjects
from hanamikoji.run.assurance.exact import exact_value
from hanamikoji.run.assurance.targets import second_training
from hanamikoji.run.main import load_agents
from hanamikoji.solve import exploitability, solve
from hanamikoji.solve.shipped import suite_names, suite_rules
from hanamikoji.stats.bands import SHORTFALL, Reached, value_band

pytestmark = pytest.mark.jit

LITTLE = Effort(rounds=2048, games=400, search_games=8, rollouts=4)
NETWORK = {"agent": "learned", "effort": 2000, "model": "network"}


def planned(**tables: Any) -> Any:
    plan = make_plan(build_experiment({"name": "x", "agents": ["random"], "games": 100} | tables))
    return plan, load_agents(plan.experiment)


@pytest.fixture
def little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Attacks that take no time; a cache of their own."""
    monkeypatch.setattr(attacks, "QUICK", LITTLE)
    monkeypatch.setattr(attacks, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "probes"


# --- for whom -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ({}, []),
        ({"agents": ["greedy", {"name": "s", "agent": "search", "guide": "none"}]}, []),
        ({"agents": ["learned"]}, [("base", ["learned"])]),
        ({"agents": ["learned"], "attack": "none"}, []),
        ({"agents": ["learned", "random"], "matchups": "round-robin"}, []),
        ({"agents": ["search"]}, [("base", ["search"])]),
        ({"agents": ["learned", "search"]}, [("base", ["learned"])]),
        (
            {"agents": ["learned", {"name": "other", "agent": "learned", "seed": 9}]},
            [("base", ["learned", "other"])],
        ),
        (
            {"agents": ["learned"], "variants": {"a": {}, "same": {}, "b": {"max_rounds": 3}}},
            [("a", ["learned"]), ("b", ["learned"])],
        ),
    ],
)
def test_subjects__are_rules_under_which_trained_agents_meet_themselves(tables, expected) -> None:
    found = subjects(*planned(**tables))
    assert [(each.variant, [a.name for a in each.agents]) for each in found] == expected


def test_second_training__only_of_what_is_trained_here() -> None:
    base, other = PRESETS["base"], suite_rules("base-like")
    shipped = load_agent(AgentUse(name="learned", agent="learned"))
    assert second_training(shipped, base) is None
    assert second_training(shipped, other).options == {"seed": 2}
    seven = load_agent(AgentUse(name="l", agent="learned", options={"seed": 7, "effort": 2000}))
    assert second_training(seven, base).options == {"seed": 8, "effort": 2000}
    file = load_agent(AgentUse(name="l", agent="learned", options={"weights": "w.npz"}))
    assert second_training(file, other) is None


# --- what is kept ---------------------------------------------------------------------------------


def test_run__solves_a_small_variant_and_compares_trainings(tmp_path: Path, little: Path) -> None:
    tables = {"name": "x", "games": 200, "agents": [NETWORK, "greedy"]}
    tables["rules"] = suite_rules("face-down-offer").model_dump(mode="json", exclude_defaults=True)
    results = hanamikoji.run(tables, tmp_path / "r")
    (path,) = (tmp_path / "r").glob("assurance-*.json")
    found = read_assurance(path)
    assert found.exact is not None
    assert found.exact.value == pytest.approx(0.50024, abs=1e-4)
    (trainings,) = found.trainings
    assert (trainings.agent, trainings.first.seed, trainings.second.seed) == ("learned", 1, 2)
    assert trainings.first.weights != trainings.second.weights
    assert not list((tmp_path / "r").glob("probe-*.json"))  # the value is known
    assert "Under perfect play, x is balanced (50.02 % for the starter)." in results.verdict


def test_run__attacks_what_is_too_large_to_be_solved(
    tmp_path: Path, little: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = {"name": "x", "games": 200, "agents": ["learned"]}
    hanamikoji.run(tables, tmp_path / "r")
    (path,) = (tmp_path / "r").glob("probe-*.json")
    assert PROBES.fullmatch(path.name)
    found = read_probe(path)
    assert (found.agent, found.rules) == ("learned", PRESETS["base"].hash)
    assert found.rounds == LITTLE.rounds
    (kept,) = (read_assurance(p) for p in (tmp_path / "r").glob("assurance-*.json"))
    assert kept.exact is None
    assert "nodes; at most" in kept.unsolved
    assert kept.trainings == ()  # the weights are shipped

    def again(*_: object) -> None:
        pytest.fail("it was worked out a second time")

    monkeypatch.setattr(attacks, "probe", again)
    hanamikoji.run(tables, tmp_path / "other")  # from the cache
    assert read_probe(tmp_path / "other" / path.name) == found
    monkeypatch.setattr(stage, "write_assurance", again)
    longer = {**tables, "games": 400}
    hanamikoji.run(longer, tmp_path / "r", resume=True)  # from the folder


def test_run__attack_none_works_out_nothing(tmp_path: Path) -> None:
    tables = {"name": "x", "games": 20, "agents": ["learned"], "attack": "none"}
    hanamikoji.run(tables, tmp_path / "r")
    names = {path.name for path in (tmp_path / "r").iterdir()}
    assert not [name for name in names if name.startswith(("assurance", "probe"))]
    asked = {**tables, "attack": "quick"}
    hanamikoji.run(asked, tmp_path / "r")  # the same games: no other experiment


def test_estimate__tells_attacks_and_second_trainings() -> None:
    agents = [{"agent": "learned", "effort": 3000}]
    plan, _ = planned(agents=agents, rules={"max_rounds": 7})
    found = estimate(plan, 1, seconds=0.1)
    assert [(t.agent, t.rounds) for t in found.trainings] == [
        ("learned", 3000),
        ("learned (seed 2)", 3000),
    ]
    (attacked,) = found.attacks
    assert attacked.agent == "learned"
    assert 0 < found.attack_seconds < 600
    without, _ = planned(agents=agents, rules={"max_rounds": 7}, attack="none")
    bare = estimate(without, 1, seconds=0.1)
    assert (len(bare.trainings), bare.attacks) == (1, ())


# --- the truth of it ------------------------------------------------------------------------------


def test_exact_value__is_that_of_the_solver_or_a_sentence() -> None:
    found = exact_value(suite_rules("base-like"))
    assert found.low <= 0.51608 <= found.high
    assert "nodes; at most" in exact_value(PRESETS["base"])


@pytest.mark.slow
@pytest.mark.parametrize("name", suite_names())
@pytest.mark.parametrize("model", ["network", "table"])
def test_band__holds_the_exact_value_of_every_solved_variant(
    name: str, model: str, tmp_path: Path
) -> None:
    """And no attack falls shorter of the exact best response than the band allows for."""
    rules = suite_rules(name)
    options = {"effort": 200_000, "model": model}
    learned = load_agent(AgentUse(name="learned", agent="learned", options=options))
    ensure_weights([learned], rules)
    solution = solve(rules, gap=2e-4)
    found = attacks.attack_quickly(learned, rules, tmp_path)
    reached = Reached(found.from_starter.high, found.from_second.high)
    band = value_band([reached], SHORTFALL)
    assert band.low <= solution.low
    assert solution.high <= band.high
    exact = exploitability(solution, learned, words=200)
    assert exact.as_second <= reached.as_starter + SHORTFALL
    assert 1 - exact.as_starter <= reached.as_second + SHORTFALL
