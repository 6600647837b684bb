"""Random points of a sweep: each value is a function of the seed, its key and the draw's number.

Counter-based random numbers (see `hanamikoji.splitmix`) make each draw independent of the others.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from hanamikoji import splitmix
from hanamikoji.splitmix import below, fraction

SWEEPS = 3
"""What the words are for; `hanamikoji.engine.rng` lists the purposes of all."""

_DIGITS = 4  # of a drawn fraction, so that its point has a name


def draw(seed: int, key: str, values: Any, number: int) -> Any:
    """Value ``number`` (0, 1, ...) of the sampled ``key``.

    ``values`` are a list, each entry as likely, or a table ``{ from, to }``: whole numbers if both
    ends are, each as likely and both ends included; else a fraction of four digits. With
    ``scale = "log"`` the value's logarithm is uniform.
    """
    bits = splitmix.word(splitmix.fold(splitmix.fold(seed, SWEEPS), _hash(key)), number)
    if not isinstance(values, Mapping):
        return values[below(bits, len(values))]
    low, high = values["from"], values["to"]
    whole = isinstance(low, int) and isinstance(high, int)
    if values.get("scale") == "log":
        return _log_uniform(bits, low, high, whole=whole)
    if whole:
        return low + below(bits, high - low + 1)
    digits = _DIGITS - 1 - math.floor(math.log10(high - low))
    return _between(round(low + fraction(bits) * (high - low), digits), low, high)


def count_values(values: Any) -> float:
    """How many different values there are to draw; infinity for fractions."""
    if not isinstance(values, Mapping):
        return len(values)
    low, high = values["from"], values["to"]
    whole = isinstance(low, int) and isinstance(high, int)
    return high - low + 1 if whole else math.inf


def _log_uniform(bits: int, low: float, high: float, *, whole: bool) -> float:
    """Whole numbers share the axis in proportion to log((n + 1) / n)."""
    top = high + 1 if whole else high
    value = math.exp(math.log(low) + fraction(bits) * (math.log(top) - math.log(low)))
    drawn = math.floor(value) if whole else float(f"{value:.{_DIGITS}g}")
    return _between(drawn, low, high)


def _between(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _hash(text: str) -> int:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")
