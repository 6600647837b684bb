"""``hanamikoji run`` and what looks at its folder: status, verify."""

from __future__ import annotations

import contextlib
import shlex
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.report_commands import sum_up
from hanamikoji.cli.text import say, shown, span
from hanamikoji.errors import ExperimentError, ResultsError

if TYPE_CHECKING:
    from hanamikoji.results import ChunkRecord

_LONG = 3.0  # seconds after which a run is a long one

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]


@app.command()
def run(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT.toml", help="What to play.")],
    *,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games per cell, instead of the experiment's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Instead of the experiment's.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Instead of results/NAME.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Instead of one a core.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key; may be repeated."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no summary.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run.")] = False,
    cell: Annotated[
        int | None,
        typer.Option(min=0, help="Play only --deals of this cell; write nothing."),
    ] = None,
    deals: Annotated[
        str | None, typer.Option(metavar="FROM:TO", help="With --cell; TO is not played.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Play one part of N, to be merged with the others."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Play on a Dask scheduler's workers (tcp://…)."),
    ] = None,
    log_json: Annotated[
        str | None, typer.Option(metavar="FILE", help="Append events as JSON lines; - is stderr.")
    ] = None,
) -> None:
    """Play an experiment's games, write them as Parquet, and sum them up."""
    from hanamikoji.experiment import load_experiment
    from hanamikoji.plan import WHOLE, parse_shard
    from hanamikoji.run import Options, Terminal, play_alone
    from hanamikoji.run import run as play

    loaded = load_experiment(Path(experiment), settings or (), games, seed)
    if cell is not None or deals is not None:
        if cell is None or deals is None:
            raise ExperimentError("--cell and --deals go together: --cell 2 --deals 0:64")
        first, last = _range(deals)
        say(f"played {play_alone(loaded, cell, first, last):,} games without a failure")
        return
    part = parse_shard(shard) if shard else WHOLE
    name = loaded.name if part == WHOLE else f"{loaded.name}-{part.number}-of-{part.count}"
    folder = out or Path("results") / name
    command = command_line(sys.argv[1:])
    progress = None if quiet else Terminal()
    options = Options(
        workers, resume, progress, command, shard=part, scheduler=scheduler, log=log_json
    )
    with contextlib.nullcontext() if quiet or part != WHOLE else _readying_the_report():
        play(loaded, folder, options)
    if part != WHOLE and not quiet:
        say(f"shard {part} is in {folder}; when all are there, merge them with: hanamikoji merge")
    elif not quiet:
        sum_up(folder)


@contextlib.contextmanager
def _readying_the_report() -> Iterator[None]:
    """Have what draws a report imported and started while the games of a long run are played."""

    def get_ready() -> None:
        with contextlib.suppress(Exception):  # the report itself will say what is wrong
            from hanamikoji.report import get_ready

            get_ready()

    timer = threading.Timer(_LONG, get_ready)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _range(deals: str) -> tuple[int, int]:
    first, _, last = deals.partition(":")
    try:
        bounds = int(first), int(last)
    except ValueError:
        bounds = (-1, -1)
    if not 0 <= bounds[0] < bounds[1]:
        raise ExperimentError(f"--deals is {deals}; it must be FROM:TO such as 0:64, with --cell")
    return bounds


def command_line(arguments: Sequence[str]) -> str:
    """The command that was typed, to be typed again; without ``--resume``."""
    return shlex.join(["hanamikoji", *(word for word in arguments if word != "--resume")])


@app.command()
def merge(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to make.")],
    shards: Annotated[list[Path], typer.Argument(metavar="DIR...", help="The shards' folders.")],
    *,
    quiet: Annotated[bool, typer.Option("--quiet", help="No summary.")] = False,
) -> None:
    """Join the shards of one experiment, checked to be disjoint and complete."""
    from hanamikoji.results import find_run
    from hanamikoji.results import merge as join

    games = join(out, shards, whole_command(find_run(shards[0]).header.command, out))
    if quiet:
        return
    say(f"{out} holds {games:,} games from {len(shards):,} shards")
    sum_up(out)


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


@app.command()
def status(folder: Folder) -> None:
    """Tell how far a run is, finished or not, from another terminal."""
    from hanamikoji.results import find_run, is_locked

    standing = find_run(folder)
    manifest, records = standing.manifest, standing.records
    running = is_locked(folder)
    state = "running" if running else standing.state
    dead = state == "running" and not running
    say(f"{shown(standing.header.name)}: {'stopped dead' if dead else state}")
    total = manifest.planned_games if manifest else 0
    played = standing.played
    share = f" of {total:,} ({played / total:.1%})" if total else ""
    failed = sum(record.failed for record in records)
    say(f"games: {played:,}{share} in {len(records):,} chunks; agents' failures: {failed:,}")
    if manifest and manifest.stops:
        stops, cells = len(manifest.stops), len(manifest.cells)
        say(f"cells that the stopping rule has ended: {stops:,} of {cells:,}")
    pace = games_per_second(records) if running else None
    if pace and total:
        say(f"pace: {pace:,.0f} games/s; time left: about {span((total - played) / pace)}")
    if not running and state != "finished":
        say(f"resume it with: {standing.header.resume}")


def games_per_second(records: Sequence[ChunkRecord], within: float = 600.0) -> float | None:
    """The pace of the last ten minutes, by the chunks' times. Returns None if they are too few."""
    recent = sorted((r.at, r.games) for r in records if time.time() - r.at < within)
    if len(recent) < 2 or recent[-1][0] <= recent[0][0]:
        return None
    return sum(rows for _, rows in recent[1:]) / (recent[-1][0] - recent[0][0])


@app.command()
def verify(folder: Folder) -> None:
    """Compare every file of a run with its checksum, and find files that don't belong."""
    from hanamikoji.results import damages_of, find_run, is_locked, strays

    standing = find_run(folder)
    wrong = [damage for record in standing.records for damage in damages_of(folder, record)]
    if not is_locked(folder):  # a run that is going on lists its files a moment later
        wrong += [f"{path} is in no list" for path in strays(folder, standing.records)]
    if standing.fault:
        wrong.append(standing.fault)
    for sentence in wrong:
        say(shown(sentence))
    files = sum(len(record.files) for record in standing.records)
    if wrong:
        raise ResultsError(
            f"{len(wrong):,} things are wrong with {files:,} files; repair them with: "
            f"{standing.header.resume}"
        )
    say(f"all {files:,} files are as they were written")
