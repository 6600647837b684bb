"""Kernels: Monte Carlo counterfactual regret minimisation by external sampling.

One round is the tree, its end is worth V of the round to come. A traversal for one player takes
each of that player's choices and samples chance and the opponent's (Lanctot, Waugh, Zinkevich &
Bowling 2009). Regrets and strategies are weighted by the iteration's number, so that early ones
fade (Brown & Sandholm 2019, linear averaging).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import fixed, inline, kernel, njit, raw, shifted
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, end_round
from hanamikoji.engine.turns import ROUND_OVER, apply_choice, legal_moves, show
from hanamikoji.learning.table import book as bk
from hanamikoji.learning.table import starts as so
from hanamikoji.learning.table.book import Book
from hanamikoji.learning.table.keys import find
from hanamikoji.moves import index as ix

FRAMES = ix.MOST_TURNS + 2
_DEAL, _PLAY, _START = np.uint64(21), np.uint64(22), np.uint64(23)
_WIDTH = 3
_SLOT, _COUNT, _TAKEN = range(_WIDTH)


class Scratch(NamedTuple):
    """What a traversal writes on, frame after frame; a frame is one decision of its player.

    ``states`` int32 (`FRAMES` x SIZE), ``marks`` int64 (`FRAMES` x 3: slot, choices, choices taken),
    ``values`` float64 (`FRAMES` x ``most``) of the choices, ``strategy`` float64 (``most``), ``ids``
    int32 (``most``), ``keys`` uint64 (KEYS). ``counters`` int64 [2]: decisions visited, random
    words used of the traversal's key.
    """

    states: Any
    marks: Any
    values: Any
    strategy: Any
    ids: Any
    keys: Any
    counters: Any
    most: int


VISITED, WORDS = 0, 1


def new_scratch(most: int) -> Scratch:
    """For rules with at most so many choices."""
    return Scratch(
        np.zeros(FRAMES * st.SIZE, np.int32), np.zeros(FRAMES * _WIDTH, np.int64),
        np.zeros(FRAMES * most), np.zeros(most), np.zeros(most, np.int32),
        np.zeros(st.KEYS, np.uint64), np.zeros(2, np.int64), most,
    )  # fmt: skip


@inline
def _pointers_of(scratch):
    return Scratch(
        raw(scratch.states), raw(scratch.marks), raw(scratch.values), raw(scratch.strategy),
        raw(scratch.ids), raw(scratch.keys), raw(scratch.counters), scratch.most,
    )  # fmt: skip


@njit
def match_regrets(book, slot, strategy):
    """Write the current strategy of an information set: in proportion to positive regrets."""
    first, count = book.first[slot], book.count[slot]
    total = 0.0
    for i in range(count):
        total += max(book.regrets[first + i], 0.0)
    for i in range(count):
        strategy[i] = max(book.regrets[first + i], 0.0) / total if total > 0.0 else 1.0 / count


@njit
def _sample(book, slot, scratch, key):
    """A choice of the current strategy, which stays in ``scratch.strategy``."""
    match_regrets(book, slot, scratch.strategy)
    last = book.count[slot] - 1
    left = _fraction(scratch, key)
    i = 0
    while i < last and left >= scratch.strategy[i]:
        left -= scratch.strategy[i]
        i += 1
    return book.ids[book.first[slot] + i]


@inline
def _fraction(scratch, key):
    """The next random number in [0, 1)."""
    bits = rng.word(key, scratch.counters[WORDS])
    scratch.counters[WORDS] += 1
    return np.float64(bits >> np.uint64(11)) * 1.1102230246251565e-16


@njit
def _unknown(scratch, view, tables, key):
    """A random choice where the book has no room."""
    count = legal_moves(view, 0, tables, scratch.ids, 0, scratch.most)
    return scratch.ids[np.int64(_fraction(scratch, key) * count)]


@njit
def _go_on(book, scratch, state, tables, role, weight, key):
    """Let the opponent decide until ``role`` is to, and its information set is in the book.

    Returns its slot, or -1: the round is over.
    """
    while True:
        decider = state[st.DECIDER]
        view = shifted(state, show(state, 0, tables, decider))
        slot = bk.look_up(book, view, tables)
        scratch.counters[VISITED] += 1
        if slot < 0:
            choice = _unknown(scratch, view, tables, key)
        elif decider == role:
            return slot
        else:
            choice = _sample(book, slot, scratch, key)
            first = book.first[slot]
            for i in range(book.count[slot]):
                book.sums[first + i] += weight * scratch.strategy[i]
        if apply_choice(state, 0, tables, scratch.keys, 0, choice) == ROUND_OVER:
            return np.int64(-1)


@inline
def _copy_state(states, to, source):
    for i in range(st.SIZE):
        states[to * st.SIZE + i] = states[source * st.SIZE + i]


@njit
def _settle(book, scratch, frame, weight):
    """All choices of a frame are valued: learn their regrets; returns what the decision is worth."""
    slot = scratch.marks[frame * _WIDTH + _SLOT]
    values = shifted(scratch.values, frame * scratch.most)
    match_regrets(book, slot, scratch.strategy)
    worth = 0.0
    for i in range(book.count[slot]):
        worth += scratch.strategy[i] * values[i]
    first = book.first[slot]
    for i in range(book.count[slot]):
        book.regrets[first + i] += weight * (values[i] - worth)
    return worth


@njit
def _traverse(book, starts, scratch, tables, role, weight, key):
    """Visit the round whose start is in frame 0 for one role; returns what it's worth to role 0."""
    scratch.counters[WORDS] = 0
    _copy_state(scratch.states, 1, 0)
    frame = 1
    over = False
    while True:
        state = shifted(scratch.states, frame * st.SIZE)
        slot = np.int64(-1)
        if not over:
            slot = _go_on(book, scratch, state, tables, role, weight, key)
        if slot >= 0:
            scratch.marks[frame * _WIDTH + _SLOT] = slot
            scratch.marks[frame * _WIDTH + _COUNT] = book.count[slot]
            scratch.marks[frame * _WIDTH + _TAKEN] = 0
        else:
            end_round(state, 0, tables, scratch.keys, 0)
            worth = so.worth_of(starts, state, tables, scratch.keys)
            if role == 1:
                worth = 1.0 - worth
            frame = _take_back(book, scratch, frame, worth, weight)
            if frame == 0:
                worth = scratch.values[0]
                return worth if role == 0 else 1.0 - worth
        over = _take_next(book, scratch, tables, frame)
        frame += 1


@njit
def _take_back(book, scratch, frame, worth, weight):
    """Hand a worth up from a frame to the last one with choices left, which is returned; 0: none."""
    frame -= 1
    while frame > 0:
        mark = frame * _WIDTH
        scratch.values[frame * scratch.most + scratch.marks[mark + _TAKEN] - 1] = worth
        if scratch.marks[mark + _TAKEN] < scratch.marks[mark + _COUNT]:
            return frame
        worth = _settle(book, scratch, frame, weight)
        frame -= 1
    scratch.values[0] = worth
    return frame


@njit
def _take_next(book, scratch, tables, frame):
    """Take a frame's next choice in the frame behind it; returns whether that ends the round."""
    mark = frame * _WIDTH
    taken = scratch.marks[mark + _TAKEN]
    scratch.marks[mark + _TAKEN] = taken + 1
    choice = book.ids[book.first[scratch.marks[mark + _SLOT]] + taken]
    _copy_state(scratch.states, frame + 1, frame)
    state = shifted(scratch.states, (frame + 1) * st.SIZE)
    return apply_choice(state, 0, tables, scratch.keys, 0, choice) == ROUND_OVER


@njit
def _play_on(book, starts, scratch, tables, key):
    """Play the round in frame 0 to its end by the current strategies; returns the next start."""
    state = scratch.states
    while True:
        view = shifted(state, show(state, 0, tables, state[st.DECIDER]))
        slot = bk.look_up(book, view, tables)
        if slot < 0:
            choice = _unknown(scratch, view, tables, key)
        else:
            choice = _sample(book, slot, scratch, key)
        if apply_choice(state, 0, tables, scratch.keys, 0, choice) == ROUND_OVER:
            break
    end_round(state, 0, tables, scratch.keys, 0)
    if state[st.PHASE] == ix.FINISHED:
        return np.int64(0)
    return so.next_start(starts, state, tables, scratch.keys)


@kernel
def run_iterations(book, starts, scratch, tables, seed, done, until, explore):
    """Iterate from number ``done`` on until so many decisions are visited, or the book is too full.

    Each iteration visits one round's start for both roles: that of the game under way, or, with
    probability ``explore``, any start met so far. Returns the number of the next iteration.
    """
    b, s, x = bk.pointers_of(book), so.pointers_of(starts), _pointers_of(scratch)
    t = fixed(tables)
    if s.used[0] == 0:
        begin_game(x.states, 0, t, x.keys, 0)
        so.start_of(s, x.states, t, 0, 1)
    start = np.int64(0)
    while x.counters[VISITED] < until and bk.has_room(b):
        key = rng.fold(seed, done)
        bits = rng.word(rng.fold(key, _START), 0)
        if np.float64(bits >> np.uint64(11)) * 1.1102230246251565e-16 < explore:
            start = rng.below(rng.mix(bits), s.used[0])[0]
        x.keys[st.DEAL_KEY] = rng.fold(key, _DEAL)
        x.states[st.PHASE] = ix.ACT
        so.begin_at(s, start, x.states, t, x.keys)
        weight = np.float64(done + 1)
        worth = 0.0
        for role in range(2):
            worth += _traverse(b, s, x, t, role, weight, rng.fold(rng.fold(key, _PLAY), role)) / 2
        so.learn_worth(s, start, worth, weight)
        if s.used[0] > 1:
            x.counters[WORDS] = 0
            start = max(_play_on(b, s, x, t, rng.fold(rng.fold(key, _PLAY), 2)), 0)
        done += 1
    return done
