"""Runs in processes of their own, killed, interrupted, doubled and starved of disk."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hanamikoji.experiment import build_experiment
from hanamikoji.results import canonical_digest, is_locked, open_dataset
from hanamikoji.results.journal import JOURNAL
from hanamikoji.run import Options, run
from odd_agents import install

pytestmark = [pytest.mark.jit, pytest.mark.slow]

PATIENCE = 300.0  # seconds: a loaded machine takes its time to load kernels

THREADS = """
name = "t"
games = 2_000_000
agents = ["random"]
"""
PROCESSES = """
name = "t"
games = 6000
agents = [{ name = "x", agent = "slow", seconds = 0.0001 }, "random"]
matchups = "round-robin"
"""


class Bench:
    """A folder with an experiment, and the command line in processes of its own."""

    def __init__(self, folder: Path, odd: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(odd), *filter(None, sys.path)])
        }

    def write(self, text: str) -> None:
        (self.folder / "t.toml").write_text(text)

    def start(self, *more: str, out: Path | None = None) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "hanamikoji", "run", "t.toml", "--quiet", *more]
        return subprocess.Popen(
            [*command, "--out", str(out or self.out)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, *more: str, out: Path | None = None) -> tuple[int, str]:
        """Run to the end: exit code and stderr."""
        with self.start(*more, out=out) as process:
            _, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, errors

    def wait_for_chunks(
        self, process: subprocess.Popen[str], chunks: int = 1, *, may_end: bool = False
    ) -> bool:
        """Whether so many chunks are listed while the run goes on; it may only end if it may."""
        deadline = time.monotonic() + PATIENCE
        while self.chunks() < chunks:
            if process.poll() is not None:
                assert may_end, process.communicate()
                return False
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return True

    def chunks(self) -> int:
        try:
            return (self.out / JOURNAL).read_bytes().count(b"\n") - 1
        except OSError:
            return 0

    def digest(self, out: Path | None = None) -> str:
        results = open_dataset(out or self.out)
        assert results.finished
        return canonical_digest(results)


@pytest.fixture
def bench(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Bench:
    odd = install(tmp_path_factory.mktemp("odd"))
    monkeypatch.syspath_prepend(odd)
    return Bench(tmp_path, odd)


def expected(bench: Bench) -> str:
    """The digest of the experiment played without anything in its way."""
    out = bench.folder / "expected"
    if not out.exists():
        import tomllib

        run(build_experiment(tomllib.loads((bench.folder / "t.toml").read_text())), out, Options())
    return bench.digest(out)


def children(process: int) -> list[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
        return [int(number) for number in text.split()]
    return []


def workers(parent: int) -> list[int]:
    """The spawned processes that play, without the one that tracks resources."""

    def line(process: int) -> bytes:
        with contextlib.suppress(OSError):
            return Path(f"/proc/{process}/cmdline").read_bytes()
        return b""

    return [child for child in children(parent) if b"spawn_main" in line(child)]


def alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


KILLS = [
    pytest.param(THREADS, 2, id="threads"),
    pytest.param(PROCESSES, 3, id="processes"),
    pytest.param(THREADS.replace("2_0", "20_0"), 25, id="threads, many", marks=pytest.mark.soak),
    pytest.param(PROCESSES.replace("60", "600"), 25, id="processes, many", marks=pytest.mark.soak),
]


@pytest.mark.parametrize(("text", "most"), KILLS)
def test_kill__of_parent_or_worker_at_any_moment_and_resume_gives_the_same_bytes(
    bench: Bench, text: str, most: int
) -> None:
    bench.write(text)
    chance = random.Random(most)
    kills = 0
    while True:
        with bench.start("--resume") as process:
            played: list[int] = []
            more = bench.chunks() + 1
            if kills < most and bench.wait_for_chunks(process, more, may_end=True):
                time.sleep(chance.random() * 0.3)
                played = workers(process.pid)
                spared = bool(played) and chance.random() < 0.3  # the parent: a worker dies
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(played) if spared else process.pid, signal.SIGKILL)
                    kills += 1
            _, errors = process.communicate(timeout=PATIENCE)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, errors
        deadline = time.monotonic() + PATIENCE
        while any(alive(worker) for worker in played):
            assert time.monotonic() < deadline, "workers outlive their parent"
            time.sleep(0.05)
        assert not is_locked(bench.out)
    assert kills > 0
    assert bench.digest() == expected(bench)


def test_kill__of_a_worker_costs_nothing(bench: Bench) -> None:
    bench.write(PROCESSES)
    with bench.start() as process:
        for chunks in (1, 3):
            bench.wait_for_chunks(process, chunks)
            os.kill(workers(process.pid)[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert bench.digest() == expected(bench)


def test_kill__of_everything_at_once(bench: Bench) -> None:
    bench.write(PROCESSES)
    with bench.start() as process:
        bench.wait_for_chunks(process, 2)
        for victim in (*workers(process.pid), process.pid):
            os.kill(victim, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
    assert bench.finish("--resume") == (0, "")
    assert bench.digest() == expected(bench)


@pytest.mark.parametrize("text", [THREADS, PROCESSES], ids=["threads", "processes"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt__keeps_what_is_finished_and_says_how_to_go_on(
    bench: Bench, text: str, number: signal.Signals
) -> None:
    bench.write(text)
    with bench.start() as process:
        bench.wait_for_chunks(process)
        process.send_signal(number)
        begun = time.monotonic()
        out, errors = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - begun < 60
    assert process.returncode == 130
    assert out == ""
    assert errors.startswith("interrupted; ")
    assert errors.endswith(f"--out {bench.out} --resume\n")
    assert errors.count("\n") == 1
    results = open_dataset(bench.out)
    assert results.manifest.state == "interrupted"
    assert len(results.records) >= 1
    assert sorted(results.paths()) == sorted((bench.out / "games").iterdir())
    assert bench.finish("--resume") == (0, "")
    assert bench.digest() == expected(bench)


def test_two_runs__at_once_are_one(bench: Bench) -> None:
    bench.write(PROCESSES)
    with bench.start() as first:
        bench.wait_for_chunks(first)
        code, errors = bench.finish("--resume")
        assert code == 2
        assert f"another run (process {first.pid} on " in errors
        assert errors.count("\n") == 1
        assert first.communicate(timeout=PATIENCE)[1] == ""
    assert bench.digest() == expected(bench)


def test_clock__set_back_between_run_and_resume(bench: Bench) -> None:
    bench.write(THREADS)
    with bench.start() as process:
        bench.wait_for_chunks(process, 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    later = time.time() + 10**6  # as if the first part had been written in the future
    for path in bench.out.rglob("*"):
        os.utime(path, (later, later))
    assert bench.finish("--resume") == (0, "")
    assert bench.digest() == expected(bench)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this system doesn't let root mount a small file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("text", [THREADS, PROCESSES], ids=["threads", "processes"])
def test_full_disk__is_one_sentence_and_the_run_resumes(
    bench: Bench, small_disk: Path, text: str
) -> None:
    bench.write(text.replace("6000", "60_000").replace("0.0001", "0"))
    out = small_disk / "out"
    filler = small_disk / "filler"
    if text == PROCESSES:
        filler.write_bytes(b"x" * 900_000)
    code, errors = bench.finish(out=out)
    assert code == 4, errors
    assert errors.startswith(f"the disk that holds {out} is full; resume with: hanamikoji run ")
    assert errors.count("\n") == 1
    filler.unlink(missing_ok=True)
    remount = ["mount", "-o", "remount,size=64m", str(small_disk)]
    subprocess.run(remount, check=True)
    assert bench.finish("--resume", out=out) == (0, "")
    assert bench.digest(out) == expected(bench)


def test_read_only_folder__is_refused(bench: Bench, small_disk: Path) -> None:
    bench.write(THREADS)
    out = small_disk / "out"
    out.mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    code, errors = bench.finish(out=out)
    assert code == 2
    assert errors == f"{out} can't be written to: Read-only file system\n"
