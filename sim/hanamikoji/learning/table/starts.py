"""Kernels: the rounds that a game may come to, and V, what each is worth to who begins it.

V is the running mean of what the current strategies reach there: by the regret bounds it tends to
the round's value as the average strategies tend to an equilibrium.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import inline, njit, raw
from hanamikoji.engine import codes
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_round, count_favor, next_starter, reset_markers
from hanamikoji.engine.state import view_of
from hanamikoji.learning.table.keys import find, round_start_key
from hanamikoji.moves import index as ix

SLOTS = 1 << 17
MOST = SLOTS // 2
NUMBER, STARTER, MARKERS = 0, 1, 2
WIDTH = MARKERS + ix.MOST_GEISHAS


class Starts(NamedTuple):
    """The starts of rounds met so far, in the order they were met; the game's own is the first.

    By slot (`SLOTS`): ``keys`` int64 and ``which`` int32, the start's number. By start: ``rows``
    int32 (`WIDTH`), ``totals`` float64 [2], the weighted sum of results for who begins and the
    weights. ``used`` int64 [1].
    """

    keys: Any
    which: Any
    rows: Any
    totals: Any
    used: Any


def new_starts() -> Starts:
    """None met."""
    return Starts(
        np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int32), np.zeros(MOST * WIDTH, np.int32),
        np.zeros(MOST * 2), np.zeros(1, np.int64),
    )  # fmt: skip


@inline
def pointers_of(starts):
    """The same as pointers."""
    return Starts(
        raw(starts.keys), raw(starts.which), raw(starts.rows), raw(starts.totals), raw(starts.used)
    )


@njit
def start_of(starts, state, tables, starter, number):
    """The start of the round with this number, by ``starter``; entered if new, -1 if too many."""
    slot = find(starts.keys, SLOTS - 1, _key(state, tables, starter, number))
    if starts.keys[slot] != 0:
        return np.int64(starts.which[slot])
    start = starts.used[0]
    if start == MOST:
        return np.int64(-1)
    starts.used[0] = start + 1
    starts.keys[slot] = _key(state, tables, starter, number)
    starts.which[slot] = start
    row = start * WIDTH
    starts.rows[row + NUMBER] = number
    starts.rows[row + STARTER] = starter
    for g in range(tables[ix.GEISHAS]):
        starts.rows[row + MARKERS + g] = view_of(state, 0)[ix.MARKERS + g]
    return start


@inline
def _key(state, tables, starter, number):
    return round_start_key(view_of(state, starter), tables, number)


@njit
def begin_at(starts, start, state, tables, keys):
    """Begin the round of a start; ``keys`` decide the deal."""
    row = start * WIDTH
    mine, theirs = view_of(state, 0), view_of(state, 1)
    for g in range(tables[ix.GEISHAS]):
        mine[ix.MARKERS + g] = starts.rows[row + MARKERS + g]
        theirs[ix.MARKERS + g] = -starts.rows[row + MARKERS + g]
    count_favor(state, tables)
    state[st.PHASE] = ix.ACT
    state[st.ROUND] = starts.rows[row + NUMBER] - 1
    state[st.STARTER] = starts.rows[row + STARTER]
    begin_round(state, tables, keys)


@njit
def _chance_of(starts, state, tables, starter, number):
    """The chance of role 0 to win the game when this role begins the round with this number."""
    start = start_of(starts, state, tables, starter, number)
    if start < 0 or starts.totals[2 * start + 1] == 0.0:
        return 0.5
    value = starts.totals[2 * start] / starts.totals[2 * start + 1]
    return value if starter == 0 else 1.0 - value


@njit
def worth_of(starts, state, tables, keys):
    """The chance of role 0 to win after a round that `end_round` has scored."""
    if state[st.PHASE] == ix.FINISHED:
        outcome = state[st.OUTCOME]
        if outcome == codes.WON_STARTER:
            return 1.0
        return 0.0 if outcome == codes.WON_SECOND else 0.5
    starter = next_starter(state, tables, keys)
    if not tables[ix.KEEP_MARKERS]:
        reset_markers(state, tables)
    number = np.int64(state[st.ROUND]) + 1
    worth = _chance_of(starts, state, tables, starter, number)
    if tables[ix.NEXT_STARTER] == ix.STARTER_RANDOM:
        worth = (worth + _chance_of(starts, state, tables, 1 - starter, number)) / 2
    return worth


@njit
def learn_worth(starts, start, worth, weight):
    """Count a result, for role 0, of a round begun at a start."""
    if starts.rows[start * WIDTH + STARTER] != 0:
        worth = 1.0 - worth
    starts.totals[2 * start] += weight * worth
    starts.totals[2 * start + 1] += weight


@njit
def next_start(starts, state, tables, keys):
    """The start after a round that `end_round` has scored; the game's own if there is none."""
    if state[st.PHASE] == ix.FINISHED:
        return np.int64(0)
    starter = next_starter(state, tables, keys)
    if not tables[ix.KEEP_MARKERS]:
        reset_markers(state, tables)
    start = start_of(starts, state, tables, starter, np.int64(state[st.ROUND]) + 1)
    return max(start, np.int64(0))
