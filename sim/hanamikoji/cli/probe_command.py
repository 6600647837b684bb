"""``hanamikoji probe``: how far an agent can be exploited."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import AgentOptions, agent_options
from hanamikoji.cli.text import echo
from hanamikoji.errors import ResultsError
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.results import Attack


@app.command()
def probe(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Name of a compiled agent.")],
    *,
    rules: Annotated[
        str, typer.Option(metavar="PRESET|FILE", help="A preset, or a TOML file with one variant.")
    ] = "base",
    options: AgentOptions = None,
    effort: Annotated[
        str, typer.Option(help="Training of each network: quick, standard, long, or rounds.")
    ] = "quick",
    games: Annotated[int, typer.Option(min=2, help="Games to measure each network.")] = 20_000,
    search_games: Annotated[int, typer.Option(min=2, help="Games to measure the search.")] = 1000,
    rollouts: Annotated[int, typer.Option(min=1, help="Of the search, per decision.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the training.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the findings in DIR; a run's report quotes them."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no progress.")] = False,
) -> None:
    """Attack an agent with opponents that know it; their scores bound its exploitability."""
    import hanamikoji
    from hanamikoji.results import write_probe

    if out is not None:
        _check_writable(out)
    settings = agent_options(options)
    with _Bar(quiet) as bar:
        found = hanamikoji.probe(
            agent,
            rules,
            options=settings,
            effort=effort,
            games=games,
            search_games=search_games,
            rollouts=rollouts,
            seed=seed,
            progress=bar.show,
            on_attack=bar.tell,
        )
    echo(f"\n{escape_terminal(found.sentence())}")
    if out is not None:
        echo(escape_terminal(f"written: {write_probe(out, found)}"))


def _check_writable(folder: Path) -> None:
    """Say before hours are spent, and without a trace, that nothing could be kept."""
    there = next(path for path in (folder, *folder.absolute().parents) if os.access(path, os.F_OK))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ResultsError(f"--out is {folder}, but {there} isn't a folder that can be written to")


_HEAD = ("opponent", "games", "score", "95 % interval", "as starter", "as second")
_WIDTHS = (29, 9, 8, 18, 24, 24)


def _line(cells: Sequence[str]) -> str:
    """A line of the table, which grows while the attacks are measured."""
    padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return "".join(padded).rstrip()


def _cells(attack: Attack) -> tuple[str, ...]:
    seats = (
        f"{seat.score:.1%} ({100 * seat.low:.1f} to {100 * seat.high:.1f})"
        for seat in (attack.as_starter, attack.as_second)
    )
    interval = f"{attack.low:.1%} to {attack.high:.1%}"
    return attack.how, f"{attack.games:,}", f"{attack.score:.1%}", interval, *seats


class _Bar:
    """What is going on, on stderr; nothing where that is no terminal."""

    def __init__(self, quiet: bool) -> None:
        from tqdm import tqdm

        form = "{desc}: {percentage:3.0f} % {bar} {remaining}"
        self._bar: Any = tqdm(
            total=1.0, leave=False, disable=True if quiet else None, bar_format=form
        )
        self._what = ""
        self._begun = False

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, what: str, share: float) -> None:
        """Bring the bar up to date."""
        if what != self._what:
            self._bar.reset()
            self._bar.set_description(what)
            self._what = what
        self._bar.update(share - self._bar.n)

    def tell(self, attack: Attack) -> None:
        """Print what an attack has come to, above the bar."""
        self._bar.clear()
        if not self._begun:
            echo(_line(_HEAD))
            self._begun = True
        echo(_line(_cells(attack)))
