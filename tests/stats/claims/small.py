"""Few games, and figures whose deals are shared by several match-ups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hanamikoji.stats import RatingTable
from hanamikoji.stats.fold import fold
from hanamikoji.stats.moments import moments
from hanamikoji.stats.ratings import rating_tables
from hanamikoji.stats.sprt import ELO
from hanamikoji.stats.tables import ratio_mean
from stats.claims.claim import Claim
from stats.simulated import Games, cell_facts, run_facts

Draw = Callable[[np.random.Generator, int], np.ndarray]


def _swings(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.abs(np.rint(rng.normal(0, 5, n))).astype(np.int64)


def _gaps(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.floor(rng.exponential(6, n)).astype(np.int64)


def _rounds(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.geometric(0.5, n)


_FIGURES: dict[str, tuple[Draw, float]] = {
    "swing of a round": (_swings, 0.0),
    "final charm difference": (_gaps, 0.0),
    "number of rounds": (_rounds, 1.0),
}


def _mean_covered(name: str, n: int, rng: np.random.Generator, number: int) -> int:
    draw, least = _FIGURES[name]
    true = draw(np.random.default_rng(0), 4_000_000).mean()
    found = (ratio_mean(moments(draw(rng, n), 1), "games", least) for _ in range(number))
    return sum(mean.interval.low <= true <= mean.interval.high for mean in found)


def _round_robin(
    rng: np.random.Generator, strengths: dict[str, float], deals: int, starter: float, cards: float
) -> RatingTable:
    """Ratings of a round robin whose deals favour the starter, or not, in all match-ups alike."""
    luck = rng.choice([-cards, cards], deals)
    games: list[Games] = []
    names = list(strengths)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            gap = np.array([1, -1]) * (strengths[a] - strengths[b])
            odds = gap[None, :] + starter + luck[:, None]
            winner = (rng.random((deals, 2)) >= 1 / (1 + np.exp(-odds))).astype(np.int64)
            games.append(Games(cell_facts(len(games), a=a, b=b), winner.ravel()))
    facts = run_facts(*(g.cell for g in games))
    counts, _ = fold([g.part() for g in games], facts)
    return rating_tables(counts, facts, 400)[0]


def _starter_covered(deals: int, rng: np.random.Generator, number: int) -> int:
    strengths = dict.fromkeys(("random", "greedy", "search", "learned"), 0.0)
    hits = 0
    for _ in range(number):
        found = _round_robin(rng, strengths, deals, 0.0, 1.5).starter_elo
        assert found is not None
        hits += found.interval.low <= 0 <= found.interval.high
    return hits


def _rating_covered(rng: np.random.Generator, number: int) -> int:
    """Of records that are mostly perfect; the estimate must lie in its interval as well."""
    hits = 0
    for _ in range(number):
        table = _round_robin(rng, {"random": 0.0, "greedy": 4.0}, 30, 0.0, 0.0)
        (found,) = (r for r in table.ratings if r.agent == "greedy")
        assert found.interval is not None
        low, high = found.interval.low, found.interval.high
        hits += low <= 4.0 * ELO <= high and low <= found.elo <= high
    return hits


CLAIMS = (
    *(
        Claim(
            f"95 % interval of the mean {name}, {n} games",
            "at least",
            0.93,
            partial(_mean_covered, name, n),
        )
        for name in _FIGURES
        for n in (5, 10, 20)
    ),
    *(
        Claim(
            f"95 % interval of what starting is worth, {deals} deals that six match-ups share",
            "at least",
            0.93,
            partial(_starter_covered, deals),
            few=40,
            many=300,
        )
        for deals in (50, 500)
    ),
    Claim(
        "95 % interval of a rating whose record is mostly perfect",
        "at least",
        0.93,
        _rating_covered,
        few=60,
        many=500,
    ),
)
