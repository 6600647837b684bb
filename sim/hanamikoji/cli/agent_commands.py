"""``hanamikoji agents``, ``check-agent``, ``new-agent``: what is installed, is sound, is begun."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import AgentOptions, agent_options
from hanamikoji.cli.text import echo, escape_lines, table


@app.command()
def agents() -> None:
    """List the installed agents: name, kind, version, distribution, options."""
    import hanamikoji

    rows = [("agent", "kind", "version", "distribution", "options", "description")]
    for info in hanamikoji.list_agents():
        options = ", ".join(
            name if default is ... else f"{name} = {default!r}"
            for name, default in info.options.items()
        )
        what = f"unusable: {info.problem}" if info.problem else info.summary
        rows.append(
            (info.name, info.kind, info.version, info.distribution, options or "none", what)
        )
    echo(table(rows))


@app.command(name="check-agent")
def check(
    name: Annotated[str, typer.Argument(metavar="AGENT", help="Name of an installed agent.")],
    options: AgentOptions = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules", metavar="PRESET|FILE", help="Check on these, not all presets; repeatable."
        ),
    ] = None,
    deals: Annotated[int, typer.Option(min=1, help="Deals per variant.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Root seed of the deals.")] = 1,
) -> None:
    """Check that an agent plays legal, reproducible moves and doesn't modify its arguments."""
    settings = agent_options(options)

    import hanamikoji
    from hanamikoji.api.variants import variants

    found = {k: v for each in rules for k, v in variants(each).items()} if rules else None
    report = hanamikoji.check_agent(
        name, settings, variants=found, deals=deals, seed=seed, progress=_progress
    )
    echo(escape_lines(str(report)))


class Kind(StrEnum):
    """How a new agent is written."""

    plain = "plain"
    batched = "batched"
    compiled = "compiled"
    process = "process"
    c = "c"


@app.command(name="new-agent")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new agent.")],
    kind: Annotated[Kind, typer.Option(help="How it is written.")] = Kind.plain,
) -> None:
    """Write a package for an agent of your own: it installs, plays, and passes the check."""
    from hanamikoji.tools.new_agent import new_agent

    folder = new_agent(name, kind.value)
    echo(f"written: {folder}")
    echo(f"next: pip install -e {folder} && hanamikoji check-agent {name}")


def _progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"checking: {what}", file=sys.stderr, flush=True)
