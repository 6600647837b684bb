"""Cells (one variant and one match-up each) and chunks (ranges of their deals)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hanamikoji.experiment import AgentUse, Experiment
from hanamikoji.rules import Rules


@dataclass(frozen=True)
class Cell:
    """One variant and one match-up.

    Each of its ``deals`` is one game in a mirror match-up, otherwise two (seating 0: a starts;
    seating 1: b does).
    """

    index: int
    variant: str
    rules: Rules
    agent_a: AgentUse
    agent_b: AgentUse
    games: int

    @property
    def mirror(self) -> bool:
        """Whether an agent meets itself, so that each deal is one game."""
        return self.agent_a == self.agent_b

    @property
    def seatings(self) -> int:
        """Games per deal."""
        return 1 if self.mirror else 2

    @property
    def deals(self) -> int:
        """Deals to play."""
        return self.games // self.seatings

    @property
    def label(self) -> str:
        """The cell in a sentence."""
        return f"cell {self.index} ({self.variant}: {self.agent_a.name} - {self.agent_b.name})"


@dataclass(frozen=True)
class Chunk:
    """The unit of work: deals ``first`` to ``last - 1`` of a cell."""

    cell: Cell
    first: int
    last: int

    @property
    def games(self) -> int:
        """Games in it."""
        return (self.last - self.first) * self.cell.seatings


@dataclass(frozen=True)
class Plan:
    """All the work of an experiment."""

    experiment: Experiment
    cells: tuple[Cell, ...]

    @property
    def games(self) -> int:
        """Games in all cells."""
        return sum(cell.games for cell in self.cells)


def make_plan(experiment: Experiment) -> Plan:
    """The cells of an experiment: variant by variant, in each the match-ups in their order."""
    uses = {use.name: use for use in experiment.agents}
    work = (
        (name, rules, pair)
        for name, rules in experiment.variants.items()
        for pair in experiment.pairs_of(name)
    )
    cells = (
        Cell(index, name, rules, uses[a], uses[b], experiment.games)
        for index, (name, rules, (a, b)) in enumerate(work)
    )
    return Plan(experiment, tuple(cells))


def cut(cell: Cell, ranges: Iterable[tuple[int, int]], size: int) -> Iterator[Chunk]:
    """Chunks for ranges of a cell's deals, cut at multiples of ``size``."""
    for first, last in ranges:
        inner = range((first // size + 1) * size, last, size)
        for begin, end in itertools.pairwise((first, *inner, last)):
            yield Chunk(cell, begin, end)
