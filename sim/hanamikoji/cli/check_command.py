"""``hanamikoji check-agent``: whether an installed agent does what every agent has to do."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import say, shown
from hanamikoji.errors import ExperimentError, PluginError

if TYPE_CHECKING:
    from hanamikoji.rules import Rules


@app.command(name="check-agent")
def check(
    name: Annotated[str, typer.Argument(metavar="AGENT", help="An installed agent's name.")],
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="An option of its; repeatable."),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules", metavar="NAME|FILE", help="Only these, not all presets; repeatable."
        ),
    ] = None,
    deals: Annotated[int, typer.Option(min=1, help="Deals of each variant.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the deals.")] = 1,
) -> None:
    """Check an agent: legal moves, the same ones for the same seed, nothing changed it was lent."""
    settings = agent_options(options or ())
    variants = {k: v for each in rules for k, v in _variants(each).items()} if rules else None

    from hanamikoji.testing import check_agent

    report = check_agent(
        name, settings, variants=variants, deals=deals, seed=seed, progress=_progress
    )
    say("\n".join(shown(line) for line in str(report).split("\n")))


def agent_options(texts: Iterable[str]) -> dict[str, Any]:
    """An agent's options as ``--option`` gives them. Raises `PluginError` for what is none."""
    from hanamikoji.experiment import parse_setting

    found: dict[str, Any] = {}
    for text in texts:
        try:
            (key,), value = parse_setting(text)
        except (ValueError, ExperimentError):
            raise PluginError(f"--option {text!r} isn't KEY=VALUE, such as rollouts=500") from None
        found[key] = value
    return found


def _variants(name: str) -> dict[str, Rules]:
    from hanamikoji.experiment import load_variants
    from hanamikoji.rules import PRESETS, load_rules

    if name in PRESETS or not (Path(name).exists() or name.endswith(".toml")):
        return {name: load_rules(name)}
    return load_variants(Path(name))


def _progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"checking: {what}", file=sys.stderr, flush=True)
