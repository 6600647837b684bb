"""Verdicts at the margin: how often they come out wrong, however often one looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hanamikoji.stats import Verdict
from hanamikoji.stats.after_sprt import estimate
from hanamikoji.stats.intervals import bounded_score, score
from hanamikoji.stats.judging import score_verdict
from hanamikoji.stats.stopping import BLOCK, PrecisionRule, Rule, SprtRule, VerdictRule
from stats.claims.claim import Claim
from stats.simulated import cell_facts, run_facts

MARGIN = 0.01
LOOKS = 20

_FACTS = run_facts(cell_facts(), margin=MARGIN)

Extend = Callable[[Verdict], int]


def _every(verdict: Verdict) -> int:
    return 10_000


def _advised(verdict: Verdict) -> int:
    """What the report says would decide; as many again where it knows of no number."""
    return verdict.further_games or verdict.n


def _runs(rng: np.random.Generator, number: int, looks: int, extend: Extend) -> Iterator[str]:
    """The verdict of runs of 10,000 games, extended while they are undecided."""
    for _ in range(number):
        games, wins = 0, 0
        more = 10_000
        for look in range(looks):
            games, wins = games + more, wins + int(rng.binomial(more, 0.5 + MARGIN))
            found = score([games - wins, 0, 0, 0, wins], "games")
            verdict = score_verdict(found, _FACTS, "other" if look else "planned")
            if verdict.decision != "undecided":
                break
            more = extend(verdict)
        yield verdict.decision


def _wrong(decision: str, looks: int, extend: Extend, rng: np.random.Generator, number: int) -> int:
    return sum(found == decision for found in _runs(rng, number, looks, extend))


def _stopped(rule: Rule, score_: float, rng: np.random.Generator, most: int) -> np.ndarray:
    """Pentanomial counts of a mirror when a rule ends it, or after ``most`` games."""
    counts = np.zeros(5, dtype=np.int64)
    while counts.sum() < most:
        block = np.zeros(5, dtype=np.int64)
        block[4] = rng.binomial(BLOCK, score_)
        block[0] = BLOCK - block[4]
        counts += block
        if rule.update(block).stop:
            break
    return counts


def _wrong_until_verdict(rng: np.random.Generator, number: int) -> int:
    return sum(
        _decides(VerdictRule(0.05), _stopped(VerdictRule(0.05), 0.55, rng, 200_000))
        for _ in range(number)
    )


def _decides(rule: Rule, counts: np.ndarray) -> bool:
    return rule.update(counts, last=True).stop


def _covered_by_precision(
    half_width: float, score_: float, rng: np.random.Generator, number: int
) -> int:
    hits = 0
    for _ in range(number):
        counts = _stopped(PrecisionRule(half_width), score_, rng, 10**6)
        found = bounded_score(counts).interval()
        hits += found.low <= score_ <= found.high
    return hits


def _wrong_after_sprt(rng: np.random.Generator, number: int) -> int:
    """Verdicts at the margin from runs that a test of another hypothesis ended."""
    facts = run_facts(cell_facts(), margin=0.05)
    wrong = 0
    for _ in range(number):
        counts = _stopped(SprtRule(0.5, 0.56), 0.55, rng, 200_000)
        found = score(counts, "games")
        wrong += score_verdict(found, facts, "any").decision != "undecided"
    return wrong


def _estimated_after_sprt(true: float, event: str, rng: np.random.Generator, number: int) -> int:
    """How often the estimate after a test is above the truth, or its interval holds it."""
    hits = 0
    for _ in range(number):
        rule = SprtRule(0.5, 0.54)
        counts = _stopped(rule, true, rng, 200_000)
        hypotheses = rule.score0, rule.score1
        found = estimate(counts, "games", hypotheses, (rule.lower, rule.upper), BLOCK)
        inside = found.interval.low <= true <= found.interval.high
        hits += inside if event == "inside" else found.value > true
    return hits


_AT = f"a true edge at the margin of {100 * MARGIN:g} pp"

CLAIMS = (
    Claim(
        f"'balanced' at one look, {_AT}", "at most", 0.05, partial(_wrong, "balanced", 1, _every)
    ),
    Claim(
        f"'balanced' at any of {LOOKS} looks, every 10,000 games, {_AT}",
        "at most",
        0.05,
        partial(_wrong, "balanced", LOOKS, _every),
    ),
    Claim(
        f"'balanced' at any of {LOOKS} advised looks, {_AT}",
        "at most",
        0.05,
        partial(_wrong, "balanced", LOOKS, _advised),
    ),
    Claim(
        f"'unbalanced' at any of {LOOKS} looks, every 10,000 games, {_AT}",
        "at most",
        0.05,
        partial(_wrong, "unbalanced", LOOKS, _every),
    ),
    Claim(
        f"'unbalanced' at any of {LOOKS} advised looks, {_AT}",
        "at most",
        0.05,
        partial(_wrong, "unbalanced", LOOKS, _advised),
    ),
    Claim(
        "any verdict of a run with [stop] verdict, a true edge at the margin of 5 pp",
        "at most",
        0.10,
        _wrong_until_verdict,
        many=1000,
        few=60,
    ),
    Claim(
        "any verdict of a run that an SPRT ended, a true edge at the margin of 5 pp",
        "at most",
        0.10,
        _wrong_after_sprt,
        many=2000,
    ),
    *(
        Claim(
            f"95 % interval of a score of {100 * at:g} %, run until it is ±{100 * width:g} pp",
            "at least",
            0.95,
            partial(_covered_by_precision, width, at),
            many=2000,
            few=60,
        )
        for width, at in ((0.02, 0.5), (0.02, 0.9), (0.05, 0.5))
    ),
    *(
        Claim(
            f"{quantity} after an SPRT of 50 % against 54 %, true score {100 * true:g} %",
            bound,
            claimed,
            partial(_estimated_after_sprt, true, event),
            many=1000,
        )
        for true in (0.5, 0.52, 0.54, 0.6)
        for quantity, bound, claimed, event in (
            ("estimate above the true score", "about", 0.5, "above"),
            ("95 % interval", "at least", 0.95, "inside"),
        )
    ),
)
