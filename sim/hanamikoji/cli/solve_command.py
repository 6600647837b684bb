"""``hanamikoji solve``: the exact value of a small variant, and agents measured on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import AgentNames, names_of
from hanamikoji.cli.text import duration, echo, table
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.solve import Measured, Size, Solution


@app.command()
def solve(
    name: Annotated[
        str, typer.Argument(metavar="RULES", help="A preset, or a TOML file with one variant.")
    ],
    *,
    agents: AgentNames = "",
    limit: Annotated[
        int, typer.Option(min=1, metavar="NODES", help="Largest tree of a round.")
    ] = 20_000_000,
    gap: Annotated[
        float, typer.Option(min=1e-6, max=50, metavar="POINTS", help="Between the value's bounds.")
    ] = 0.001,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the findings to FILE, as JSON.")
    ] = None,
) -> None:
    """Solve a small variant: its exact value, and how exploitable agents are on it."""
    import hanamikoji
    from hanamikoji.files import write_whole
    from hanamikoji.learning.training.bar import TrainingBar

    solution = hanamikoji.solve(name, gap=gap / 100, limit=limit, tell=_print_size)
    _print_value(solution, gap)
    found = []
    with TrainingBar() as bar:
        for agent in names_of(agents):
            found.append(hanamikoji.exploitability(solution, agent, progress=bar))
    if found:
        _print_agents(found)
    if out is not None:
        write_whole(out, (json.dumps(_facts(solution, found), indent=2) + "\n").encode())
        echo(f"\nwritten: {escape_terminal(str(out))}")


def _print_size(size: Size) -> None:
    echo(
        f"estimated: {size.deals:,} deals, {_count(size.decisions)} decisions and "
        f"{_count(size.leaves)} leaves a round; at most {_count(size.memory / 1e6)} MB; "
        f"{'about ' + duration(max(1.0, size.seconds)) if size.seconds < 1e6 else 'weeks or more'}"
    )


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e7 else f"{number:.0e}"


def _print_value(solution: Solution, gap: float) -> None:
    from hanamikoji.tools.judge import MARGIN, side_of

    tree, positions = solution.model.tree, len(solution.model.chain.positions)
    echo(
        f"{tree.nodes:,} decisions in {tree.sets:,} information sets; "
        f"rounds begin at {positions:,} position{'s' * (positions > 1)}\n"
    )
    echo(
        f"the starter scores {solution.value:.3%} (between {solution.low:.4%} and "
        f"{solution.high:.4%}): {side_of(solution.value)} at a margin of {100 * MARGIN:g} point"
    )
    if solution.status != "solved":
        width = 100 * (solution.high - solution.low)
        echo(
            f"stopped early: the bounds are {width:.4f} points apart, not {gap:g} as asked; they "
            "hold all the same"
        )


def _print_agents(found: list[Measured]) -> None:
    rows = [("agent", "mirror", "distance", "exploitability", "loses as starter", "as second")]
    rows += [
        (
            each.agent,
            f"{each.mirror:.2%}",
            f"{100 * each.error:+.2f}",
            f"{100 * each.exploitability:.2f}",
            f"{100 * each.starter_loss:.2f}",
            f"{100 * each.second_loss:.2f}",
        )
        for each in found
    ]
    echo(f"\n{table(rows, range(1, 6))}")


def _facts(solution: Solution, found: list[Measured]) -> dict[str, Any]:
    """Scores, all 0..1, for programs."""
    tree = solution.model.tree
    return {
        "rules": solution.rules.hash,
        "value": solution.value,
        "low": solution.low,
        "high": solution.high,
        "status": solution.status,
        "decisions": tree.nodes,
        "information_sets": tree.sets,
        "agents": [
            {
                "agent": each.agent,
                "mirror": each.mirror,
                "distance": each.error,
                "exploitability": each.exploitability,
                "starter_loss": each.starter_loss,
                "second_loss": each.second_loss,
            }
            for each in found
        ],
    }
