"""Results folders from outside: how far a run is, whether its files are whole, shards merged."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji.api.results import Results
from hanamikoji.errors import ResultsError
from hanamikoji.results import damages_of, find_run, is_locked, strays
from hanamikoji.results import merge as merge_folders

if TYPE_CHECKING:
    from hanamikoji.results import ChunkRecord

__all__ = ["Status", "merge", "status", "verify"]

_LATELY = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Status:
    """How far a run is."""

    name: str
    state: str
    """running | stopped (killed, or its machine went down) | interrupted | failed | finished."""
    games: int
    """Played so far."""
    planned: int
    """Of the whole run; 0 if only its journal could be read."""
    chunks: int
    files: int
    """Of all chunks."""
    failures: int
    """Games that an agent's failure ended."""
    cells: int
    stopped_cells: int
    """Ended by the stopping rule."""
    games_per_second: float | None
    """Over the last ten minutes; None if the run isn't going on, or has just begun."""
    command: str
    """What resumes it."""

    @property
    def seconds_left(self) -> float | None:
        """Until it is finished at this speed; None if that is unknown."""
        if not self.games_per_second or not self.planned:
            return None
        return (self.planned - self.games) / self.games_per_second


def status(folder: str | Path) -> Status:
    """How far a run is, whether it is going on in another process, is finished, or was stopped.

    Raises:
        ResultsError: ``folder`` is not a results folder.

    >>> import hanamikoji
    >>> run = hanamikoji.run({"name": "nb", "games": 100, "agents": ["random"]}, out="out")
    >>> found = hanamikoji.status("out")
    >>> found.state, found.games, found.planned
    ('finished', 100, 100)
    """
    folder = Path(folder)
    standing = find_run(folder)
    manifest, records = standing.manifest, standing.records
    running = is_locked(folder)
    state = standing.state
    return Status(
        name=standing.header.name,
        state="running" if running else "stopped" if state == "running" else state,
        games=standing.played,
        planned=manifest.planned_games if manifest else 0,
        chunks=len(records),
        files=sum(len(record.files) for record in records),
        failures=sum(record.failed for record in records),
        cells=len(manifest.cells) if manifest else 0,
        stopped_cells=len(manifest.stops) if manifest else 0,
        games_per_second=games_per_second(records) if running else None,
        command=standing.header.resume,
    )


def games_per_second(records: Sequence[ChunkRecord], within: float = _LATELY) -> float | None:
    """The speed over the last seconds by the times of the chunks; None if they are too few."""
    recent = sorted((r.at, r.games) for r in records if time.time() - r.at < within)
    if len(recent) < 2 or recent[-1][0] <= recent[0][0]:
        return None
    return sum(rows for _, rows in recent[1:]) / (recent[-1][0] - recent[0][0])


def verify(folder: str | Path) -> list[str]:
    """Compare every file of a run with its checksum, and look for files that don't belong.

    Returns:
        A sentence for each fault; none if all is as it was written.

    Raises:
        ResultsError: ``folder`` is not a results folder.

    >>> import hanamikoji
    >>> run = hanamikoji.run({"name": "nb", "games": 100, "agents": ["random"]}, out="out")
    >>> hanamikoji.verify("out")
    []
    """
    folder = Path(folder)
    standing = find_run(folder)
    faults = [damage for record in standing.records for damage in damages_of(folder, record)]
    if not is_locked(folder):  # a run that is going on lists its files a moment later
        faults += [f"{path} is in no list" for path in strays(folder, standing.records)]
    if standing.fault:
        faults.append(standing.fault)
    return faults


def merge(out: str | Path, shards: Sequence[str | Path]) -> Results:
    """Merge the shards of one experiment, checked to be disjoint and complete.

    Args:
        out: The folder to make.
        shards: The shards' folders.

    Raises:
        ResultsError: They aren't the shards of one experiment, or ``out`` can't be used.

    >>> import hanamikoji
    >>> tables = {"name": "nb", "games": 100, "agents": ["random"]}
    >>> for number in (1, 2):
    ...     _ = hanamikoji.run(tables, out=f"part-{number}", shard=f"{number}/2")
    >>> hanamikoji.merge("whole", ["part-1", "part-2"]).games().collect().height
    100
    """
    out, folders = Path(out), [Path(shard) for shard in shards]
    if not folders:
        raise ResultsError("merge takes at least 1 shard")
    command = find_run(folders[0]).header.command
    merge_folders(out, folders, whole_command(command, out))
    return Results(out)


def whole_command(shard_command: str, out: Path) -> str:
    """The command that plays all of what ``shard_command`` plays a part of, into ``out``."""
    kept: list[str] = []
    words = iter(shlex.split(shard_command))
    for word in words:
        if word in ("--shard", "--out"):
            next(words, None)
        elif not word.startswith(("--shard=", "--out=")):
            kept.append(word)
    return shlex.join([*kept, "--out", str(out)])
