"""Exact sums of two figures and their products over units: what averages and covariances need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(slots=True)
class Moments:
    """Exact sums over ``n`` units of the whole numbers x and y, their squares and products."""

    n: int = 0
    x: int = 0
    y: int = 0
    xx: int = 0
    xy: int = 0
    yy: int = 0

    def add(self, other: Moments) -> None:
        """Add the sums over other units."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def swapped(self) -> Moments:
        """The same with x and y exchanged."""
        return Moments(self.n, self.y, self.x, self.yy, self.xy, self.xx)

    @property
    def variances(self) -> tuple[float, float]:
        """Variances of x and y."""
        n = self.n
        return self.xx / n - (self.x / n) ** 2, self.yy / n - (self.y / n) ** 2

    @property
    def covariance(self) -> float:
        """Covariance of x and y."""
        return self.xy / self.n - (self.x / self.n) * (self.y / self.n)


def moments(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any] | int) -> Moments:
    """Sums over units; an integer ``y`` is the same for all of them."""
    x, n = x.astype(np.int64), len(x)
    total, square = int(x.sum()), int(x @ x)
    if isinstance(y, int):
        return Moments(n, total, n * y, square, total * y, n * y * y)
    y = y.astype(np.int64)
    return Moments(n, total, int(y.sum()), square, int(x @ y), int(y @ y))
