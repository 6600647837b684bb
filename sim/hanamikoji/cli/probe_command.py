"""``hanamikoji probe``: how far an agent can be exploited."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import AgentOptions, agent_options
from hanamikoji.cli.text import echo, table
from hanamikoji.errors import ResultsError
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.results import Probe


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
        )
    _print_attacks(found)
    if out is not None:
        echo(escape_terminal(f"written: {write_probe(out, found)}"))


def _check_writable(folder: Path) -> None:
    """Say before hours are spent, and without a trace, that nothing could be kept."""
    there = next(path for path in (folder, *folder.absolute().parents) if os.access(path, os.F_OK))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ResultsError(f"--out is {folder}, but {there} isn't a folder that can be written to")


def _print_attacks(found: Probe) -> None:
    rows = [("opponent", "games", "score", "95 % interval")]
    rows += [(a.how, f"{a.games:,}", f"{a.score:.1%}", f"{a.low:.1%} to {a.high:.1%}")
             for a in found.attacks]  # fmt: skip
    echo(table(rows))
    echo(f"\n{escape_terminal(found.sentence())}")


class _Bar:
    """What is going on, on stderr; nothing where that is no terminal."""

    def __init__(self, quiet: bool) -> None:
        from tqdm import tqdm

        form = "{desc}: {percentage:3.0f} % {bar} {remaining}"
        self._bar: Any = tqdm(
            total=1.0, leave=False, disable=True if quiet else None, bar_format=form
        )
        self._what = ""

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
