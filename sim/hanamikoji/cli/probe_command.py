"""``hanamikoji probe``: how far an agent is from optimal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.check_command import agent_options
from hanamikoji.cli.text import say, shown, table
from hanamikoji.errors import ExperimentError, ResultsError

if TYPE_CHECKING:
    from hanamikoji.results import Probe


@app.command()
def probe(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="A compiled agent's name.")],
    *,
    rules: Annotated[
        str, typer.Option(metavar="PRESET|FILE", help="A preset, or a TOML file with one variant.")
    ] = "base",
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="Of the agent; repeatable."),
    ] = None,
    effort: Annotated[
        str, typer.Option(help="Of each network: quick, standard, long, or rounds.")
    ] = "quick",
    games: Annotated[int, typer.Option(min=2, help="To measure a network.")] = 20_000,
    search_games: Annotated[int, typer.Option(min=2, help="To measure the search.")] = 1000,
    rollouts: Annotated[int, typer.Option(min=1, help="Of the search, per decision.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Of the training.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep it there; in a run's folder its report quotes it."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Attack an agent with opponents that know it; what they score bounds its exploitability."""
    from hanamikoji.agents import load_agent
    from hanamikoji.experiment import AgentUse
    from hanamikoji.learning.attack.probe import Effort
    from hanamikoji.learning.attack.probe import probe as attack
    from hanamikoji.learning.network.store import rounds_of
    from hanamikoji.results import write_probe

    if out is not None:
        _check_writable(out)
    # Not validated: a name that can't be one is told of as one that isn't there.
    use = AgentUse.model_construct(name=agent, agent=agent, options=agent_options(options or ()))
    loaded = load_agent(use)
    spent = Effort(rounds_of(effort), games, search_games, rollouts, seed)
    variant = _rules(rules)
    with _Bar(quiet) as bar:
        found = attack(loaded, variant, spent, bar.show)
    _tell(found)
    if out is not None:
        say(shown(f"written: {write_probe(out, found)}"))


def _check_writable(folder: Path) -> None:
    """Tell before hours are spent, and without a trace, that nothing could be kept."""
    there = next(path for path in (folder, *folder.absolute().parents) if os.access(path, os.F_OK))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ResultsError(f"--out is {folder}, but {there} is no folder that can be written to")


def _tell(found: Probe) -> None:
    rows = [("opponent", "games", "score", "95 % interval")]
    rows += [(a.how, f"{a.games:,}", f"{a.score:.1%}", f"{a.low:.1%} to {a.high:.1%}")
             for a in found.attacks]  # fmt: skip
    say(table(rows))
    say(f"\n{shown(found.sentence())}")


def _rules(name: str) -> Any:
    from hanamikoji.experiment import load_variants
    from hanamikoji.rules import PRESETS, load_rules

    if name in PRESETS:
        return load_rules(name)
    variants = load_variants(Path(name))
    if len(variants) > 1:
        raise ExperimentError(f"{name} has {len(variants)} variants; a probe is of one")
    return next(iter(variants.values()))


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
