"""``hanamikoji judge``: agents on the suite of solved variants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import AgentNames, names_of
from hanamikoji.cli.text import echo, table
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.tools.judge import Judgement


@app.command()
def judge(
    *,
    agents: AgentNames = "random,greedy,learned",
    variants: Annotated[
        str, typer.Option(metavar="NAME,...", help="Of the suite; by default all.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Write the tables to FILE.md as well.")
    ] = None,
) -> None:
    """Measure agents on the suite of solved variants: exploitability, and whether verdicts hold."""
    import hanamikoji
    from hanamikoji.files import write_whole
    from hanamikoji.learning.training.bar import TrainingBar
    from hanamikoji.tools.judge import HEADINGS, TOTALS, to_markdown, totals

    shown: list[Judgement] = []

    def show(each: Judgement) -> None:
        if not shown:
            _print_row(HEADINGS)
        shown.append(each)
        _print_row(each.row())

    with TrainingBar() as bar:
        found = hanamikoji.judge(
            names_of(agents), names_of(variants) or None, progress=bar, show=show
        )
    echo(f"\n{table([TOTALS, *(each.row() for each in totals(found))], range(1, 6))}")
    if out is not None:
        write_whole(out, to_markdown(found).encode())
        echo(f"\nwritten: {escape_terminal(str(out))}")


def _print_row(cells: Sequence[str]) -> None:
    """One row at once, as the next one may take minutes."""
    widths = (16, 7, 10, 7, 8, 14, 10, 9, 0)
    padded = (escape_terminal(cell).ljust(width) for cell, width in zip(cells, widths, strict=True))
    echo("  ".join(padded))
