"""What the statistics need to know about a run besides its games: plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hanamikoji.stats.estimates import StopRule

if TYPE_CHECKING:
    import polars as pl

Rows: TypeAlias = "pl.LazyFrame | Path"
"""Rows of a dataset's table: a frame or a Parquet file."""


@dataclass(frozen=True, slots=True)
class CellFacts:
    """One cell: rules x match-up."""

    cell: int
    variant: str
    agent_a: str
    agent_b: str
    rules_hash: str
    charm: tuple[int, ...]
    """The geishas' charm row."""
    kinds: tuple[str, ...]
    """Names of the rules' actions, in the order of ``Rules.kinds``."""
    seed: int
    """Only cells of the same seed share deals."""
    start_lead: int = 0
    """The starter's charm lead before round 1, from initial markers."""
    keep_markers: bool = True
    """False: markers return to their initial positions after each round."""
    stopped: str | None = None
    """The recorded `Stopping.outcome`; None: derived from the games."""
    asked: int | None = None
    """Games that the run is to play of it; None: those that there are."""
    looks: tuple[int, ...] = ()
    """Games that were asked for before each extension of the run."""

    @property
    def mirror(self) -> bool:
        """One agent on both sides: each deal is one game."""
        return self.agent_a == self.agent_b


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """An agent as the experiment names it."""

    name: str
    agent: str
    """The entry point it was loaded by; ``random`` anchors the ratings."""
    version: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    family: str = ""
    """In a sweep, the name shared with the same agent at other points; by default its own."""
    values: Mapping[str, object] = field(default_factory=dict)
    """The sweep's keys that affect it, and their values."""


@dataclass(frozen=True, slots=True)
class StopFacts:
    """The experiment's [stop] table; ``fixed`` without one."""

    rule: StopRule = "fixed"
    precision: float | None = None
    """Half width of the 95 % interval that ends a cell."""
    sequence: bool = False
    """Whether that interval is of a confidence sequence rather than an ordinary one."""
    margin: float | None = None
    """Margin of the verdict that ends a cell."""
    score0: float | None = None
    """SPRT: the null's score, in [0, 1]."""
    score1: float | None = None
    alpha: float = 0.05
    beta: float = 0.05


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run: its cells, agents, margin and stopping rule."""

    name: str
    seed: int
    margin: float
    baseline: str
    """The variant with which the others are compared."""
    cells: tuple[CellFacts, ...]
    agents: tuple[AgentFacts, ...]
    """In the experiment's order."""
    stop: StopFacts = StopFacts()
    versions: Mapping[str, str] = field(default_factory=dict)
    sweep: Mapping[str, Mapping[str, object]] | None = None
    """Variant -> the sweep's keys and this variant's values; None without a sweep."""

    def families(self) -> dict[str, str]:
        """The name of each agent that it shares with the same agent at other points of a sweep."""
        return {agent.name: agent.family or agent.name for agent in self.agents}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a dataset: whole deals ``first`` <= deal < ``last`` of one cell.

    Rows as in one chunk file, sorted by (deal, seating) and, for rounds, (deal, seating, round).
    """

    cell: int
    first: int
    last: int
    games: Rows
    rounds: Rows | None = None


Parts = Sequence[Part]
