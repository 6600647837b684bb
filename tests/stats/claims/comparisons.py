"""Many comparisons: what a sentence that counts them risks."""

from __future__ import annotations

from functools import partial

import numpy as np

from hanamikoji.stats import Difference, Summary, summarise_parts
from hanamikoji.stats.moments import moments
from hanamikoji.stats.pairing import games_saved
from stats.claims.claim import Claim
from stats.simulated import Games, cell_facts, pair_games, run_facts

MARGIN = 0.05


def _mirrors(
    rng: np.random.Generator, agents: int, variants: int, edge: float, games: int
) -> Summary:
    """A baseline and variants whose starter scores ``edge`` more, under several agents."""
    cells: list[Games] = []
    for agent in (f"agent {i}" for i in range(agents)):
        for variant in range(variants + 1):
            p = 0.5 + (edge if variant else 0.0)
            facts = cell_facts(len(cells), f"v{variant}", agent, agent)
            cells.append(Games(facts, (rng.random(games) >= p).astype(np.int64)))
    facts = run_facts(*(c.cell for c in cells), margin=MARGIN)
    return summarise_parts([c.part() for c in cells], facts)


def _significant(agents: int, rng: np.random.Generator, number: int) -> int:
    """Runs in which the report counts a significant difference though there is none."""
    return sum(
        any(d.significant for d in _mirrors(rng, agents, 1, 0.0, 500).differences)
        for _ in range(number)
    )


def _different(variants: int, rng: np.random.Generator, number: int) -> int:
    """Runs in which a variant is called different though it differs by the margin only."""

    def wrong(found: Difference) -> bool:
        return found.verdict == "unbalanced"

    return sum(
        any(map(wrong, _mirrors(rng, 1, variants, MARGIN, 4000).differences)) for _ in range(number)
    )


def _flagged(rng: np.random.Generator, number: int) -> int:
    """Runs in which an exploratory comparison is flagged though all variants are the same."""
    wrong = 0
    for _ in range(number):
        cells = [pair_games(rng, 300, cell=i, variant=f"v{i}") for i in range(4)]
        for games in cells:
            n = len(games.winner)
            for who in ("starter", "second"):
                games.columns[f"opening_{who}"] = rng.integers(0, 4, n)
            favor = rng.integers(0, 128, n)
            games.columns["favor_starter"] = favor
            games.columns["favor_second"] = rng.integers(0, 128, n) & ~favor
        facts = run_facts(*(c.cell for c in cells))
        screens = summarise_parts([c.part() for c in cells], facts).screens
        wrong += any(row.flagged for screen in screens for row in screen.rows)
    return wrong


def _saved_covered(rho: float, rng: np.random.Generator, number: int) -> int:
    """Coins of two mirrors that show the same side with probability (1 + rho) / 2."""
    hits = 0
    for _ in range(number):
        x = rng.integers(0, 2, 400)
        y = np.where(rng.random(400) < (1 + rho) / 2, x, 1 - x)
        found = games_saved(moments(4 * x, 4 * y), "games").interval
        hits += found.low <= 1 / (1 - rho) <= found.high
    return hits


CLAIMS = (
    *(
        Claim(
            f"any significant difference where there is none, {agents} match-ups",
            "at most",
            0.05,
            partial(_significant, agents),
            few=60,
            many=1000,
        )
        for agents in (3, 10)
    ),
    Claim(
        "any variant 'different', 20 variants at the margin",
        "at most",
        0.05,
        partial(_different, 20),
        few=25,
        many=500,
    ),
    Claim(
        "any exploratory comparison flagged, 3 variants that are the baseline",
        "at most",
        0.05,
        _flagged,
        few=60,
        many=1000,
    ),
    *(
        Claim(
            f"95 % interval of the games that pairing saves, correlation {rho:g}, 400 deals",
            "at least",
            0.94,
            partial(_saved_covered, rho),
        )
        for rho in (0.0, 0.5, 0.9)
    ),
)
