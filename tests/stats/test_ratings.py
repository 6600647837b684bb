"""Ratings: exact small cases, known ladders, perfect records, broken schedules."""

import math

import numpy as np
import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.stats import AgentFacts
from hanamikoji.stats.cycles import beat_cycles, connected_groups
from hanamikoji.stats.fold import fold
from hanamikoji.stats.ratings import ELO, anchor_of, fit, rate, rating_tables
from stats.simulated import Games, cell_facts, mirror_games, pair_games, run_facts


def ladder(rng, strengths, deals, *, starter=0.0, log_nu=-math.inf, variant="base"):
    """A round-robin played by the model itself; strengths in log odds by name."""
    names = list(strengths)
    made = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            gap = strengths[a] - strengths[b]
            u = np.array([gap + starter, -gap + starter])
            weights = np.exp(np.stack([u / 2, -u / 2, np.full(2, log_nu)], axis=-1))
            p = weights / weights.sum(axis=-1, keepdims=True)
            rolls = rng.random((deals, 2))
            winner = (rolls >= p[:, 0]) * 1 + (rolls >= p[:, 0] + p[:, 1]) * 1
            made.append(Games(cell_facts(len(made), variant, a, b), winner.ravel()))
    return made


def rated(games, replicates=100, **more):
    facts = run_facts(*(g.cell for g in games), **more)
    counts, _ = fold([g.part() for g in games], facts)
    return rate(counts, facts, facts.cells, replicates)


def test_fit__two_agents_by_hand():
    # a wins 30 and 20 of 40 as the starter and as the second. With the pseudo-games the odds are
    # u1 = ln(30.25 / 10.25) and u2 = ln(20.25 / 20.25) for a: t = (u1 + u2) / 2, d = (u1 - u2) / 2.
    counts = np.array([[30.0, 0, 10], [20.0, 0, 20]])
    found = fit([1, 0], [0, 1], counts, 2)
    u1, u2 = math.log(30.25 / 10.25), 0.0
    assert found.strength[1] == pytest.approx((u1 + u2) / 2)
    assert found.starter == pytest.approx((u1 - u2) / 2)
    assert found.log_nu == -np.inf


def test_fit__ties_by_hand():
    # even wins, as many ties: nu = ties / sqrt(wins losses)
    found = fit([0, 1], [1, 0], np.array([[9.75, 5, 9.75], [9.75, 5, 9.75]]), 2)
    assert np.exp(found.log_nu) == pytest.approx(0.5)
    assert found.strength[1] == pytest.approx(0)


def test_fit__agrees_with_a_general_optimiser():
    from scipy.optimize import minimize

    rng = np.random.default_rng(1)
    starters, seconds = [0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1]
    counts = rng.integers(5, 60, (6, 3)).astype(float)

    def loss(x):
        strength = np.array([0, x[0], x[1]])
        u = strength[starters] - strength[seconds] + x[2]
        logits = np.stack([u / 2, np.full(6, x[3]), -u / 2], axis=1)
        padded = counts + np.array([0.25, 0, 0.25])
        return -(padded * (logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))).sum()

    best = minimize(loss, np.zeros(4), tol=1e-12).x
    found = fit(starters, seconds, counts, 3)
    mine = [*found.strength[1:], float(found.starter), float(found.log_nu)]
    assert mine == pytest.approx(list(best), abs=1e-5)


def test_fit__many_replicates_at_once_are_each_its_own():
    counts = np.random.default_rng(2).integers(1, 50, (5, 2, 3)).astype(float)
    together = fit([0, 1], [1, 0], counts, 2)
    for i in range(5):
        alone = fit([0, 1], [1, 0], counts[i], 2)
        assert together.strength[i] == pytest.approx(alone.strength)
        assert together.log_nu[i] == pytest.approx(alone.log_nu)


def test_rate__known_ladder_comes_back():
    strengths = {"random": 0.0, "greedy": 1.0, "search": 1.4, "learned": 1.8}
    games = ladder(np.random.default_rng(3), strengths, 3000, starter=0.1, log_nu=math.log(0.3))
    found = rated(games)
    assert [r.agent for r in found.ratings] == ["learned", "search", "greedy", "random"]
    for r in found.ratings:
        true = ELO * strengths[r.agent]
        if r.agent == found.anchor:
            assert (r.elo, r.interval) == (0, None)
        else:
            assert r.interval.low - 5 < true < r.interval.high + 5
            assert 10 < 2 * r.interval.half_width < 60
        assert r.games == 3 * 6000
    assert found.starter_elo.interval.low < ELO * 0.1 < found.starter_elo.interval.high
    assert found.ties == pytest.approx(0.3, abs=0.02)
    assert found.cycles == ()
    for one in found.fits:
        assert one.predicted == pytest.approx(one.observed, abs=0.02)


def test_rate__is_the_same_each_time():
    games = ladder(np.random.default_rng(3), {"random": 0.0, "greedy": 1.0}, 200)
    assert rated(games) == rated(games)


def test_rate__perfect_records_are_finite_with_a_width():
    never = np.tile([1, 0], 500)  # a loses as the starter and as the second
    games = [
        Games(cell_facts(0, a="random", b="greedy"), never),
        Games(cell_facts(1, a="greedy", b="learned"), never),
    ]
    found = rated(games)
    assert [r.agent for r in found.ratings] == ["learned", "greedy", "random"]
    gap = found.ratings[1].elo
    # 1000 games a match-up and half a win more: 2 * ln(500.25 / 0.25) / 2 log odds
    assert gap == pytest.approx(ELO * math.log(500.25 / 0.25), rel=1e-6)
    for r in found.ratings[:2]:
        assert r.elo - 800 < r.interval.low < r.elo
        assert r.interval.high == math.inf
    assert found.ratings[0].score == 1


def test_rate__a_perfect_record_against_a_weak_agent_has_no_upper_end():
    rng = np.random.default_rng(1)
    games = [
        Games(cell_facts(0, a="random", b="greedy"), np.tile([1, 0], 100)),
        pair_games(rng, 100, cell=1, a="greedy", b="learned"),
    ]
    found = {r.agent: r.interval for r in rated(games).ratings}
    # Nobody who is as strong as random has taken points from either.
    assert found["greedy"].high == found["learned"].high == math.inf
    with_points = games[0].winner.copy()
    with_points[0] = 0
    games[0].winner = with_points
    found = {r.agent: r.interval for r in rated(games).ratings}
    assert all(math.isfinite(found[name].high) for name in ("greedy", "learned"))


def test_rate__a_lost_record_has_no_lower_end():
    lost = Games(cell_facts(0, a="random", b="greedy"), np.tile([0, 1], 100))
    (found,) = (r for r in rated([lost]).ratings if r.agent == "greedy")
    assert found.interval.low == -math.inf
    assert found.elo <= found.interval.high < -100


def test_rate__all_ties_are_finite():
    found = rated([Games(cell_facts(b="greedy"), np.full(400, 2))])
    assert math.isfinite(found.ties)
    assert found.ratings[0].elo == pytest.approx(0, abs=1e-6)


def test_rate__disconnected_schedule_names_the_groups():
    rng = np.random.default_rng(1)
    games = [
        *ladder(rng, {"random": 0, "greedy": 1}, 50),
        Games(cell_facts(1, a="x", b="y"), rng.integers(0, 2, 100)),
    ]
    with pytest.raises(ResultsError, match=r"\{greedy, random\} and \{x, y\}"):
        rated(games)
    facts = run_facts(*(g.cell for g in games))
    (told,) = rating_tables(fold([g.part() for g in games], facts)[0], facts)
    assert told.ratings == ()
    assert "{x, y}" in told.problem


def test_rate__cycles_are_pointed_out():
    beats = np.tile([0, 1], 100)  # a wins whoever starts
    names = ("rock", "scissors", "paper")
    games = [Games(cell_facts(i, a=names[i], b=names[(i + 1) % 3]), beats.copy()) for i in range(3)]
    found = rated(games)
    assert found.cycles == (("paper", "rock", "scissors"),)
    assert [r.elo for r in found.ratings] == pytest.approx([0, 0, 0], abs=1e-6)


def test_rating_tables__only_variants_where_different_agents_met():
    rng = np.random.default_rng(1)
    games = [
        *ladder(rng, {"random": 0, "greedy": 1}, 50),
        mirror_games(rng, 50, cell=1, variant="x"),
    ]
    facts = run_facts(*(g.cell for g in games))
    tables = rating_tables(fold([g.part() for g in games], facts)[0], facts, 20)
    assert [t.variant for t in tables] == ["base"]


def test_anchor__is_random_by_any_name():
    facts = run_facts(
        cell_facts(a="strong", b="dice"),
        agents=(AgentFacts("strong", "greedy"), AgentFacts("dice", "random")),
    )
    assert anchor_of(["strong", "dice"], facts) == "dice"
    assert anchor_of(["strong"], facts) == "strong"


def _check_coverage(experiments, replicates):
    hits = total = 0
    strengths = {"random": 0.0, "greedy": 0.7, "search": 1.1}
    rng = np.random.default_rng(11)
    for _ in range(experiments):
        games = ladder(rng, strengths, 150, starter=0.1, log_nu=math.log(0.2))
        for r in rated(games, replicates).ratings:
            if r.interval is not None:
                total += 1
                hits += r.interval.low <= ELO * strengths[r.agent] <= r.interval.high
    assert hits / total >= 0.95 - 4 * math.sqrt(0.05 * 0.95 / experiments)
    return hits / total


@pytest.mark.soak
def test_rate__coverage_in_full():
    _check_coverage(500, 1000)


def test_rate__coverage():
    _check_coverage(30, 200)


def test_connected_groups__by_hand():
    assert connected_groups([("a", "b"), ("c", "d"), ("b", "e")]) == [["a", "b", "e"], ["c", "d"]]
    assert connected_groups([("a", "b"), ("c", "d"), ("d", "a")]) == [["a", "b", "c", "d"]]


def test_beat_cycles__by_hand():
    assert beat_cycles([("a", "b"), ("b", "c"), ("a", "c")]) == ()
    assert beat_cycles([("b", "c"), ("c", "a"), ("a", "b"), ("c", "d")]) == (("a", "b", "c"),)
