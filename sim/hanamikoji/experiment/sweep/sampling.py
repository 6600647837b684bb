"""Random points of a sweep: each value is a function of the seed, its key and the draw's number.

The generator is SplitMix64 as in `hanamikoji.engine.rng`, in plain Python: this floor doesn't
import the engine, and a few thousand words need no compiler.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_SWEEPS = 3  # what the words are for; the engine folds 1 (deals) and 2 (agents) into the root seed
_DIGITS = 4  # of a drawn fraction, so that its point has a name


def draw(seed: int, key: str, values: Any, number: int) -> Any:
    """Value ``number`` (0, 1, ...) of the sampled ``key``.

    ``values`` are a list, each entry as likely, or a table ``{ from, to }``: whole numbers if both
    ends are, each as likely and both ends included; else a fraction of four digits. With
    ``scale = "log"`` the value's logarithm is uniform.
    """
    word = _word(_fold(_fold(seed, _SWEEPS), _hash(key)), number)
    if not isinstance(values, Mapping):
        return values[_below(word, len(values))]
    low, high = values["from"], values["to"]
    whole = isinstance(low, int) and isinstance(high, int)
    if values.get("scale") == "log":
        return _log_uniform(word, low, high, whole=whole)
    if whole:
        return low + _below(word, high - low + 1)
    digits = _DIGITS - 1 - math.floor(math.log10(high - low))
    return _between(round(low + _unit(word) * (high - low), digits), low, high)


def count_values(values: Any) -> float:
    """How many different values there are to draw; infinity for fractions."""
    if not isinstance(values, Mapping):
        return len(values)
    low, high = values["from"], values["to"]
    whole = isinstance(low, int) and isinstance(high, int)
    return high - low + 1 if whole else math.inf


def _log_uniform(word: int, low: float, high: float, *, whole: bool) -> float:
    """Whole numbers share the axis in proportion to log((n + 1) / n)."""
    top = high + 1 if whole else high
    value = math.exp(math.log(low) + _unit(word) * (math.log(top) - math.log(low)))
    drawn = math.floor(value) if whole else float(f"{value:.{_DIGITS}g}")
    return _between(drawn, low, high)


def _between(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _unit(word: int) -> float:
    """A word as a fraction of 1, from 0 to just below 1."""
    return float((word >> 11) * 2.0**-53)


def _below(word: int, n: int) -> int:
    """A whole number from 0 to n - 1; off uniform by less than n / 2^64."""
    return (word * n) >> 64


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


def _word(key: int, n: int) -> int:
    return _mix((key + (n + 1) * _GOLDEN) & _WORD)


def _fold(key: int, n: int) -> int:
    return _mix((_mix(key ^ _GOLDEN) + n * _GOLDEN) & _WORD)


def _hash(text: str) -> int:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")
