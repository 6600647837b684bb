"""Kernels: V, the chance that who begins the next round wins the game.

A table over marker configurations (equal geishas taken together) and classes of rounds, seen by the
player who begins; or, where those are too many, a logistic model that adds up a weight for each
class of equal geishas' markers and one for both players' charm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import njit
from hanamikoji.engine import codes
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import next_starter, reset_markers
from hanamikoji.engine.state import view_of
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.rows import charm_row, class_rank, config_of, stage_of
from hanamikoji.moves import index as ix

MOST_ENTRIES = 20
"""At most so many entries of V are read for one round."""

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.1219444005469057e-4


class Values(NamedTuple):
    """V: pointers for helpers, arrays for kernels."""

    features: Any
    """int32: the feature layout, see `layout`."""
    entries: Any
    """float64: the table's, or the model's weights."""
    scratch: Any
    """int64 (`MOST_ENTRIES`,)."""


@njit
def exp_negative(x):
    """e^x for x <= 0 by products and sums alone: the same bits on every platform (libm is not)."""
    if x < -40.0:
        return 0.0
    k = np.int64(0.5 - x * _LOG2E)
    r = x + k * _LN2_HIGH + k * _LN2_LOW
    e = 1.0 + r * (1.0 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r / 720)))))
    while k >= 16:
        e *= 1.52587890625e-05
        k -= 16
    for _ in range(k):
        e *= 0.5
    return e


@njit
def sigmoid(x):
    """1 / (1 + e^-x)."""
    if x < 0:
        e = exp_negative(x)
        return e / (1.0 + e)
    return 1.0 / (1.0 + exp_negative(-x))


@njit
def value_entries(view, tables, features, number, out):
    """Write which entries the player of this view reads who begins this round; returns how many.

    One of the table, or those of the model, whose sum is the chance's log-odds.
    """
    stage = stage_of(tables, features, number)
    if features[lay.CONFIGS] > 0:
        out[0] = stage * features[lay.CONFIGS] + config_of(view, features)
        return 1
    base = stage * np.int64(features[lay.VALUE_STAGE])
    out[0] = base
    out[1] = base + features[lay.VALUE_CHARM] + charm_row(view, features)
    n = 2
    at = np.int64(0)
    for c in range(features[lay.CLASSES]):
        rank, at = class_rank(view, features, c, at)
        out[n] = base + features[lay.CLASS_VALUE + c] + rank
        n += 1
    return n


@njit
def value_of(view, tables, values, number):
    """V for the player of the view, who begins the round with this number."""
    features, entries, scratch = values
    n = value_entries(view, tables, features, number, scratch)
    if features[lay.CONFIGS] > 0:
        return entries[scratch[0]]
    total = 0.0
    for i in range(n):
        total += entries[scratch[i]]
    return sigmoid(total)


@njit
def round_value(state, tables, keys, first, second):
    """The chance of role 0 to win after a round that `end_round` has scored.

    ``first`` are the values where role 0 begins the next round, ``second`` where role 1 does; in
    self-play they are the same. Leaves the state ready for `begin_round`: who begins is decided,
    the markers are where the rules put them.
    """
    if state[st.PHASE] == ix.FINISHED:
        outcome = state[st.OUTCOME]
        if outcome == codes.WON_STARTER:
            return 1.0
        return 0.0 if outcome == codes.WON_SECOND else 0.5
    state[st.STARTER] = next_starter(state, tables, keys)
    if not tables[ix.KEEP_MARKERS]:
        reset_markers(state, tables)
    number = np.int64(state[st.ROUND]) + 1
    if tables[ix.NEXT_STARTER] == ix.STARTER_RANDOM:
        chance = value_of(view_of(state, 0), tables, first, number) + 1.0
        return (chance - value_of(view_of(state, 1), tables, second, number)) / 2
    if state[st.STARTER] == 0:
        return value_of(view_of(state, 0), tables, first, number)
    return 1.0 - value_of(view_of(state, 1), tables, second, number)
