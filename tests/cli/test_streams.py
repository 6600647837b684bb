"""Runs whose streams, log or disk fail: what is promised of exit codes and sentences holds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hanamikoji.results import open_dataset

pytestmark = [
    pytest.mark.jit,
    pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full and a shell"),
]

TOML = 'name = "t"\ngames = 200\nagents = ["random"]\n'


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Do a line of bash in which ``$H`` is the command."""
    (folder / "t.toml").write_text(TOML)
    environment = os.environ | {
        "H": f"{sys.executable} -m hanamikoji",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "streams", ["2>&-", "2>&- >&- <&-", "2>/dev/full", "2> >(exec true)"], ids=range(4)
)
def test_run__does_without_its_streams(tmp_path: Path, streams: str) -> None:
    said = shell(tmp_path, f"$H run t.toml --out r {streams}")
    assert (said.returncode, said.stderr) == (0, "")
    assert open_dataset(tmp_path / "r").finished


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full"])
def test_errors__that_nobody_hears_keep_their_codes(tmp_path: Path, streams: str) -> None:
    assert shell(tmp_path, f"$H run none.toml {streams}").returncode == 2


def test_output__that_can_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    said = shell(tmp_path, "$H run t.toml --out r > /dev/full")
    assert said.returncode == 4
    assert said.stderr == "No space left on device\n"
    assert open_dataset(tmp_path / "r").finished


def test_log__that_is_full_is_one_sentence(tmp_path: Path) -> None:
    said = shell(tmp_path, "$H run t.toml --out r --log-json /dev/full")
    assert said.returncode == 4
    assert said.stderr == (
        "--log-json /dev/full can't be written to: No space left on device; resume with: "
        "hanamikoji run t.toml --out r --log-json /dev/full --resume\n"
    )


def test_run__a_file_that_may_not_grow_is_one_sentence(tmp_path: Path) -> None:
    said = shell(tmp_path, "ulimit -f 8; $H run t.toml --out r --games 40000 --quiet")
    assert said.returncode == 4
    assert said.stderr.startswith("a file in r would be larger than this system lets files be; ")


def test_run__a_name_with_a_line_end_is_shown_on_one_line(tmp_path: Path) -> None:
    said = shell(tmp_path, "$H run t.toml --out $'r\\n\\e[31mX'")
    assert said.returncode == 0
    assert said.stdout.splitlines()[-1] == (
        "charts, for a browser: hanamikoji report $'r\\x0a\\x1b[31mX'"
    )
    assert "\x1b" not in said.stdout.replace("\x1b[0m", "").replace("\x1b[1m", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt__of_the_whole_group_is_no_traceback(tmp_path: Path, number: int) -> None:
    (tmp_path / "t.toml").write_text(TOML.replace("200", "100_000_000"))
    with subprocess.Popen(
        [sys.executable, "-c", _RUN_IN_PROCESSES], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        os.killpg(process.pid, number)  # its workers are being started
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert said.startswith("interrupted; ")
    assert said.count("\n") == 1


_RUN_IN_PROCESSES = """
import sys
from hanamikoji.cli.app import main
from hanamikoji.run import main as run_main
from hanamikoji.run.crew import ProcessCrew
from hanamikoji.run.loop import Loop

def crew_for(*_):
    return lambda folder, workers: ProcessCrew(2, folder)

def run(self, run=Loop.run):
    self.on_progress = lambda *_: sys.stderr.write("" if seen else "begun\\n") and seen.append(1)
    return run(self)

if __name__ == "__main__":
    seen = []
    run_main._crew_for, Loop.run = crew_for, run
    main(["run", "t.toml", "--out", "r", "--quiet"])
"""
