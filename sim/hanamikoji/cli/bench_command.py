"""``hanamikoji bench``: how fast this machine plays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import Workers
from hanamikoji.cli.text import echo


@app.command()
def bench(
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="PROGRAM",
            help="Compare with a program, called as PROGRAM GAMES SEED 0 0 1 11 4.",
        ),
    ] = None,
    agents: Annotated[
        list[str] | None, typer.Option("--agent", help="Measure this agent, too; repeatable.")
    ] = None,
    games: Annotated[
        int, typer.Option(min=0, help="Games of a whole run; 0: no such run.")
    ] = 2_000_000,
    workers: Workers = None,
) -> None:
    """Measure games per second under the base rules, and the cost of a whole run."""
    from hanamikoji.tools.bench import engine_figures, reference_figure, run_figure

    echo("games/s, best of several tries, one core unless noted; compare figures of one run only")
    base = None
    if reference is not None:
        base = reference_figure(reference)
        echo(f"{base.work:44} {base.games_per_second:12,.0f}")
    figures = engine_figures(tuple(agents or ("greedy",)))
    for figure in figures:
        ratio = f"   {figure.games_per_second / base.games_per_second:.3f} x" if base else ""
        echo(f"{figure.work:44} {figure.games_per_second:12,.0f}{ratio}")
    if games:
        figure = run_figure(games, workers)
        ratio = f"   {figure.games_per_second / base.games_per_second:.3f} x" if base else ""
        echo(f"{figure.work:44} {figure.games_per_second:12,.0f}{ratio}")
        echo(f"    {figure.seconds:.1f} s; {figure.note}")
