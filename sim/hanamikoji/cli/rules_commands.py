"""``hanamikoji rules`` and ``schema``: variants, and the columns of a dataset."""

from __future__ import annotations

import itertools
import textwrap
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import Settings
from hanamikoji.cli.text import echo


@app.command()
def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="PRESET|FILE", help="A preset, or a TOML file.")
    ] = None,
    settings: Settings = None,
) -> None:
    """Show a variant with its card arithmetic, moves and hash; without a name, the presets."""
    from hanamikoji.api.variants import variants
    from hanamikoji.moves import count_moves
    from hanamikoji.rules.table import describe_presets, describe_rules

    if name is None:
        echo(describe_presets())
        return
    texts = (
        describe_rules(variant, each, [count_moves(kind, each.items) for kind in each.kinds])
        for variant, each in variants(name, settings or ()).items()
    )
    echo("\n\n\n".join(texts))


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

        echo(json.dumps(json_schema(), indent=1))
        return
    from hanamikoji.results import TABLES, describe

    for name, columns in TABLES.items():
        rows = [("column", "type", "meaning")]
        rows += [(column.name, describe(column), column.meaning) for column in columns]
        echo(f"{name}/\n\n{_wrapped(rows)}\n")


def _wrapped(rows: list[tuple[str, str, str]]) -> str:
    """Three columns within 100 characters; the last two wrap."""
    lines = []
    for name, kind, meaning in rows:
        cells = ([name], textwrap.wrap(kind, 28), textwrap.wrap(meaning, 52))
        for first, second, third in itertools.zip_longest(*cells, fillvalue=""):
            lines.append(f"{first:14}  {second:28}  {third}".rstrip())
    return "\n".join(lines)
