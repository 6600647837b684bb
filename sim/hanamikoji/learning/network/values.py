"""Kernels: V, the chance that who begins the next round wins the game.

A table over marker configurations (equal geishas taken together) and classes of rounds, seen by the
player who begins; or, where those are too many, a logistic model that adds up a weight for each
class of equal geishas' markers and one for both players' charm.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import njit, shifted
from hanamikoji.engine import codes
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import next_starter, reset_markers
from hanamikoji.engine.state import view_of
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.rows import charm_row, config_of, pair_rank, stage_of
from hanamikoji.moves import index as ix

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.1219444005469057e-4


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
def value_entry(s, v, t, p, number):
    """The table's entry for the player of this view beginning the round with this number."""
    return stage_of(t, p, number) * p[lay.CONFIGS] + config_of(s, v, p)


@njit
def model_rows(s, v, t, p, number, out, at):
    """The model's weights for the player of this view beginning this round; returns their end."""
    base = stage_of(t, p, number) * np.int64(p[lay.VALUE_STAGE])
    out[at] = base
    out[at + 1] = base + p[lay.VALUE_CHARM] + charm_row(s, v, p)
    at += 2
    i = np.int64(0)
    for c in range(p[lay.CLASSES]):
        end = np.int64(p[lay.CLASS_END + c])
        n = end - i
        own = their = np.int64(0)
        while i < end:
            marker = s[v + ix.MARKERS + p[lay.CLASS_OF + i]]
            own += marker > 0
            their += marker < 0
            i += 1
        out[at] = base + p[lay.CLASS_VALUE + c] + pair_rank(n, own, their)
        at += 1
    return at


@njit
def value_of(s, v, t, p, values, a, number, memory, m):
    """V for the player of the view at ``s[v:]``, who begins the round with this number.

    ``values[a:]`` float64 is the table or the model's weights; ``memory[m:]`` scratch for 20.
    """
    if p[lay.CONFIGS] > 0:
        return values[a + value_entry(s, v, t, p, number)]
    total = 0.0
    for i in range(m, model_rows(s, v, t, p, number, memory, m)):
        total += values[a + memory[i]]
    return sigmoid(total)


@njit
def round_value(s, b, t, p, keys, k, values, a, memory, m):
    """The chance of role 0 to win after a round that `end_round` has scored.

    Leaves the state ready for `begin_round`: who begins is decided, the markers are where the rules
    put them.
    """
    if s[b + st.PHASE] == ix.FINISHED:
        outcome = s[b + st.OUTCOME]
        if outcome == codes.WON_STARTER:
            return 1.0
        return 0.0 if outcome == codes.WON_SECOND else 0.5
    s, keys = shifted(s, b), shifted(keys, k)
    s[st.STARTER] = next_starter(s, t, keys)
    if not t[ix.KEEP_MARKERS]:
        reset_markers(s, t)
    number = np.int64(s[st.ROUND]) + 1
    first = value_of(view_of(s, 0), 0, t, p, values, a, number, memory, m)
    if t[ix.NEXT_STARTER] == ix.STARTER_RANDOM:
        return (first + 1.0 - value_of(view_of(s, 1), 0, t, p, values, a, number, memory, m)) / 2
    if s[st.STARTER] == 0:
        return first
    return 1.0 - value_of(view_of(s, 1), 0, t, p, values, a, number, memory, m)
