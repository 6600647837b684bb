from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli
from hanamikoji.stats import power_table


def test_power__prints_the_games_that_a_verdict_takes(cli: Cli) -> None:
    said = cli("power", "--margin", "0.02")
    assert said.code == 0
    assert said.out.startswith("margin: 2 pp; a mirror")
    needed = dict(power_table(0.02).needed)
    lines = {line.split()[0]: line.split() for line in said.out.splitlines()[2:]}
    assert lines["0"][1] == f"{needed[0.0]:,}"
    assert lines["+4"][1] == f"{needed[0.04]:,}"
    assert lines["+2"][1:3] == ["no", "number"]
    assert max(len(line) for line in said.out.splitlines()) <= 100


def test_power__tells_the_chances_of_the_sizes_asked_for(cli: Cli) -> None:
    said = cli("power", "--pairs", "--edge", "-0.03", "--edge", "0", "--games", "5000")
    table = power_table(0.01, [5000], [-0.03, 0.0], unit="pairs")
    heading, *rows = said.out.splitlines()[2:5]
    assert heading.split() == ["edge,", "pp", "games", "needed", "5,000"]
    for line, row in zip(rows, table.rows, strict=True):
        chances = f"{100 * row.balanced:.0f} / {100 * row.unbalanced:.0f}"
        assert line.endswith(f"  {chances}")
    assert "each deal from both seats" in said.out


def test_power__half_the_margin_takes_four_times_the_games(cli: Cli) -> None:
    def needed(margin: str) -> int:
        out = cli("power", "--margin", margin, "--edge", "0").out
        return int(out.splitlines()[3].split()[1].replace(",", ""))

    assert needed("0.005") / needed("0.01") == pytest.approx(4, rel=0.01)


def test_power__takes_the_spread_of_pairs_from_a_run(cli: Cli, tmp_path: Path) -> None:
    experiment = tmp_path / "x.toml"
    experiment.write_text(
        'name = "x"\ngames = 4000\nagents = ["random", "greedy"]\nmatchups = "round-robin"\n'
    )
    assert cli("run", experiment, "--quiet").code == 0
    said = cli("power", "--pairs", "--edge", "0", "--from", "results/x")
    assert (
        "two agents, each deal from both seats, with the spread of scores in results/x" in said.out
    )
    needed = int(said.out.splitlines()[3].split()[1].replace(",", ""))
    # Greedy wins nearly all from either seat: pairs vary far less than those of coins.
    assert needed < dict(power_table(0.01, unit="pairs").needed)[0.0] / 2
    none = cli("power", "--from", "results/x")
    assert none.code != 0
    assert "results/x has no mirrors; choose another run" in none.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--margin", "0.5"], "margin is 0.5; it must be above 0 and below 0.5"),
        (["--margin", "nan"], "margin is nan; it must be above 0 and below 0.5"),
        (["--edge", "-0.7"], "edge is -0.7; it must be between -0.5 and 0.5"),
        (["--games", "1"], "Invalid value for '--games'"),
    ],
)
def test_power__refuses_what_cannot_be(cli: Cli, arguments: list[str], sentence: str) -> None:
    said = cli("power", *arguments)
    assert (said.code, said.out) == (2, "")
    assert sentence in said.err
    assert said.err.count("\n") == 1
