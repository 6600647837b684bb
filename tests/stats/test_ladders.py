"""The skill ladder: order and trend."""

import numpy as np
import pytest

from hanamikoji.stats import Ladder, Summary
from hanamikoji.stats.summary import summarise_parts
from stats.simulated import mirror_games, pair_games, run_facts

DEALS = 60_000


def ladder_of(edges, *more, margin=0.01):
    """Mirrors of agents named in the experiment's order, with these starter's edges."""
    rng = np.random.default_rng(1)
    games = [
        mirror_games(rng, DEALS, edge, cell=i, a=name, b=name)
        for i, (name, edge) in enumerate(edges.items())
    ]
    games += more
    facts = run_facts(*(g.cell for g in games), margin=margin)
    found: Summary = summarise_parts([g.part() for g in games], facts)
    ladder: Ladder
    (ladder,) = found.ladders
    return ladder


@pytest.mark.parametrize(
    ("edges", "trend"),
    [
        ((0.0, 0.05), "grows"),
        ((0.0, -0.05), "grows"),
        ((-0.02, -0.06), "grows"),
        ((0.05, 0.01), "vanishes"),
        ((-0.05, 0.0), "vanishes"),
        ((0.03, -0.03), "turns"),
        ((0.02, 0.02), "steady"),
    ],
)
def test_ladder__trend(edges, trend):
    found = ladder_of({"weak": edges[0], "strong": edges[1]})
    assert found.trend == trend
    assert found.ordered_by == "experiment"
    assert [r.agent for r in found.rungs] == ["weak", "strong"]
    change = edges[1] - edges[0]
    assert found.change.interval.low < change < found.change.interval.high


def test_ladder__unclear_when_games_are_few():
    found = ladder_of({"weak": 0.0, "strong": 0.001}, margin=0.001)
    assert found.trend == "unclear"


def test_ladder__ordered_by_rating_where_there_is_one():
    # b is the stronger by far though the experiment names it first
    match = pair_games(np.random.default_rng(2), 2000, skill=0.3, cell=2, a="strong", b="weak")
    found = ladder_of({"strong": 0.0, "weak": 0.05}, match)
    assert found.ordered_by == "rating"
    assert [r.agent for r in found.rungs] == ["weak", "strong"]
    assert found.trend == "vanishes"
    assert found.rungs[1].elo - found.rungs[0].elo > 100


def test_ladder__needs_two_rungs():
    games = mirror_games(np.random.default_rng(1), 50)
    found = summarise_parts([games.part()], run_facts(games.cell))
    assert found.ladders == ()
