"""Ends each cell where the experiment's [stop] says, whatever the order in which chunks come in.

A cell's rule sees its deals in their order, block by block, as far as they are there without a gap:
so it stops at the same deal however the work was divided. All is worked out from the chunk files,
so a run that died goes on as if it hadn't. What was played beyond the stop is no longer listed, and
its files are deleted at the end.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hanamikoji.plan import Cell, Plan
from hanamikoji.results import (
    CellStop,
    ChunkRecord,
    Store,
    covered,
    cut_short,
    missing,
    winner_roles,
)
from hanamikoji.run.work import Task
from hanamikoji.stats import StopFacts
from hanamikoji.stats.stopping import (
    BLOCK,
    Look,
    Rule,
    block_counts,
    make_rule,
    stop_facts,
)

# How far a cell is played ahead of its decision: little, so that little is thrown away.
_AHEAD = 8  # about an eighth of what it has; half, while chunks are too short to be worth it
_FIRST = 256  # deals in a cell's first chunks, at most
_FEWEST = 16
_BRISK, _SLOW = 0.25, 2.0  # seconds: chunks that come back sooner may be longer; later, shorter
_MOST_SECONDS = 5.0  # after which a worker hands in what it has, so that the rule sees it
_ABREAST = 4  # cells that are worked on at once, at most, while a slow chunk holds one up

MakeTask = Callable[[Cell, int, int], Task]
Sizes = Callable[[Cell], tuple[int, int]]
"""Deals in a chunk of a cell: where the kind of agents needs no more, and the most there may be."""


@dataclass
class _Watch:
    """One cell's rule, and how far it has seen."""

    cell: Cell
    facts: StopFacts
    rule: Rule
    units: int = 0
    """Deals that are there without a gap."""
    rest: np.ndarray[Any, Any] = field(default_factory=lambda: np.zeros(0, np.int8))
    """Winners' roles in the block that was begun."""
    waiting: dict[int, ChunkRecord] = field(default_factory=dict)
    """Chunks beyond a gap, by their first deal."""
    stop: CellStop | None = None
    gaps: list[tuple[int, int]] = field(default_factory=list)
    """Deals not yet handed out."""
    least: int = _FIRST
    """Deals in a chunk, however few there are yet."""

    def learn(self, deals: int, seconds: float) -> None:
        """See how long a chunk took, its wait for a worker included."""
        if seconds < _BRISK:
            self.least = max(self.least, 2 * deals)
        elif seconds > _SLOW:
            self.least = max(_FEWEST, deals // 2)

    def see(self, roles: np.ndarray[Any, Any]) -> Look | None:
        """Show the rule the deals after ``units``; its decision if that is to stop."""
        seatings = self.cell.seatings
        self.units += len(roles) // seatings
        at_end = self.units == self.cell.deals
        roles = np.concatenate([self.rest, roles])
        whole = len(roles) if at_end else len(roles) // (BLOCK * seatings) * BLOCK * seatings
        self.rest = roles[whole:]
        blocks = block_counts(
            roles[:whole],
            mirror=self.cell.mirror,
            rule=self.facts.rule,
        )
        decision = None
        for number, block in enumerate(blocks, 1):
            decision = self.rule.update(block, last=at_end and number == len(blocks))
            if decision.stop:
                break
        return decision if at_end or (decision and decision.stop) else None


class Stops:
    """The cells of a run whose experiment has a [stop]; ends at once what is decided already.

    ``on_stop`` hears of the games of the whole run, stopped cells' as they are.

    Raises `MachineError` or `OSError` when files can't be read or written.
    """

    def __init__(self, plan: Plan, store: Store) -> None:
        assert plan.experiment.stop is not None
        facts = stop_facts(plan.experiment.stop.model_dump(), plan.experiment.margin)
        self._store = store
        self._handed: dict[tuple[int, int], float] = {}
        self._watches: dict[int, _Watch] = {}
        self._open: dict[int, _Watch] = {}  # by cell, in the plan's order
        self.on_stop: Callable[[int], None] = lambda _games: None
        for cell in plan.cells:
            rule = make_rule(facts)
            assert rule is not None
            self._watches[cell.index] = self._open[cell.index] = _Watch(cell, facts, rule)
        for record in store.records:
            self._watches[record.cell].waiting[record.first] = record
        there = covered(store.records)
        for watch in list(self._open.values()):
            watch.gaps = missing(there.get(watch.cell.index, ()), 0, watch.cell.deals)
            self._advance(watch)

    @property
    def games(self) -> int:
        """Games of the whole run: stopped cells' as they are, the others' as asked for."""
        return sum(w.stop.games if w.stop else w.cell.games for w in self._watches.values())

    def wants(self, task: Task) -> bool:
        """Whether a task's cell is still open."""
        return task.cell.index in self._open

    def list(self, record: ChunkRecord) -> int:
        """List a chunk whose files have been written, as far as it belongs to the dataset.

        Returns the games by which the dataset grew; they are negative when a stop drops more.
        Raises `OSError`.
        """
        watch = self._watches[record.cell]
        handed = self._handed.pop((record.cell, record.first), None)
        if watch.stop is not None:
            return 0
        if handed is not None:
            watch.learn(record.last - record.first, time.monotonic() - handed)
        self._store.add(record)
        watch.waiting[record.first] = record
        return record.games - self._advance(watch)

    def _advance(self, watch: _Watch) -> int:
        """Show a cell's rule what is there without a gap; returns the games dropped by a stop."""
        while (record := watch.waiting.pop(watch.units, None)) is not None:
            decision = watch.see(winner_roles(self._store.folder, record))
            if decision is not None:
                return self._end(watch, record, decision)
        return 0

    def _end(self, watch: _Watch, record: ChunkRecord, decision: Look) -> int:
        """End a cell within ``record`` or at its end."""
        cell, units = watch.cell, decision.units
        if units < record.last:
            self._store.add(cut_short(self._store.folder, record, units))
        outcome = decision.outcome if decision.stop else "games ran out"
        rule = watch.facts.rule
        assert rule != "fixed"
        watch.stop = CellStop(cell.index, rule, outcome, units, units * cell.seatings)
        self._store.stop(watch.stop)
        beyond = sum(each.games for each in watch.waiting.values())
        watch.waiting.clear()
        watch.gaps.clear()
        del self._open[cell.index]
        self.on_stop(self.games)
        return beyond + (record.last - units) * cell.seatings

    def tasks(self, make_task: MakeTask, sizes: Sizes, workers: int) -> Iterator[Task | None]:
        """What to play next, as far as is sensible before more is decided.

        Returns None if what is in progress must finish first.
        """
        while self._open:
            chunk = self._next_chunk(sizes, workers)
            if chunk is None:
                yield None
                continue
            task = make_task(*chunk)
            self._handed[task.cell.index, task.first] = time.monotonic()
            yield replace(task, seconds=_MOST_SECONDS)

    def _next_chunk(self, sizes: Sizes, workers: int) -> tuple[Cell, int, int] | None:
        """Deals of the first open cell that may be played further."""
        for watch in itertools.islice(self._open.values(), _ABREAST):
            enough, most = sizes(watch.cell)
            share = watch.units // (2 * workers)  # two chunks a worker are as much as there is
            size = max(min(watch.least, enough, max(_FIRST, share // 2)), share // _AHEAD)
            size = min(size, most)
            if watch.gaps and watch.gaps[0][0] < watch.units + 2 * workers * size:
                first, last = watch.gaps.pop(0)
                if first + size < last:
                    watch.gaps.insert(0, (first + size, last))
                return watch.cell, first, min(last, first + size)
        return None
