"""From an experiment to a finished results folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji._jit import cache_trouble
from hanamikoji.errors import ExperimentError, HanamikojiError, InterruptedRunError, disk_error
from hanamikoji.experiment import Experiment
from hanamikoji.machine import core_count
from hanamikoji.plan import WHOLE, Cell, Plan, Shard, cut, make_plan
from hanamikoji.results import (
    Manifest,
    Standing,
    Store,
    WeightsRecord,
    covered,
    look,
    missing,
    open_store,
    resume_line,
)
from hanamikoji.run.assurance import assure
from hanamikoji.run.cluster import DaskCrew
from hanamikoji.run.crew import AGENTS_LOG, Crew, ProcessCrew, ThreadCrew
from hanamikoji.run.events import Events, check_log
from hanamikoji.run.facts import manifest_of, versions_of
from hanamikoji.run.kernels import compile_kernels
from hanamikoji.run.loop import Loop
from hanamikoji.run.progress import Progress, Silence
from hanamikoji.run.training import train_ahead, weights_of
from hanamikoji.run.work import Task, make_match

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent
    from hanamikoji.run.stopping import Stops

# Deals in a chunk, by the slowest kind of agent in the cell: no fewer than the first figure, which
# bounds the overhead, no more than the second, which bounds memory; between them, so that each
# worker gets several. No result depends on it.
_CHUNK = {"compiled": (4096, 65536), "batched": (1024, 32768), "plain": (64, 16384)}
_CHUNKS_PER_WORKER = 4
_ALL = 10**12
_MOVES_ARE_MANY = 8  # some ten rows of moves to one of games: chunks are smaller by this

MakeCrew = Callable[[Path, int], Crew]


@dataclass(frozen=True)
class Options:
    """How to run, apart from what is run; nothing here changes a game.

    ``shard`` is which part of each cell's deals to play. ``scheduler`` is the address of a Dask
    scheduler whose workers play, ``log`` a file for `Events`. ``command`` is the command line that
    began the run, without ``--resume``; ``make_crew(folder, workers)`` replaces the choice between
    threads, processes and Dask. ``progress`` is called as the run advances, if given.
    """

    workers: int | None = None
    resume: bool = False
    progress: Progress | None = None
    command: str = "hanamikoji run EXPERIMENT.toml"
    make_crew: MakeCrew | None = None
    shard: Shard = WHOLE
    scheduler: str | None = None
    log: str | None = None


def run(experiment: Experiment, folder: Path, options: Options | None = None) -> None:
    """Play an experiment's games into a results folder.

    A finished run of the same experiment is left as it is.

    Raises `HanamikojiError` with one sentence: `ResultsError` when the folder can't be used,
    `PluginError` or `AgentError` when an agent can't, `MachineError` when the disk is full or
    workers keep dying, `InterruptedRunError` after Ctrl-C. Finished chunks are kept.
    """
    options = options or Options()
    progress = options.progress or Silence()
    plan = make_plan(experiment)
    if experiment.points and experiment.points.skipped:
        left = f"{len(experiment.points.skipped):,} impossible points of the sweep are left out"
        progress.note(f"{left}; hanamikoji plan lists them")
    agents = load_agents(experiment)
    if options.shard != WHOLE and experiment.stop is not None:
        raise ExperimentError("an experiment with [stop] can't be played in shards")
    manifest = manifest_of(plan, agents, options.command, options.shard)
    check_log(options.log)
    if not options.resume and _is_done(look(folder), manifest):
        return
    again = resume_line(options.command)
    with (
        open_store(folder, manifest, resume=options.resume, command=again) as store,
        Events(options.log) as events,
    ):
        state, reason = "failed", None
        try:
            finished = _play(plan, agents, store, options, progress, events)
            if finished:
                store.check()
            state = "finished" if finished else "interrupted"
        except KeyboardInterrupt:
            state = "interrupted"
        except HanamikojiError as error:
            reason = str(error)
            raise type(error)(f"{error}; resume with: {again}") from None
        finally:
            _point_to_log(folder / AGENTS_LOG, progress)
            _close(store, state)
            events.end(state, reason)
        if state == "interrupted":
            kept = sum(record.games for record in store.records)
            raise InterruptedRunError(
                f"interrupted; {kept:,} of {_games(plan, options.shard):,} games are kept, resume "
                f"with: {again}"
            )


def _is_done(standing: Standing, manifest: Manifest) -> bool:
    """Whether a folder has the finished run that is asked for."""
    if not standing.finished:
        return False
    there = standing.header
    return (there.identity, there.games, there.shard) == (
        manifest.identity,
        manifest.games,
        manifest.shard,
    )


def play_alone(experiment: Experiment, cell: int, first: int, last: int) -> int:
    """Play some deals of one cell in this very process and write nothing; returns the games.

    For an agent's author who wants to see it fail. Raises `HanamikojiError`.
    """
    plan = make_plan(experiment)
    if not 0 <= cell < len(plan.cells):
        raise ExperimentError(
            f"--cell is {cell}; the last of this experiment is {len(plan.cells) - 1}"
        )
    deals = plan.cells[cell].deals
    if last > deals:
        raise ExperimentError(f"--deals is {first}:{last}; cell {cell} has {deals:,} deals")
    match = make_match(plan.cells[cell], experiment.seed)
    for deal in range(first, last):
        match.play(deal, deal + 1, on_error="stop")
    return (last - first) * plan.cells[cell].seatings


def load_agents(experiment: Experiment) -> dict[str, LoadedAgent]:
    """The experiment's agents by their names there. Raises `PluginError`."""
    from hanamikoji.agents import load_agent

    return {use.name: load_agent(use) for use in experiment.agents}


def _play(
    plan: Plan,
    agents: Mapping[str, LoadedAgent],
    store: Store,
    options: Options,
    progress: Progress,
    events: Events,
) -> bool:
    """Train and attack whom it takes, then play what is missing; False if it was interrupted."""
    stops = _stops(plan, store)
    games = _games(plan, options.shard) if stops is None else stops.games
    played = sum(record.games for record in store.records)
    if played == games:
        return True
    begun = time.monotonic()
    train_ahead(plan, agents, progress)
    _settle(store, weights_of(plan, agents), time.monotonic() - begun)
    if options.shard == WHOLE:
        assure(plan, agents, store.folder, progress)
    if options.scheduler is None:
        compile_kernels(plan, agents, progress)
    if trouble := cache_trouble():
        progress.note(f"what is compiled and trained is kept for this run only: {trouble}")
    make_crew = options.make_crew or _crew_for(plan, agents, options.scheduler)
    with contextlib.closing(make_crew(store.folder, options.workers or core_count())) as crew:
        if stops is not None:
            stops.on_stop = progress.resize
        events.begin(
            played=played,
            name=plan.experiment.name,
            folder=str(store.folder),
            games=games,
            cells=len(plan.cells),
            workers=crew.width,
        )
        tasks = _tasks(plan, agents, store, crew.width, stops=stops, shard=options.shard)
        progress.begin(games, played, len(plan.cells))
        try:
            return Loop(store, crew, tasks, options.command, stops, progress.update, events).run()
        finally:
            progress.end()


def _settle(store: Store, weights: tuple[WeightsRecord, ...], training_seconds: float) -> None:
    if not weights:
        return
    try:
        store.settle(weights, training_seconds)
    except OSError as error:
        raise disk_error(error, store.folder) from None


def _games(plan: Plan, shard: Shard) -> int:
    """The games of a shard of a plan."""
    parts = ((cell, *shard.part(cell)) for cell in plan.cells)
    return sum((last - first) * cell.seatings for cell, first, last in parts)


def _stops(plan: Plan, store: Store) -> Stops | None:
    """What ends cells early. Returns None if the experiment has no [stop]."""
    if plan.experiment.stop is None:
        return None
    from hanamikoji.run.stopping import Stops

    try:
        return Stops(plan, store)
    except OSError as error:
        raise disk_error(error, store.folder) from None


def _point_to_log(log: Path, progress: Progress) -> None:
    """Note where to find what agents printed, if they did."""
    with contextlib.suppress(OSError):
        if log.stat().st_size:
            progress.note(f"what agents printed is in {log}")
        else:
            log.unlink()


def _crew_for(plan: Plan, agents: Mapping[str, LoadedAgent], scheduler: str | None) -> MakeCrew:
    """Threads when all agents are shipped compiled ones, which can neither crash nor hang."""
    if scheduler is not None:
        return lambda _folder, _workers: DaskCrew(scheduler, versions_of(agents))
    if all(agent.shipped and agent.kind == "compiled" for agent in agents.values()):
        return lambda _folder, workers: ThreadCrew(workers)
    stall = plan.experiment.stall
    # A worker gives up a plain agent's decision itself; the pool, which can only kill, comes after.
    patience = None if stall is None else 2 * stall + 2
    return lambda folder, workers: ProcessCrew(workers, folder, stall=patience)


def _tasks(
    plan: Plan,
    agents: Mapping[str, LoadedAgent],
    store: Store,
    workers: int,
    *,
    stops: Stops | None,
    shard: Shard,
) -> Iterator[Task | None]:
    """What is missing, cell by cell, in tasks made as they are asked for."""
    experiment = plan.experiment
    record = frozenset(experiment.record)

    seen = {name for name, agent in agents.items() if agent.shipped and agent.kind == "compiled"}

    def make_task(cell: Cell, first: int, last: int) -> Task:
        on_error, stall = experiment.on_error, experiment.stall
        new = {cell.agent_a.name, cell.agent_b.name} - seen
        seen.update(new)
        return Task(
            cell, first, last, experiment.seed, record, on_error, store.folder, stall,
            twice=bool(new),
        )  # fmt: skip

    def size(cell: Cell, wanted: int) -> int:
        return _chunk_size(cell, agents, record, wanted)

    if stops is not None:
        yield from stops.tasks(make_task, lambda cell: (size(cell, 0), size(cell, _ALL)), workers)
        return
    there = covered(store.records)
    gaps = {
        cell.index: missing(there.get(cell.index, ()), *shard.part(cell)) for cell in plan.cells
    }
    deals = sum(last - first for cell_gaps in gaps.values() for first, last in cell_gaps)
    for cell in plan.cells:
        wanted = size(cell, deals // (_CHUNKS_PER_WORKER * workers))
        for chunk in cut(cell, gaps[cell.index], wanted):
            yield make_task(cell, chunk.first, chunk.last)


def chunk_counts(plan: Plan, agents: Mapping[str, LoadedAgent], workers: int) -> list[int]:
    """In how many chunks each cell of a plan is played from the start."""
    record = frozenset(plan.experiment.record)
    wanted = sum(cell.deals for cell in plan.cells) // (_CHUNKS_PER_WORKER * workers)
    sizes = [_chunk_size(cell, agents, record, wanted) for cell in plan.cells]
    return [-(-cell.deals // size) for cell, size in zip(plan.cells, sizes, strict=True)]


def _chunk_size(
    cell: Cell, agents: Mapping[str, LoadedAgent], record: frozenset[str], wanted: int
) -> int:
    kinds = {agents[use.name].kind for use in (cell.agent_a, cell.agent_b)}
    least = min(_CHUNK[kind][0] for kind in kinds)
    most = min(_CHUNK[kind][1] for kind in kinds)
    if "moves" in record:
        most //= _MOVES_ARE_MANY
    return max(1, min(most, max(least, wanted)))


def _close(store: Store, state: str) -> None:
    """Write the manifest for good; a run that failed already keeps its own error."""
    try:
        store.close(state)
    except OSError as error:
        if state == "finished":
            raise disk_error(error, store.folder) from None
