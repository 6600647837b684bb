"""Rows of int16 as vectors: the same bits as the loops that stand for them when all is checked."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji._jit import flat, kernel, lanes
from hanamikoji._jit.lanes import LANES

LIMITS = {"small": 200, "wraps around": 32767}


def _written(vectors: bool) -> object:
    """A kernel that applies each operation that writes a row, to a row of its own."""
    names = ("clear_row", "copy_row", "add_row", "change_row")
    clear, copy, add, change = (
        getattr(lanes, name if vectors else f"{name}_by_loop") for name in names
    )

    @kernel
    def write(rows, weights):
        r, w = flat(rows), flat(weights)
        clear(r, 1 * LANES)
        copy(r, 2 * LANES, 0)
        add(r, 3 * LANES, 0, w, LANES)
        change(r, 4 * LANES, 0, w, LANES, 2 * LANES)
        add(r, 5 * LANES, 5 * LANES, w, 3 * LANES)
        change(r, 6 * LANES, 6 * LANES, w, 0, LANES)

    return write


def _read(vectors: bool) -> object:
    """A kernel that gives the three outputs."""
    names = ("output", "changed_output", "offered_output")
    output, changed, offered = (
        getattr(lanes, name if vectors else f"{name}_by_loop") for name in names
    )

    @kernel
    def read(rows, weights):
        r, w = flat(rows), flat(weights)
        return (
            output(r, LANES, w, 3 * LANES),
            changed(r, 0, w, LANES, 2 * LANES, 3 * LANES),
            offered(r, 0, w, 0, LANES, 2 * LANES, 3 * LANES),
        )

    return read


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_lanes__vectors_and_loops_give_the_same_bits(limit: int) -> None:
    random = np.random.default_rng(limit)
    write, write_by_loop = _written(vectors=True), _written(vectors=False)
    read, read_by_loop = _read(vectors=True), _read(vectors=False)
    for _ in range(50):
        rows = random.integers(-limit - 1, limit, (7, LANES), np.int16, endpoint=True)
        weights = random.integers(-limit - 1, limit, (4, LANES), np.int16, endpoint=True)
        weights[3] //= 256  # a head: no output overflows
        looped = rows.copy()
        assert read(rows, weights) == read_by_loop(rows, weights)
        write(rows, weights)
        write_by_loop(looped, weights)
        assert np.array_equal(rows, looped)


def test_lanes__what_the_operations_are() -> None:
    """By NumPy, whose int16 wrap around too."""
    random = np.random.default_rng(3)
    rows = random.integers(-32768, 32767, (7, LANES), np.int16, endpoint=True)
    weights = random.integers(-32768, 32767, (4, LANES), np.int16, endpoint=True)
    weights[3] //= 256
    x, w = rows.copy(), weights
    hidden = [x[1], x[0] - w[1] + w[2], x[0] - w[0] + w[1] + w[2]]
    products = [np.maximum(h, 0).astype(np.int64) @ w[3].astype(np.int64) for h in hidden]
    assert list(_read(vectors=True)(rows, weights)) == products
    _written(vectors=True)(rows, weights)
    expected = [x[0], 0 * x[0], x[0], x[0] + w[1], x[0] - w[1] + w[2], x[5] + w[3]]
    assert np.array_equal(rows, [*expected, x[6] - w[0] + w[1]])
