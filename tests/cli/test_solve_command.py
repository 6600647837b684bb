"""``hanamikoji solve`` and ``hanamikoji judge``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli
from hanamikoji.solve import solving
from hanamikoji.solve.shipped import SUITE

pytestmark = pytest.mark.jit

EXCHANGE = SUITE / "exchange.toml"


def test_solve__prints_size_value_and_agents(cli: Cli, tmp_path: Path) -> None:
    said = cli("solve", EXCHANGE, "--agents", "random, greedy", "--out", "found.json")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].startswith("estimated: 26 deals, ")
    assert "15,720 decisions in 2,577 information sets; rounds begin at 1 position" in said.out
    assert "the starter scores 51.42" in said.out
    assert "favors starter at a margin of 1 point" in said.out
    assert [line.split()[0] for line in lines[-4:-2]] == ["random", "greedy"]
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["status"] == "solved"
    assert found["low"] <= found["value"] <= found["high"]
    assert [agent["agent"] for agent in found["agents"]] == ["random", "greedy"]


def test_solve__says_when_it_stopped_early(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_MOST_ITERATIONS", 50)
    said = cli("solve", EXCHANGE)
    assert said.code == 0
    assert "stopped early: the bounds are" in said.out
    assert "not 0.001 as asked" in said.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("solve", "base"), "nodes; at most 20,000,000 are accepted"),
        (("solve", EXCHANGE, "--limit", "1000"), "nodes; at most 1,000 are accepted"),
        (("solve", EXCHANGE, "--gap", "0"), "--gap"),
        (("solve", EXCHANGE, "--agents", "gredy"), "gredy"),
        (("solve", "bass"), "bass"),
        (("judge", "--variants", "exchangee"), "did you mean exchange?"),
        (("judge", "--agents", "gredy"), "gredy"),
    ],
)
def test_refusals__are_one_sentence(cli: Cli, arguments: tuple[str, ...], sentence: str) -> None:
    said = cli(*arguments)
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert sentence in said.err


def test_judge__prints_rows_and_totals(cli: Cli, tmp_path: Path) -> None:
    said = cli("judge", "--agents", "random,greedy", "--variants", "exchange", "--out", "j.md")
    assert said.code == 0, said.err
    assert "balanced: wrong, favors starter" in said.out
    assert "wrong verdicts" in said.out
    assert (tmp_path / "j.md").read_text().startswith("| agent | ")
