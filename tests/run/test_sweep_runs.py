"""The shipped sweeps from file to report, with few games."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import hanamikoji
from hanamikoji.experiment import load_experiment
from hanamikoji.experiment.model import SweptAgent
from hanamikoji.report.source import read_source
from hanamikoji.results import open_dataset
from hanamikoji.run import Options, run
from hanamikoji.stats import summarise_parts

pytestmark = pytest.mark.jit

CONFIGS = Path(__file__).parents[2] / "configs"


def played(name: str, folder: Path, *overrides: str, games: int = 40) -> Path:
    experiment = load_experiment(CONFIGS / f"{name}.toml", overrides, games=games)
    run(experiment, folder, Options())
    return folder


@pytest.fixture(scope="module")
def mixes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixes") / "r"
    return played("sweep-mixes", folder, "agents=['random']", games=200)


def test_sweep_mixes__tells_which_marker_matters(mixes: Path) -> None:
    source = read_source(mixes)
    sweep = summarise_parts(source.parts, source.facts).sweep
    assert sweep is not None
    assert source.facts.baseline == "secret_trade-off_gift_competition"
    assert [effect.keys for effect in sorted(sweep.main, key=lambda e: e.keys)] == [
        (f"rules.actions.{i}",) for i in range(4)
    ]
    assert len(sweep.interactions) == 6
    assert len(sweep.rows) == 16
    assert sweep.rows[0].difference is None
    assert all(row.difference and row.difference.shared_deals == 200 for row in sweep.rows[1:])


def test_sweep_mixes__report_can_be_sorted_and_loaded(mixes: Path) -> None:
    hanamikoji.open_results(mixes).report(("html", "csv", "parquet", "md"))
    page = (mixes / "report.html").read_text()
    assert "Main effects" in page
    assert "concede_gift_reveal_transmission" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    for frame in (pl.read_parquet(mixes / "summary.parquet"), pl.read_csv(mixes / "report.csv")):
        assert frame.height == 16
        assert set(frame["set:rules.actions.0"]) == {"base/secret", "avoid-misfortune/concede"}
        assert {"difference", "p_holm", "mean_rounds", "route_charm", "charm_margin"} <= set(
            frame.columns
        )


def test_sweep_goals__has_curves_of_each_level_of_play(tmp_path: Path) -> None:
    folder = played("sweep-goals", tmp_path / "r")
    source = read_source(folder)
    assert {(c.agent_a, c.agent_b) for c in source.facts.cells} == {
        ("random", "random"),
        ("greedy", "greedy"),
    }
    sweep = summarise_parts(source.parts, source.facts).sweep
    assert sweep is not None
    curves = {(c.agent_a, c.key): [point.x for point in c.points] for c in sweep.curves}
    assert curves == {
        (agent, f"rules.goals.{goal}"): values
        for agent in ("random", "greedy")
        for goal, values in (("charm", [10, 11, 12]), ("geishas", [3, 4, 5]))
    }
    # all eighteen cells are one grid: charm goal x goal of geishas x agent
    assert {("agents.0", "greedy")} <= {(e.keys[0], e.values[0]) for e in sweep.main}
    found = {tuple(row.values)[-1] for row in sweep.rows}
    assert found == {("agents.0", "random"), ("agents.0", "greedy")}


def test_manifest__records_the_points(tmp_path: Path) -> None:
    more = ["sweep.grid.'rules.removed'=[1, 2]", "baseline=charm-11_geishas-4_removed-1"]
    folder = played("sweep-goals", tmp_path / "r", *more, games=4)
    manifest = open_dataset(folder).manifest
    points = manifest.sweep
    assert len(points.variants) == len(manifest.variants) == 9
    assert points.variants["charm-12_geishas-5_removed-1"]["rules.goals.charm"] == 12
    assert points.agents["greedy"] == SweptAgent(family="agents.0", values={"agents.0": "greedy"})
    assert len(points.skipped) == 9
    assert points.skipped["charm-12_geishas-5_removed-2"].startswith("rules.draw is 1;")
    hanamikoji.open_results(folder).report(("md",))
    assert "Left out as impossible: 9 points" in (folder / "report.md").read_text()
    assert json.dumps(manifest.experiment["sweep"])
