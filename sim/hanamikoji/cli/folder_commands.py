"""Commands about results folders: ``merge``, ``status``, ``verify``, ``replay``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import Folder
from hanamikoji.cli.report_commands import summarise
from hanamikoji.cli.text import duration, echo, escape_lines
from hanamikoji.errors import ResultsError
from hanamikoji.text import escape_terminal


@app.command()
def merge(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to make.")],
    shards: Annotated[list[Path], typer.Argument(metavar="DIR...", help="The shards' folders.")],
    *,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no summary.")] = False,
) -> None:
    """Merge the shards of one experiment, after checking that they are disjoint and complete."""
    import hanamikoji

    merged = hanamikoji.merge(out, shards)
    if not quiet:
        games = hanamikoji.status(out).games
        echo(f"{escape_terminal(str(out))} holds {games:,} games from {len(shards):,} shards")
        summarise(merged)


@app.command()
def status(folder: Folder) -> None:
    """Show how far a run is; works from another terminal while it is running."""
    import hanamikoji

    found = hanamikoji.status(folder)
    echo(f"{escape_terminal(found.name)}: {found.state}")
    share = f" of {found.planned:,} ({found.games / found.planned:.1%})" if found.planned else ""
    echo(
        f"games: {found.games:,}{share} in {found.chunks:,} chunks; "
        f"agent failures: {found.failures:,}"
    )
    if found.stopped_cells:
        echo(f"cells ended by the stopping rule: {found.stopped_cells:,} of {found.cells:,}")
    if found.games_per_second and found.seconds_left is not None:
        left = duration(found.seconds_left)
        echo(f"speed: {found.games_per_second:,.0f} games/s; time left: about {left}")
    if found.state not in ("running", "finished"):
        echo(f"resume it with: {found.command}")


@app.command()
def verify(folder: Folder) -> None:
    """Check every file of a run against its checksum, and look for files that don't belong."""
    import hanamikoji

    faults = hanamikoji.verify(folder)
    for sentence in faults:
        echo(escape_terminal(sentence))
    found = hanamikoji.status(folder)
    if faults:
        raise ResultsError(f"{len(faults):,} faults were found; repair them with: {found.command}")
    echo(f"all {found.files:,} files are as they were written")


@app.command()
def replay(
    folder: Folder,
    cell: Annotated[int, typer.Option(min=0, help="Number of the cell.")],
    deal: Annotated[int, typer.Option(min=0, help="Number of the deal.")],
    seating: Annotated[int, typer.Option(min=0, max=1, help="0: a starts; 1: b does.")] = 0,
) -> None:
    """Replay one game turn by turn, from its seed alone."""
    from hanamikoji.tools.replay import replay_game

    echo(escape_lines(replay_game(folder, cell, deal, seating)))
