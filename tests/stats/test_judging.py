"""Cells whose games can support no verdict: unfinished, forfeited, one-sided ones."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji.stats import CellSummary, summarise_parts
from hanamikoji.stats.counts import REASONS
from stats.simulated import Games, cell_facts, mirror_games, pair_games, run_facts

ERROR = REASONS.index("forfeit-error")


def summary_of(games: Games, margin: float = 0.01) -> CellSummary:
    facts = run_facts(games.cell, margin=margin)
    return summarise_parts([games.part()], facts).cells[0]


def forfeited(winner: np.ndarray, which: slice, **facts: object) -> Games:
    reason = np.zeros(len(winner), np.int64)
    reason[which] = ERROR
    return Games(cell_facts(**facts), winner, {"reason": reason})


def test_judge__games_at_the_round_limit_prove_nothing():
    found = summary_of(Games(cell_facts(), np.full(6000, 3))).verdict
    assert (found.decision, found.favours, found.further_games) == ("undecided", None, None)
    assert found.withheld == "6,000 unfinished of 6,000 games could change it"


def test_judge__forfeits_of_a_broken_agent_prove_nothing():
    found = summary_of(forfeited(np.zeros(100, np.int64), slice(None))).verdict
    assert found.decision == "undecided"
    assert found.withheld == "100 forfeited of 100 games could change it"


def test_judge__in_pairs_the_broken_agent_loses_from_both_seats():
    # b forfeits all: seating 0 is won by the starter, seating 1 by the second
    found = summary_of(forfeited(np.tile([0, 1], 500), slice(None), b="greedy")).verdict
    assert found.withheld == "1,000 forfeited of 1,000 games could change it"


@pytest.mark.parametrize(("edge", "decision"), [(0.0, "balanced"), (0.1, "unbalanced")])
def test_judge__a_few_of_them_change_nothing(edge, decision):
    games = mirror_games(np.random.default_rng(1), 100_000, edge=edge)
    games.winner[:50] = 3
    found = summary_of(games).verdict
    assert (found.decision, found.withheld) == (decision, None)
    games.winner[:4000] = 3
    changed = summary_of(games).verdict
    if edge:
        assert (changed.decision, changed.withheld) == (decision, None)
    else:
        assert changed.withheld == "4,000 unfinished of 100,000 games could change it"


def test_judge__too_few_games_are_no_reason():
    games = mirror_games(np.random.default_rng(1), 100)
    games.winner[0] = 3
    found = summary_of(games).verdict
    assert (found.decision, found.withheld) == ("undecided", None)
    assert found.further_games > 0


def unequal(seed: int, deals: int, skill: float, starting: float) -> Games:
    """Pairs whose law is logistic in strength and seat: an edge shrinks as one agent prevails."""
    rng = np.random.default_rng(seed)
    odds = np.array([skill + starting, -skill + starting])  # of the starter, by seating
    p = 1 / (1 + np.exp(-odds))
    winner = (rng.random((deals, 2)) >= p).astype(np.int64).ravel()
    return Games(cell_facts(b="greedy"), winner)


def test_judge__one_sided_pairs_are_not_balanced():
    # 5 pp between equals (0.2 in log odds), 0.8 pp where one scores 95.7 %
    found = summary_of(unequal(1, 60_000, 3.1, 0.2), margin=0.02)
    assert found.lopsided
    assert abs(found.verdict.edge) < 0.012
    assert found.verdict.decision == "undecided"
    assert found.verdict.withheld == "too one-sided to tell, random scores 95.6 %"


def test_judge__the_log_odds_of_starting_do_not_shrink():
    true = 0.2 * 400 / np.log(10)
    for skill in (0.0, 1.0, 3.1):
        elo = summary_of(unequal(2, 60_000, skill, 0.2)).starter_elo
        assert elo.interval.low < true < elo.interval.high
        assert elo.interval.half_width < 10


def test_judge__near_even_pairs_are_judged():
    found = summary_of(pair_games(np.random.default_rng(1), 50_000, skill=0.1))
    assert not found.lopsided
    assert found.verdict.decision == "balanced"


def test_judge__a_one_sided_cell_may_still_be_unbalanced():
    found = summary_of(unequal(3, 60_000, 2.5, 1.5))
    assert found.lopsided
    assert found.verdict.decision == "unbalanced"
