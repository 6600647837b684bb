"""Kernels over masks of a move's groups, bit j for group j: choices that are left to chance."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline
from hanamikoji.engine import rng
from hanamikoji.moves import index as ix


@inline
def count_bits(mask):
    """How many bits are set: the compiler knows the loop and makes one instruction of it."""
    n = 0
    while mask != 0:
        mask &= mask - 1
        n += 1
    return n


@inline
def choose_at_random(groups, n, bits):
    """A uniform subset of n of the groups in the mask ``groups``."""
    chosen = np.int64(0)
    left = count_bits(groups)
    for _ in range(n):
        i, bits = rng.below(bits, left)
        rest = groups
        for _ in range(i):
            rest &= rest - 1
        one = rest & -rest
        chosen |= one
        groups ^= one
        left -= 1
    return chosen


@inline
def equal_run(equal, groups, first):
    """The mask of the groups as large as the ``first`` of them, which stand together."""
    run = np.int64(1) << first
    j = first + 1
    while j < groups and (equal >> j) & 1:
        run |= np.int64(1) << j
        j += 1
    return run


@inline
def choose_alike(tables, row, mask, bits):
    """Face down the responder only chose by size: which of equal groups it gets is chance."""
    equal = np.int64(tables[row + ix.KIND_EQUAL])
    groups = tables[row + ix.KIND_GROUPS]
    chosen = np.int64(0)
    j = 0
    while j < groups:
        run = equal_run(equal, groups, j)
        j += count_bits(run)
        chosen |= choose_at_random(run, count_bits(mask & run), bits)
        bits = rng.mix(bits)
    return chosen


@inline
def hidden_groups(tables, row, mask):
    """The groups whose fate a blind choice hides from the actor: sizes taken in part."""
    equal = np.int64(tables[row + ix.KIND_EQUAL])
    groups = tables[row + ix.KIND_GROUPS]
    hidden = np.int64(0)
    j = 0
    while j < groups:
        run = equal_run(equal, groups, j)
        j += count_bits(run)
        if mask & run != 0 and mask & run != run:
            hidden |= run
    return hidden
