"""``hanamikoji power``: how many games a verdict takes, before any are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import say, table
from hanamikoji.errors import ExperimentError

if TYPE_CHECKING:
    from hanamikoji.stats import PowerTable

_GAMES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


@app.command()
def power(
    *,
    margin: Annotated[
        float, typer.Option(help="How far from 1/2 the starter's score may be and be balanced.")
    ] = 0.01,
    edges: Annotated[
        list[float] | None,
        typer.Option("--edge", help="A true edge of the starter, in score; may be repeated."),
    ] = None,
    games: Annotated[
        list[int] | None,
        typer.Option("--games", min=2, help="Games per cell; may be repeated."),
    ] = None,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror/--pairs", help="One agent on both sides, or two that play each deal twice."
        ),
    ] = True,
) -> None:
    """Tell how many games a verdict takes, and how likely it is with fewer or more."""
    from hanamikoji.stats import power_table

    if not 0 < margin < 0.5:
        raise ExperimentError(f"--margin is {margin:g}; it must be above 0 and below 0.5")
    for edge in edges or ():
        if not -0.5 < edge < 0.5:
            raise ExperimentError(f"--edge is {edge:g}; it must be between -0.5 and 0.5")
    found = power_table(
        margin,
        sorted(set(games or _GAMES)),
        sorted(set(edges)) if edges else None,
        unit="games" if mirror else "pairs",
    )
    say(_heading(found))
    say(table(_rows(found)))
    say(
        "In per cent: how likely the verdict is balanced / unbalanced; the rest is undecided.\n"
        "Needed: for the true verdict to come with 80 %. At the margin itself none is true, and\n"
        "balanced comes in at most 5 %."
    )


def _heading(found: PowerTable) -> str:
    unit = (
        "a mirror, one game a deal"
        if found.unit == "games"
        else "two agents, each deal from both seats, the two games as if independent"
    )
    return f"margin: {100 * found.margin:g} pp; {unit}\n"


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
