"""``hanamikoji run``: play an experiment."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import (
    ExperimentFile,
    Games,
    Out,
    Quiet,
    Resume,
    Seed,
    Settings,
    Workers,
    command_line,
)
from hanamikoji.cli.report_commands import summarise
from hanamikoji.cli.text import echo
from hanamikoji.errors import ExperimentError
from hanamikoji.text import escape_terminal, two_numbers

_LONG = 3.0  # seconds after which a run is a long one


@app.command()
def run(
    experiment: ExperimentFile,
    *,
    games: Games = None,
    seed: Seed = None,
    out: Out = None,
    workers: Workers = None,
    settings: Settings = None,
    quiet: Quiet = False,
    resume: Resume = False,
    cell: Annotated[
        int | None,
        typer.Option(min=0, help="Play only --deals of this cell, and write nothing."),
    ] = None,
    deals: Annotated[
        str | None, typer.Option(metavar="FROM:TO", help="With --cell: deals FROM to TO - 1.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Play part I of N, to be merged with the others."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Play on a Dask scheduler's workers (tcp://…)."),
    ] = None,
    log_json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Append events to FILE as JSON lines; - is stderr."),
    ] = None,
) -> None:
    """Play an experiment's games, write them as Parquet, and summarise them."""
    import hanamikoji

    loaded = hanamikoji.load_experiment(experiment, settings or (), games=games, seed=seed)
    if cell is not None or deals is not None:
        if cell is None or deals is None:
            raise ExperimentError("--cell and --deals go together: --cell 2 --deals 0:64")
        from hanamikoji.run import play_alone

        echo(f"played {play_alone(loaded, cell, *_range(deals)):,} games without a failure")
        return
    summary_follows = not quiet and shard is None
    with _report_readied() if summary_follows else contextlib.nullcontext():
        results = hanamikoji.run(
            loaded,
            out,
            workers=workers,
            resume=resume,
            progress=not quiet,
            shard=shard,
            scheduler=scheduler,
            log=log_json,
            command=command_line(),
        )
    if summary_follows:
        summarise(results)
    elif not quiet:
        where = escape_terminal(str(results.folder))
        echo(f"shard {shard} is in {where}; once all are there, merge them with: hanamikoji merge")


@contextlib.contextmanager
def _report_readied() -> Iterator[None]:
    """Import and start what draws a report while the games of a long run are played."""

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
    first, last = two_numbers(deals, ":") or (0, 0)
    if first >= last:
        raise ExperimentError(f"--deals is {deals!r}; it must be FROM:TO such as 0:64")
    return first, last
