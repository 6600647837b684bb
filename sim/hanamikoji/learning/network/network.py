"""Kernels: scores of all legal moves by one change of a row for each card of a move.

The hidden layer's sum is kept for each prefix of a move on the way through the walk of canonical
forms (see `hanamikoji.moves.kinds`), so a move costs one row out, one row in, a ReLU and a dot
product. All of it is int16 lanes and int32 sums that can't overflow (see `weights.quantise`): the
same moves on every platform. `rows` says the same from scratch.

Arguments everywhere: ``s[v:]`` a view (int32), ``t`` the rules' tables, ``p`` the feature plan
(int32), ``w`` int16 rows, the heads behind them, all bare pointers (see `_jit.raw`). Scratch:
``lanes`` int16 [`SCRATCH_LANES` rows], ``memory`` int64 [`scratch_memory`] from ``m`` on.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import apart, inline, shifted
from hanamikoji.engine.turns import is_distinct, same_groups
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.rows import (
    answer_shift,
    category_key,
    head_of,
    key_row,
    left_row,
    round_rows,
    state_shift,
)
from hanamikoji.moves import index as ix

N = lay.LANES
_ROUND, _KIND, _PREFIX = 0, N, 2 * N
SCRATCH_LANES = 3 + ix.MOST_CARDS

_KEYS = lay.MOST_ROWS  # [48] of the factors, behind the rows of the round
_STATE_ROWS = _KEYS + lay.MOST_FACTORS


def scratch_memory(plan) -> int:
    """How many int64 of scratch the kernels need with this plan (an array)."""
    states = max(
        int(plan[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_STATES]) for kind in range(16)
    )
    return _STATE_ROWS + int(plan[lay.FACTORS]) * states


@inline
def _copy(lanes, to, source):
    for h in range(N):
        lanes[to + h] = lanes[source + h]


@inline
def _add(lanes, to, source, w, row):
    """lanes[to] = lanes[source] + a row."""
    for h in range(N):
        lanes[to + h] = np.int16(lanes[source + h] + w[row + h])


@inline
def _change(lanes, to, source, w, old, new):
    """lanes[to] = lanes[source] - a row + another."""
    for h in range(N):
        lanes[to + h] = np.int16(np.int16(lanes[source + h] - w[old + h]) + w[new + h])


@inline
def _output(lanes, at, w, head):
    """ReLU and dot product."""
    total = np.int32(0)
    for h in range(N):
        x = np.int16(lanes[at + h])
        x = x if x > 0 else np.int16(0)
        total += np.int32(np.int32(x) * np.int32(w[head + h]))
    return total


@inline
def _changed_output(lanes, at, w, old, new, head):
    """The output after one change of a row."""
    total = np.int32(0)
    for h in range(N):
        x = np.int16(np.int16(lanes[at + h] - w[old + h]) + w[new + h])
        x = x if x > 0 else np.int16(0)
        total += np.int32(np.int32(x) * np.int32(w[head + h]))
    return total


@inline
def _offered_output(lanes, at, w, old, new, offer, head):
    """The output after one change of a row, and one row more."""
    total = np.int32(0)
    for h in range(N):
        x = np.int16(np.int16(lanes[at + h] - w[old + h]) + np.int16(w[new + h] + w[offer + h]))
        x = x if x > 0 else np.int16(0)
        total += np.int32(np.int32(x) * np.int32(w[head + h]))
    return total


@apart
def _begin(s, v, t, p, w, lanes, memory, m):
    """Sum the round's rows and every geisha's row as she is; keep her keys."""
    end = round_rows(s, v, t, p, memory, m)
    for h in range(N):
        lanes[_ROUND + h] = w[memory[m] * N + h]
    for i in range(m + 1, end):
        _add(lanes, _ROUND, _ROUND, w, memory[i] * N)
    f = 0
    for g in range(t[ix.GEISHAS]):
        while f < p[lay.FIRST_FACTOR + g + 1]:
            key = category_key(s, v, p, f, g)
            memory[m + _KEYS + f] = key
            _add(lanes, _ROUND, _ROUND, w, np.int64(key_row(p, f, key)) * N)
            f += 1


@inline
def _state_rows(s, v, t, p, kind, memory, m):
    """For each factor and each way its geisha can stand in a move of this kind: her row."""
    k = lay.KIND + kind * lay.KIND_WIDTH
    states = np.int64(p[k + lay.KIND_STATES])
    at = p[k + lay.KIND_STATE_AT]
    f = np.int64(0)
    for g in range(t[ix.GEISHAS]):
        hand = s[v + ix.HAND + g]
        end = np.int64(p[lay.FIRST_FACTOR + g + 1])
        while f < end:
            if hand > 0:
                out = m + _STATE_ROWS + f * states
                key = memory[m + _KEYS + f]
                for state in range(states):
                    if p[at + state * lay.STATE_WIDTH + lay.STATE_CARDS] <= hand:
                        row = key_row(p, f, key + state_shift(p, kind, state, f))
                        memory[out + state] = np.int64(row) * N
            f += 1
    return states


@inline
def _many_changes(p, lanes, to, source, w, memory, m, states, card, before, after):  # fmt: skip
    """Change the rows of all factors of a geisha."""
    for f in range(p[lay.FIRST_FACTOR + card], p[lay.FIRST_FACTOR + card + 1]):
        rows = m + _STATE_ROWS + f * states
        if memory[rows + before] != memory[rows + after] or source != to:
            _change(lanes, to, source, w, memory[rows + before], memory[rows + after])
        source = to


@apart
def _score_kind(s, v, t, p, w, lanes, memory, m, kind, head, out, n, best, choice):  # fmt: skip
    """Score all moves of one kind; see `score_choices`."""
    k = lay.KIND + kind * lay.KIND_WIDTH
    states = _state_rows(s, v, t, p, kind, memory, m)
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    first, offers = np.int64(t[row + ix.KIND_MOVE]), np.int64(p[k + lay.KIND_OFFER_ROW])
    node, end = np.int64(t[row + ix.KIND_WALK]), np.int64(t[row + ix.KIND_WALK_END])
    hand, walk, single = v + ix.HAND, np.int64(p[lay.WALK_AT]), p[lay.SINGLE]
    while node < end:
        here = walk + node * lay.NODE_WIDTH
        card = np.int64(p[here + lay.NODE_CARD])
        if s[hand + card] < p[here + lay.NODE_NEED]:
            node = np.int64(p[here + lay.NODE_SKIP])
            continue
        source = _KIND + np.int64(p[here + lay.NODE_DEPTH]) * N
        move = np.int64(p[here + lay.NODE_MOVE])
        node += 1
        before, after = np.int64(p[here + lay.NODE_BEFORE]), np.int64(p[here + lay.NODE_AFTER])
        score = np.int32(0)
        if single:
            rows = m + _STATE_ROWS + card * states
            old, new = memory[rows + before], memory[rows + after]
            if move < 0:
                _change(lanes, source + N, source, w, old, new)
                continue
            if offers < 0:
                score = _changed_output(lanes, source, w, old, new, head)
            else:
                offer = (offers + move - first) * N
                score = _offered_output(lanes, source, w, old, new, offer, head)
        else:
            _many_changes(p, lanes, source + N, source, w, memory, m, states, card, before, after)
            if move < 0:
                continue
            if offers >= 0:
                _add(lanes, source + N, source + N, w, (offers + move - first) * N)
            score = _output(lanes, source + N, w, head)
        if out >= 0:
            memory[out + 2 * n] = move
            memory[out + 2 * n + 1] = score
        n += 1
        if score > best:
            best = np.int64(score)
            choice = move
    return n, best, choice


@apart
def _score_answers(s, v, t, p, w, lanes, memory, m, head, out):
    kind = np.int64(s[v + ix.OFFER_KIND]) - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    equal = same_groups(shifted(s, v), t)
    hidden = p[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_HIDDEN]
    _add(lanes, _ROUND, _ROUND, w, left_row(s, v, t, p) * N)
    n, best, choice = np.int64(0), np.int64(-(2**62)), np.int64(-1)
    first = np.int64(t[row + ix.KIND_RESPONSE])
    for answer in range(first, first + t[row + ix.KIND_RESPONSES]):
        mask = np.int64(t[t[ix.RESPONSE_MASK_AT] + answer])
        if not is_distinct(mask, equal):
            continue
        _copy(lanes, _KIND, _ROUND)
        if hidden:
            _add(lanes, _KIND, _KIND, w, (p[lay.ANSWER_ROW] + t[ix.RESPONSES] + answer) * N)
        else:
            f = np.int64(0)
            for g in range(t[ix.GEISHAS]):
                while f < p[lay.FIRST_FACTOR + g + 1]:
                    shift = answer_shift(s, v, t, p, kind, mask, f, g)
                    if shift != 0:
                        key = memory[m + _KEYS + f]
                        old = np.int64(key_row(p, f, key)) * N
                        new = np.int64(key_row(p, f, key + shift)) * N
                        _change(lanes, _KIND, _KIND, w, old, new)
                    f += 1
        score = np.int64(_output(lanes, _KIND, w, head))
        if out >= 0:
            memory[out + 2 * n] = t[ix.MOVES] + answer
            memory[out + 2 * n + 1] = score
        n += 1
        if score > best:
            best = score
            choice = np.int64(t[ix.MOVES]) + answer
    return n, best, choice


@apart
def score_choices(s, v, t, p, w, lanes, memory, m, out):
    """Score every legal choice of a view.

    Returns how many there are, the best score and the best choice (the first of equals, in the
    order of ids). If ``out >= 0``, pairs (id, score) go to ``memory[out:]`` in ascending order of
    ids. `value_of` in `values` makes a probability of a score.
    """
    head = (np.int64(p[lay.ROWS]) + head_of(s, v, t, p)) * N
    _begin(s, v, t, p, w, lanes, memory, m)
    if s[v + ix.PHASE] == ix.RESPOND:
        return _score_answers(s, v, t, p, w, lanes, memory, m, head, out)
    n, best, choice = np.int64(0), np.int64(-(2**62)), np.int64(-1)
    left = left_row(s, v, t, p)
    for kind in range(t[ix.KINDS]):
        cards = t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]
        if s[v + ix.LEFT + kind] == 0 or s[v + ix.HAND_SIZE] < cards:
            continue
        stride = p[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_LEFT]
        _add(lanes, _KIND, _ROUND, w, (left - stride) * N)
        n, best, choice = _score_kind(
            s, v, t, p, w, lanes, memory, m, kind, head, out, n, best, choice
        )
    return n, best, choice


@inline
def learned_choice(s, v, t, p, w, lanes, memory, m):
    """The choice with the highest score."""
    return score_choices(s, v, t, p, w, lanes, memory, m, np.int64(-1))[2]
