"""Verdicts and power: by hand, at the margin, and with the chances the table promises."""

import math

import numpy as np
import pytest

from hanamikoji.stats import Interval
from hanamikoji.stats.intervals import score
from hanamikoji.stats.judging import score_verdict
from hanamikoji.stats.verdicts import chances, decide, power_table, units_needed
from stats.simulated import cell_facts, run_facts

FACTS = run_facts(cell_facts(), margin=0.01)


def verdict_of(counts, facts=FACTS):
    return score_verdict(score(counts, "games"), facts)


def verdict_rates(edge, n, experiments, seed=1, margin=0.01):
    """Share of each decision over simulated mirror cells of ``n`` games."""
    facts = run_facts(cell_facts(), margin=margin)
    wins = np.random.default_rng(seed).binomial(n, 0.5 + edge, experiments)
    found = {"balanced": 0, "unbalanced": 0, "undecided": 0}
    for w in wins:
        found[verdict_of([n - w, 0, 0, 0, w], facts).decision] += 1
    return {name: count / experiments for name, count in found.items()}


def interval(low, high):
    return Interval(low, high, 0.9, "")


def test_decide__by_hand():
    assert decide(interval(-0.009, 0.009), interval(-0.011, 0.011), 0.01) == "balanced"
    assert decide(interval(-0.009, 0.010), interval(-0.011, 0.012), 0.01) == "undecided"
    assert decide(interval(0.02, 0.03), interval(0.0101, 0.04), 0.01) == "unbalanced"
    assert decide(interval(-0.03, -0.02), interval(-0.04, -0.01), 0.01) == "undecided"
    assert decide(interval(-0.03, -0.02), interval(-0.04, -0.011), 0.01) == "unbalanced"


def test_verdict__says_whom_it_favours():
    assert verdict_of([400, 0, 0, 0, 600]).favours == "starter"
    assert verdict_of([600, 0, 0, 0, 400]).favours == "second"
    assert verdict_of([50_000, 0, 0, 0, 50_000]).favours is None


def test_verdict__further_games_would_decide():
    found = verdict_of([3000, 0, 0, 0, 3000])
    assert found.decision == "undecided"
    # the next look may spend a fifth of the errors: z is 3.4 where the first look's is 1.75
    total = found.further_games + 6_000
    assert chances(0, 0.01, 0.5 / math.sqrt(total), "other")[0] == pytest.approx(0.8, abs=1e-3)
    assert total == pytest.approx((3.37 + 1.28) ** 2 / 4 / 0.01**2, rel=0.01)
    assert verdict_of([50_000, 0, 0, 0, 50_000]).further_games == 0
    # a point from the margin itself: nobody can afford it
    assert verdict_of([490, 0, 0, 0, 510]).further_games is None


def test_chances__by_hand():
    # margin 1, error 1/4: inside is 1 - 0.438 = 0.562 = 2.249 errors from 0 on either side, for
    # z = 1.751 leaves 4 % on a side
    balanced, unbalanced = chances(0, 1, 0.25)
    assert balanced == pytest.approx(0.97551, abs=1e-5)
    # outside is 1.513 = 6.054 errors away
    assert unbalanced == pytest.approx(2 * 7.08e-10, rel=0.02)
    assert chances(0, 1, 1)[0] == 0


def test_units_needed__has_the_power():
    n = units_needed(0.02, 0.01, 0.5)
    assert chances(0.02, 0.01, 0.5 / math.sqrt(n))[1] == pytest.approx(0.8, abs=1e-3)
    # the textbook's (z + 0.84)^2 sd^2 / distance^2, where z = 2.05 leaves 2 % on a side
    assert n == pytest.approx((2.053749 + 0.841621) ** 2 * 0.25 / 0.01**2, rel=0.001)
    assert units_needed(0.01, 0.01, 0.5) is None


def test_power_table__rows_add_up_and_grow():
    table = power_table(0.01, games=(1000, 100_000, 10_000_000))
    assert len(table.rows) == 21
    for row in table.rows:
        assert row.balanced + row.unbalanced + row.undecided == pytest.approx(1)
    fair = [row.balanced for row in table.rows if row.edge == 0]
    assert fair == sorted(fair)
    assert dict(table.needed)[0.01] is None
    pairs = power_table(0.01, unit="pairs")
    # independent games: a pair is worth two
    assert dict(pairs.needed)[0.0] == pytest.approx(dict(table.needed)[0.0], rel=0.001)


def _check_verdicts(experiments):
    error = 4 / math.sqrt(experiments)
    for n in (20_000, 100_000):
        at_margin = verdict_rates(0.01, n, experiments)
        assert at_margin["balanced"] <= 0.05 + error * math.sqrt(0.05 * 0.95)
        assert at_margin["unbalanced"] <= 0.025 + error * math.sqrt(0.025 * 0.975)
    assert verdict_rates(0.0, 20_000, experiments)["unbalanced"] <= 0.001
    for edge, n in ((0.0, 22_900), (0.02, 20_000), (0.005, 60_000)):
        said = chances(edge, 0.01, 0.5 / math.sqrt(n))
        seen = verdict_rates(edge, n, experiments)
        assert seen["balanced"] == pytest.approx(said[0], abs=error / 2)
        assert seen["unbalanced"] == pytest.approx(said[1], abs=error / 2)


def test_verdict__error_rates():
    _check_verdicts(1000)


@pytest.mark.soak
def test_verdict__error_rates_in_full():
    _check_verdicts(10_000)


def test_verdict__planted_edge_is_found_with_the_promised_power():
    n = units_needed(0.02, 0.01, 0.5)
    found = verdict_rates(0.02, n, 1000)["unbalanced"]
    assert found == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 1000))
