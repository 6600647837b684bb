"""Stopping rules: the likelihood ratio, error rates, and the same stop for any chunking."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from hanamikoji.errors import ExperimentError
from hanamikoji.stats import StopFacts, sequences, sprt, stopping
from hanamikoji.stats.intervals import QUARTERS, bounded_score
from hanamikoji.stats.stopping import (
    BLOCK,
    PrecisionRule,
    SprtRule,
    VerdictRule,
    block_counts,
    make_rule,
)

# pentanomial laws of an agent with a given score: two games, each half luck of the deal
DRAWISH = np.array([0.06, 0.19, 0.5, 0.19, 0.06])


def law_with_mean(mean, base=DRAWISH):
    """The base law tilted exponentially to a mean."""
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        tilted = base * np.exp(middle * QUARTERS)
        low, high = (middle, high) if QUARTERS @ tilted < mean * tilted.sum() else (low, middle)
    return tilted / tilted.sum()


def matches(law, score0, score1, number, *, alpha=0.05, beta=0.05, seed=5, step=4, most=40_000):
    """Outcomes and lengths (in pairs) of simulated SPRT matches, looked at every ``step`` pairs."""
    rng = np.random.default_rng(seed)
    outcomes, lengths = [], []
    lower, upper = sprt.bounds(alpha, beta)
    for _ in range(number):
        counts = np.zeros(5, dtype=np.int64)
        while True:
            counts += rng.multinomial(step, law)
            llr = sprt.log_likelihood_ratio(counts, score0, score1)
            if not lower < llr < upper:
                break
            assert counts.sum() < most
        outcomes.append(llr >= upper)
        lengths.append(counts.sum())
    return np.mean(outcomes), np.mean(lengths)


def wald_length(law, score0, score1, accept1, error=0.05):
    """Wald's approximation of the mean number of pairs, without overshoot."""
    lower, upper = sprt.bounds(error, error)
    step = sprt.log_likelihood_ratio(np.rint(law * 10**9), score0, score1) / 10**9
    return (accept1 * upper + (1 - accept1) * lower) / step


def test_elo_score__by_hand():
    assert sprt.elo_score(0) == 0.5
    assert sprt.elo_score(400) == pytest.approx(10 / 11)


def test_llr__by_hand_for_wins_and_losses():
    # Only wins and losses: the multinomial with mean s is the coin s, whatever else.
    counts = [40, 0, 0, 0, 60]
    expected = 60 * math.log(0.55 / 0.5) + 40 * math.log(0.45 / 0.5)
    assert sprt.log_likelihood_ratio(counts, 0.5, 0.55) == pytest.approx(expected, abs=0.01)


def test_llr__is_the_ratio_of_the_best_laws():
    counts = np.array([8, 21, 60, 30, 11])

    def best(mean):
        found = minimize(
            lambda p: -counts @ np.log(p),
            np.full(5, 0.2),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: QUARTERS @ p - mean},
            ],
            tol=1e-12,
        )
        return -found.fun

    ours = sprt.log_likelihood_ratio(counts, 0.5, 0.52)
    assert ours == pytest.approx(best(0.52) - best(0.5), abs=1e-4)


def test_llr__is_finite_and_antisymmetric():
    assert sprt.log_likelihood_ratio([0] * 5, 0.5, 0.51) == 0
    for counts in ([0, 0, 0, 0, 292], [292, 0, 0, 0, 0], [0, 0, 10**9, 0, 0], [1, 0, 0, 0, 0]):
        there = sprt.log_likelihood_ratio(counts, 0.5, 0.51)
        back = sprt.log_likelihood_ratio(counts[::-1], 0.5, 0.49)
        assert math.isfinite(there)
        assert there == pytest.approx(back, rel=1e-6)


def test_sprt__decides_a_292_0_match():
    assert SprtRule.from_elo(0, 5).update([0, 0, 0, 0, 292]).outcome == "accepted H1"
    lost = SprtRule.from_elo(0, 5).update([292, 0, 0, 0, 0])
    assert (lost.stop, lost.outcome, lost.units) == (True, "accepted H0", 292)


def test_sprt__accumulates_blocks():
    whole, parts = SprtRule(0.5, 0.51), SprtRule(0.5, 0.51)
    for block in ([1, 2, 3, 2, 2], [0, 1, 4, 2, 1]):
        last = parts.update(block)
    assert whole.update([1, 3, 7, 4, 3]) == last


@pytest.mark.parametrize(
    ("scores", "errors", "word"),
    [
        ((0.5, 0.5), (0.05, 0.05), "rise"),
        ((0.5, 1.0), (0.05, 0.05), "between 0 and 1"),
        ((0.5, 0.6), (0.0, 0.05), "alpha"),
        ((0.5, 0.6), (0.05, 0.7), "beta"),
    ],
)
def test_sprt__refuses_a_test_that_cannot_be(scores, errors, word):
    with pytest.raises(ExperimentError, match=word):
        SprtRule(*scores, alpha=errors[0], beta=errors[1])


def _check_sprt(number, elo1, step, allowed):
    """Both error rates are at most ``allowed``; returns the mean lengths over Wald's."""
    score1 = sprt.elo_score(elo1)
    ratios = []
    for true in (0.5, score1):
        law = law_with_mean(true)
        accepted, length = matches(law, 0.5, score1, number, step=step)
        assert (accepted if true == 0.5 else 1 - accepted) <= allowed
        wald = wald_length(law, 0.5, score1, 0.05 if true == 0.5 else 0.95)
        ratios.append(length / wald)
    return ratios


def test_sprt__error_rates_and_length():
    lengths = _check_sprt(200, 30, 16, 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200))
    assert lengths == pytest.approx([1, 1], abs=0.35)


@pytest.mark.soak
def test_sprt__error_rates_and_length_in_full():
    # Looked at as the runner does: Wald's bounds gain by the overshoot of a block of pairs.
    lengths = _check_sprt(2000, 10, BLOCK, 0.05)
    assert lengths == pytest.approx([1.3, 1.3], abs=0.1)
    # Looked at after every few pairs nothing is left over: the errors are alpha and beta.
    lengths = _check_sprt(2000, 20, 8, 0.05 + 2 * math.sqrt(0.05 * 0.95 / 2000))
    assert lengths == pytest.approx([1.08, 1.08], abs=0.05)


def played_until_stopped(rule, law, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(20_000):
        decision = rule.update(rng.multinomial(BLOCK, law))
        if decision.stop:
            return decision
    raise AssertionError("it never stops")


def test_precision__stops_when_narrow_enough():
    rule = PrecisionRule(0.02)
    decision = played_until_stopped(rule, [0.25, 0, 0.5, 0, 0.25])
    assert decision.interval.half_width <= 0.02
    # z = 1.96, a per cent of delay, a block
    assert decision.units == pytest.approx((1.96 / 0.02) ** 2 / 8 + BLOCK / 2, abs=BLOCK / 2 + 20)
    assert decision.interval == bounded_score(rule.counts).interval(0.95)


def test_precision__of_a_sequence_takes_longer():
    rule = PrecisionRule(0.02, sequence=True)
    decision = played_until_stopped(rule, [0.25, 0, 0.5, 0, 0.25])
    # z = 3.06 at the target, a per cent of delay, a block
    assert decision.units == pytest.approx((3.06 / 0.02) ** 2 / 8, rel=0.1)
    assert decision.interval == sequences.interval(rule.counts, 0.95, 0.02)


def test_verdict__stops_when_it_is_reached():
    fair = played_until_stopped(VerdictRule(0.02), [0.5, 0, 0, 0, 0.5])
    assert fair.outcome == "verdict reached"
    unfair = played_until_stopped(VerdictRule(0.02), [0.4, 0, 0, 0, 0.6])
    assert unfair.interval.low > 0.02
    assert unfair.units < fair.units


def test_precision__refuses_a_width_that_cannot_be():
    for width in (0, -1, 0.5):
        with pytest.raises(ExperimentError, match="precision"):
            PrecisionRule(width)


def test_make_rule__by_facts():
    assert make_rule(StopFacts()) is None
    assert make_rule(StopFacts("precision", precision=0.01)).half_width == 0.01
    assert make_rule(StopFacts("precision", precision=0.01, sequence=True)).sequence
    assert make_rule(StopFacts("verdict", margin=0.02)).margin == 0.02
    rule = make_rule(StopFacts("sprt", score0=0.5, score1=0.52, alpha=0.01, beta=0.1))
    assert (rule.score1, rule.upper) == (0.52, pytest.approx(math.log(90)))


def test_block_counts__by_hand():
    # deals: a wins both | starters win | b wins both | shared, unfinished
    outcomes = np.array([0, 1, 0, 0, 1, 0, 2, 3])
    agent = block_counts(outcomes, mirror=False, rule="sprt")
    assert agent.tolist() == [[1, 0, 2, 0, 1]]
    starter = block_counts(outcomes, mirror=False, rule="precision")
    assert starter.tolist() == [[0, 0, 3, 0, 1]]
    single = block_counts(outcomes, mirror=True, rule="sprt")
    assert single.tolist() == [[2, 0, 2, 0, 4]]
    mixed = block_counts(np.array([0, 2, 3, 1]), mirror=False, rule="sprt")
    assert mixed.tolist() == [[0, 0, 0, 2, 0]]


@pytest.mark.parametrize("rule", ["precision", "verdict", "sprt"])
def test_block_counts__same_stop_for_any_chunks(rule):
    rng = np.random.default_rng(2)
    outcomes = rng.choice(2, size=2 * 60_000, p=[0.53, 0.47])
    outcomes[1::2] ^= 1  # a is the better one whoever starts

    def stop_at(chunk):
        watch = make_rule(StopFacts(rule, precision=0.01, margin=0.02, score0=0.5, score1=0.505))
        for low in range(0, len(outcomes), 2 * chunk):
            for block in block_counts(outcomes[low : low + 2 * chunk], mirror=False, rule=rule):
                decision = watch.update(block)
                if decision.stop:
                    return decision
        return None

    first = stop_at(1024)
    assert first is not None
    assert first.units % BLOCK == 0
    assert stop_at(16_384) == stop_at(60_160) == first


def test_block_counts__last_block_may_be_short():
    found = block_counts(np.zeros(BLOCK + 3, dtype=int), mirror=True, rule="precision")
    assert found.sum(axis=1).tolist() == [BLOCK, 3]


def test_block__divides_the_planned_chunks():
    assert 1024 % BLOCK == 0
    assert stopping.BLOCK > 0
