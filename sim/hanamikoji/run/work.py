"""What a worker does: play a chunk, write its files, return what it wrote."""

from __future__ import annotations

import functools
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hanamikoji.errors import AgentError, disk_error
from hanamikoji.experiment import AgentUse
from hanamikoji.plan import Cell
from hanamikoji.results import (
    CONVERTERS,
    CellLabel,
    ChunkRecord,
    FailureTally,
    add_up,
    chunk_path,
    kept_text,
    write_chunk,
)
from hanamikoji.run import twice
from hanamikoji.run.stall import Watch
from hanamikoji.text import shell_line

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent
    from hanamikoji.engine import Failure, Match, Played
    from hanamikoji.results.failures import Reason

Beat = Callable[..., bool]
"""Called with ``(first, last)``, its deals, before each slice of a chunk, and now and then within
it, then with the number of a decision; answers whether to go on."""

_SLICE_SECONDS = 0.25  # how often a worker shows that it lives, and how fast it can be stopped
_GROWTH = 16  # of slices, at most; a match's first is one deal
_MATCHES_KEPT = 2


@dataclass(frozen=True)
class Task:
    """A chunk of a run, as it is sent to a worker.

    A plain agent's decision is given up after ``stall`` seconds. After ``seconds`` a worker hands
    in what it has, so that slow agents' chunks take no longer than fast ones'; the rest becomes
    another task. ``careful`` plays deal by deal and game by game, to find a culprit; ``given_up``
    are the numbers of a single deal's decisions that are known to hang their worker. Deals that are
    to be played ``twice`` must come out the same in other batches.
    """

    cell: Cell
    first: int
    last: int
    seed: int
    record: frozenset[str]
    on_error: str
    folder: Path
    stall: float | None = None
    seconds: float = 30.0
    careful: bool = False
    given_up: tuple[int, ...] = ()
    twice: bool = False

    @property
    def games(self) -> int:
        """Games in it."""
        return (self.last - self.first) * self.cell.seatings

    @property
    def what(self) -> str:
        """The task in a sentence."""
        return f"deals {self.first}:{self.last} of {self.cell.label}"


def do_task(task: Task, beat: Beat = lambda *_: True) -> ChunkRecord | None:
    """Play a chunk and write its files. Returns None if it was stopped before the first deal.

    The record ends before the task does when time was up or ``beat`` answered False. A task done
    twice leaves the same files.

    Raises `AgentError` (an agent failed and the run is to stop) and `MachineError` (disk full).
    """
    parts: list[Played] = []
    with _kept.watch.limit(task.stall):
        last = _play(task, beat, parts)
        if task.twice and not task.careful:
            _play_again(task, beat, parts)
    if not parts:
        return None
    files = {}
    for table in ("games", *sorted(task.record)):
        rows = joined([getattr(part, table) for part in parts])
        arrow = CONVERTERS[table](_label(task.cell), rows)
        path = chunk_path(table, task.cell.index, task.first, last)
        try:
            files[table] = write_chunk(task.folder, path, arrow)
        except OSError as error:
            raise disk_error(error, task.folder) from None
    failures = tally(task.cell.index, (each for part in parts for each in part.failures))
    return ChunkRecord(task.cell.index, task.first, last, files, failures, time.time())


def _play(task: Task, beat: Beat, parts: list[Played]) -> int:
    """Play a chunk slice by slice; returns the deal after the last one played."""
    kept = _match(task)
    until = time.monotonic() + task.seconds
    first, size = task.first, 1 if task.careful else kept.slice
    while first < task.last:
        last = min(task.last, first + size)
        if not beat(first, last):
            break
        begun = time.monotonic()
        pulse = functools.partial(beat, first, last)
        _kept.watch.follow(pulse, each=task.careful, given_up=task.given_up)
        try:
            parts.append(
                kept.match.play(
                    first,
                    last,
                    record=task.record | {"moves"} if task.twice else task.record,
                    on_error=task.on_error,
                    progress=_now_and_then(pulse),
                    **({"batch": 1} if task.careful else {}),
                )
            )
        except AgentError as error:
            raise _located(error, task) from None
        first, now = last, time.monotonic()
        if now > until:
            break
        if not task.careful:
            faster = _SLICE_SECONDS / max(now - begun, 1e-6)
            size = kept.slice = max(1, int(size * min(faster, _GROWTH)))
    return first


def _play_again(task: Task, beat: Beat, parts: list[Played]) -> None:
    """Play the parts of a chunk once more, for as long as the first time may take, and compare.

    Raises `AgentError` when they come out otherwise.
    """
    match = _match(task).match
    until = time.monotonic() + task.seconds
    for part in parts:
        first, last = int(part.games["deal"][0]), int(part.games["deal"][-1]) + 1
        if time.monotonic() > until or not beat(first, last):
            return
        pulse = functools.partial(beat, first, last)
        _kept.watch.follow(pulse)
        try:
            again = match.play(
                first,
                last,
                record=("moves",),
                on_error=task.on_error,
                progress=_now_and_then(pulse),
                batch=twice.BATCH,
            )
            twice.compare(match, part, again)
        except AgentError as error:
            raise _located(error, task) from None


def _now_and_then(pulse: Callable[[], bool]) -> Callable[[int], None]:
    """Signs of life within a slice, as decisions are made."""
    heard = time.monotonic()

    def progress(_games: int) -> None:
        nonlocal heard
        if time.monotonic() - heard > _SLICE_SECONDS:
            heard = time.monotonic()
            pulse()

    return progress


def _located(error: AgentError, task: Task) -> AgentError:
    """An agent's error with the cell, and how to see the game."""
    if error.deal is None:
        return AgentError(f"{error}, in {task.what}")
    where = {"--cell": task.cell.index, "--deal": error.deal, "--seating": error.seating}
    options = (str(word) for option in where.items() for word in option)
    command = shell_line(["hanamikoji", "replay", str(task.folder), *options])
    return AgentError(f"{error}, in {task.cell.label}; see that game with: {command}")


def _label(cell: Cell) -> CellLabel:
    kinds = tuple(kind.name for kind in cell.rules.kinds)
    return CellLabel(cell.index, cell.variant, cell.agent_a.name, cell.agent_b.name, kinds)


def joined(parts: list[Mapping[str, np.ndarray[Any, Any]]]) -> Mapping[str, np.ndarray[Any, Any]]:
    """Tables of arrays, one after the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def tally(cell: int, failures: Iterable[Failure]) -> tuple[FailureTally, ...]:
    """Failures in a cell counted by agent and reason, each with its first example."""
    in_order = sorted(failures, key=lambda each: (each.deal, each.seating))
    return add_up(
        FailureTally(
            cell=cell,
            agent=each.agent,
            reason=cast("Reason", each.reason),
            count=1,
            deal=each.deal,
            seating=1 if each.seating else 0,
            round=each.round,
            decision=each.decision,
            message=kept_text(each.message),
        )
        for each in in_order
    )


@dataclass
class _KeptMatch:
    """A match, and how many deals of it take about `_SLICE_SECONDS`."""

    cell: Cell
    match: Match
    slice: int = 1


class _Kept(local):
    """What a thread of a worker keeps from task to task: the matches that it last played."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.matches: OrderedDict[tuple[Any, ...], _KeptMatch] = OrderedDict()


_kept = _Kept()


def _match(task: Task) -> _KeptMatch:
    """The match of a task's cell, set up once per worker."""
    cell = task.cell
    names = (cell.agent_a.name, cell.agent_b.name)
    key = (cell.index, cell.variant, *names, task.seed, task.stall is None)
    kept = _kept.matches.get(key)
    if kept is None or kept.cell != cell:
        kept = _kept.matches[key] = _KeptMatch(cell, make_match(cell, task.seed))
        if task.stall is not None:
            for seat in kept.match.seats[: cell.seatings]:  # a mirror's two seats are one
                _kept.watch.guard(seat)
    if len(_kept.matches) > _MATCHES_KEPT:
        _kept.matches.popitem(last=False)
    return kept


def make_match(cell: Cell, seed: int) -> Match:
    """Load a cell's agents and set up its match; in a mirror both seats have the same object."""
    from hanamikoji.agents import Game
    from hanamikoji.engine import Match
    from hanamikoji.run.kernels import load_kernels

    load_kernels()  # now: it may take longer than an agent may
    game = Game.of(cell.rules)
    seat_a = _loaded(cell.agent_a).seat(game)
    seat_b = seat_a if cell.mirror else _loaded(cell.agent_b).seat(game)
    return Match(game, (seat_a, seat_b), seed=seed)


def _loaded(use: AgentUse) -> LoadedAgent:
    """An agent, found among the installed ones once per process: looking takes milliseconds."""
    from hanamikoji.agents import load_agent

    key = use.model_dump_json()
    if key not in _agents:
        _agents[key] = load_agent(use)
    return _agents[key]


_agents: dict[str, LoadedAgent] = {}
