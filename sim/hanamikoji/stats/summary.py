"""The entry point of the statistics: a dataset's parts to a `Summary`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanamikoji.stats.cells import cell_summary
from hanamikoji.stats.contrasts import Summary
from hanamikoji.stats.differences import differences, screens
from hanamikoji.stats.facts import Parts, RunFacts
from hanamikoji.stats.fold import fold, parts_of
from hanamikoji.stats.ladders import ladders
from hanamikoji.stats.ratings import rating_tables
from hanamikoji.stats.sweeps import sweep_summary

if TYPE_CHECKING:
    import polars as pl


def summarise(games: pl.LazyFrame, rounds: pl.LazyFrame | None, facts: RunFacts) -> Summary:
    """All estimates from a whole dataset as two lazy frames.

    For frames in memory and small datasets; a run's report calls :func:`summarise_parts` with its
    chunk files, each of which is opened once.

    Raises:
        ResultsError: As :func:`summarise_parts`.
    """
    return summarise_parts(parts_of(games, rounds, facts), facts)


def summarise_parts(parts: Parts, facts: RunFacts) -> Summary:
    """All estimates from a dataset's chunk files in one pass.

    Cells without games are left out.

    Args:
        parts: One part a chunk file, in any order; together they hold whole deals.
        facts: The run's cells, agents, margin and stopping rule.

    Raises:
        ResultsError: A part does not hold the deals it claims, or holds deals twice.
    """
    counts, paired = fold(parts, facts)
    played = [cell for cell in facts.cells if cell.cell in counts]
    cells = tuple(cell_summary(counts[cell.cell], cell, facts) for cell in played)
    against_baseline = differences(counts, paired, {c.cell: c.verdict for c in cells}, facts)
    ratings = rating_tables(counts, facts)
    return Summary(
        facts=facts,
        cells=cells,
        differences=against_baseline,
        screens=screens(counts, facts),
        ratings=ratings,
        ladders=ladders(cells, ratings, facts),
        sweep=sweep_summary(cells, counts, paired, against_baseline, facts),
    )
