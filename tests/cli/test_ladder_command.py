"""``hanamikoji ladder``: the shipped agents against one another, rated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli
from hanamikoji.results import open_dataset
from hanamikoji.tools.ladder import RUNGS

pytestmark = pytest.mark.jit

SLOW = ("flatmc", "learned-50k", "learned-quick", "search")
"""They train or think for seconds."""

TWO = 'name = "two"\nagents = ["random"]\n[variants.a]\n[variants.b]\ngoals = { charm = 10 }\n'


def without(*names: str) -> list[str]:
    return [word for name in names for word in ("--without", name)]


def test_ladder__plays_all_against_all_and_rates_them(cli: Cli) -> None:
    said = cli("ladder", "--games", "39", "--seed", "3", *without(*SLOW))
    assert said.code == 0, said.err
    folder = Path("results/ladder-base")
    results = open_dataset(folder)
    assert results.finished
    manifest = results.manifest
    assert (manifest.seed, manifest.games) == (3, 40)  # pairs: both seatings of a deal
    names = [agent.name for agent in manifest.agents]
    assert names == [rung["name"] for rung in RUNGS if rung["name"] not in SLOW]
    pairs = {(cell.agent_a, cell.agent_b) for cell in manifest.cells}
    assert pairs == {("random", "greedy"), ("random", "learned"), ("greedy", "learned")}
    (rated,) = json.loads((folder / "report.json").read_text())["summary"]["ratings"]
    assert [r["agent"] for r in rated["ratings"]] == ["learned", "greedy", "random"]
    assert "\nRatings\n" in said.out
    assert "written: results/ladder-base/report.md" in said.out


def test_ladder__of_a_file_with_two_variants(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    alone = without(*SLOW, "learned")
    said = cli("ladder", "--rules", "two.toml", "--games", "4", *alone, "--out", "o", "--quiet")
    assert (said.code, said.out, said.err) == (0, "", "")
    manifest = open_dataset(Path("o")).manifest
    assert list(manifest.variants) == ["a", "b"]
    assert manifest.name == "ladder-two"
    assert {agent.name for agent in manifest.agents} == {"random", "greedy"}
    again = cli("ladder", "--rules", "two.toml", "--games", "6", *alone, "--out", "o")
    assert again.code == 2
    assert again.err.endswith("--resume\n")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--without", "rando"), "--without is 'rando'; it must be one of random, greedy, flatmc"),
        (
            without(*SLOW, "learned", "greedy"),
            "--without leaves fewer than two agents; a ladder needs two",
        ),
        (("--rules", "bass"), "preset is 'bass'; did you mean base?"),
        (("--rules", "bad.toml"), "hand"),
        (("--games", "1"), "--games"),
        (("--seed", "-1"), "seed is -1"),
        (("--workers", "0"), "--workers"),
        (("--out", "bad.toml"), "bad.toml"),
        (("--out", "bad.toml/below"), "bad.toml"),
    ],
)
def test_ladder__bad_input(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], word: str) -> None:
    (tmp_path / "bad.toml").write_text('name = "x"\n[rules]\nhnad = 5\n')
    said = cli("ladder", *arguments)
    assert (said.code, said.out) == (2, ""), said
    assert said.err.count("\n") == 1, said.err
    assert word in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]
