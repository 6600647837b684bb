"""Worker processes that may die: each is replaced, and the task it died of is known.

The standard process pool breaks as a whole when one worker dies and can't tell which task was to
blame; this one is a `concurrent.futures.Executor` too, and keeps going.
"""

from __future__ import annotations

import collections
import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hanamikoji.run.worker import BEAT, DONE, FAILED, FOR_THE_PARENT, MEMORY_EXIT, STOP, serve

_TICK = 0.2  # seconds between looks for stalled workers
_GRACE = 5.0  # seconds that workers get to end what they do
_MOST_STILLBORN = 8  # workers in a row that may die before they did anything


class WorkerLostError(Exception):
    """A worker died, or was killed because it stalled, while it did a task.

    ``at`` are the deals it was playing, ``decision`` the number in them of the decision that it
    began last, where that is known; ``why`` is a few words.
    """

    def __init__(
        self,
        why: str,
        at: tuple[int, int] | None,
        *,
        stalled: bool = False,
        decision: int | None = None,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.at = at
        self.stalled = stalled
        self.decision = decision


@dataclass
class _Worker:
    process: Any
    connection: Connection
    future: Future[Any] | None = None
    at: tuple[int, int] | None = None
    decision: int | None = None
    beat: float = field(default_factory=time.monotonic)


class ProcessPool(Executor):
    """``workers`` spawned processes; ``on_beat(future, first, last)`` is called as slices begin.

    A task that shows no life for ``stall`` seconds loses its worker. What workers print goes to
    ``log``. A worker that takes more than ``memory`` bytes dies.
    """

    def __init__(
        self,
        workers: int,
        *,
        log: Path,
        on_beat: Callable[[Future[Any], int, int], None] | None = None,
        stall: float | None = None,
        memory: int | None = None,
    ) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._log, self._memory, self._stall = log, memory, stall
        self._on_beat = on_beat or (lambda _future, _first, _last: None)
        self._queue: collections.deque[tuple[Future[Any], Any]] = collections.deque()
        self._lock = threading.Lock()
        self._closing = False
        self._stillborn = 0
        self._wake_in, self._wake_out = self._context.Pipe(duplex=False)
        self._workers = [self._spawn() for _ in range(workers)]
        self._manager = threading.Thread(target=self._manage, name="workers", daemon=True)
        self._manager.start()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue ``function(*args, beat=...)`` for a worker; the function must be importable."""
        future: Future[Any] = Future()
        with self._lock:
            if self._closing:
                raise RuntimeError("the pool is closed")
            if not self._workers:
                future.set_exception(WorkerLostError("can't be started", None))
                return future
            self._queue.append((future, (function, args, kwargs)))
        self._wake()
        return future

    def wind_down(self) -> None:
        """Ask workers to hand in what they have, and drop what is queued."""
        with self._lock:
            while self._queue:
                future, _ = self._queue.popleft()
                future.cancel()
                future.set_running_or_notify_cancel()  # wakes those who wait for it
            for worker in self._workers:
                if worker.future is not None:
                    _send(worker, (STOP,))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the pool; workers that are still busy after a grace period are killed."""
        if cancel_futures:
            self.wind_down()
        with self._lock:
            self._closing = True
        self._wake()
        if wait:
            self._manager.join()

    # --- the manager's thread -------------------------------------------------------------------

    def _manage(self) -> None:
        closing_since = None
        while True:
            self._hand_out()
            if self._closing:
                closing_since = closing_since or time.monotonic()
                busy = any(worker.future is not None for worker in self._workers)
                if not busy or time.monotonic() - closing_since > _GRACE:
                    break
            sources = [self._wake_in, *(worker.connection for worker in self._workers)]
            for source in multiprocessing.connection.wait(sources, _TICK):
                if source is self._wake_in:
                    self._wake_in.recv_bytes()
                else:
                    self._hear(next(w for w in self._workers if w.connection is source))
            self._look_for_stalls()
        for worker in self._workers:
            _end(worker)

    def _hand_out(self) -> None:
        for index, worker in enumerate(self._workers):
            if worker.future is not None:
                continue
            with self._lock:
                if not self._queue:
                    return
                future, call = self._queue.popleft()
                if not future.set_running_or_notify_cancel():
                    continue
                worker.future, worker.at, worker.decision = future, None, None
                worker.beat = time.monotonic()
                sent = _send(worker, call)
            if not sent:
                self._lose(index, worker)

    def _hear(self, worker: _Worker) -> None:
        try:
            kind, *content = worker.connection.recv()
        except (EOFError, OSError):
            self._lose(self._workers.index(worker), worker)
            return
        future, worker.beat = worker.future, time.monotonic()
        if future is None:
            return
        if kind == BEAT:
            first, last, worker.decision = content
            worker.at = (first, last)
            self._on_beat(future, first, last)
            return
        with self._lock:
            worker.future = None
        self._stillborn = 0
        if kind == DONE:
            future.set_result(content[0])
        elif kind == FAILED:
            future.set_exception(content[0])

    def _lose(self, index: int, worker: _Worker, stalled: bool = False) -> None:
        """Bury a worker, put another in its place, and return whose task it had."""
        _end(worker)
        code = worker.process.exitcode
        why = f"made no decision for {self._stall} s" if stalled else cause_of_death(code)
        with self._lock:
            self._stillborn += worker.future is None
            if not self._closing and self._stillborn <= _MOST_STILLBORN:
                self._workers[index] = self._spawn()
            else:
                self._workers.pop(index)
            orphans = [worker.future] if worker.future is not None else []
            if not self._workers:
                orphans += [future for future, _ in self._queue]
                self._queue.clear()
        for future in orphans:
            future.set_exception(
                WorkerLostError(why, worker.at, stalled=stalled, decision=worker.decision)
            )

    def _look_for_stalls(self) -> None:
        if self._stall is None:
            return
        for index, worker in enumerate(list(self._workers)):
            idle = time.monotonic() - worker.beat
            if worker.future is not None and worker.at is not None and idle > self._stall:
                worker.process.kill()
                self._lose(index, worker, stalled=True)

    def _spawn(self) -> _Worker:
        mine, theirs = self._context.Pipe()
        process = self._context.Process(
            target=serve, args=(theirs, str(self._log), self._memory), daemon=True
        )
        with _no_interrupt():
            process.start()
        theirs.close()
        return _Worker(process, mine)

    def _wake(self) -> None:
        self._wake_out.send_bytes(b"!")


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Keep Ctrl-C, and the end of the terminal, from processes that are begun in here.

    A worker says first how it takes them (see `serve`); without this it would die before, with a
    traceback in the middle of an import.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FOR_THE_PARENT)
    try:
        resource_tracker.ensure_running()  # begins a process too, and lets Ctrl-C in again
        signal.pthread_sigmask(signal.SIG_BLOCK, FOR_THE_PARENT)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(worker: _Worker, message: Any) -> bool:
    try:
        worker.connection.send(message)
    except OSError:
        return False
    return True


def _end(worker: _Worker) -> None:
    """Make sure that a worker's process has ended; an idle one ends when its pipe closes."""
    if worker.future is None and worker.process.is_alive():
        worker.connection.close()
        worker.process.join(1.0)
    if worker.process.exitcode is None:
        worker.process.join(0.5)  # its pipe may close a moment before it ends
    if worker.process.exitcode is None:
        worker.process.kill()
        worker.process.join()


def cause_of_death(code: int | None) -> str:
    """A process's exit code in a few words."""
    if code == MEMORY_EXIT:
        return "took more memory than a worker may"
    if code is not None and code < 0:
        names = {int(number): number.name for number in signal.Signals}
        hint = ", perhaps for want of memory" if names.get(-code) == "SIGKILL" else ""
        return f"was killed by signal {names.get(-code, -code)}{hint}"
    return f"exited with code {code}"
