"""A Dask scheduler and workers on loopback, one of them killed half-way."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hanamikoji import __version__
from hanamikoji.errors import MachineError
from hanamikoji.experiment import build_experiment
from hanamikoji.results import canonical_digest, open_dataset
from hanamikoji.run import Options, run
from hanamikoji.run import cluster as clusters
from hanamikoji.run import main as run_main
from hanamikoji.run.cluster import DaskCrew
from hanamikoji.run.crew import Result, SerialCrew
from hanamikoji.run.work import Task

pytest.importorskip("distributed", reason="needs pip install 'hanamikoji-sim[dask]'")
pytestmark = [
    pytest.mark.jit,
    pytest.mark.slow,
    # Dask leaves sockets to the garbage collector when the other end is killed.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PATIENCE = 120.0
TABLES = {"name": "t", "games": 200_000, "agents": ["random", "random-move"]}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A scheduler, and workers to be started and killed."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.environment = dict(os.environ)
        port = _free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port))

    def start(self, program: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments]
        log = self._stack.enter_context((self._folder / f"{program}.log").open("ab"))
        process = subprocess.Popen(
            [*command, "--no-dashboard"],
            stdout=log,
            stderr=log,
            cwd=self._folder,
            env=self.environment | environment,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def worker(self, **environment: str) -> subprocess.Popen[bytes]:
        return self.start(
            "dask_worker", self.address, "--nthreads", "1", "--no-nanny", **environment
        )


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    with contextlib.ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def play(folder: Path, **options: Any) -> Path:
    run(build_experiment(TABLES), folder, Options(command="hanamikoji run t.toml", **options))
    return folder


def digest(folder: Path) -> str:
    results = open_dataset(folder)
    assert results.finished
    return canonical_digest(results)


def test_cluster__loses_a_worker_and_gives_the_same_bytes(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: 4096)
    workers = [cluster.worker(), cluster.worker()]

    class Murderous(DaskCrew):
        """Kills a worker when half of the tasks have been handed out."""

        handed = 0

        def submit(self, task: Task) -> Result:
            Murderous.handed += 1
            if Murderous.handed == 45:
                workers[0].kill()
            return super().submit(task)

    versions = {"hanamikoji-sim": __version__}
    play(tmp_path / "r", make_crew=lambda *_: Murderous(cluster.address, versions))
    assert Murderous.handed >= 98  # 400,000 games in chunks of 4,096 deals
    assert workers[0].poll() is not None
    play(tmp_path / "serial", make_crew=lambda *_: SerialCrew())
    assert digest(tmp_path / "r") == digest(tmp_path / "serial")
    listed = sorted(open_dataset(tmp_path / "r").paths())
    assert sorted((tmp_path / "r" / "games").iterdir()) == listed


def test_cluster__refuses_a_worker_with_other_code(tmp_path: Path, cluster: Cluster) -> None:
    other = tmp_path / "other"
    package = Path(run_main.__file__).parents[1]
    shutil.copytree(package, other / "hanamikoji")
    (other / "hanamikoji" / "extra.py").write_text('"""Not in the parent\'s package."""\n')
    cluster.worker(PYTHONPATH=os.pathsep.join([str(other), *filter(None, sys.path)]))
    with pytest.raises(MachineError, match=r"the worker tcp://.* has other sources of hanamikoji"):
        play(tmp_path / "r", scheduler=cluster.address)


def test_cluster__refuses_a_worker_with_another_version(tmp_path: Path, cluster: Cluster) -> None:
    cluster.worker()
    with pytest.raises(MachineError, match=r"has hanamikoji-sim .*, not 99"):
        play(
            tmp_path / "r",
            make_crew=lambda *_: DaskCrew(cluster.address, {"hanamikoji-sim": "99"}),
        )


def test_cluster__ends_when_its_scheduler_is_gone(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_PATIENCE", 5.0)
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: 512)
    worker = cluster.worker()

    class Deserted(DaskCrew):
        handed = 0

        def submit(self, task: Task) -> Result:
            self.handed += 1
            if self.handed == 20:
                worker.kill()
            return super().submit(task)

    versions = {"hanamikoji-sim": __version__}
    begun = time.monotonic()
    with pytest.raises(MachineError, match="has no workers left; resume with"):
        play(tmp_path / "r", make_crew=lambda *_: Deserted(cluster.address, versions))
    assert time.monotonic() - begun < PATIENCE
    play(tmp_path / "r", resume=True)
    assert open_dataset(tmp_path / "r").finished


def test_cluster__says_when_there_is_none(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{_free_port()}"
    with pytest.raises(MachineError, match=f"no Dask scheduler with a worker answers at {address}"):
        play(tmp_path / "r", scheduler=address)


def test_cluster__notices_that_a_workers_files_are_elsewhere(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_SEEN_WITHIN", 0.5)
    cluster.worker()
    real = DaskCrew.submit

    def submit(self: DaskCrew, task: Task) -> Result:
        future = real(self, task)
        future._folder = tmp_path / "another"  # as if this machine had another disk there
        return future

    monkeypatch.setattr(DaskCrew, "submit", submit)
    with pytest.raises(MachineError, match="is missing on this machine, though a worker wrote it"):
        play(tmp_path / "r", scheduler=cluster.address)
