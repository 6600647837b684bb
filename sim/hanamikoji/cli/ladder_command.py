"""``hanamikoji ladder``: the shipped agents against one another, on any variant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import Quiet, Resume, Workers, command_line
from hanamikoji.cli.report_commands import summarise


@app.command()
def ladder(
    *,
    rules: Annotated[
        str, typer.Option(metavar="PRESET|FILE", help="A preset, or a TOML file with variants.")
    ] = "base",
    games: Annotated[int, typer.Option(min=2, help="Games per match-up.")] = 1000,
    seed: Annotated[int, typer.Option(help="Root seed of the deals.")] = 1,
    without: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="Leave this agent out; repeatable.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Results folder; by default results/ladder-NAME."),
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
    resume: Resume = False,
) -> None:
    """Rate random, greedy, flatmc, learned at rising effort and search in a round robin."""
    import hanamikoji

    results = hanamikoji.ladder(
        rules,
        games,
        seed,
        without=without or (),
        out=out,
        workers=workers,
        resume=resume,
        progress=not quiet,
        command=command_line(),
    )
    if not quiet:
        summarise(results)
