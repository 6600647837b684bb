"""Ladders: one variant under agents of increasing strength."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from hanamikoji.stats.contrasts import Ladder, RatingTable, Rung
from hanamikoji.stats.differences import difference_interval
from hanamikoji.stats.estimates import CellSummary, Mean
from hanamikoji.stats.facts import RunFacts
from hanamikoji.stats.intervals import BoundedMean, bounded_score

Trend = Literal["grows", "vanishes", "turns", "steady", "unclear"]


def ladders(
    cells: Sequence[CellSummary], ratings: Sequence[RatingTable], facts: RunFacts
) -> tuple[Ladder, ...]:
    """A ladder for each variant with mirror cells of two agents or more, weakest agent first.

    Ordered by the variant's ratings if they cover its agents, otherwise as in the experiment.
    """
    order = {agent.name: i for i, agent in enumerate(facts.agents)}
    found = []
    for variant in dict.fromkeys(c.variant for c in cells):
        mirrors = [c for c in cells if c.variant == variant and c.mirror]
        if len(mirrors) < 2:
            continue
        elo = {r.agent: r.elo for t in ratings if t.variant == variant for r in t.ratings}
        rated = all(c.agent_a in elo for c in mirrors)
        if rated:
            mirrors.sort(key=lambda c: elo[c.agent_a])
        else:
            mirrors.sort(key=lambda c: order.get(c.agent_a, len(order)))
        rungs = tuple(
            Rung(c.agent_a, elo.get(c.agent_a), c.cell, c.starter, c.verdict) for c in mirrors
        )
        change, trend = _change(rungs[0], rungs[-1], facts.margin)
        found.append(Ladder(variant, rungs, "rating" if rated else "experiment", change, trend))
    return tuple(found)


def _change(bottom: Rung, top: Rung, margin: float) -> tuple[Mean, Trend]:
    """Edge at the top minus edge at the bottom, as if on independent deals, and the trend."""
    high, low = (bounded_score(rung.starter.pentanomial) for rung in (top, bottom))
    wide = difference_interval(high, low)
    change = Mean(high.value - low.value, min(high.n, low.n), "games", wide)
    signs = [_sign(average) for average in (low, high)]
    if signs[0] * signs[1] < 0:
        return change, "turns"
    if wide.low > 0 or wide.high < 0:
        # Away from zero or towards it, as seen from the larger of the two edges.
        larger = max(high.value - 0.5, low.value - 0.5, key=abs)
        grows = math.copysign(1.0, larger) * change.value > 0
        return change, "grows" if grows else "vanishes"
    narrow = difference_interval(high, low, level=0.90)
    steady = -margin < narrow.low and narrow.high < margin
    return change, "steady" if steady else "unclear"


def _sign(average: BoundedMean) -> int:
    """Sign of the edge, 0 if its 95 % interval contains zero."""
    found = average.interval()
    return 1 if found.low > 0.5 else -1 if found.high < 0.5 else 0
