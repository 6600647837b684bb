"""How many games a verdict takes."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path

from hanamikoji.errors import ExperimentError, ResultsError
from hanamikoji.stats import PowerTable, power_table

__all__ = ["power"]

_GAMES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def power(
    margin: float = 0.01,
    *,
    games: Collection[int] | None = None,
    edges: Collection[float] | None = None,
    mirror: bool = True,
    run: str | Path | None = None,
) -> PowerTable:
    """How likely each verdict is for a number of games, and how many games it takes.

    Args:
        margin: How far from 1/2 the starter's score may be in a balanced game, above 0 and below
            0.5.
        games: Numbers of games per cell; by default powers of ten from 1,000 to 10,000,000.
        edges: True edges of the starter (score minus 1/2), between -0.5 and 0.5; by default
            from none to two margins.
        mirror: One agent plays both seats, one game per deal; otherwise two agents play each deal
            from both seats.
        run: A results folder, whose scores tell how much a unit's vary: the most among its mirrors
            or pairs of agents. Without it they vary as coins do, the two games of a pair
            independently.

    Returns:
        ``rows`` are the probability of each verdict by edge and number of games; ``needed`` pairs
        each edge with the games for its true verdict to come with 80 % (None if no affordable
        number suffices).

    Raises:
        ExperimentError: A value is out of its range.
        ResultsError: The folder holds no run of that kind that can be read.

    >>> import hanamikoji
    >>> for edge, games in hanamikoji.power(0.02, edges=[0.0, 0.05]).needed:
    ...     print(edge, games)
    0.0 5747
    0.05 2329
    """
    if not 0 < margin < 0.5:
        raise ExperimentError(f"margin is {margin:g}; it must be above 0 and below 0.5")
    for edge in edges or ():
        if not -0.5 < edge < 0.5:
            raise ExperimentError(f"edge is {edge:g}; it must be between -0.5 and 0.5")
    for number in games or ():
        if number < 2:
            raise ExperimentError(f"games is {number}; it must be at least 2")
    return power_table(
        margin,
        sorted(set(games or _GAMES)),
        sorted(set(edges)) if edges else None,
        unit="games" if mirror else "pairs",
        deviation=None if run is None else _deviation(Path(run), mirror),
    )


def _deviation(run: Path, mirror: bool) -> float:
    """The largest standard deviation of a unit's score among a run's cells of a kind."""
    from hanamikoji.report.source import read_source
    from hanamikoji.stats import summarise_parts

    source = read_source(run)
    cells = summarise_parts(source.parts, source.facts).cells
    variances = [cell.starter.variance for cell in cells if cell.mirror == mirror]
    if not variances:
        kind = "mirrors" if mirror else "pairs of different agents"
        raise ResultsError(f"{run} has no {kind}; choose another run")
    return math.sqrt(max(variances))
