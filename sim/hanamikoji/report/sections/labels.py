"""Short names for cells, and which of many cells to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanamikoji.report.words import percent, percent_range
from hanamikoji.stats import CellSummary, Mean, Summary

DETAILED = 12
"""Cells in tables with a row for each geisha or action."""
PLOTTED = 24
"""Rows of a chart with one row a cell."""
LISTED = 200
"""Rows of a table with one row a cell; keeps a report below 3 MB."""

ENOUGH = 100
"""Games from which a score may be named the highest."""

LARGEST = "cells, those with the largest edges"


@dataclass(frozen=True, slots=True)
class CellLabels:
    """Names for a run's cells: the variant, the match-up, or both, as they require."""

    variants: bool
    match_ups: bool

    def __call__(self, cell: CellSummary) -> str:
        """The cell's name within the run."""
        agents = match_up(cell.agent_a, cell.agent_b)
        if self.variants and self.match_ups:
            return f"{cell.variant} · {agents}"
        return agents if self.match_ups else cell.variant


def labels_of(summary: Summary) -> CellLabels:
    """Names that distinguish this summary's cells."""
    pairs = {(c.agent_a, c.agent_b) for c in summary.cells}
    return CellLabels(len({c.variant for c in summary.cells}) > 1, len(pairs) > 1)


def match_up(agent_a: str, agent_b: str) -> str:
    """``greedy vs random``, or just ``random`` for a mirror."""
    return agent_a if agent_a == agent_b else f"{agent_a} vs {agent_b}"


def largest_edges(cells: Sequence[CellSummary], most: int) -> list[CellSummary]:
    """The ``most`` cells with the largest edges, in the run's order."""
    if len(cells) <= most:
        return list(cells)
    chosen = sorted(cells, key=lambda c: -abs(c.starter.edge))[:most]
    return sorted(chosen, key=lambda c: c.cell)


def plotted(cells: Sequence[CellSummary]) -> tuple[list[CellSummary], str]:
    """The cells that a chart with one row a cell plots, and a note about the others.

    Of too many cells, the mirror match-ups, where both seats are played equally well.
    """
    mirrors = [c for c in cells if c.mirror]
    if len(cells) <= PLOTTED or not mirrors:
        shown = largest_edges(cells, PLOTTED)
        return shown, plot_note(len(shown), len(cells), LARGEST)
    shown = largest_edges(mirrors, PLOTTED)
    return shown, plot_note(len(shown), len(cells), "cells, mirror match-ups only")


def at_best_play(summary: Summary, most: int) -> tuple[list[CellSummary], str]:
    """Up to ``most`` cells, for a chart with no room for all, and a note about those left out.

    Where a ladder says which play is best, they are the mirror match-ups of the strongest agent.
    """
    top = {(ladder.variant, ladder.rungs[-1].cell) for ladder in summary.ladders}
    best = [c for c in summary.cells if (c.variant, c.cell) in top]
    shown = largest_edges(best or summary.cells, most)
    what = "cells, mirror match-ups of the strongest agent only" if best else LARGEST
    return shown, plot_note(len(shown), len(summary.cells), what)


def highest(scores: Sequence[tuple[str, Mean]], what: str) -> str:
    """A sentence about the highest of some scores, of those that rest on enough games."""
    enough = [(label, score) for label, score in scores if score.n >= ENOUGH]
    if not enough:
        return f"No {what} comes in {ENOUGH} games, too few to name the highest score."
    label, score = max(enough, key=lambda row: row[1].value)
    return (
        f"Of those in at least {ENOUGH} games, the {what} {label} goes with the highest score, "
        f"{percent(score.value, score.interval)} % ({percent_range(score.interval)})."
    )


def plot_note(shown: int, total: int, what: str) -> str:
    """A sentence about what a chart leaves out; empty if nothing."""
    return "" if shown >= total else f" Plotted: {shown:,} of {total:,} {what}."


def cut_note(shown: int, total: int, what: str, files: str = "report.json has") -> str:
    """A sentence about rows that a table leaves out; empty if none."""
    return "" if shown >= total else f" Shown: {shown:,} of {total:,} {what}; {files} all."


def cells_note(shown: int, total: int) -> str:
    """A sentence about cells that a table leaves out; empty if none."""
    return cut_note(shown, total, LARGEST, "report.csv and report.json have")
