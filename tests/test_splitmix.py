"""The two SplitMix64 generators are one, and it is the published one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hanamikoji import splitmix
from hanamikoji.engine import rng

WORDS = st.integers(0, 2**64 - 1)


def test_word__known_outputs() -> None:
    """The first outputs of the authors' program from the seed 1234567."""
    assert [splitmix.word(1234567, n) for n in range(3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip


@given(WORDS, st.integers(0, 2**32))
def test_python__is_the_kernels_generator(key: int, number: int) -> None:
    with np.errstate(over="ignore"):
        assert splitmix.mix(key) == int(rng.mix(np.uint64(key)))
        assert splitmix.word(key, number) == int(rng.word(np.uint64(key), number))
        assert splitmix.fold(key, number) == int(rng.fold(np.uint64(key), number))


@given(WORDS, st.integers(1, 2**31))
def test_below__is_the_kernels(bits: int, n: int) -> None:
    assert splitmix.below(bits, n) == int(rng.below(np.uint64(bits), n)[0])


@given(WORDS)
def test_fraction__is_from_0_to_just_below_1(bits: int) -> None:
    assert 0.0 <= splitmix.fraction(bits) < 1.0
    assert splitmix.fraction(2**64 - 1) < 1.0
