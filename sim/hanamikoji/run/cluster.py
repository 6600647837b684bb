"""Workers on other machines, through Dask distributed.

Each worker writes its chunks to the results folder itself, which all machines must share under the
same path; the parent only learns what was written. Dask does a task of a worker that died again
elsewhere, and may do one twice: both write the same files.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hanamikoji.errors import MachineError
from hanamikoji.results import ChunkRecord, damages_of
from hanamikoji.run.crew import Result
from hanamikoji.run.facts import PACKAGE, source_hash
from hanamikoji.run.pool import WorkerLostError
from hanamikoji.run.work import Task, do_task

_PATIENCE = 60.0  # seconds to wait for the first worker, or for another when all are gone
_SEEN_WITHIN = 20.0  # seconds for a file to appear on this machine
_ASK_EVERY = 1.0  # seconds between questions to the scheduler
_TASK_SECONDS = 10.0  # a task can't be told to end early there, so none is long


def do_remotely(
    task: Task, versions: dict[str, str], rules_hash: str, source: str
) -> ChunkRecord | None:
    """Do a task on a worker that has the same code as the parent.

    Raises `MachineError` where it has not, and what `do_task` raises.
    """
    from distributed import get_worker

    other = [
        f"{name} {here}, not {wanted}"
        for name, wanted in versions.items()
        if (here := _installed(name)) != wanted
    ]
    if not other and source_hash() != source:
        other = [f"other sources of {PACKAGE} {versions[PACKAGE]}"]
    if not other and task.cell.rules.hash != rules_hash:
        other = [f"other rules for {task.cell.variant}"]
    if other:
        raise MachineError(f"the worker {get_worker().address} has {'; '.join(other)}")
    return do_task(task)


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


class DaskCrew:
    """The workers of a Dask scheduler at ``address`` (``tcp://host:port``).

    Raises `MachineError` if no scheduler or no worker answers.
    """

    def __init__(self, address: str, versions: dict[str, str]) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MachineError(
                "--scheduler needs Dask; install it with: pip install 'hanamikoji-sim[dask]'"
            ) from None
        self._address, self._versions, self._source = address, versions, source_hash()
        try:
            self._client: Any = Client(address, timeout="10s", set_as_default=False)
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            raise MachineError(
                f"no Dask scheduler with a worker answers at {address} ({type(error).__name__})"
            ) from None
        self._executor = self._client.get_executor(pure=False)
        self._threads: dict[str, int] = {}
        self._asked = self._alone = float("-inf")
        self._ask()

    @property
    def width(self) -> int:
        """Threads of all workers that there are now."""
        return max(1, sum(self._threads.values()))

    def _ask(self) -> None:
        """Ask the scheduler for its workers, if it wasn't asked just now."""
        if time.monotonic() - self._asked < _ASK_EVERY:
            return
        try:
            self._threads = self._client.nthreads()
        except Exception:  # whatever Dask raises when the other end is gone
            raise MachineError(f"the Dask scheduler at {self._address} is gone") from None
        self._asked = time.monotonic()
        if self._threads:
            self._alone = self._asked
        elif self._asked - self._alone > _PATIENCE:
            raise MachineError(f"the Dask scheduler at {self._address} has no workers left")

    def submit(self, task: Task) -> Result:
        """Do a task some time; its future raises what a local crew's would."""
        folder = task.folder.resolve()
        task = replace(task, folder=folder, seconds=min(task.seconds, _TASK_SECONDS))
        theirs = self._executor.submit(
            do_remotely, task, self._versions, task.cell.rules.hash, self._source
        )
        mine = _Linked(theirs, folder)
        theirs.add_done_callback(lambda done: _hand_over(done, mine))
        return mine

    def games_under_way(self) -> int:
        """None are known of. Raises `MachineError` when all workers have been gone for a minute."""
        self._ask()
        return 0

    def wind_down(self) -> None:
        """Cancel what has not begun; running tasks end within seconds by themselves."""

    def close(self) -> None:
        """Let go of the scheduler, which stays, as its workers do."""
        self._executor.shutdown(wait=False)
        self._client.close(timeout=5)


class _Linked(Future[ChunkRecord | None]):
    """Our side of a Dask future: cancelled with it, and done when its files can be seen here."""

    def __init__(self, other: Future[Any], folder: Path) -> None:
        super().__init__()
        self._other = other
        self._folder = folder

    def cancel(self) -> bool:
        """Cancel the work, too, if it has not begun."""
        return self._other.cancel() and super().cancel()

    def result(self, timeout: float | None = None) -> ChunkRecord | None:
        """The chunk. Raises `MachineError` if its files don't appear on this machine."""
        record = super().result(timeout)
        until = time.monotonic() + _SEEN_WITHIN
        while record and (damages := damages_of(self._folder, record, thorough=False)):
            if time.monotonic() > until:
                raise MachineError(
                    f"{damages[0]} on this machine, though a worker wrote it; all machines must "
                    "share the results folder under the same path"
                )
            time.sleep(0.2)
        return record


def _hand_over(done: Future[Any], mine: Result) -> None:
    """Pass a finished Dask future's outcome to the local future, with a local crew's exceptions."""
    if mine.cancelled() or not mine.set_running_or_notify_cancel():
        return
    try:
        mine.set_result(done.result())
    except CancelledError:
        mine.set_exception(MachineError("Dask cancelled a task: its scheduler or worker is gone"))
    except Exception as error:
        mine.set_exception(_translated(error))


def _translated(error: Exception) -> Exception:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return WorkerLostError("was killed by Dask after several workers died running it", None)
    if isinstance(error, ImportError):
        return MachineError(f"a Dask worker can't import {error.name}: install {PACKAGE} there too")
    return error
