"""Commands that look at a results folder: status, verify, replay, run again, merge."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from hanamikoji.api.folders import games_per_second, whole_command
from hanamikoji.cli import run_command
from hanamikoji.cli.options import command_line
from hanamikoji.results import ChunkRecord, FileFact, chunk_path, open_dataset

pytestmark = pytest.mark.jit

TOML = """
name = "trial"
games = 400
seed = 7
agents = ["random", "random-move"]
matchups = "round-robin"
"""


@pytest.fixture
def done(cli: Cli, tmp_path: Path) -> Path:
    """A finished run."""
    (tmp_path / "t.toml").write_text(TOML)
    said = cli("run", "t.toml", "--quiet", "--workers", "2")
    assert (said.code, said.out, said.err) == (0, "", "")
    return tmp_path / "results" / "trial"


def test_run__prints_its_summary_and_prints_it_again(cli: Cli, done: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (done / "games").iterdir()}
    said = cli("run", "t.toml")
    assert said.code == 0
    assert "random" in said.out
    assert {p: p.stat().st_mtime_ns for p in (done / "games").iterdir()} == before
    again = cli("report", "results/trial").out  # writes the pages with charts too, and says so
    assert again.splitlines()[:-2] == said.out.splitlines()[: len(again.splitlines()) - 2]
    assert len(again.splitlines()) > 20
    assert (done / "report.md").exists()


@pytest.mark.parametrize("quiet", [False, True])
def test_run__starts_what_draws_while_a_long_run_is_played(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    started = threading.Event()
    monkeypatch.setattr(run_command, "_LONG", 0.0)
    monkeypatch.setattr("hanamikoji.report.get_ready", started.set)
    (tmp_path / "t.toml").write_text(TOML)
    assert cli("run", "t.toml", *["--quiet"] * quiet).code == 0
    assert started.is_set() is not quiet


def test_run__options_override_the_file(cli: Cli, done: Path) -> None:
    cli("run", "t.toml", "--quiet", "--games", "10", "--seed", "3", "--out", "o",
        "--set", "name=other", "--set", "rules.max_rounds=2")  # fmt: skip
    manifest = open_dataset(Path("o")).manifest
    assert (manifest.games, manifest.seed, manifest.name) == (10, 3, "other")
    assert manifest.variants["other"].rules["max_rounds"] == 2
    assert manifest.command == (
        "hanamikoji run t.toml --quiet --games 10 --seed 3 --out o "
        "--set name=other --set rules.max_rounds=2"
    )


def test_run__refuses_another_experiment_in_the_folder(cli: Cli, done: Path) -> None:
    said = cli("run", "t.toml", "--seed", "8")
    assert (said.code, said.out) == (2, "")
    assert "has another experiment (other seed); choose another --out" in said.err


def test_run__extends_with_resume(cli: Cli, done: Path) -> None:
    said = cli("run", "t.toml", "--games", "600")
    assert said.code == 2
    assert "resume it with: hanamikoji run t.toml --games 600 --resume" in said.err
    assert cli("run", "t.toml", "--games", "600", "--resume", "--quiet").code == 0
    assert open_dataset(done).scan().collect().height == 600


def test_run__one_cells_deals_alone(cli: Cli, done: Path) -> None:
    said = cli("run", "t.toml", "--cell", "0", "--deals", "3:5")
    assert (said.code, said.out) == (0, "played 4 games without a failure\n")
    for deals in ("5:3", "x", "3", "-1:4"):
        assert cli("run", "t.toml", "--cell", "0", f"--deals={deals}").code == 2
    assert cli("run", "t.toml", "--cell", "9", "--deals", "0:1").code == 2
    said = cli("run", "t.toml", "--cell", "0", "--deals", "0:201")
    assert (said.code, said.err) == (2, "--deals is 0:201; cell 0 has 200 deals\n")
    for half in (("--cell", "0"), ("--deals", "0:1")):
        said = cli("run", "t.toml", *half)
        assert (said.code, said.err) == (
            2, "--cell and --deals go together: --cell 2 --deals 0:64\n",
        )  # fmt: skip


@pytest.mark.parametrize("log", ["no/x.log", ".", "t.toml/x"])
def test_run__log_that_cannot_be_written_is_told_first(cli: Cli, tmp_path: Path, log: str) -> None:
    (tmp_path / "t.toml").write_text(TOML)
    said = cli("run", "t.toml", "--out", "o", "--log-json", log)
    assert (said.code, said.out) == (2, "")
    assert said.err == f"--log-json is {log}, which can't be written to\n"
    assert not (tmp_path / "o").exists()


def test_replay__of_a_deal_that_was_not_played(cli: Cli, done: Path) -> None:
    said = cli("replay", done, "--cell", "0", "--deal", "200")
    assert (said.code, said.err) == (2, "--deal is 200; the last deal of cell 0 is 199\n")


def test_resume__leaves_alone_what_no_run_writes(cli: Cli, done: Path) -> None:
    chunk = next((done / "games").iterdir())
    mine, stray = (
        done / "games" / "backup.parquet",
        chunk.with_name("cell-00000-000000000777-000000000778.parquet"),
    )
    mine.write_bytes(chunk.read_bytes())
    stray.write_bytes(chunk.read_bytes())
    assert cli("run", "t.toml", "--resume").code == 0
    assert mine.exists()
    assert not stray.exists()
    said = cli("verify", done)
    assert "backup.parquet is in no list" in said.out


def test_status__of_a_finished_run(cli: Cli, done: Path) -> None:
    out = cli("status", done).out
    assert out.startswith("trial: finished\n")
    assert "games: 400 of 400 (100.0%)" in out


def test_status__of_a_run_that_died(cli: Cli, done: Path) -> None:
    from hanamikoji.results.manifest import read_manifest, write_manifest

    write_manifest(done, read_manifest(done).model_copy(update={"state": "running"}))
    out = cli("status", done).out
    assert out.startswith("trial: stopped\n")
    assert out.endswith("resume it with: hanamikoji run t.toml --quiet --workers 2 --resume\n")


def test_verify__finds_what_is_wrong(cli: Cli, done: Path) -> None:
    files = len(list((done / "games").iterdir()))
    assert cli("verify", done).out == f"all {files} files are as they were written\n"
    path = open_dataset(done).paths()[0]
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    (done / "games" / "cell-99999-0-1.parquet").write_bytes(b"PAR1")
    said = cli("verify", done)
    assert said.code == 2
    assert f"{path} has other bytes than were written\n" in said.out
    assert "cell-99999-0-1.parquet is in no list\n" in said.out
    assert said.err.startswith("2 faults were found; repair them with: hanamikoji run t.toml ")
    refused = cli("report", done)
    assert (refused.code, refused.out) == (2, "")
    assert "other bytes" in refused.err
    assert cli("run", "t.toml", "--resume", "--quiet").code == 0
    assert cli("verify", done).code == 0


def test_verify__finds_a_damaged_manifest(cli: Cli, done: Path) -> None:
    data = (done / "manifest.json").read_bytes()
    (done / "manifest.json").write_bytes(data[: len(data) // 2])
    said = cli("verify", done)
    assert said.code == 2
    assert "manifest.json is damaged" in said.out
    assert "--resume" in said.err
    assert cli("run", "t.toml", "--resume", "--quiet").code == 0
    assert cli("verify", done).code == 0


def test_replay__tells_the_game_that_was_recorded(cli: Cli, done: Path) -> None:
    frame = open_dataset(done).scan().collect()
    for deal, seating in ((0, 0), (17, 1)):
        row = frame.row(2 * deal + seating, named=True)
        said = cli("replay", done, "--cell", "0", "--deal", deal, "--seating", seating)
        assert said.code == 0
        assert said.out.startswith(f"cell 0 (base: random - random-move), deal {deal}, ")
        last = said.out.rstrip().splitlines()[-1]
        assert last.startswith(f"{row['outcome']} wins after round {row['rounds']} by ")
        assert f"by {row['reason']}, lead changes {row['lead_changes']}" in last


def test_replay__refuses_what_is_not_there(cli: Cli, done: Path) -> None:
    assert "the last cell of" in cli("replay", done, "--cell", "1", "--deal", "0").err
    (Path("m.toml")).write_text(TOML.replace("round-robin", "mirror"))
    cli("run", "m.toml", "--out", "m", "--quiet")
    said = cli("replay", "m", "--cell", "0", "--deal", "0", "--seating", "1")
    assert said.code == 2
    assert "only seating 0" in said.err


def test_shards__are_run_and_merged(cli: Cli, done: Path) -> None:
    for number in (1, 2, 3):
        said = cli("run", "t.toml", "--shard", f"{number}/3")
        assert said.out.startswith(f"shard {number}/3 is in results/trial-{number}-of-3; ")
    folders = [f"results/trial-{number}-of-3" for number in (1, 2, 3)]
    assert "3/3" in cli("merge", "whole", *folders[:2]).err
    said = cli("merge", "whole", *folders)
    assert said.code == 0
    assert said.out.startswith("whole holds 400 games from 3 shards\n")
    assert "games: 400 of 400 (100.0%)" in cli("status", "whole").out
    manifest = open_dataset(Path("whole")).manifest
    assert manifest.command == "hanamikoji run t.toml --out whole"
    one, two = (open_dataset(p).scan().collect() for p in (Path("whole"), done))
    assert one.equals(two)
    assert cli("run", "t.toml", "--shard", "4/3").code == 2


def test_run__logs_for_machines(cli: Cli, done: Path) -> None:
    said = cli("run", "t.toml", "--out", "o", "--quiet", "--log-json", "-")
    assert said.err.splitlines()[0].startswith('{"time": ')
    assert '"event": "end", "state": "finished"' in said.err.splitlines()[-1]


def test_command_line__can_be_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["/bin/x", "run", "my file.toml", "--resume", "--set", "x=[1, 2]"]
    monkeypatch.setattr("sys.argv", typed)
    assert command_line() == "hanamikoji run 'my file.toml' --set 'x=[1, 2]'"


def test_whole_command__plays_all_shards() -> None:
    shard = "hanamikoji run 'a b.toml' --shard 1/3 --out=s1 --games 5"
    assert whole_command(shard, Path("o p")) == "hanamikoji run 'a b.toml' --games 5 --out 'o p'"


def test_games_per_second__is_of_late() -> None:
    def record(at: float, games: int) -> Any:
        return ChunkRecord(
            0, 0, 1, {"games": FileFact(chunk_path("games", 0, 0, 1), games, 1, "")}, (), at
        )

    now = time.time()
    assert games_per_second([]) is None
    assert games_per_second([record(now, 5)]) is None
    records = [record(now - 5000, 99), record(now - 20, 7), record(now - 10, 30), record(now, 70)]
    assert games_per_second(records) == pytest.approx(5.0)


def test_folders__may_be_read_without_being_written(cli: Cli, done: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    done.chmod(0o500)
    assert cli("status", done).code == 0
    assert cli("verify", done).code == 0
