"""Critical values that keep a verdict's error rate however often a run is looked at.

A run is planned for a number of games, so its first look is a fixed one; when it is looked at again
depends on what was seen, since a report says how many more games would decide. So the errors are
split: four fifths for the planned look, by an ordinary interval, and a fifth for all other looks
together, by a bound that holds at any of them. Alpha spending needs fewer games at a later look,
but holds only if the times of the looks do not depend on the data (Lan & DeMets 1983, Biometrika
70), as they do here.

The bound is Robbins' normal mixture (1970, Ann. Math. Stat. 41; with estimated variances
Waudby-Smith et al. 2024, Ann. Stat. 52): the likelihood ratio of an effect that is normal around
the hypothesis, its standard deviation the verdict's margin, against the hypothesis. It exceeds
1 / alpha at any look with probability alpha at most (Ville's inequality).
"""

from __future__ import annotations

import math
from typing import Literal

from hanamikoji.stats.intervals import z_of

Look = Literal["planned", "other", "any"]
"""What may be spent: by the planned look, by all others together, or by all where none is planned,
as in a run that a test ends."""

PLANNED = 0.8
"""Share of the errors that is left to the planned look."""


def critical_z(level: float, look: Look, error: float, margin: float) -> float:
    """Half width, in standard errors, of an interval that holds at this and all other looks.

    Args:
        level: Probability that the intervals of all looks contain the true value.
        look: The look that the interval is for.
        error: Standard error of the estimate at this look.
        margin: Of the verdict.
    """
    alpha = 1 - level
    if look == "planned":
        return z_of(1 - PLANNED * alpha)
    ratio = (margin / error) ** 2
    log_ratio = math.log1p(ratio) - 2 * math.log(_share(look) * alpha)
    return math.sqrt((1 + 1 / ratio) * log_ratio)


def p_value(z: float, p: float, look: Look, error: float, margin: float) -> float:
    """A two-sided p-value that may be taken at this and all other looks.

    Args:
        z: Distance of the estimate from the hypothesis in standard errors.
        p: The p-value of a single look.
        look: The look that it is for.
        error: Standard error of the estimate at this look.
        margin: Of the verdict.
    """
    if look == "planned":
        return min(p / PLANNED, 1.0)
    ratio = (margin / error) ** 2
    log_p = math.log1p(ratio) / 2 - z * z * ratio / (2 * (1 + ratio))
    return math.exp(min(log_p - math.log(_share(look)), 0.0))


def _share(look: Look) -> float:
    return 1.0 if look == "any" else 1 - PLANNED
