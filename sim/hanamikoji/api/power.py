"""How many games a verdict takes."""

from __future__ import annotations

from collections.abc import Collection

from hanamikoji.errors import ExperimentError
from hanamikoji.stats import PowerTable, power_table

__all__ = ["power"]

_GAMES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def power(
    margin: float = 0.01,
    *,
    games: Collection[int] | None = None,
    edges: Collection[float] | None = None,
    mirror: bool = True,
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

    Returns:
        ``rows`` are the probability of each verdict by edge and number of games; ``needed`` pairs
        each edge with the games for its true verdict to come with 80 % (None if no affordable
        number suffices).

    Raises:
        ExperimentError: A value is out of its range.

    >>> import hanamikoji
    >>> for edge, games in hanamikoji.power(0.02, edges=[0.0, 0.05]).needed:
    ...     print(edge, games)
    0.0 5353
    0.05 2181
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
    )
