"""What the value of a game can be, given how far its players can be exploited.

The value v of a two-player zero-sum game, here the starter's score when both play perfectly, is
bounded by best responses to any strategy (von Neumann's minimax theorem): a best response as
starter to some play as second reaches at least v, and one as second to some play as starter leaves
it at most v. Attacks are not best responses, only lower bounds of them, so the band that they give
is an estimate: each end takes the upper end of the best attack's interval and adds what attacks
fell short of exact best responses on solved variants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hanamikoji.stats.estimates import Decision, Interval
from hanamikoji.stats.intervals import z_of
from hanamikoji.stats.verdicts import decide

SHORTFALL = 0.02
"""What attacks' scores are taken to be below those of best responses, see docs/bands.md: more than
the largest shortfall that was measured on the suite of solved variants."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The scores, in [0, 1], that the best attackers of one agent reach, at most."""

    as_starter: float
    """Against the agent as second."""
    as_second: float
    """Against the agent as starter."""


@dataclass(frozen=True, slots=True)
class Band:
    """Bounds of a game's value: the starter's score when both play perfectly, in [0, 1]."""

    low: float
    high: float
    crossed: bool = False
    """The ends contradicted each other and changed places: an attack fell short by more than
    allowed for."""


def value_band(attacks: Sequence[Reached], shortfall: float) -> Band:
    """The band from attacks on at least one agent; the more agents, the narrower.

    Args:
        attacks: The best attackers' scores against each agent.
        shortfall: What an attack's score may be below that of a best response.
    """
    high = min(1.0, min(each.as_starter for each in attacks) + shortfall)
    low = max(0.0, 1.0 - min(each.as_second for each in attacks) - shortfall)
    return Band(min(low, high), max(low, high), low > high)


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart the mirrors of two independently trained agents are."""

    difference: float
    """Second minus first, in score."""
    interval: Interval
    """95 %, accounting for the noise of both."""

    @property
    def beyond_noise(self) -> bool:
        """Whether 0 lies outside the interval."""
        return not self.interval.low <= 0 <= self.interval.high


def spread(first: Interval, second: Interval) -> Spread:
    """Compare two mirrors' starter scores by their 95 % intervals.

    The middle of an interval stands for its estimate; the errors, of games that were played
    independently, add in squares.
    """
    middles = [(each.low + each.high) / 2 for each in (first, second)]
    difference = middles[1] - middles[0]
    half = math.hypot(first.half_width, second.half_width)
    interval = Interval(difference - half, difference + half, 0.95, "normal")
    return Spread(difference, interval)


def disagree(first: Interval, second: Interval, margin: float) -> bool:
    """Whether two trained agents' mirrors differ beyond noise, and so far that it matters.

    With enough games any two agents differ beyond noise. It matters if the difference exceeds the
    margin, or if the two lead to different verdicts.
    """
    found = spread(first, second)
    verdicts = {_decision(each, margin) for each in (first, second)}
    return found.beyond_noise and (abs(found.difference) > margin or len(verdicts) > 1)


def _decision(wide: Interval, margin: float) -> Decision:
    """The verdict on a score with this 95 % interval."""
    middle, half = (wide.low + wide.high) / 2 - 0.5, wide.half_width
    narrow = half * z_of(0.90) / z_of(0.95)
    return decide(
        Interval(middle - narrow, middle + narrow, 0.90, ""),
        Interval(middle - half, middle + half, 0.95, ""),
        margin,
    )


def exact_decision(value: float, margin: float) -> Decision:
    """Balanced or unbalanced: a value that is known exactly leaves nothing undecided."""
    return "balanced" if abs(value - 0.5) <= margin else "unbalanced"
