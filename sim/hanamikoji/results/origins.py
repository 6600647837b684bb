"""What a manifest records of a run's agents, variants, cells and sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hanamikoji.experiment.model import MOST_GAMES, SweptAgent
from hanamikoji.results.fields import STRICT, Index, Line, Name


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent's code and settings."""

    __pydantic_config__ = STRICT

    name: Name
    agent: Name
    """The entry point it was loaded by."""
    kind: Literal["plain", "batched", "compiled"]
    distribution: Name
    version: Name
    options: Mapping[str, Any]


class _RulesShape(BaseModel):
    """Of a variant's rules, what is read without building them."""

    model_config = ConfigDict(strict=True)

    charm: Annotated[list[Annotated[int, Field(ge=0, le=1000)]], Field(max_length=64)]
    markers: Annotated[list[Literal["starter", "second", "none"]], Field(max_length=64)]
    keep_markers: bool


@dataclass(frozen=True, slots=True)
class VariantRecord:
    """A variant: its rules as JSON, their hash, and the names of their actions."""

    __pydantic_config__ = STRICT

    hash: Name
    kinds: tuple[Name, ...]
    rules: Mapping[str, Any]

    def __post_init__(self) -> None:
        shape = _RulesShape.model_validate(self.rules)
        if len(shape.charm) != len(shape.markers):
            raise ValueError("charm and markers have different lengths")


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One variant and one match-up; ``part`` are the deals of it that a shard plays."""

    __pydantic_config__ = STRICT

    cell: Index
    variant: Name
    agent_a: Name
    agent_b: Name
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    deals: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    part: tuple[Index, Index] | None = None

    def __post_init__(self) -> None:
        if self.games != self.deals * self.seatings:
            raise ValueError(f"has {self.games} games from {self.deals} deals")
        if self.part is not None and not 0 <= self.part[0] <= self.part[1] <= self.deals:
            raise ValueError(f"has the part {self.part} of {self.deals} deals")

    @property
    def seatings(self) -> int:
        """Games per deal: one where an agent meets itself, else two."""
        return 1 if self.agent_a == self.agent_b else 2

    @property
    def part_games(self) -> int:
        """Games asked for, of the part if there is one."""
        first, last = self.part or (0, self.deals)
        return (last - first) * self.seatings


@dataclass(frozen=True, slots=True)
class SweepRecord:
    """The points of a sweep; see `hanamikoji.experiment.model.SweepPoints`."""

    __pydantic_config__ = STRICT

    variants: Mapping[Name, Mapping[str, Any]]
    agents: Mapping[Name, SweptAgent]
    skipped: Mapping[Name, Line]


class WeightsRecord(BaseModel):
    """The weights that an agent plays a variant by, and whatever else it records of itself."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    variant: Name
    agent: Name
    weights: Name = ""
    """Their hash; empty: it has none."""
