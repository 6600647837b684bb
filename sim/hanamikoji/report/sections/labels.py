"""Short names for cells, and which of many to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanamikoji.stats import CellSummary, Summary

DETAILED = 12
"""Cells whose games are shown geisha by geisha, action by action."""
PICTURED = 24
"""Rows of a picture with one row a cell."""
LISTED = 200
"""Rows of a table with one row a cell; a report stays below 3 MB."""


@dataclass(frozen=True, slots=True)
class Labels:
    """How a run's cells are told apart: by variant, by match-up, or both."""

    variants: bool
    match_ups: bool

    def __call__(self, cell: CellSummary) -> str:
        """The cell's name where the run is known."""
        agents = match_up(cell.agent_a, cell.agent_b)
        if self.variants and self.match_ups:
            return f"{cell.variant} · {agents}"
        return agents if self.match_ups else cell.variant


def labels_of(summary: Summary) -> Labels:
    """How to tell this summary's cells apart."""
    pairs = {(c.agent_a, c.agent_b) for c in summary.cells}
    return Labels(len({c.variant for c in summary.cells}) > 1, len(pairs) > 1)


def match_up(agent_a: str, agent_b: str) -> str:
    """``greedy vs random``, or just ``random`` for a mirror."""
    return agent_a if agent_a == agent_b else f"{agent_a} vs {agent_b}"


def most_telling(cells: Sequence[CellSummary], most: int) -> list[CellSummary]:
    """Up to ``most`` cells, those with the largest edges if there are more, in the run's order."""
    if len(cells) <= most:
        return list(cells)
    chosen = sorted(cells, key=lambda c: -abs(c.starter.edge))[:most]
    return sorted(chosen, key=lambda c: c.cell)


def pictured(cells: Sequence[CellSummary]) -> tuple[list[CellSummary], str]:
    """The cells that a picture with one row a cell shows, and a sentence about the others.

    Of many, the mirror match-ups: there both seats are played equally well.
    """
    mirrors = [c for c in cells if c.mirror]
    if len(cells) <= PICTURED or not mirrors:
        shown = most_telling(cells, PICTURED)
        return shown, left_out(len(shown), len(cells))
    shown = most_telling(mirrors, PICTURED)
    return shown, f" Drawn are {len(shown):,} of the {len(cells):,} cells, mirror match-ups only."


def at_best_play(summary: Summary, most: int) -> list[CellSummary]:
    """Up to ``most`` cells for a picture that has no room for all: where play is known to be best,
    the mirror match-ups of the strongest agent."""
    top = {(ladder.variant, ladder.rungs[-1].cell) for ladder in summary.ladders}
    best = [c for c in summary.cells if (c.variant, c.cell) in top]
    return most_telling(best or summary.cells, most)


def left_out(shown: int, there: int) -> str:
    """A sentence about rows that are not shown; empty if all are."""
    if shown >= there:
        return ""
    return (
        f" Shown are the {shown:,} of {there:,} cells with the largest edges; "
        "report.csv and report.json have all."
    )
