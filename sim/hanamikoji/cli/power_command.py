"""``hanamikoji power``: how many games a verdict takes, before any are played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import echo, table
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.stats import PowerTable


@app.command()
def power(
    *,
    margin: Annotated[
        float, typer.Option(help="Largest edge of the starter that still counts as balanced.")
    ] = 0.01,
    edges: Annotated[
        list[float] | None,
        typer.Option("--edge", help="True edge of the starter (score - 1/2); repeatable."),
    ] = None,
    games: Annotated[
        list[int] | None, typer.Option("--games", min=2, help="Games per cell; repeatable.")
    ] = None,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror/--pairs", help="One agent on both sides, or two that play each deal twice."
        ),
    ] = True,
    run: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="Take the spread of scores from a run."),
    ] = None,
) -> None:
    """Show how many games a verdict takes, and how likely it is with fewer or more."""
    import hanamikoji

    found = hanamikoji.power(margin, games=games, edges=edges, mirror=mirror, run=run)
    echo(_heading(found, run))
    echo(table(_rows(found)))
    echo(
        "Chances in per cent: balanced / unbalanced; the rest is undecided.\n"
        "Needed: games for the true verdict to come with 80 % at the first look. At the margin\n"
        "itself no verdict is true, and 'balanced' comes in at most 5 %, at all looks together."
    )


def _heading(found: PowerTable, run: Path | None) -> str:
    if found.unit == "games":
        unit = "a mirror, one game per deal"
        spread = ""
    else:
        unit = "two agents, each deal from both seats"
        spread = ", the two games as if independent"
    if run is not None:
        spread = escape_terminal(f", with the spread of scores in {run}")
    return f"margin: {100 * found.margin:g} pp; {unit}{spread}\n"


def _rows(found: PowerTable) -> list[tuple[str, ...]]:
    """A row for each edge: the games needed, then the chances by number of games."""
    numbers = list(dict.fromkeys(row.games for row in found.rows))
    chances = {(row.edge, row.games): (row.balanced, row.unbalanced) for row in found.rows}
    rows = [("edge, pp", "games needed", *(f"{number:,}" for number in numbers))]
    for edge, needed in found.needed:
        cells = (chances[edge, number] for number in numbers)
        rows.append(
            (
                f"{100 * edge:+.4g}" if edge else "0",
                "no number" if needed is None else f"{needed:,}",
                *(
                    f"{100 * balanced:.0f} / {100 * unbalanced:.0f}"
                    for balanced, unbalanced in cells
                ),
            )
        )
    return rows
