"""Experiments: loaded, estimated, played."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hanamikoji.api.results import Results, open_results
from hanamikoji.experiment import Experiment
from hanamikoji.experiment import load_experiment as build
from hanamikoji.experiment.toml import decode_toml
from hanamikoji.machine import core_count
from hanamikoji.plan import WHOLE, make_plan, parse_shard
from hanamikoji.run import Estimate, Options, Silence, Terminal
from hanamikoji.run import Progress as Listener
from hanamikoji.run import estimate as measure
from hanamikoji.run import run as play
from hanamikoji.run.work import Task

__all__ = ["Experiment", "ExperimentSource", "Progress", "estimate", "load_experiment", "run"]

ExperimentSource = str | Path | Mapping[str, Any] | Experiment
"""What an experiment can be given as: a file, a dict of the same shape, TOML text, or loaded."""

Progress = bool | Callable[[int, int], None] | None
"""True for a bar and notes on stderr, or what is called with the games played and those in all."""


def load_experiment(
    source: ExperimentSource,
    overrides: Sequence[str] = (),
    *,
    games: int | None = None,
    seed: int | None = None,
) -> Experiment:
    """Read and check an experiment.

    Args:
        source: A TOML file, a dict of the same shape, or TOML text (a string of several lines).
        overrides: ``key=value`` texts, as for ``--set``, applied in order.
        games: Games per cell, instead of the experiment's.
        seed: Instead of the experiment's.

    Raises:
        HanamikojiError: It can't be played; the sentence names the key, the value found and what
            would be accepted.

    >>> import hanamikoji
    >>> experiment = hanamikoji.load_experiment('''
    ... name = "trial"
    ... agents = ["random"]
    ... [rules]
    ... max_rounds = 3
    ... ''', games=100)
    >>> experiment.games, list(experiment.variants)
    (100, ['trial'])
    """
    if isinstance(source, Experiment):
        if not overrides and games is None and seed is None:
            return source
        source = source.source
    elif isinstance(source, str) and "\n" in source:
        source = decode_toml(source.encode("utf-8", "surrogateescape"), "the text")
    return build(source, overrides, games, seed)


def estimate(
    experiment: ExperimentSource, workers: int | None = None, *, progress: bool = False
) -> Estimate:
    """What an experiment will take, measured on a few games of some of its cells.

    Args:
        experiment: As for `load_experiment`.
        workers: Instead of one per core.
        progress: Say on stderr what takes a while.

    Returns:
        Seconds and bytes, in all and by cell, and the agents that must be trained first.

    Raises:
        HanamikojiError: It can't be played.

    >>> import hanamikoji
    >>> found = hanamikoji.estimate({"name": "trial", "games": 1000, "agents": ["random"]})
    >>> len(found.cells), found.seconds > 0
    (1, True)
    """
    return measure(
        make_plan(load_experiment(experiment)),
        workers or core_count(),
        progress=_heard_by(progress),
    )


def run(
    experiment: ExperimentSource,
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    resume: bool = False,
    progress: Progress = None,
    shard: str | None = None,
    scheduler: str | None = None,
    log: str | None = None,
    command: str | None = None,
) -> Results:
    """Play an experiment's games into a results folder.

    A finished run of the same experiment is opened as it is. What has been played when a run ends
    early is kept, and ``resume`` continues from there to the same bytes. Agents that aren't
    compiled play in worker processes, so a script that runs them needs
    ``if __name__ == "__main__":``, as for `multiprocessing`.

    Args:
        experiment: As for `load_experiment`.
        out: The results folder; by default ``results/NAME``, for a shard ``results/NAME-2-of-8``.
        workers: Instead of one per core.
        resume: Go on with an unfinished run.
        progress: True for a bar and notes on stderr, or a function that is called with the games
            played and the games in all.
        shard: Part of each cell's deals to play, such as ``2/8``, to be merged with the others.
        scheduler: Address of a Dask scheduler whose workers play.
        log: File that events are appended to as JSON lines; ``-`` is stderr.
        command: The command that the manifest records, and that messages tell to resume with.

    Raises:
        HanamikojiError: `ExperimentError` or `RulesError` if it can't be played, `ResultsError` if
            the folder can't be used, `PluginError` or `AgentError` if an agent can't,
            `MachineError` if the disk is full or workers keep dying, `InterruptedRunError` after
            Ctrl-C.

    >>> import hanamikoji
    >>> results = hanamikoji.run({"name": "nb", "games": 2000, "agents": ["random"]}, out="out")
    >>> results.summary().cells[0].verdict.decision
    'undecided'
    """
    loaded = load_experiment(experiment)
    part = parse_shard(shard) if shard else WHOLE
    suffix = f"-{part.number}-of-{part.count}" if shard else ""
    folder = Path("results") / f"{loaded.name}{suffix}" if out is None else Path(out)
    options = Options(
        workers=workers,
        resume=resume,
        progress=_heard_by(progress),
        command=command or _command(experiment, folder),
        shard=part,
        scheduler=scheduler,
        log=log,
    )
    play(loaded, folder, options)
    return open_results(folder)


def _command(experiment: ExperimentSource, folder: Path) -> str:
    """The command line that would play the same into the same folder."""
    file = isinstance(experiment, Path) or (isinstance(experiment, str) and "\n" not in experiment)
    source = str(experiment) if file else "EXPERIMENT.toml"
    return shlex.join(["hanamikoji", "run", source, "--out", str(folder)])


class _Count(Silence):
    """Progress for a function of the games played and those in all."""

    def __init__(self, listen: Callable[[int, int], None]) -> None:
        self._listen = listen
        self._games = self._before = 0

    def begin(self, games: int, played: int, cells: int) -> None:
        self._games, self._before = games, played
        self._listen(played, games)

    def resize(self, games: int) -> None:
        self._games = games

    def update(self, games: int, latest: Task | None, failures: int) -> None:
        self._listen(self._before + games, self._games)


def _heard_by(progress: Progress) -> Listener | None:
    if callable(progress):
        return _Count(progress)
    return Terminal() if progress else None
