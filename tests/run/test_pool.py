from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, wait
from pathlib import Path

import pytest

from hanamikoji.errors import AgentError
from hanamikoji.run import pool as pools
from hanamikoji.run.pool import ProcessPool, WorkerLostError
from run import chores

PATIENCE = 30


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[ProcessPool]:
    with ProcessPool(2, log=tmp_path / "log", stall=4.0, memory=2**28) as pool:
        yield pool


def test_pool__is_an_executor_that_does_tasks(pool: ProcessPool) -> None:
    assert isinstance(pool, Executor)
    futures = [pool.submit(chores.double, number) for number in range(20)]
    assert [future.result(PATIENCE) for future in futures] == [2 * n for n in range(20)]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("exit", "exited with code 3"),
        ("kill", "was killed by signal SIGKILL, perhaps for want of memory"),
        ("segfault", "was killed by signal SIGSEGV"),
        ("memory", "took more memory than a worker may"),
    ],
)
def test_pool__replaces_a_worker_that_dies_and_blames_its_task_alone(
    pool: ProcessPool, how: str, why: str
) -> None:
    bad = pool.submit(chores.die, how)
    good = [pool.submit(chores.double, number) for number in range(5)]
    with pytest.raises(WorkerLostError) as caught:
        bad.result(PATIENCE)
    assert (caught.value.why, caught.value.at, caught.value.stalled) == (why, (5, 6), False)
    assert [future.result(PATIENCE) for future in good] == [0, 2, 4, 6, 8]


def test_pool__kills_a_worker_that_stalls(pool: ProcessPool) -> None:
    stuck = pool.submit(chores.hang)
    with pytest.raises(WorkerLostError, match=r"made no decision for 4.0 s") as caught:
        stuck.result(PATIENCE)
    assert (caught.value.at, caught.value.stalled) == ((7, 8), True)
    assert pool.submit(chores.double, 1).result(PATIENCE) == 2


def test_pool__hands_errors_on(pool: ProcessPool) -> None:
    with pytest.raises(AgentError, match=r"^the agent 'x' is no good$"):
        pool.submit(chores.fail, "agent").result(PATIENCE)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: x"):
        pool.submit(chores.fail, "bug").result(PATIENCE)


def test_pool__winds_down(pool: ProcessPool) -> None:
    futures = [pool.submit(chores.sleep_until_told) for _ in range(5)]
    while sum(future.running() for future in futures) < 2:
        time.sleep(0.01)
    pool.wind_down()
    wait(futures, PATIENCE)
    assert sum(future.cancelled() for future in futures) == 3
    assert [f.result() for f in futures if not f.cancelled()] == ["told", "told"]


def test_pool__keeps_what_agents_print_out_of_the_way(
    pool: ProcessPool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert pool.submit(chores.chatter).result(PATIENCE) == ""
    assert capfd.readouterr() == ("", "")
    text = (tmp_path / "log").read_text()
    assert all(f"to {where}\n" in text for where in ("stdout", "stderr", "the handle"))


def test_pool__closes_with_a_worker_that_hangs(tmp_path: Path) -> None:
    pool = ProcessPool(1, log=tmp_path / "log")
    stuck = pool.submit(chores.hang)
    while not stuck.running():
        time.sleep(0.01)
    processes = [worker.process for worker in pool._workers]
    begun = time.monotonic()
    pool.shutdown()
    assert time.monotonic() - begun < 20
    assert not any(process.is_alive() for process in processes)


def test_pool__gives_up_on_workers_that_can_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "serve", os._exit)
    with ProcessPool(2, log=tmp_path / "log") as pool:
        future = pool.submit(chores.double, 1)
        with pytest.raises(WorkerLostError):
            future.result(PATIENCE)
            pool.submit(chores.double, 1).result(PATIENCE)


def test_pool__workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from run import chores; from hanamikoji.run.pool import ProcessPool\n"
        "if __name__ == '__main__':\n"
        f"    pool = ProcessPool(1, log=Path({str(tmp_path / 'log')!r}))\n"
        "    print(pool.submit(chores.pid).result(), flush=True)\n"
        "    pool.submit(chores.hang).result()\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert Path(f"/proc/{worker}").exists()
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + PATIENCE
    while _alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(worker)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_pool__writes_what_agents_print_to_no_file_elsewhere(tmp_path: Path, kind: str) -> None:
    """A folder from somebody else may hold a link for a log, or a pipe that nobody reads."""
    log = tmp_path / "agents.log"
    (tmp_path / "precious").write_text("kept")
    if kind == "link":
        log.symlink_to(tmp_path / "precious")
    else:
        os.mkfifo(log)
    with ProcessPool(1, log=log) as pool:
        assert pool.submit(chores.chatter).result(60) == ""
    assert (tmp_path / "precious").read_text() == "kept"
