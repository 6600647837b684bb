"""Counter-based random numbers in plain Python: SplitMix64 (Steele, Lea & Flood 2014).

A word is a function of a key and a counter, bit for bit as in `hanamikoji.engine.rng`, the same
generator for kernels: for what imports no Numba, and needs few words.
"""

from __future__ import annotations

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """SplitMix64's output function: a bijection of 64 bits."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def word(key: int, n: int) -> int:
    """The n-th (0, 1, ...) random word of a key, in [0, 2^64)."""
    return mix((key + (n + 1) * GOLDEN) & MASK)


def fold(key: int, n: int) -> int:
    """The key derived from ``key`` and a number; apart from the key's words."""
    return mix((mix(key ^ GOLDEN) + n * GOLDEN) & MASK)


def below(bits: int, n: int) -> int:
    """A word as a whole number in [0, n); off uniform by less than n / 2^64."""
    return (bits * n) >> 64


def fraction(bits: int) -> float:
    """A word as a float in [0, 1)."""
    return float((bits >> 11) * 2.0**-53)
