"""Arguments and options that several commands share, and how the command itself was typed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from hanamikoji.errors import ExperimentError, PluginError

ExperimentFile = Annotated[Path, typer.Argument(metavar="EXPERIMENT.toml", help="The experiment.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")]
Games = Annotated[
    int | None, typer.Option(min=1, help="Games per cell, instead of the experiment's.")
]
Seed = Annotated[int | None, typer.Option(help="Root seed, instead of the experiment's.")]
Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Results folder; by default results/NAME.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Number of workers; by default one per core.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the file; repeatable."),
]
AgentOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="KEY=VALUE", help="Option of the agent; repeatable."),
]
AgentNames = Annotated[str, typer.Option("--agents", metavar="NAME,...", help="Agents to measure.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no progress and no summary.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue an unfinished run.")]


def command_line() -> str:
    """The command as typed, to be recorded and typed again; without ``--resume``."""
    return shlex.join(["hanamikoji", *(word for word in sys.argv[1:] if word != "--resume")])


def names_of(text: str) -> list[str]:
    """The names in a list such as ``random,greedy``."""
    return [name.strip() for name in text.split(",") if name.strip()]


def agent_options(texts: Iterable[str] | None) -> dict[str, Any]:
    """The values of ``--option``. Raises `PluginError` for what isn't KEY=VALUE."""
    from hanamikoji.experiment import parse_setting

    found: dict[str, Any] = {}
    for text in texts or ():
        try:
            (key,), value = parse_setting(text)
        except (ValueError, ExperimentError):
            raise PluginError(f"--option {text!r} isn't KEY=VALUE, such as rollouts=500") from None
        found[key] = value
    return found
