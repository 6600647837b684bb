from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli

pytestmark = pytest.mark.jit

SWEEP = """
name = "trial"
games = 1_000
agents = ["random"]
[sweep]
skip_invalid = true
[sweep.grid]
"rules.removed" = [0, 1, 2]
"rules.goals.charm" = [%s]
"""


def _write(path: Path, charm: str) -> Path:
    path.write_text(SWEEP % charm)
    return path


def test_plan__shows_cells_time_and_disk_and_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    said = cli("plan", _write(tmp_path / "t.toml", "10, 11"), "--games", "3000", "--workers", "3")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "trial: 4 variants, 1 match-up, 4 cells, 12,000 games"
    assert lines[1] == "left out as impossible: 2 points"
    assert lines[2].startswith("  removed-2_charm-10: rules.draw is 1; 8 turns would draw")
    (row,) = [line for line in lines if " removed-1_charm-11 " in line]
    assert row.split()[:4] == ["3", "removed-1_charm-11", "random", "3,000"]
    assert any(line.startswith("time: about ") and "with 3 workers" in line for line in lines)
    assert any(line.startswith("disk: about ") and "results/trial" in line for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == ["t.toml"]


def test_plan__of_many_cells_fits_a_screen(cli: Cli, tmp_path: Path) -> None:
    charm = ", ".join(map(str, range(5, 19)))
    said = cli("plan", _write(tmp_path / "t.toml", charm))
    assert "28 cells" in said.out
    assert "4 more" in said.out
    assert "~" in said.out
    assert len(said.out.splitlines()) < 60


def test_plan__refuses_what_run_refuses(cli: Cli, tmp_path: Path) -> None:
    path = _write(tmp_path / "t.toml", "10, 11")
    said = cli("plan", path, "--set", "sweep.skip_invalid=false")
    assert said.code == 2
    assert said.err.startswith("the sweep's point removed-2_charm-10 is impossible: rules.draw is")
    assert cli("plan", path, "--set", "agents=['nobody']").code == 2
