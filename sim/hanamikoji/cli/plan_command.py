"""``hanamikoji plan``: what an experiment will take, before anything is spent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji.cli.app import app
from hanamikoji.cli.options import ExperimentFile, Games, Out, Seed, Settings, Workers
from hanamikoji.cli.text import duration, echo, table
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.run import CellEstimate, Estimate

_LISTED = 24  # cells; of more the first and the last ones
_LAST = 4
_SKIPPED = 100


@app.command()
def plan(
    experiment: ExperimentFile,
    *,
    games: Games = None,
    seed: Seed = None,
    out: Out = None,
    workers: Workers = None,
    settings: Settings = None,
) -> None:
    """Show an experiment's cells, games, time and disk, measured on a few games of some cells."""
    import hanamikoji

    loaded = hanamikoji.load_experiment(experiment, settings or (), games=games, seed=seed)
    skipped = loaded.points.skipped if loaded.points else {}
    found = hanamikoji.estimate(loaded, workers, progress=True)
    made = found.plan
    echo(
        f"{escape_terminal(loaded.name)}: {_count(len(loaded.variants), 'variant')}, "
        f"{_count(len(loaded.pairs), 'match-up')}, {_count(len(made.cells), 'cell')}, "
        f"{made.games:,} games{' at most' if loaded.stop else ''}"
    )
    for line in _skipped(skipped):
        echo(line)
    echo("\n" + "\n\n".join(_tables(found)) + "\n")
    for line in _totals(found, out or Path("results") / loaded.name):
        echo(line)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _skipped(faults: Mapping[str, str]) -> Iterator[str]:
    """A sweep's impossible points."""
    if faults:
        yield f"left out as impossible: {_count(len(faults), 'point')}"
    for name, fault in list(faults.items())[:_SKIPPED]:
        yield f"  {escape_terminal(name)}: {escape_terminal(fault)}"
    if len(faults) > _SKIPPED:
        yield f"  and {len(faults) - _SKIPPED:,} more"


def _tables(found: Estimate) -> Iterator[str]:
    """All cells; of many the sum of each match-up, and the first and the last cells."""
    cells = found.cells
    if len(cells) <= _LISTED:
        yield table([_HEAD, *(_row(each) for each in cells)])
        return
    pairs: dict[tuple[str, str], list[CellEstimate]] = {}
    for each in cells:
        pairs.setdefault((each.cell.agent_a.name, each.cell.agent_b.name), []).append(each)
    if len(pairs) <= _LISTED:
        rows = [("match-up", "cells", "games", "games/s", "time", "disk")]
        rows += [(_match_up(each[0]), f"{len(each):,}", *_sums(each)) for each in pairs.values()]
        yield table(rows)
    dots = ("...", f"{len(cells) - _LISTED:,} more", "", "", "", "", "")
    first, last = cells[: _LISTED - _LAST], cells[-_LAST:]
    yield table([_HEAD, *(_row(each) for each in first), dots, *(_row(each) for each in last)])


_HEAD = ("cell", "variant", "match-up", "games", "games/s", "time", "disk")


def _row(each: CellEstimate) -> tuple[str, ...]:
    about = "" if each.measured else "~"
    games, pace, time, disk = _sums([each])
    cell = each.cell
    return (str(cell.index), cell.variant, _match_up(each), games, about + pace, about + time, disk)


def _match_up(each: CellEstimate) -> str:
    a, b = each.cell.agent_a.name, each.cell.agent_b.name
    return a if a == b else f"{a} - {b}"


def _sums(cells: Sequence[CellEstimate]) -> tuple[str, str, str, str]:
    """Games, games a second on one core, time on one core, and disk."""
    games = sum(each.cell.games for each in cells)
    seconds = sum(each.seconds for each in cells)
    size = sum(each.size for each in cells)
    pace = f"{games / seconds:,.0f}" if seconds else "?"
    return f"{games:,}", pace, _span(seconds) if seconds else "?", _bytes(size)


def _totals(found: Estimate, folder: Path) -> Iterator[str]:
    where = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(where).free
    cells = len(found.cells)
    if not found.measured:
        yield "time and disk: unknown, since no cell can be measured until its agents are trained"
        yield from _trainings(found)
        return
    yield (
        f"time: about {_span(found.seconds)} with {found.workers} workers; times above are for one "
        f"core (measured on {found.measured:,} of {cells:,} cells"
        f"{'; ~: from similar cells' * _some(found)})"
    )
    there = f"{_bytes(free)} free{'' if found.size < free else ', which is not enough'}"
    yield f"disk: about {_bytes(found.size)} in {escape_terminal(str(folder))}; {there}"
    if found.failures:
        yield f"agents failed {found.failures:,} times during the measurement"
    yield from _trainings(found)


def _trainings(found: Estimate) -> Iterator[str]:
    for agent in dict.fromkeys(each.agent for each in found.trainings):
        mine = [each for each in found.trainings if each.agent == agent]
        yield (
            f"training first: {escape_terminal(agent)} for {_count(len(mine), 'variant')}, "
            f"{sum(each.rounds for each in mine):,} rounds, about "
            f"{_span(sum(each.seconds for each in mine))} more"
        )
    if found.attacks:
        yield (
            f"attacks first: {_count(len(found.attacks), 'trained agent')}, about "
            f"{_span(found.attack_seconds)} more, less where a variant can be solved "
            '(attack = "none" leaves them out)'
        )


def _some(found: Estimate) -> bool:
    return found.measured < len(found.cells)


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else duration(seconds)


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
