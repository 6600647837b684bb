"""Kernels: information sets as 64-bit keys, and the open-addressing table that finds them.

A view is all that an agent remembers, so an information set is a view. Which card came in which
draw is the one thing a view forgets. Nothing is lost by that: given the cards a player has seen and
what was played, the opponent's cards are as likely whatever order they came in (such games are
called well-formed, Lanctot, Gibson, Burch & Bowling 2012).
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.engine.rng import fold
from hanamikoji.moves import index as ix

MOST_ROUNDS = 16
"""Rounds to the cap beyond which another makes no difference."""

_SALT = np.uint64(0x7AB1E)
_BLOCKS = (ix.HAND, ix.DOWN_MINE, ix.DOWN_THEIRS, ix.DOWN_OUT, ix.BLIND, ix.UNDER)


@inline
def round_class(tables, number):
    """What the rules make of a round's number: rounds to the first goal check and to the cap."""
    cap = np.int64(tables[ix.MAX_ROUNDS])
    if cap == 0 and tables[ix.ROUND_LIMIT] <= MOST_ROUNDS:
        cap = np.int64(tables[ix.ROUND_LIMIT])
    left = min(cap - number, MOST_ROUNDS) if cap > 0 else MOST_ROUNDS
    return max(np.int64(tables[ix.MIN_ROUNDS]) - number, 0) * (MOST_ROUNDS + 1) + left


@njit
def round_start_key(view, tables, number):
    """The key of a round with this number about to be begun by the player of this view."""
    key = fold(_SALT, round_class(tables, number))
    for g in range(tables[ix.GEISHAS]):
        key = fold(key, view[ix.MARKERS + g] + 1)
    return np.int64(key)


@njit
def information_key(view, tables):
    """The key of a decision: this round's history, own cards, markers and the round's class.

    Whatever lies face up follows from the history, as do the action markers left.
    """
    key = fold(_SALT, round_class(tables, np.int64(view[ix.ROUND])))
    key = fold(key, view[ix.FIRST] + 2 * view[ix.PHASE])
    for turn in range(view[ix.TURN] + 1):
        entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
        shown = np.uint64(view[entry + ix.HISTORY_ACTOR])
        shown = shown << np.uint64(8) | np.uint64(view[entry + ix.HISTORY_KIND])
        shown = shown << np.uint64(24) | np.uint64(view[entry + ix.HISTORY_MOVE])
        shown = shown << np.uint64(24) | np.uint64(view[entry + ix.HISTORY_ANSWER])
        key = fold(key, shown)
    for g in range(tables[ix.GEISHAS]):
        cards = np.uint64(view[ix.MARKERS + g] + 1)
        for block in _BLOCKS:
            cards = cards << np.uint64(8) | np.uint64(view[block + g])
        key = fold(key, cards)
    return np.int64(key)


@inline
def find(keys, mask, key):
    """The slot of a key among ``mask + 1`` (a power of two), or the empty one where it belongs.

    An empty slot is 0. There must be one.
    """
    slot = key & mask
    while keys[slot] != key and keys[slot] != 0:
        slot = (slot + 1) & mask
    return slot
