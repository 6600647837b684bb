"""A cell's scores, failures and luck, by hand and against simulated laws."""

import numpy as np
import pytest

from hanamikoji.stats import StopFacts
from hanamikoji.stats.cells import cell_summary
from hanamikoji.stats.counts import REASONS
from hanamikoji.stats.fold import count_part
from stats.simulated import Games, cell_facts, mirror_games, pair_games, run_facts


def summary_of(games, **more):
    facts = run_facts(games.cell, **more)
    return cell_summary(count_part(games.part(), games.cell)[0], games.cell, facts)


def four_deals():
    """a starts | b starts: a wins both; each starter wins; b wins both; shared and unfinished."""
    return Games(cell_facts(b="greedy"), np.array([0, 1, 0, 0, 1, 0, 2, 3]))


def test_cell__pairs_by_hand():
    found = summary_of(four_deals())
    assert (found.deals, found.games, found.mirror) == (4, 8, False)
    assert found.agent.pentanomial == (1, 0, 2, 0, 1)
    assert (found.agent.value, found.agent.n, found.agent.unit) == (0.5, 4, "pairs")
    agent = found.agent
    assert (agent.wins, agent.losses, agent.shared, agent.unfinished) == (3, 3, 1, 1)
    # the starter: 1/2, 1, 1/2, 1/2
    assert found.starter.pentanomial == (0, 0, 3, 0, 1)
    assert found.starter.value == 0.625
    assert found.starter.edge == found.verdict.edge == 0.125
    starter = found.starter
    assert (starter.wins, starter.losses, starter.shared, starter.unfinished) == (4, 2, 1, 1)
    assert (found.agent_as_starter.value, found.agent_as_starter.n) == (0.625, 4)
    assert (found.agent_as_second.value, found.agent_as_second.n) == (0.375, 4)
    assert found.agent_as_second.unit == "games"
    shares = found.starter_wins, found.second_wins, found.shared, found.unfinished
    assert [s.count for s in shares] == [4, 2, 1, 1]
    assert {s.n for s in shares} == {8}


def test_cell__mirror_by_hand():
    found = summary_of(Games(cell_facts(), np.array([0, 0, 1, 2])))
    assert found.starter.pentanomial == (1, 0, 1, 0, 2)
    assert (found.starter.value, found.starter.n, found.starter.unit) == (0.625, 4, "games")
    assert found.agent is found.agent_as_starter is found.luck is None


def test_cell__roles_and_strength_come_apart():
    games = pair_games(np.random.default_rng(1), 40_000, skill=-0.2, edge=0.05)
    found = summary_of(games)
    assert found.agent.edge == pytest.approx(-0.2, abs=0.01)
    assert found.starter.edge == pytest.approx(0.05, abs=0.01)
    assert found.agent_as_starter.edge == pytest.approx(-0.15, abs=0.01)
    assert found.agent_as_second.edge == pytest.approx(-0.25, abs=0.01)


def test_cell__pair_interval_uses_the_pairs_variance():
    steady = summary_of(pair_games(np.random.default_rng(1), 4000, skill=0.45)).starter
    coin = summary_of(pair_games(np.random.default_rng(1), 4000)).starter
    # per game 0.95 * 0.05 against 1/4, once who is who is known
    assert steady.interval.half_width / coin.interval.half_width == pytest.approx(
        np.sqrt(0.0475 / 0.25), rel=0.05
    )


def test_cell__forfeits_are_told_by_agent_and_left_out_apart():
    games = four_deals()
    error, illegal = REASONS.index("forfeit-error"), REASONS.index("forfeit-illegal")
    # deal 0: b forfeits as the second, then as the starter; deal 1: b forfeits when a starts
    games.columns["reason"] = np.array([error, error, illegal, 0, 0, 0, 5, 6])
    found = summary_of(games)
    assert [(f.agent, f.reason, f.games.count, f.games.n) for f in found.forfeits] == [
        ("greedy", "forfeit-error", 2, 8),
        ("greedy", "forfeit-illegal", 1, 8),
    ]
    assert found.starter.value == 0.625
    # left: deal 2 alone, both won by b
    assert found.clean_starter.pentanomial == (0, 0, 1, 0, 0)
    assert found.clean_verdict.n == 1


def test_cell__without_failures_there_is_no_clean_line():
    found = summary_of(mirror_games(np.random.default_rng(2), 100, shared=0.1))
    assert found.clean_starter is found.clean_verdict is None
    assert found.forfeits == ()


def test_luck__by_hand():
    # The deal decides all: the starter wins both games of half the deals, none of the others.
    found = summary_of(Games(cell_facts(b="greedy"), np.array([0, 0, 1, 1] * 50))).luck
    assert found.deal_share.value == pytest.approx(1)
    assert found.skill_share.value == pytest.approx(0)
    # Skill decides all: a wins every game, whoever starts.
    found = summary_of(Games(cell_facts(b="greedy"), np.array([0, 1] * 50))).luck
    assert found.skill_share.value == pytest.approx(1)
    assert found.deal_share.value == pytest.approx(0)
    assert (found.stronger, found.stronger_wins.count, found.stronger_wins.n) == (
        "random",
        100,
        100,
    )


def test_luck__comes_back_from_a_known_law():
    # Var of a game: 1/4. The deal moves P(win) by 0.3: 0.09; skill by 0.1: 0.01.
    games = pair_games(np.random.default_rng(3), 100_000, skill=-0.1, luck=0.3)
    found = summary_of(games).luck
    assert found.stronger == "greedy"
    assert found.stronger_wins.value == pytest.approx(0.6, abs=0.005)
    for share, true in ((found.deal_share, 0.36), (found.skill_share, 0.04)):
        assert share.interval.low < true < share.interval.high
        assert share.interval.half_width < 0.01
    assert found.rest == pytest.approx(0.6, abs=0.02)


def test_cell__precision_stop_leaves_the_ordinary_intervals():
    games = mirror_games(np.random.default_rng(2), 5000)
    fixed = summary_of(games)
    found = summary_of(games, stop=StopFacts("precision", precision=0.05))
    assert found.stopping.outcome == "precision reached"
    assert not found.stopping.optionally_stopped
    assert found.starter == fixed.starter
    assert found.verdict == fixed.verdict
    assert fixed.stopping.outcome == "fixed size"
    short = summary_of(games, stop=StopFacts("precision", precision=0.005))
    assert short.stopping.outcome == "games ran out"


def test_cell__precision_stop_quotes_the_sequence_if_asked_to():
    games = mirror_games(np.random.default_rng(2), 5000)
    fixed = summary_of(games)
    found = summary_of(games, stop=StopFacts("precision", precision=0.05, sequence=True))
    assert found.stopping.outcome == "precision reached"
    assert "sequence" in found.starter.interval.method
    assert found.starter.interval.half_width > 1.3 * fixed.starter.interval.half_width
    assert "sequence" in found.verdict.narrow.method


def test_cell__sprt_stop_is_labelled():
    stop = StopFacts("sprt", score0=0.5, score1=0.55)
    better = summary_of(pair_games(np.random.default_rng(2), 3000, skill=0.1), stop=stop)
    assert better.stopping.optionally_stopped
    assert better.stopping.outcome == "accepted H1"
    worse = summary_of(pair_games(np.random.default_rng(2), 3000, skill=-0.1), stop=stop)
    assert worse.stopping.outcome == "accepted H0"
    assert worse.stopping.llr < 0
    assert worse.stopping.estimate.n == 3000
    assert summary_of(mirror_games(np.random.default_rng(2), 500)).stopping.estimate is None
