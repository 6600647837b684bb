"""Kernels: Monte Carlo counterfactual regret minimisation by external sampling.

One round is the tree; its end is worth V of the round to come. A traversal for one role takes each
of that role's choices and samples chance and the opponent's (Lanctot, Waugh, Zinkevich & Bowling
2009). Regrets and strategies are weighted by the iteration's number, so that early ones fade
(linear CFR, Brown & Sandholm 2019).
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
from hanamikoji.moves import index as ix

FRAMES = ix.MOST_TURNS + 2
VISITED, WORDS = 0, 1
_MARKS = 2
_SLOT, _TAKEN = range(_MARKS)
_SHIFT, _UNIT = np.uint64(11), 2.0**-53


class Frames(NamedTuple):
    """What a traversal writes on, frame after frame.

    Frame 0 is the round's start, each other one a decision of the traversal's role.

    ``states`` int32 (`FRAMES` x SIZE), ``marks`` int64 (`FRAMES` x 2): the decision's slot and how
    many of its choices are taken; ``values`` float64 (`FRAMES` x ``most``): what they are worth.
    ``strategy`` float64 and ``ids`` int32 (``most``,) are for the decision at hand. ``keys`` uint64
    (KEYS,) are the game's. ``counters`` int64 [2]: decisions visited, random words used.
    """

    states: Any
    marks: Any
    values: Any
    strategy: Any
    ids: Any
    keys: Any
    counters: Any
    most: int


class Walk(NamedTuple):
    """All that a traversal reads and writes."""

    book: bk.Book
    starts: so.Starts
    scratch: Frames
    tables: Any


def new_scratch(most: int) -> Frames:
    """For rules with at most so many choices."""
    return Frames(
        states=np.zeros(FRAMES * st.SIZE, np.int32),
        marks=np.zeros(FRAMES * _MARKS, np.int64),
        values=np.zeros(FRAMES * most),
        strategy=np.zeros(most),
        ids=np.zeros(most, np.int32),
        keys=np.zeros(st.KEYS, np.uint64),
        counters=np.zeros(2, np.int64),
        most=most,
    )


@inline
def _pointers_of(scratch):
    return Frames(
        raw(scratch.states),
        raw(scratch.marks),
        raw(scratch.values),
        raw(scratch.strategy),
        raw(scratch.ids),
        raw(scratch.keys),
        raw(scratch.counters),
        scratch.most,
    )


# --- strategies ----------------------------------------------------------------------------------


@njit
def _match_regrets(book, slot, strategy):
    """Write an information set's current strategy: in proportion to its positive regrets."""
    first, count = book.first[slot], book.count[slot]
    total = 0.0
    for i in range(count):
        total += max(book.regrets[first + i], 0.0)
    for i in range(count):
        strategy[i] = max(book.regrets[first + i], 0.0) / total if total > 0.0 else 1.0 / count


@inline
def _fraction(scratch, key):
    """The next random number in [0, 1)."""
    bits = rng.word(key, scratch.counters[WORDS])
    scratch.counters[WORDS] += 1
    return np.float64(bits >> _SHIFT) * _UNIT


@njit
def _sample(walk, view, slot, key):
    """A random choice of the current strategy, which stays in ``scratch.strategy``."""
    book, scratch = walk.book, walk.scratch
    if slot < 0:  # the book has no room: any choice
        count = legal_moves(view, walk.tables, scratch.ids, scratch.most)
        return scratch.ids[np.int64(_fraction(scratch, key) * count)]
    _match_regrets(book, slot, scratch.strategy)
    left = _fraction(scratch, key)
    i = 0
    while i < book.count[slot] - 1 and left >= scratch.strategy[i]:
        left -= scratch.strategy[i]
        i += 1
    return book.ids[book.first[slot] + i]


# --- a traversal ---------------------------------------------------------------------------------


@njit
def _go_on(walk, state, role, weight, key):
    """Sample decisions until one of ``role`` that the book has; role 2: to the end of the round.

    Returns the decision's slot, or -1: the round is over. The opponent's strategies are summed.
    """
    book, scratch = walk.book, walk.scratch
    while True:
        decider = state[st.DECIDER]
        view = show(state, decider)
        slot = bk.look_up(book, view, walk.tables)
        scratch.counters[VISITED] += 1
        if slot >= 0 and decider == role:
            return slot
        choice = _sample(walk, view, slot, key)
        if slot >= 0 and role < 2:
            first = book.first[slot]
            for i in range(book.count[slot]):
                book.sums[first + i] += weight * scratch.strategy[i]
        if apply_choice(state, walk.tables, scratch.keys, choice) == ROUND_OVER:
            return np.int64(-1)


@inline
def _copy_state(states, to, source):
    for i in range(st.SIZE):
        states[to * st.SIZE + i] = states[source * st.SIZE + i]


@njit
def _take_next(walk, frame):
    """Take a frame's next choice in the frame behind it; returns whether that ends the round."""
    scratch = walk.scratch
    mark = frame * _MARKS
    first = walk.book.first[scratch.marks[mark + _SLOT]]
    choice = walk.book.ids[first + scratch.marks[mark + _TAKEN]]
    scratch.marks[mark + _TAKEN] += 1
    _copy_state(scratch.states, frame + 1, frame)
    state = shifted(scratch.states, (frame + 1) * st.SIZE)
    return apply_choice(state, walk.tables, scratch.keys, choice) == ROUND_OVER


@njit
def _learn(walk, frame, weight):
    """Add the regrets of a frame whose choices are all valued; returns what it is worth."""
    book, scratch = walk.book, walk.scratch
    slot = scratch.marks[frame * _MARKS + _SLOT]
    values = shifted(scratch.values, frame * scratch.most)
    _match_regrets(book, slot, scratch.strategy)
    worth = 0.0
    for i in range(book.count[slot]):
        worth += scratch.strategy[i] * values[i]
    first = book.first[slot]
    for i in range(book.count[slot]):
        book.regrets[first + i] += weight * (values[i] - worth)
    return worth


@njit
def _hand_up(walk, frame, worth, weight):
    """Note what the choice that led to a frame is worth, and so on up while choices run out.

    Returns the frame that has one left (0: none) and the worth noted last.
    """
    scratch = walk.scratch
    frame -= 1
    while frame > 0:
        mark = frame * _MARKS
        taken = scratch.marks[mark + _TAKEN]
        scratch.values[frame * scratch.most + taken - 1] = worth
        if taken < walk.book.count[scratch.marks[mark + _SLOT]]:
            break
        worth = _learn(walk, frame, weight)
        frame -= 1
    return frame, worth


@njit
def _traverse(walk, role, weight, key):
    """Visit the round whose start is in frame 0 for one role; returns what it is worth to it."""
    scratch = walk.scratch
    scratch.counters[WORDS] = 0
    _copy_state(scratch.states, 1, 0)
    frame = 1
    over = False
    while True:
        state = shifted(scratch.states, frame * st.SIZE)
        slot = np.int64(-1) if over else _go_on(walk, state, role, weight, key)
        if slot >= 0:
            scratch.marks[frame * _MARKS + _SLOT] = slot
            scratch.marks[frame * _MARKS + _TAKEN] = 0
        else:
            end_round(state, walk.tables, scratch.keys)
            worth = so.worth_of(walk.starts, state, walk.tables, scratch.keys)
            frame, worth = _hand_up(walk, frame, 1.0 - worth if role else worth, weight)
            if frame == 0:
                return worth
        over = _take_next(walk, frame)
        frame += 1


# --- iterations ----------------------------------------------------------------------------------


@njit
def _iterate(walk, start, weight, key):
    """Traverse the round of a start for both roles; returns the start of the round after it."""
    scratch, tables = walk.scratch, walk.tables
    state, words = scratch.states, rng.fold(key, rng.TABLE_PLAY)
    scratch.keys[st.DEAL_KEY] = rng.fold(key, rng.TABLE_DEAL)
    so.begin_at(walk.starts, start, state, tables, scratch.keys)
    worth = _traverse(walk, 0, weight, rng.fold(words, 0))
    worth += 1.0 - _traverse(walk, 1, weight, rng.fold(words, 1))
    so.learn_worth(walk.starts, start, worth / 2, weight)
    if walk.starts.used[0] == 1:
        return np.int64(0)
    scratch.counters[WORDS] = 0
    _go_on(walk, state, 2, 0.0, rng.fold(words, 2))
    end_round(state, tables, scratch.keys)
    return so.next_start(walk.starts, state, tables, scratch.keys)


@kernel
def run_iterations(book, starts, scratch, tables, seed, done, until, explore):
    """Iterate from number ``done`` on until so many decisions are visited, or the book is too full.

    An iteration begins where the game under way has come to or, with probability ``explore``, at
    any start met so far. Returns the number of the next iteration.
    """
    walk = Walk(bk.pointers_of(book), so.pointers_of(starts), _pointers_of(scratch), fixed(tables))
    start = np.int64(0)
    if starts.used[0] == 0:
        begin_game(walk.scratch.states, walk.tables, walk.scratch.keys)
        start = so.start_of(walk.starts, walk.scratch.states, walk.tables, 0, 1)
    while scratch.counters[VISITED] < until and bk.has_room(walk.book):
        key = rng.fold(seed, done)
        bits = rng.word(rng.fold(key, rng.TABLE_START), 0)
        if np.float64(bits >> _SHIFT) * _UNIT < explore:
            start = rng.below(rng.mix(bits), starts.used[0])[0]
        start = _iterate(walk, start, np.float64(done + 1), key)
        done += 1
    return done
