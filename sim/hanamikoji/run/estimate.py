"""What a plan will cost, measured on a few games, before it is spent."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from hanamikoji.plan import Cell, Plan
from hanamikoji.results import TABLES
from hanamikoji.rules import Rules
from hanamikoji.run.assurance import Subject, subjects
from hanamikoji.run.kernels import compile_kernels
from hanamikoji.run.main import chunk_counts, load_agents
from hanamikoji.run.progress import Progress, Silence
from hanamikoji.run.training import Player, Untrained, untrained_players
from hanamikoji.run.work import Task, do_task

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent

_MOST_MEASURED = 24  # cells
_SECONDS = 8.0  # to measure them all
_DEALS_AHEAD = 10**6
_STEADY = 64  # games beyond which what a chunk costs can be told from what they do


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one cell, on one core."""

    setup: float
    """Seconds to prepare the match, once for every worker that plays it."""
    chunk: float
    """Seconds for a chunk beside its games."""
    game: float
    """Seconds for a game, its rows included."""
    file: float
    """Bytes of a chunk's files beside its rows."""
    row: float
    """Bytes of a game's rows, those of its rounds and moves included."""
    failures: int = 0
    """Games forfeited while measuring."""


@dataclass(frozen=True, slots=True)
class CellEstimate:
    """A cell's share of the plan."""

    cell: Cell
    cost: Cost
    chunks: int
    workers: int
    """That play some of it."""
    measured: bool
    """Else the cost is an average over like cells."""

    @property
    def seconds(self) -> float:
        """On one core."""
        return (
            self.workers * self.cost.setup
            + self.chunks * self.cost.chunk
            + self.cell.games * self.cost.game
        )

    @property
    def size(self) -> float:
        """Bytes on disk."""
        return self.chunks * self.cost.file + self.cell.games * self.cost.row


@dataclass(frozen=True, slots=True)
class PlannedTraining:
    """An agent that must be trained for a variant first."""

    agent: str
    variant: str
    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PlannedAttacks:
    """Quick attacks on a trained agent, unless they are kept or the variant can be solved."""

    agent: str
    variant: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A whole plan's cost."""

    plan: Plan
    workers: int
    cells: tuple[CellEstimate, ...]
    trainings: tuple[PlannedTraining, ...]
    """Second ones, which show how far trainings agree, included."""
    attacks: tuple[PlannedAttacks, ...]

    @property
    def seconds(self) -> float:
        """With all workers, training apart."""
        chunks = sum(each.chunks for each in self.cells)
        return sum(each.seconds for each in self.cells) / max(1, min(self.workers, chunks))

    @property
    def training_seconds(self) -> float:
        """Of all trainings, one after the other."""
        return sum(each.seconds for each in self.trainings)

    @property
    def attack_seconds(self) -> float:
        """Of all attacks, one after the other."""
        return sum(each.seconds for each in self.attacks)

    @property
    def size(self) -> float:
        """Bytes on disk."""
        return sum(each.size for each in self.cells)

    @property
    def measured(self) -> int:
        """Cells that were measured."""
        return sum(each.measured for each in self.cells)

    @property
    def failures(self) -> int:
        """Games in which an agent failed while they were measured."""
        return sum(each.cost.failures for each in self.cells if each.measured)


def estimate(
    plan: Plan, workers: int, seconds: float = _SECONDS, progress: Progress | None = None
) -> Estimate:
    """Measure a plan's cost on some of its cells, a few games each, warm-up apart.

    No agent is trained for it: one that must be is measured under the base rules, where weights are
    at hand. The games are played in this very process.

    Raises `HanamikojiError`, for example `PluginError` for an agent that can't be prepared.
    """
    agents = load_agents(plan.experiment)
    untrained = untrained_players(plan, agents)
    sampled = [
        trained
        for cell in _sample(plan.cells)
        if (trained := _as_trained(cell, untrained, agents)) is not None
    ]
    costs: dict[int, Cost] = {}
    if sampled:
        compile_kernels(replace(plan, cells=tuple(sampled)), agents, progress or Silence())
        costs = _measure(sampled, plan, seconds)
    chunks = chunk_counts(plan, agents, workers)
    kinds = {cell.index: _kind(cell) for cell in sampled}
    cells = tuple(
        CellEstimate(cell, cost, count, min(workers, count), cell.index in costs)
        for cell, cost, count in zip(plan.cells, _costs(plan, costs, kinds), chunks, strict=True)
    )
    return Estimate(plan, workers, cells, *_before_games(plan, agents, untrained))


def _before_games(
    plan: Plan, agents: Mapping[str, LoadedAgent], untrained: Mapping[Player, Untrained]
) -> tuple[tuple[PlannedTraining, ...], tuple[PlannedAttacks, ...]]:
    """What is trained and attacked before any game is played."""
    wanted = subjects(plan, agents)
    if not untrained and not wanted:
        return (), ()
    from hanamikoji.learning.training import training_pace
    from hanamikoji.run.assurance.attacks import seconds_of_attacks

    trainings = [*untrained.values(), *_second_trainings(wanted)]
    pace = training_pace(trainings[0].rules, trainings[0].rounds) if trainings else 1.0
    seconds = seconds_of_attacks(wanted[0].rules) if wanted else 0.0
    return (
        tuple(
            PlannedTraining(each.agent, each.variant, each.rounds, each.rounds / pace)
            for each in trainings
        ),
        tuple(
            PlannedAttacks(agent.name, each.variant, seconds)
            for each in wanted
            for agent in each.agents
        ),
    )


def _second_trainings(wanted: Sequence[Subject]) -> Iterator[Untrained]:
    from hanamikoji.run.assurance.targets import second_training

    for each in wanted:
        for agent in each.agents:
            second = second_training(agent, each.rules)
            if second is not None and (rounds := second.training(each.rules)):
                name = f"{agent.name} (seed {second.options['seed']})"
                yield Untrained(name, each.variant, each.rules, rounds)


def _kind(cell: Cell) -> tuple[str, str]:
    """Cells of the same agents cost about the same, whatever their options and rules."""
    return cell.agent_a.agent, cell.agent_b.agent


def _sample(cells: Sequence[Cell]) -> list[Cell]:
    """Cells of every kind, evenly over the plan."""
    kinds: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        kinds.setdefault(_kind(cell), []).append(cell)
    each = max(1, _MOST_MEASURED // len(kinds))
    sampled = []
    for group in kinds.values():
        step = max(1.0, len(group) / each)
        sampled += [group[int(i * step)] for i in range(min(each, len(group)))]
    return sampled


def _as_trained(
    cell: Cell, untrained: Mapping[Player, Untrained], agents: Mapping[str, LoadedAgent]
) -> Cell | None:
    """The cell, under the base rules if its agents have no weights for its own rules.

    Returns None if they have no weights for the base rules either.
    """
    names = {cell.agent_a.name, cell.agent_b.name}
    if not any((name, cell.rules.hash) in untrained for name in names):
        return cell
    base = Rules()
    if any(agents[name].training(base) for name in names):
        return None
    return replace(cell, rules=base)


def _measure(cells: Sequence[Cell], plan: Plan, seconds: float) -> dict[int, Cost]:
    with tempfile.TemporaryDirectory(prefix="hanamikoji-plan-") as name:
        folder = Path(name)
        for table in TABLES:
            (folder / table).mkdir()
        for cell in {_kind(cell): cell for cell in cells}.values():
            _timed(_task(replace(cell, index=-1), plan, folder, seconds))  # loads its code
        return {cell.index: _cost(cell, plan, folder, seconds / len(cells)) for cell in cells}


def _cost(cell: Cell, plan: Plan, folder: Path, seconds: float) -> Cost:
    """Play a deal to warm up, a deal to see what a chunk costs, then deals for some time."""
    one = _task(cell, plan, folder, seconds)
    setup, alone = _timed(one), _timed(one)
    many = _timed(replace(one, first=1, last=_DEALS_AHEAD))
    further = max(many.games - alone.games, 1)
    fast = many.games > _STEADY
    game = max(many.seconds - alone.seconds, 0.0) / further if fast else many.seconds / many.games
    return Cost(
        setup=max(setup.seconds - alone.seconds, 0.0),
        chunk=max(alone.seconds - alone.games * game, 0.0),
        game=game,
        file=alone.size,
        row=max(many.size - alone.size, 0) / further,
        failures=many.failures,
    )


def _task(cell: Cell, plan: Plan, folder: Path, seconds: float) -> Task:
    """One deal of a cell."""
    experiment = plan.experiment
    return Task(
        cell=cell,
        first=0,
        last=1,
        seed=experiment.seed,
        record=frozenset(experiment.record),
        on_error="forfeit",  # an estimate isn't the place to stop; the failures are counted
        folder=folder,
        stall=experiment.stall,
        seconds=seconds,
    )


@dataclass(frozen=True, slots=True)
class _Timed:
    seconds: float
    games: int
    size: int
    failures: int


def _timed(task: Task) -> _Timed:
    begun = time.perf_counter()
    record = do_task(task)
    spent = time.perf_counter() - begun
    if record is None:  # only a task that is stopped plays nothing
        return _Timed(spent, 1, 0, 0)
    return _Timed(
        spent,
        record.games,
        sum(file.size for file in record.files.values()),
        record.failed,
    )


def _costs(
    plan: Plan, measured: Mapping[int, Cost], kinds: Mapping[int, tuple[str, str]]
) -> Iterator[Cost]:
    """Every cell's cost: as measured, or the average of its kind, or of all."""
    of_kind: dict[tuple[str, str], list[Cost]] = {}
    for index, cost in measured.items():
        of_kind.setdefault(kinds[index], []).append(cost)
    average = {kind: _average(costs) for kind, costs in of_kind.items()}
    anything = _average(list(measured.values()))
    for cell in plan.cells:
        yield measured.get(cell.index) or average.get(_kind(cell), anything)


def _average(costs: Sequence[Cost]) -> Cost:
    if not costs:
        return Cost(0, 0, 0, 0, 0)
    return Cost(
        setup=fmean(cost.setup for cost in costs),
        chunk=fmean(cost.chunk for cost in costs),
        game=fmean(cost.game for cost in costs),
        file=fmean(cost.file for cost in costs),
        row=fmean(cost.row for cost in costs),
    )
