"""Ranges of deals, half open: which are there, and which are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from hanamikoji.results.records import ChunkRecord

Range = tuple[int, int]


def disjoint(records: Iterable[ChunkRecord]) -> list[ChunkRecord]:
    """Records by cell and deal; the latest of equal ranges, the first of two that overlap."""
    latest = {(record.cell, record.first, record.last): record for record in records}
    kept: list[ChunkRecord] = []
    for (cell, first, last), record in sorted(latest.items()):
        follows = not kept or kept[-1].cell != cell or kept[-1].last <= first
        if follows and first < last:
            kept.append(record)
    return kept


def covered(records: Iterable[ChunkRecord]) -> dict[int, list[Range]]:
    """By cell, the ranges of deals that disjoint, sorted records cover; adjacent ones merged."""
    ranges: dict[int, list[Range]] = defaultdict(list)
    for record in records:
        mine = ranges[record.cell]
        if mine and mine[-1][1] == record.first:
            mine[-1] = (mine[-1][0], record.last)
        else:
            mine.append((record.first, record.last))
    return dict(ranges)


def missing(ranges: Iterable[Range], first: int, last: int) -> list[Range]:
    """What of ``[first, last)`` the sorted, disjoint ranges leave out."""
    gaps = []
    for have_first, have_last in ranges:
        if first < have_first:
            gaps.append((first, min(have_first, last)))
        first = max(first, have_last)
        if first >= last:
            return [gap for gap in gaps if gap[0] < gap[1]]
    return [*gaps, (first, last)] if first < last else gaps
