"""How fast this machine plays: the figures of ``hanamikoji bench``, each the best of some tries.

Machines are noisy, so a figure means something only beside another of the same minute: the games
per second of an independent program that plays random games, given by the user.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from hanamikoji.errors import ResultsError

if TYPE_CHECKING:
    from hanamikoji.engine import Match
    from hanamikoji.engine.seat import Seat

TRIES = 3


@dataclass(frozen=True)
class Figure:
    """A measured speed: games per second of some work, and the seconds it took at best."""

    work: str
    games_per_second: float
    seconds: float
    note: str = ""


class _UniformPlain:
    """Uniform over the legal moves, one decision at a time."""

    def act(self, observation: Any) -> int:
        return observation.rng.choice(observation.legal_ids)  # type: ignore[no-any-return]


class _UniformBatched:
    """Uniform over the legal moves, many decisions at once."""

    def act_batch(self, batch: Any) -> Any:
        import numpy as np

        legal = np.diff(batch.offsets).astype(np.uint64)
        pick = (batch.words >> np.uint64(32)) * legal >> np.uint64(32)
        return batch.ids[batch.offsets[:-1] + pick.astype(np.int64)]


def _seats(extra: tuple[str, ...]) -> Iterator[tuple[str, Callable[[Any], Seat], int]]:
    """What is measured: a description, how to make the seat, games per try."""
    from hanamikoji.agents import load_agent
    from hanamikoji.agents.asked import BatchedSeat, PlainSeat
    from hanamikoji.experiment import AgentUse

    def shipped(name: str) -> Callable[[Any], Seat]:
        return lambda game: load_agent(AgentUse(name=name, agent=name)).seat(game)

    yield "random mirror, compiled", shipped("random"), 1_000_000
    for name in extra:
        yield f"{name} mirror", shipped(name), 50_000
    yield "uniform mirror, batched", lambda _: BatchedSeat("uniform", _UniformBatched()), 100_000
    yield "uniform mirror, plain", lambda game: PlainSeat("uniform", _UniformPlain(), game), 5_000


def engine_figures(agents: tuple[str, ...] = ("greedy",)) -> Iterator[Figure]:
    """Games per second of mirrors under the base rules on one core, compilation apart."""
    from hanamikoji.agents import Game
    from hanamikoji.engine import Match
    from hanamikoji.rules import PRESETS

    game = Game.of(PRESETS["base"])
    for work, make, games in _seats(agents):
        seat = make(game)
        yield _timed(work, Match(game, (seat, seat), seed=1), games)


def _timed(work: str, match: Match, games: int) -> Figure:
    match.play(0, 8)
    best = float("inf")
    for _ in range(TRIES):
        begun = time.perf_counter()
        match.play(0, games)
        best = min(best, time.perf_counter() - begun)
    return Figure(work, games / best, best)


def reference_figure(program: Path, games: int = 3_000_000) -> Figure:
    """Games per second of an independent program, called as ``PROGRAM GAMES SEED 0 0 1 11 4``.

    Raises:
        ResultsError: it can't be run, or fails.
    """
    best = float("inf")
    for _ in range(TRIES):
        begun = time.perf_counter()
        try:
            subprocess.run(
                [program, str(games), "1", "0", "0", "1", "11", "4"],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.CalledProcessError) as error:
            raise ResultsError(f"the reference program {program} can't be run: {error}") from error
        best = min(best, time.perf_counter() - begun)
    return Figure(f"reference program {program.name}", games / best, best)


def run_figure(games: int, workers: int | None) -> Figure:
    """A whole ``hanamikoji run`` of random games: start, play, Parquet, summary."""
    text = f'name = "bench"\nseed = 1\ngames = {games}\nagents = ["random"]\n'
    with tempfile.TemporaryDirectory(prefix="hanamikoji-bench-") as folder:
        experiment = Path(folder) / "bench.toml"
        experiment.write_text(text)
        command = [
            sys.executable,
            "-m",
            "hanamikoji",
            "run",
            str(experiment),
            "--out",
            f"{folder}/out",
        ]
        if workers is not None:
            command += ["--workers", str(workers)]
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        peak = _PeakMemory(process.pid)
        _, complaint = process.communicate()
        seconds = time.perf_counter() - begun
        peak.stop()
    if process.returncode:
        raise ResultsError(f"the run failed: {complaint.decode(errors='replace').strip()}")
    note = f"peak memory {peak.megabytes:,.0f} MB over all processes" if peak.megabytes else ""
    return Figure(f"run of {games:,} random games, whole", games / seconds, seconds, note)


class _PeakMemory(threading.Thread):
    """Watches the memory of a process and its descendants.

    Measures the proportional set size where the system has it, since workers share libraries,
    otherwise resident memory.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.megabytes = 0.0
        self._process = psutil.Process(pid)
        self._over = threading.Event()
        self.start()

    def stop(self) -> None:
        self._over.set()

    def run(self) -> None:
        while not self._over.wait(0.1):
            with contextlib.suppress(psutil.Error):
                family = [self._process, *self._process.children(recursive=True)]
                total = sum(_memory_of(process) for process in family)
                self.megabytes = max(self.megabytes, total / 1e6)


def _memory_of(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        used = process.memory_full_info()
        return int(getattr(used, "pss", used.rss))
    return 0
