"""Scores from a cell's result table: for the starter or for the first agent."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hanamikoji.stats.counts import OUTCOMES
from hanamikoji.stats.estimates import Score, Unit
from hanamikoji.stats.intervals import IntArray, score
from hanamikoji.stats.tables import Table

# Seat a's points in halves by result code; forfeited games count as played.
_A_HALVES = np.array([2, 0, 1, 1] * 2)


def halves(view: Literal["starter", "agent"]) -> list[IntArray]:
    """Points in halves by result code, for each seating."""
    return [_A_HALVES, _A_HALVES if view == "agent" else 2 - _A_HALVES]


def pentanomial(results: Table, view: Literal["starter", "agent"]) -> IntArray:
    """How many units scored 0, 1/4, 1/2, 3/4, 1 for the starter or for agent a."""
    first, second = halves(view)
    quarters = 2 * first if results.ndim == 1 else first[:, None] + second[None, :]
    return np.bincount(quarters.ravel(), weights=results.ravel(), minlength=5).astype(np.int64)


def record(results: Table, view: Literal["starter", "agent"]) -> tuple[int, int, int, int]:
    """Games won, lost, shared and unfinished."""
    found = np.zeros(len(OUTCOMES), dtype=np.int64)
    for seating in range(results.ndim):
        games = results if results.ndim == 1 else results.sum(axis=1 - seating)
        by_outcome = games.reshape(-1, len(OUTCOMES)).sum(axis=0)
        if seating == 1 and view == "starter":
            by_outcome = by_outcome[[1, 0, 2, 3]]
        found += by_outcome
    won, lost, shared, unfinished = map(int, found)
    return won, lost, shared, unfinished


def unit_score(results: Table, view: Literal["starter", "agent"]) -> Score:
    """Average score over units."""
    unit: Unit = "games" if results.ndim == 1 else "pairs"
    return score(pentanomial(results, view), unit, record(results, view))
