"""Levels of play: on which agents' games a verdict may rest."""

from __future__ import annotations

from collections.abc import Sequence

from hanamikoji.report.words import joined, name_list
from hanamikoji.stats import AgentFacts, CellSummary, Summary

_UNFIT = ("random", "random-move", "greedy")
_LISTED = 4


def unfit_agents(summary: Summary) -> frozenset[str]:
    """The agents whose play is too weak for a verdict.

    On solved variants, even greedy play and searches without a guide favour the wrong seat.
    """
    return frozenset(agent.name for agent in summary.facts.agents if _is_unfit(agent))


def _is_unfit(agent: AgentFacts) -> bool:
    unguided = agent.agent == "search" and agent.options.get("guide") == "none"
    return agent.agent in _UNFIT or unguided


def counting(cells: Sequence[CellSummary], unfit: frozenset[str]) -> Sequence[CellSummary]:
    """Of a variant's cells those that its verdict rests on.

    The mirrors of agents that are fit for it, else the match-ups between such agents, else all.
    """
    fit = [c for c in cells if not {c.agent_a, c.agent_b} & unfit]
    return [c for c in fit if c.mirror] or fit or cells


def level_of(cells: Sequence[CellSummary], unfit: frozenset[str]) -> str:
    """``at the level of learned and search``; unfit agents are marked."""
    names = dict.fromkeys(name for c in cells for name in (c.agent_a, c.agent_b))
    fit = [name for name in names if name not in unfit]
    weak = [name for name in names if name in unfit]
    parts = []
    if fit:
        parts.append(_names(fit))
    if weak:
        parts.append(f"{_names(weak)} play, unfit for a verdict")
    return f"at the level of {'; '.join(parts)}"


def _names(names: list[str]) -> str:
    return joined(names) if len(names) <= _LISTED else name_list(names, _LISTED)
