"""Variants against the baseline: pairing by hand, planted effects, Holm, screens."""

import math
from dataclasses import replace

import numpy as np
import pytest

from hanamikoji.stats import summarise_parts
from hanamikoji.stats.differences import correlation_of_means, screens
from hanamikoji.stats.fold import fold
from hanamikoji.stats.moments import Moments
from hanamikoji.stats.pairing import games_saved, score_correlation
from stats.simulated import KINDS, Games, cell_facts, detailed_games, mirror_games, run_facts


def compare(*games, **more):
    facts = run_facts(*(g.cell for g in games), **more)
    return summarise_parts([g.part() for g in games], facts).differences


def coupled(rng, deals, edge, together, **more):
    """A baseline and a variant that share the result of a deal with probability ``together``."""
    base = rng.random(deals)
    other = np.where(rng.random(deals) < together, base, rng.random(deals))
    return (
        Games(cell_facts(), (base >= 0.5).astype(int)),
        Games(cell_facts(**({"cell": 1, "variant": "other"} | more)), (other >= 0.5 + edge) * 1),
    )


def test_difference__by_hand():
    # 100 deals: both won 40, variant alone 20, baseline alone 10, neither 30
    mine = np.repeat([0, 0, 1, 1], [40, 20, 10, 30])
    theirs = np.repeat([0, 1, 0, 1], [40, 20, 10, 30])
    (found,) = compare(Games(cell_facts(), theirs), Games(cell_facts(1, "other"), mine))
    assert found.difference == pytest.approx(0.1)
    assert (found.n_variant, found.n_baseline, found.shared_deals) == (100, 100, 100)
    # with a pseudo-deal at each corner: 41, 21, 11, 31 of 104
    p, q, both = 62 / 104, 52 / 104, 41 / 104
    covariance = both - p * q
    assert found.correlation == pytest.approx(covariance / math.sqrt(p * (1 - p) * q * (1 - q)))
    apart = p * (1 - p) + q * (1 - q)
    assert found.saved.value == pytest.approx(apart / (apart - 2 * covariance))
    # McNemar's z = 10 / sqrt(30) is 1.83: p 0.068, of which the first look may spend 4/5
    assert found.p == pytest.approx(0.068 / 0.8, abs=0.01)
    assert found.interval.low < 0 < found.interval.high
    assert "paired" in found.interval.method


def test_difference__pairing_gains_what_the_correlation_promises():
    rng = np.random.default_rng(1)
    base, other = coupled(rng, 50_000, 0.0, 0.8)
    (found,) = compare(base, other)
    assert found.correlation == pytest.approx(0.8, abs=0.01)
    assert found.saved.value == pytest.approx(1 / (1 - 0.8), rel=0.05)


def test_difference__cells_of_other_deals_are_compared_unpaired():
    rng = np.random.default_rng(1)
    (found,) = compare(mirror_games(rng, 9), mirror_games(rng, 9, cell=1, variant="x", seed=8))
    assert (found.shared_deals, found.correlation, found.saved) == (0, None, None)
    assert "paired" not in found.interval.method


def test_difference__of_several_baselines_the_one_with_the_same_deals_counts():
    rng = np.random.default_rng(1)
    cells = [
        mirror_games(rng, 9, cell=0, seed=8),
        mirror_games(rng, 9, cell=1, seed=7),
        mirror_games(rng, 9, cell=2, variant="x", seed=7),
    ]
    (found,) = compare(*cells)
    assert (found.baseline_cell, found.shared_deals) == (1, 9)


def test_difference__pairing_that_costs_is_said():
    base = np.random.default_rng(1).integers(0, 2, 10_000)
    (found,) = compare(Games(cell_facts(), base), Games(cell_facts(1, "other"), 1 - base))
    assert found.correlation < -0.99
    assert found.saved.value == pytest.approx(0.5, abs=0.01)


def test_difference__of_equal_games_is_zero_with_a_width():
    base = np.random.default_rng(1).integers(0, 2, 10_000)
    (found,) = compare(Games(cell_facts(), base), Games(cell_facts(1, "other"), base))
    assert (found.difference, found.p, found.significant) == (0, 1, False)
    assert 0 < found.interval.high < 0.001
    assert found.verdict == "balanced"


def test_correlation_of_means__discounts_deals_that_are_not_shared():
    x = np.tile([0, 4], 500)
    shared = Moments(1000, x.sum(), x.sum(), x @ x, x @ x, x @ x)
    assert score_correlation(shared) == pytest.approx(1, abs=0.01)
    assert correlation_of_means(shared, 4000, 1000) == pytest.approx(0.5, abs=0.01)
    assert correlation_of_means(Moments(), 10, 10) == 0
    assert games_saved(shared, "games").value > 100


def _check_coverage(experiments, deals):
    """Intervals hold the true difference, and paired p-values keep their level."""
    rng = np.random.default_rng(6)
    hits = alarms = 0
    for _ in range(experiments):
        (found,) = compare(*coupled(rng, deals, 0.03, 0.7))
        hits += found.interval.low <= 0.03 <= found.interval.high
        (null,) = compare(*coupled(rng, deals, 0.0, 0.7))
        alarms += null.significant
    error = 4 * math.sqrt(0.05 * 0.95 / experiments)
    assert hits / experiments >= 0.95 - error
    assert alarms / experiments <= 0.05 + error


def test_difference__coverage():
    _check_coverage(150, 500)


@pytest.mark.soak
def test_difference__coverage_in_full():
    _check_coverage(2000, 1000)


def test_difference__planted_edge_is_found():
    (found,) = compare(*coupled(np.random.default_rng(2), 20_000, 0.01, 0.9))
    assert found.significant
    assert found.interval.low < 0.01 < found.interval.high
    # unpaired it would take this many times the games
    assert found.saved.value > 4


def test_differences__holm_over_the_variants():
    rng = np.random.default_rng(3)
    base, one = coupled(rng, 4000, 0.02, 0.5)
    cells = [base, one] + [
        mirror_games(rng, 4000, cell=i, variant=f"v{i}", edge=0.01 * i) for i in range(2, 5)
    ]
    found = compare(*cells)
    assert [d.variant for d in found] == ["other", "v2", "v3", "v4"]
    ranked = sorted(found, key=lambda d: d.p)
    assert ranked[0].p_holm == pytest.approx(min(1, 4 * ranked[0].p))
    assert all(d.p_holm >= d.p and d.significant == (d.p_holm < 0.05) for d in found)


def test_differences__after_an_extension_are_judged_by_the_stricter_bound():
    rng = np.random.default_rng(3)
    base, other = coupled(rng, 4000, 0.025, 0.5)
    planned = compare(base, other)[0]
    extended = [replace(g, cell=replace(g.cell, asked=4000, looks=(2000,))) for g in (base, other)]
    later = compare(*extended)[0]
    assert planned.significant
    assert later.p > 5 * planned.p
    assert (later.difference, later.interval) == (planned.difference, planned.interval)


def test_differences__different_means_by_more_than_the_margin():
    # Surely not equal, and surely not more than 1 pp apart.
    rng = np.random.default_rng(3)
    (found,) = compare(*coupled(rng, 200_000, 0.01, 0.9))
    assert found.significant
    assert found.verdict == "undecided"
    assert found.p_beyond > 0.05
    (found,) = compare(*coupled(rng, 200_000, 0.02, 0.9))
    assert (found.verdict, found.p_beyond < 0.001) == ("unbalanced", True)


def test_differences__cells_without_a_verdict_are_not_the_same():
    base = Games(cell_facts(), np.full(6000, 3))
    (found,) = compare(base, Games(cell_facts(1, "other"), np.full(6000, 3)))
    assert found.difference == 0
    assert found.verdict == "undecided"


def test_screens__find_what_was_planted_and_little_else():
    rng = np.random.default_rng(4)
    base = detailed_games(rng, 20_000)
    other = detailed_games(rng, 20_000, cell=1, variant="other")
    n = len(other.winner)
    opening = np.where(rng.random(n) < 0.05, 0, other.columns["opening_starter"])
    other.columns["opening_starter"] = opening
    favor = other.columns["favor_starter"] | (rng.random(n) < 0.05) * 0b100
    other.columns["favor_starter"] = favor
    other.columns["favor_second"] = other.columns["favor_second"] & ~favor
    facts = run_facts(base.cell, other.cell)
    counts, _ = fold([base.part(), other.part()], facts)
    (found,) = screens(counts, facts)
    assert found.label == "exploratory"
    # the scores that go with a geisha or an action would mix those of two agents
    assert len(found.rows) == 7 + len(KINDS)
    flagged = {row.name for row in found.rows if row.flagged}
    assert {"geisha 3 (charm 2)", "base/secret"} <= flagged
    planted = next(r for r in found.rows if r.name == "geisha 3 (charm 2)")
    assert planted.difference > 0
    assert planted.interval.low > 0
    assert all(row.q >= row.p for row in found.rows)


def test_screens__of_mirrors_compare_scores_as_well():
    rng = np.random.default_rng(4)
    cells = []
    for i, variant in enumerate(("base", "other")):
        made = detailed_games(rng, 200, cell=i, variant=variant)
        columns = {name: values[::2] for name, values in made.columns.items()}
        facts = cell_facts(i, variant)
        cells.append(Games(facts, made.winner[::2], columns))
    facts = run_facts(*(g.cell for g in cells))
    counts, _ = fold([g.part() for g in cells], facts)
    (found,) = screens(counts, facts)
    assert len(found.rows) == 2 * 7 + 2 * len(KINDS)


def test_screens__compare_only_what_both_variants_have():
    rng = np.random.default_rng(4)
    base = detailed_games(rng, 200)
    other = detailed_games(
        rng, 200, cell=1, variant="other", charm=(1,) * 7, kinds=(KINDS[1], "mine", "x", "y")
    )
    facts = run_facts(base.cell, other.cell)
    counts, _ = fold([base.part(), other.part()], facts)
    (found,) = screens(counts, facts)
    assert {row.name for row in found.rows} == {KINDS[1]}
