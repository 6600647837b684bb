"""A ladder: the shipped agents from random play upward, all against all, on any variant."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment import read_experiment
from hanamikoji.experiment.loader import EXPERIMENT_KEYS
from hanamikoji.rules import PRESETS

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
            raise ExperimentError(f"--without is {name!r}; it can be one of {', '.join(names)}")
    agents = [dict(rung) for rung in RUNGS if rung["name"] not in without]
    if len(agents) < 2:
        raise ExperimentError("--without leaves fewer than two agents; a ladder needs two")
    name, kept = _variants(rules)
    return {
        "name": f"ladder-{name}", "seed": seed, "games": games + games % 2, "agents": agents,
        "matchups": "round-robin", **kept,
    }  # fmt: skip


def _variants(rules: str) -> tuple[str, Mapping[str, Any]]:
    """A name, and what of an experiment file says which variants there are."""
    if rules in PRESETS:
        return rules, {"rules": rules}
    raw = read_experiment(Path(rules))
    if set(raw) & set(EXPERIMENT_KEYS) - {"actions"} or isinstance(raw.get("actions"), Mapping):
        return str(raw.get("name", Path(rules).stem)), {
            key: raw[key] for key in _OF_VARIANTS if key in raw
        }
    return Path(rules).stem, {"rules": raw}
