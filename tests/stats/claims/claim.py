"""A claim, and what it takes to check it."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_SEED = 11


@dataclass(frozen=True)
class Claim:
    """A rate that is claimed to be at least, at most or about so much."""

    quantity: str
    bound: str
    """at least | at most | about."""
    claimed: float
    measure: Callable[[np.random.Generator, int], int]
    """How many of so many replications had the event."""
    few: int = 200
    """Replications in a test."""
    many: int = 4000
    """Replications in the table."""

    def __str__(self) -> str:
        return self.quantity

    def rate(self, replications: int) -> float:
        """The measured rate; the same each time."""
        rng = np.random.default_rng([_SEED, zlib.crc32(self.quantity.encode())])
        return self.measure(rng, replications) / replications

    def holds(self, rate: float, replications: int) -> bool:
        """Whether a measured rate agrees with the claim, but for 3 standard errors."""
        error = 3 * math.sqrt(self.claimed * (1 - self.claimed) / replications)
        if self.bound == "at least":
            return rate >= self.claimed - error
        if self.bound == "about":
            return abs(rate - self.claimed) <= error
        return rate <= self.claimed + error
