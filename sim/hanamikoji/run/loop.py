"""The parent's loop: hand chunks to a crew, list what comes back, survive what fails."""

from __future__ import annotations

import contextlib
import shlex
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from hanamikoji.errors import AgentError, MachineError, disk_error
from hanamikoji.results import ChunkRecord, Store
from hanamikoji.run.crew import Crew, Result
from hanamikoji.run.events import Events
from hanamikoji.run.pool import WorkerLostError
from hanamikoji.run.work import Task
from hanamikoji.text import shell_line

if TYPE_CHECKING:
    from hanamikoji.run.stopping import Stops

_PATIENCE = 0.2  # seconds between looks at the progress and at Ctrl-C
_QUEUED_PER_WORKER = 2  # tasks handed out at a time, so that memory stays flat
_MOST_REQUEUES = 3  # of a task that its worker died of; the last time deal by deal
_LAST_WORDS = 10.0  # seconds for running tasks to hand in what they have

OnProgress = Callable[[int, Task | None, int], None]
"""Called with the games played so far, the task finished last, and the agents' failures."""


@dataclass
class Loop:
    """One run's tasks in progress.

    ``command`` is the run's command line, for messages; ``stops`` end cells. None in place of a
    task means that no more can start before one in progress is done.
    """

    store: Store
    crew: Crew
    tasks: Iterator[Task | None]
    command: str
    stops: Stops | None = None
    on_progress: OnProgress = lambda _games, _task, _failures: None
    events: Events = field(default_factory=lambda: Events(None))
    _stopped: bool = False
    _played: int = 0
    _failures: int = 0
    _latest: Task | None = None
    _again: deque[Task] = field(default_factory=deque)
    _deaths: Counter[tuple[int, int]] = field(default_factory=Counter)
    _out: dict[Result, Task] = field(default_factory=dict)

    def run(self) -> bool:
        """Do all tasks; False if Ctrl-C or a signal ended it early.

        Raises `AgentError` when an agent failed, `MachineError` when the disk is full or a chunk
        keeps killing its workers; what else is finished by then has been listed.
        """
        with _stop_on_signals(self._stop):
            try:
                while self._fill():
                    self._collect(_PATIENCE)
                    if self._stopped:
                        self._wind_down()
                        return False
            except BaseException:
                self._wind_down()
                raise
            return True

    def _stop(self) -> None:
        self._stopped = True

    def _fill(self) -> bool:
        """Hand out tasks while there is room; False when all is done."""
        while len(self._out) < self.crew.width * _QUEUED_PER_WORKER and not self._stopped:
            task = self._next()
            if task is None:
                break
            self._out[self.crew.submit(task)] = task
        return bool(self._out)

    def _next(self) -> Task | None:
        while self._again:
            task = self._again.popleft()
            if self.stops is None or self.stops.wants(task):
                return task
        return next(self.tasks, None)

    def _collect(self, seconds: float) -> None:
        done, _ = wait(self._out, seconds, FIRST_COMPLETED)
        for future in done:
            self._take(future, self._out.pop(future))
        self._take_back()
        games = self._played + self.crew.games_under_way()
        self.on_progress(games, self._latest, self._failures)

    def _take_back(self) -> None:
        """Cancel tasks of cells that have ended, unless they have already begun."""
        if self.stops is not None:
            for future, task in list(self._out.items()):
                if not self.stops.wants(task) and future.cancel():
                    del self._out[future]

    def _take(self, future: Result, task: Task) -> None:
        try:
            record = future.result()
        except CancelledError:
            return
        except WorkerLostError as lost:
            self._lost(task, lost)
            return
        if record is None:
            self._again.append(task)
            return
        self._played += self._list(record)
        self.events.chunk(record)
        self._latest = replace(task, last=record.last)
        self._failures += record.failed
        if record.last < task.last:
            self._again.append(replace(task, first=record.last, twice=False))

    def _list(self, record: ChunkRecord) -> int:
        """List a chunk; returns the games by which the dataset grew."""
        try:
            if self.stops is not None:
                return self.stops.list(record)
            self.store.add(record)
        except OSError as error:
            raise disk_error(error, self.store.folder) from None
        return record.games

    def _lost(self, task: Task, lost: WorkerLostError) -> None:
        """Requeue the task a worker died of, or give it up."""
        at = lost.at or (task.first, task.last)
        where = replace(task, first=at[0], last=at[1])
        self.events.lost(where, lost.why)
        if lost.stalled and self._give_up(task, where, lost.decision):
            return
        if lost.stalled:
            raise AgentError(
                f"an agent {lost.why} in {where.what}; reproduce it with: {self._one(where)}"
            )
        self._deaths[task.cell.index, task.first] += 1
        deaths = self._deaths[task.cell.index, task.first]
        if deaths <= _MOST_REQUEUES:
            self._again.append(replace(task, careful=deaths == _MOST_REQUEUES))
            return
        raise MachineError(
            f"{deaths} workers in a row ended over {where.what}; the last {lost.why}; "
            f"reproduce it with: {self._one(where)}"
        )

    def _give_up(self, task: Task, where: Task, decision: int | None) -> bool:
        """Requeue a task in which an agent hung, so that it loses that game; False if it can't be.

        First the deals it hung in are played carefully, which tells the very decision.
        """
        if task.on_error != "forfeit" or (task.careful and decision is None):
            return False
        where = replace(where, careful=True)
        if task.careful and decision is not None:
            where = replace(where, given_up=(*task.given_up, decision))
        rest = replace(task, careful=False, given_up=())
        parts = (replace(rest, last=where.first), where, replace(rest, first=where.last))
        self._again += [part for part in parts if part.first < part.last]
        return True

    def _one(self, task: Task) -> str:
        """The command that plays one task alone."""
        deals = f"{task.first}:{task.last}"
        cell = str(task.cell.index)
        return shell_line([*shlex.split(self.command), "--cell", cell, "--deals", deals])

    def _wind_down(self) -> None:
        """End early: list what is finished by now or handed in shortly."""
        self.crew.wind_down()
        # A thread pool's cancelled futures never wake those who wait for them.
        done, _ = wait([f for f in self._out if not f.cancelled()], _LAST_WORDS)
        for future in done:
            task = self._out.pop(future)
            with contextlib.suppress(Exception):
                self._take(future, task)


@contextlib.contextmanager
def _stop_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first Ctrl-C, SIGTERM or SIGHUP; the second ends the program as usual.

    A signal that is ignored stays so: ``nohup`` has it with SIGHUP.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}

    def handle(number: int, _frame: FrameType | None) -> None:
        stop()
        signal.signal(number, before[number])

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            before[int(number)] = signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
