"""Agents that must be trained for a variant before they can play it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hanamikoji.plan import Plan
from hanamikoji.results import WeightsRecord
from hanamikoji.rules import Rules
from hanamikoji.run.progress import Progress

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent

Player = tuple[str, str]
"""An agent's name in the experiment and a rules hash."""


@dataclass(frozen=True, slots=True)
class Untrained:
    """An agent without weights for a variant."""

    agent: str
    variant: str
    """The first one with these rules."""
    rules: Rules
    rounds: int
    """Of self-play, before it can play."""


def untrained_players(plan: Plan, agents: Mapping[str, LoadedAgent]) -> dict[Player, Untrained]:
    """Who of a plan must be trained first, and for which rules."""
    found: dict[Player, Untrained] = {}
    seen: set[Player] = set()
    for cell in plan.cells:
        for use in (cell.agent_a, cell.agent_b):
            if (use.name, cell.variant) in seen:
                continue
            seen.add((use.name, cell.variant))
            rounds = agents[use.name].training(cell.rules)
            if rounds:
                one = Untrained(use.name, cell.variant, cell.rules, rounds)
                found.setdefault((use.name, cell.rules.hash), one)
    return found


def train_ahead(plan: Plan, agents: Mapping[str, LoadedAgent], progress: Progress) -> None:
    """Train whoever must be, one after the other with all cores, before any worker needs it.

    Raises `PluginError`.
    """
    from hanamikoji.learning.training import ensure_weights

    untrained = untrained_players(plan, agents)
    for number, each in enumerate(untrained.values(), 1):
        progress.note(f"training {number} of {len(untrained)}: {each.agent} for {each.variant}")
        ensure_weights([agents[each.agent]], each.rules, progress.train)


def weights_of(plan: Plan, agents: Mapping[str, LoadedAgent]) -> tuple[WeightsRecord, ...]:
    """The weights that agents play by, of those that have any, by variant and agent."""
    found: dict[tuple[str, str], WeightsRecord] = {}
    for cell in plan.cells:
        for use in (cell.agent_a, cell.agent_b):
            key = (cell.variant, use.name)
            if key not in found and (facts := agents[use.name].facts(cell.rules)):
                found[key] = WeightsRecord(variant=cell.variant, agent=use.name, **facts)
    return tuple(found.values())
