"""The one call that the report makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanamikoji.stats.contrasts import Summary
from hanamikoji.stats.facts import Parts, RunFacts

if TYPE_CHECKING:
    import polars as pl


def summarise(games: pl.LazyFrame, rounds: pl.LazyFrame | None, facts: RunFacts) -> Summary:
    """Everything the report shows, from a whole dataset as two lazy frames.

    Convenient for frames in memory and for small datasets; a run's report knows its chunk files
    and calls :func:`summarise_parts`, which opens each once.
    """
    raise NotImplementedError


def summarise_parts(parts: Parts, facts: RunFacts) -> Summary:
    """Everything the report shows, from a dataset's chunk files in one pass.

    Args:
        parts: One part a chunk file, in any order; together they hold whole deals.
        facts: The run's manifest as plain values.

    Raises:
        ResultsError: A part does not hold the deals it claims, or deals twice.
    """
    raise NotImplementedError
