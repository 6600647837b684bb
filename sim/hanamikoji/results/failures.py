"""Agents' failures, counted: the one form in which they go from a worker to the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from hanamikoji.results.fields import STRICT, Count, Index, Line, Name, storable

Reason = Literal["forfeit-error", "forfeit-illegal", "forfeit-stall"]

LONGEST_MESSAGE = 300
"""Characters of an agent's error that are kept."""


@dataclass(frozen=True, slots=True)
class FailureTally:
    """An agent's failures of one kind in one cell, with the first of them."""

    __pydantic_config__ = STRICT

    cell: Index
    agent: Name
    reason: Reason
    count: Count
    deal: Index
    """Of the first failure, like the rest."""
    seating: Literal[0, 1]
    round: Index
    decision: int
    """-1 when an agent that is compiled failed, whose decisions aren't counted."""
    message: Line


def add_up(tallies: Iterable[FailureTally]) -> tuple[FailureTally, ...]:
    """One tally for each cell, agent and reason, with the first example of those given."""
    sums: dict[tuple[int, str, str], FailureTally] = {}
    for each in tallies:
        key = (each.cell, each.agent, each.reason)
        before = sums.get(key)
        sums[key] = replace(before, count=before.count + each.count) if before else each
    return tuple(sums.values())


def kept_text(message: str) -> str:
    """The part of an agent's error that is recorded, as text that any file can store."""
    return storable(message[:LONGEST_MESSAGE])
