"""``hanamikoji bench``: how fast this machine plays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import say


@app.command()
def bench(
    reference: Annotated[
        Path | None,
        typer.Option(metavar="PROGRAM", help="Compare with a program: PROGRAM GAMES SEED ..."),
    ] = None,
    agents: Annotated[
        list[str] | None, typer.Option("--agent", help="Also measure this agent; repeatable.")
    ] = None,
    games: Annotated[int, typer.Option(min=0, help="Games of the whole run; 0: none.")] = 2_000_000,
    workers: Annotated[int | None, typer.Option(min=1, help="Workers of the whole run.")] = None,
) -> None:
    """Measure games per second under the base rules, and what a whole run costs."""
    from hanamikoji.tools.bench import engine_figures, reference_figure, run_figure

    say("games/s, best of some tries, one core unless said; compare only what ran together")
    base = None
    if reference is not None:
        base = reference_figure(reference)
        say(f"{base.work:44} {base.games_per_second:12,.0f}")
    figures = engine_figures(tuple(agents or ("greedy",)))
    for figure in figures:
        ratio = f"   {figure.games_per_second / base.games_per_second:.3f} x" if base else ""
        say(f"{figure.work:44} {figure.games_per_second:12,.0f}{ratio}")
    if games:
        figure = run_figure(games, workers)
        ratio = f"   {figure.games_per_second / base.games_per_second:.3f} x" if base else ""
        say(f"{figure.work:44} {figure.games_per_second:12,.0f}{ratio}")
        say(f"    {figure.seconds:.1f} s; {figure.note}")
