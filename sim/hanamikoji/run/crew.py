"""Who does the tasks: threads, processes, or this very thread, behind one small seam.

Each wraps a `concurrent.futures` executor and adds what a run needs: how far the
running tasks are, and a way to have them end early with what they have.
"""

from __future__ import annotations

import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from hanamikoji.machine import available_memory
from hanamikoji.results import ChunkRecord
from hanamikoji.run.pool import ProcessPool
from hanamikoji.run.work import Task, do_task

Result = Future[ChunkRecord | None]

AGENTS_LOG = "agents.log"
_MEMORY_SHARE = 0.8  # of what is free when a run begins


class Crew(Protocol):
    """An executor of tasks."""

    @property
    def width(self) -> int:
        """How many tasks it does at once."""

    def submit(self, task: Task) -> Result:
        """Do a task some time."""

    def games_under_way(self) -> int:
        """Games of unfinished tasks that have been played already, roughly."""

    def wind_down(self) -> None:
        """Have running tasks end early; tasks not yet begun are cancelled."""

    def close(self) -> None:
        """Let go of all threads and processes, killing what doesn't end."""


class _Beats:
    """How far each running task is, as many threads report it."""

    def __init__(self) -> None:
        self._tasks: dict[Result, tuple[Task, int]] = {}

    def follow(self, future: Result, task: Task) -> Result:
        self._tasks[future] = (task, task.first)
        future.add_done_callback(lambda done: self._tasks.pop(done, None))
        return future

    def hear(self, future: Result, first: int, _last: int) -> None:
        if future in self._tasks:
            self._tasks[future] = (self._tasks[future][0], first)

    def games(self) -> int:
        return sum(
            (at - task.first) * task.cell.seatings for task, at in list(self._tasks.values())
        )


class ThreadCrew:
    """Threads of this process, for agents that are all shipped and compiled.

    Those release the interpreter's lock, can't crash, and share everything.
    """

    def __init__(self, workers: int) -> None:
        self.width = workers
        self._stop = threading.Event()
        self._executor: Executor = ThreadPoolExecutor(workers, thread_name_prefix="games")
        self._beats = _Beats()

    def submit(self, task: Task) -> Result:
        """Do a task some time."""
        known = threading.Event()
        future: Result = Future()

        def beat(first: int, last: int, _decision: int | None = None) -> bool:
            known.wait()
            self._beats.hear(future, first, last)
            return not self._stop.is_set()

        future = self._executor.submit(do_task, task, beat)
        self._beats.follow(future, task)
        known.set()
        return future

    def games_under_way(self) -> int:
        """Games of unfinished tasks that have been played already, roughly."""
        return self._beats.games()

    def wind_down(self) -> None:
        """Have running tasks end early; tasks not yet begun are cancelled."""
        self._stop.set()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait for the threads to end; a slice takes a quarter of a second."""
        self._stop.set()
        self._executor.shutdown(wait=True, cancel_futures=True)


class ProcessCrew:
    """Spawned processes, for agents that may crash, hang or hold the interpreter's lock."""

    def __init__(
        self,
        workers: int,
        folder: Path,
        *,
        stall: float | None = None,
        memory: int | None = None,
    ) -> None:
        self.width = workers
        self._beats = _Beats()
        self._pool = ProcessPool(
            workers,
            log=folder / AGENTS_LOG,
            on_beat=self._beats.hear,
            stall=stall,
            memory=memory if memory is not None else _fair_share(workers),
        )

    def submit(self, task: Task) -> Result:
        """Do a task some time."""
        return self._beats.follow(self._pool.submit(do_task, task), task)

    def games_under_way(self) -> int:
        """Games of unfinished tasks that have been played already, roughly."""
        return self._beats.games()

    def wind_down(self) -> None:
        """Have running tasks end early; tasks not yet begun are cancelled."""
        self._pool.wind_down()

    def close(self) -> None:
        """End the processes, by force after a few seconds."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class SerialCrew:
    """This very thread: simple to follow in a debugger; a task is done when it is submitted."""

    width = 1

    def submit(self, task: Task) -> Result:
        """Do a task now."""
        future: Result = Future()
        try:
            future.set_result(do_task(task))
        except Exception as error:
            future.set_exception(error)
        return future

    def games_under_way(self) -> int:
        """None, since nothing is ever in progress."""
        return 0

    def wind_down(self) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """Nothing to let go of."""


def _fair_share(workers: int) -> int:
    """Bytes that each worker may take, a share of what is free now."""
    return int(available_memory() * _MEMORY_SHARE / workers)
