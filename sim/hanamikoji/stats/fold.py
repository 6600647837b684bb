"""One pass over a dataset: each part is read once, counted and discarded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from hanamikoji.errors import ResultsError
from hanamikoji.stats.counts import (
    CellCounts,
    batch_outcomes,
    batch_sums,
    count_games,
    read_games,
    unit_quarters,
)
from hanamikoji.stats.facts import CellFacts, Part, Parts, RunFacts
from hanamikoji.stats.pairing import PairedScores, Scores
from hanamikoji.stats.rounds import count_rounds

if TYPE_CHECKING:
    import polars as pl

_THREADS = 2  # one reads (Polars lets go of the GIL) while the other counts
_AHEAD = 2  # parts in work beyond those; bounds memory
_WINDOW = 1 << 19  # deals of a part cut from a plain frame

T = TypeVar("T")
S = TypeVar("S")


def fold(parts: Parts, facts: RunFacts) -> tuple[dict[int, CellCounts], PairedScores]:
    """All counts of a dataset by cell, and the scores of cells paired by deal.

    Memory is that of a few parts, however many there are.

    Raises:
        ResultsError: A part does not hold what it claims, a cell is unknown, or deals repeat.
    """
    cells = {cell.cell: cell for cell in facts.cells}
    _check(parts, cells)
    totals: dict[int, CellCounts] = {}
    paired = PairedScores(facts)

    def reduce(part: Part) -> tuple[Part, CellCounts, Scores]:
        return part, *count_part(part, cells[part.cell])

    for part, counts, quarters in _map_ahead(reduce, paired.order(parts)):
        totals.setdefault(part.cell, CellCounts()).add(counts)
        paired.add(part, quarters)
    return totals, paired


def count_part(part: Part, facts: CellFacts) -> tuple[CellCounts, Scores]:
    """A part's counts, and each unit's score (the starter's) in quarters, 0 to 4."""
    seatings = read_games(part, facts)
    counts = count_games(seatings, facts)
    counts.tables["batches"] = batch_sums(part.first, seatings)
    if not facts.mirror:
        counts.tables["batch outcomes"] = batch_outcomes(part.first, seatings)
    count_rounds(counts, part, seatings, facts)
    return counts, unit_quarters(seatings)


def parts_of(games: pl.LazyFrame, rounds: pl.LazyFrame | None, facts: RunFacts) -> list[Part]:
    """Split frames into parts: whole deals of one cell, sorted.

    Each part filters the whole frame, which suits frames in memory and few files; for a large
    dataset, make each chunk file a :class:`Part` instead.
    """
    import polars as pl

    ends = (
        games.group_by("cell")
        .agg(first=pl.col("deal").min(), last=pl.col("deal").max() + 1)
        .sort("cell")
        .collect(engine="streaming")
    )
    parts = []
    for cell, first, last in ends.iter_rows():
        for start in range(first, last, _WINDOW):
            stop = min(start + _WINDOW, last)
            here = (pl.col("cell") == cell) & pl.col("deal").is_between(start, stop, closed="left")
            piece = games.filter(here).sort("deal", "seating")
            detail = None if rounds is None else rounds.filter(here)
            detail = None if detail is None else detail.sort("deal", "seating", "round")
            parts.append(Part(cell, start, stop, piece, detail))
    return parts


def _check(parts: Parts, cells: dict[int, CellFacts]) -> None:
    """Reject unknown cells and repeated deals."""
    ends: dict[int, int] = {}
    for part in sorted(parts, key=lambda p: (p.cell, p.first)):
        if part.cell not in cells:
            raise ResultsError(f"games of cell {part.cell}, which is not in the run's plan")
        if part.first < ends.get(part.cell, 0):
            raise ResultsError(
                f"deals {part.first} to {min(part.last, ends[part.cell]) - 1} of cell "
                f"{part.cell} are there twice"
            )
        ends[part.cell] = part.last


def _map_ahead(function: Callable[[T], S], items: Iterable[T]) -> Iterator[S]:
    """Results in order, a few computed ahead by threads; unlike Executor.map, not all at once."""
    pending: deque[Future[S]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for item in items:
                pending.append(pool.submit(function, item))
                if len(pending) >= _THREADS + _AHEAD:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
