"""A ladder: the shipped agents from random play upward, all against all, on any variant."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment import read_variants

RUNGS: tuple[dict[str, Any], ...] = (
    {"name": "random", "agent": "random"},
    {"name": "greedy", "agent": "greedy"},
    {"name": "flatmc", "agent": "search", "guide": "none", "rollouts": 500},
    {"name": "learned-50k", "agent": "learned", "effort": 50_000},
    {"name": "learned-quick", "agent": "learned", "effort": "quick"},
    {"name": "learned", "agent": "learned"},
    {"name": "search", "agent": "search", "rollouts": 400},
)
"""From the bottom up; the slowest are flatmc (some 3 ms a game) and search (some 20 ms)."""

_OF_VARIANTS = ("rules", "variants", "actions")


def ladder_tables(
    rules: str, games: int, seed: int, without: Collection[str] = ()
) -> dict[str, Any]:
    """The experiment, as raw tables, that plays the ladder for a preset or a TOML file's variants.

    Raises:
        ExperimentError: ``without`` names no rung, or leaves fewer than two.
    """
    names = [rung["name"] for rung in RUNGS]
    for name in without:
        if name not in names:
            raise ExperimentError(f"--without is {name!r}; it must be one of {', '.join(names)}")
    agents = [dict(rung) for rung in RUNGS if rung["name"] not in without]
    if len(agents) < 2:
        raise ExperimentError("--without leaves fewer than two agents; a ladder needs two")
    raw = read_variants(rules)
    return {
        "name": f"ladder-{raw.get('name', Path(rules).stem)}", "seed": seed,
        "games": games + games % 2, "agents": agents, "matchups": "round-robin",
        **{key: raw[key] for key in _OF_VARIANTS if key in raw},
    }  # fmt: skip
