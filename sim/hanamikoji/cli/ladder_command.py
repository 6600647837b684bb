"""``hanamikoji ladder``: the shipped agents against one another, on any variant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.report_commands import sum_up
from hanamikoji.cli.run_commands import command_line


@app.command()
def ladder(
    *,
    rules: Annotated[
        str, typer.Option(metavar="PRESET|FILE", help="A preset, or a TOML file with variants.")
    ] = "base",
    games: Annotated[int, typer.Option(min=2, help="Per match-up.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the deals.")] = 1,
    without: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="Leave this one out; repeatable.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Instead of results/ladder-NAME.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Instead of one a core.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no summary.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run.")] = False,
) -> None:
    """Rate random, greedy, flatmc, learned at rising effort and search: all play against all."""
    from hanamikoji.experiment import load_experiment
    from hanamikoji.run import Options, Terminal
    from hanamikoji.run import run as play
    from hanamikoji.tools.ladder import ladder_tables

    experiment = load_experiment(ladder_tables(rules, games, seed, without or ()))
    folder = out or Path("results") / experiment.name
    progress = None if quiet else Terminal()
    play(experiment, folder, Options(workers, resume, progress, command_line(sys.argv[1:])))
    if not quiet:
        sum_up(folder)
