"""Commands that show what there is: rules, agents, the schema."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import say, shown, table


@app.command()
def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE", help="A preset, or a TOML file.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key of a file."),
    ] = None,
) -> None:
    """Show a variant with its card arithmetic, moves and hash; without a name, the presets."""
    from hanamikoji.experiment import load_variants
    from hanamikoji.moves import count_moves
    from hanamikoji.rules import PRESETS, load_rules
    from hanamikoji.rules.table import describe_presets, describe_rules

    if name is None:
        say(describe_presets())
        return
    if name in PRESETS and not settings:
        variants = {name: load_rules(name)}
    elif name in PRESETS or Path(name).exists() or name.endswith(".toml"):
        variants = load_variants(Path(name), settings or ())
    else:
        variants = {name: load_rules(name)}  # raises, with the presets there are
    texts = (
        describe_rules(variant, each, [count_moves(kind, each.items) for kind in each.kinds])
        for variant, each in variants.items()
    )
    say("\n\n\n".join(texts))


@app.command()
def schema(
    *,
    report: Annotated[
        bool, typer.Option("--report", help="Show the JSON Schema of report.json instead.")
    ] = False,
) -> None:
    """Show the columns of a dataset: name, type and meaning."""
    if report:
        import json

        from hanamikoji.report import json_schema

        say(json.dumps(json_schema(), indent=1))
        return
    from hanamikoji.results import TABLES, describe

    for name, columns in TABLES.items():
        rows = [("column", "type", "meaning")]
        rows += [(column.name, describe(column), column.meaning) for column in columns]
        say(f"{name}/\n\n{_wrapped(rows)}\n")


def _wrapped(rows: list[tuple[str, str, str]]) -> str:
    """Three columns that fit a terminal of 100: the last two wrap."""
    lines = []
    for name, kind, meaning in rows:
        cells = ([name], textwrap.wrap(kind, 28), textwrap.wrap(meaning, 52))
        for first, second, third in itertools.zip_longest(*cells, fillvalue=""):
            lines.append(f"{first:14}  {second:28}  {third}".rstrip())
    return "\n".join(lines)


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")],
    cell: Annotated[int, typer.Option(min=0, help="The cell's number.")],
    deal: Annotated[int, typer.Option(min=0, help="The deal's number.")],
    seating: Annotated[int, typer.Option(min=0, max=1, help="1: b starts.")] = 0,
) -> None:
    """Tell one game turn by turn, played anew from its seed."""
    from hanamikoji.learning.training.bar import TrainingBar
    from hanamikoji.tools.replay import replay_game

    with TrainingBar() as bar:
        text = replay_game(folder, cell, deal, seating, bar)
    say("\n".join(shown(line) for line in text.split("\n")))


@app.command()
def agents() -> None:
    """List the agents there are: name, kind, version, distribution, options."""
    from hanamikoji.agents import list_agents

    rows = [("agent", "kind", "version", "distribution", "options", "what it is")]
    for info in list_agents():
        options = ", ".join(
            name if default is ... else f"{name} = {default!r}"
            for name, default in info.options.items()
        )
        what = f"can't be used: {info.problem}" if info.problem else info.summary
        rows.append(
            (info.name, info.kind, info.version, info.distribution, options or "none", what)
        )
    say(table(rows))
