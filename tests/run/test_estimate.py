"""What a plan says it costs is what it costs; nothing is trained or written for it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from hanamikoji.agents.loading import LoadedAgent
from hanamikoji.errors import PluginError
from hanamikoji.experiment import build_experiment
from hanamikoji.learning.network import store
from hanamikoji.plan import make_plan
from hanamikoji.run import Options, Silence, estimate, run
from hanamikoji.run.crew import SerialCrew
from hanamikoji.run.main import load_agents
from hanamikoji.run.training import train_ahead, untrained_players
from odd_agents import install

pytestmark = pytest.mark.jit

MIXED = {"rules.actions.0": ["base/secret", "avoid-misfortune/concede"]}


def planned(**tables: Any) -> Any:
    return make_plan(build_experiment({"name": "x", "agents": ["random"], "games": 1000} | tables))


@pytest.fixture
def odd(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(install(tmp_path_factory.mktemp("odd")))


@pytest.fixture
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "learned"


def test_estimate__time_of_an_agent_that_takes_its_time(odd: None, tmp_path: Path) -> None:
    slow = {"agent": "slow", "seconds": 0.004}
    plan = planned(agents=[slow], games=30)
    said = estimate(plan, 1, seconds=2.0).seconds
    begun = time.perf_counter()
    serial = Options(workers=1, make_crew=lambda _folder, _workers: SerialCrew())
    run(plan.experiment, tmp_path / "r", serial)
    spent = time.perf_counter() - begun
    assert 0.5 * spent < said < 1.5 * spent


def test_estimate__nobody_is_trained_who_plays_in_no_cell(no_weights: Path) -> None:
    """Under these rules `learned` has no weights: asking it for its seat would train it."""
    tables = {"agents": ["random", "learned"], "matchups": [["random", "random"]]}
    plan = planned(rules={"max_rounds": 7}, **tables)
    estimate(plan, 1, seconds=0.1)
    assert not no_weights.exists()


def test_estimate__bytes_on_disk(tmp_path: Path) -> None:
    plan = planned(games=20_000, record=["rounds"])
    said = estimate(plan, 2, seconds=1.0).size
    run(plan.experiment, tmp_path / "r", Options(workers=2))
    files = list((tmp_path / "r").rglob("*.parquet"))
    assert said == pytest.approx(sum(path.stat().st_size for path in files), rel=0.1)


def test_estimate__of_many_cells_a_sample() -> None:
    plan = planned(sweep={"sample": {"points": 60, "rules.max_rounds": {"from": 2, "to": 100}}})
    found = estimate(plan, 2, seconds=0.5)
    assert (len(found.cells), found.measured) == (60, 24)
    assert all(each.seconds > 0 and each.size > 0 for each in found.cells)
    assert found.seconds == pytest.approx(sum(each.seconds for each in found.cells) / 2)
    assert len({each.cost.game for each in found.cells if not each.measured}) == 1


def test_estimate__every_kind_of_match_up_is_measured() -> None:
    plan = planned(
        agents=["random", "random-move"],
        matchups=[["random", "random"], ["random", "random-move"]],
        sweep={"sample": {"points": 60, "rules.max_rounds": {"from": 2, "to": 100}}},
    )
    found = estimate(plan, 2, seconds=0.5)
    assert {each.cell.mirror for each in found.cells if each.measured} == {True, False}


def test_estimate__counts_games_that_fail(odd: None) -> None:
    assert estimate(planned(agents=["raises"]), 1, seconds=0.5).failures > 0
    with pytest.raises(PluginError, match="no agent is called 'nobody'"):
        estimate(planned(agents=["nobody"]), 1)


def test_estimate__says_who_must_be_trained_and_trains_nobody(no_weights: Path) -> None:
    learned = {"agent": "learned", "effort": 1000}
    plan = planned(agents=[learned], attack="none", sweep={"grid": MIXED})
    found = estimate(plan, 1, seconds=0.5)
    assert [(each.agent, each.variant, each.rounds) for each in found.trainings] == [
        ("learned", "secret", 1000),
        ("learned", "concede", 1000),
    ]
    assert all(each.seconds > 0 for each in found.trainings)
    assert not list(no_weights.glob("*.npz"))


def test_train_ahead__once_for_each_agent_and_rules(
    no_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = {"agent": "learned", "effort": 256}
    twice = {"one": {"max_rounds": 2}, "same": {"max_rounds": 2}, "other": {"max_rounds": 3}}
    plan = planned(
        agents=[learned, "random"], matchups=[["learned", "learned"], ["learned", "random"]],
        variants=twice,
    )  # fmt: skip
    agents = load_agents(plan.experiment)
    assert [each.variant for each in untrained_players(plan, agents).values()] == ["one", "other"]
    train_ahead(plan, agents, Silence())
    assert len(list(no_weights.glob("*.npz"))) == 2
    assert untrained_players(plan, agents) == {}
    monkeypatch.setattr(LoadedAgent, "train", None)  # would be called to train
    train_ahead(plan, agents, Silence())
