"""Kernels: scores of all legal choices with an incrementally updated first layer.

The idea is NNUE's (Nasu 2018): the hidden layer is a sum of rows, and a move changes few of them.
The sum is kept for each prefix of a move on the way through the walk of canonical forms (see
`hanamikoji.moves.kinds`), so a move costs one row out, one row in, a ReLU and a dot product. All of
it is int16 lanes and int32 sums that can't overflow (see `weights.quantise`): the same moves on
every platform. `rows` finds the same rows from scratch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import address_of, apart, i32_at, inline, raw, shifted
from hanamikoji._jit.lanes import (
    add_row,
    change_row,
    changed_output,
    clear_row,
    copy_row,
    offered_output,
    output,
    prefetch_row,
)
from hanamikoji.engine import rng
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
from hanamikoji.learning.network.values import exp_negative
from hanamikoji.moves import index as ix

N = lay.LANES
_ROUND, _KIND = 0, N  # rows of scratch lanes; behind them one for each prefix of a move
SCRATCH_LANES = 3 + ix.MOST_CARDS

_KEYS = lay.MOST_ROWS  # [48] of the factors, behind the rows of the round
_STATE_ROWS = _KEYS + lay.MOST_FACTORS

_UNIT = 2.0**30  # the weight of the best choice among those drawn from


class Network(NamedTuple):
    """A network and its scratch memory: pointers for helpers, arrays for kernels."""

    features: Any
    """int32: the feature layout, see `layout`."""
    weights: Any
    """int16 (rows + heads, 64)."""
    lanes: Any
    """int16 (`SCRATCH_LANES`, 64): scratch."""
    scratch: Any
    """int64 (`scratch_size`,): scratch."""
    scores: Any
    """int64 (2 n,): pairs (id, score) of the n legal choices, where they are asked for."""


class Best(NamedTuple):
    """What `score_choices` found."""

    count: Any
    """How many choices are legal."""
    score: Any
    choice: Any


def scratch_size(features) -> int:
    """How many int64 of scratch the kernels need with this feature layout (an array)."""
    states = max(
        int(features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_STATES]) for kind in range(16)
    )
    return _STATE_ROWS + int(features[lay.FACTORS]) * states


@inline
def features_in(weights, numbers):
    """The feature layout that `weights.pack` put behind an agent's rows."""
    bytes_before = np.int64(numbers[lay.FEATURES_ROW]) * (2 * N)
    return raw(i32_at(address_of(weights) + bytes_before, np.int64(numbers[lay.FEATURES_SIZE])))


@apart
def _begin(view, tables, network):
    """Sum the round's rows and every geisha's row as she is; keep her keys."""
    features, weights, lanes, scratch = network[:4]
    clear_row(lanes, _ROUND)
    for i in range(round_rows(view, tables, features, scratch)):
        add_row(lanes, _ROUND, _ROUND, weights, scratch[i] * N)
    f = 0
    for g in range(tables[ix.GEISHAS]):
        while f < features[lay.FIRST_FACTOR + g + 1]:
            key = category_key(view, features, f, g)
            scratch[_KEYS + f] = key
            add_row(lanes, _ROUND, _ROUND, weights, key_row(features, f, key) * N)
            f += 1


@inline
def _state_rows(view, tables, network, kind):
    """For each factor and each way its geisha can stand in a move of this kind: her row."""
    features, scratch = network.features, network.scratch
    k = lay.KIND + kind * lay.KIND_WIDTH
    states = np.int64(features[k + lay.KIND_STATES])
    at = features[k + lay.KIND_STATE_AT]
    f = np.int64(0)
    for g in range(tables[ix.GEISHAS]):
        hand = view[ix.HAND + g]
        end = np.int64(features[lay.FIRST_FACTOR + g + 1])
        while f < end:
            if hand > 0:
                key = scratch[_KEYS + f]
                for state in range(states):
                    if features[at + state * lay.STATE_WIDTH + lay.STATE_CARDS] <= hand:
                        shift = state_shift(features, kind, state, f)
                        row = key_row(features, f, key + shift) * N
                        scratch[_STATE_ROWS + f * states + state] = row
                        prefetch_row(network.weights, row)
            f += 1
    return states


@inline
def _change_geisha(network, source, states, node):
    """The next prefix's row: this one's, with the rows of all factors of a geisha changed."""
    features, scratch = network.features, network.scratch
    card, to = node[lay.NODE_CARD], source + N
    for f in range(features[lay.FIRST_FACTOR + card], features[lay.FIRST_FACTOR + card + 1]):
        rows = _STATE_ROWS + f * states
        old, new = scratch[rows + node[lay.NODE_BEFORE]], scratch[rows + node[lay.NODE_AFTER]]
        if old != new or source != to:
            change_row(network.lanes, to, source, network.weights, old, new)
        source = to


@inline
def _noted(network, keep, best, choice, score):
    """The best so far, after one more choice; the first of equals."""
    if keep:
        network.scores[2 * best.count] = choice
        network.scores[2 * best.count + 1] = score
    if score > best.score:
        return Best(best.count + 1, np.int64(score), np.int64(choice))
    return Best(best.count + 1, best.score, best.choice)


@apart
def _score_kind(view, tables, network, kind, head, keep, best):
    """Score all moves of one kind; see `score_choices`."""
    features, weights, lanes, scratch = network[:4]
    states = _state_rows(view, tables, network, kind)
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    offers = np.int64(features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_OFFER_ROW])
    first_offer = offers - np.int64(tables[row + ix.KIND_MOVE])
    n, end = np.int64(tables[row + ix.KIND_WALK]), np.int64(tables[row + ix.KIND_WALK_END])
    walk, single = shifted(features, np.int64(features[lay.WALK_AT])), features[lay.SINGLE]
    while n < end:
        node = shifted(walk, n * lay.NODE_WIDTH)
        card = np.int64(node[lay.NODE_CARD])
        if view[ix.HAND + card] < node[lay.NODE_NEED]:
            n = np.int64(node[lay.NODE_SKIP])
            continue
        n += 1
        source = _KIND + np.int64(node[lay.NODE_DEPTH]) * N
        move = np.int64(node[lay.NODE_MOVE])
        if single:
            rows = _STATE_ROWS + card * states
            old, new = scratch[rows + node[lay.NODE_BEFORE]], scratch[rows + node[lay.NODE_AFTER]]
            if move < 0:
                change_row(lanes, source + N, source, weights, old, new)
                continue
            if offers < 0:
                score = changed_output(lanes, source, weights, old, new, head)
            else:
                offer = (first_offer + move) * N
                score = offered_output(lanes, source, weights, old, new, offer, head)
        else:
            _change_geisha(network, source, states, node)
            if move < 0:
                continue
            if offers >= 0:
                add_row(lanes, source + N, source + N, weights, (first_offer + move) * N)
            score = output(lanes, source + N, weights, head)
        best = _noted(network, keep, best, move, score)
    return best


@inline
def _show_answer(view, tables, network, mask):
    """Change the rows of all geishas by an answer to a face-up offer."""
    features = network.features
    f = np.int64(0)
    for g in range(tables[ix.GEISHAS]):
        while f < features[lay.FIRST_FACTOR + g + 1]:
            shift = answer_shift(view, tables, features, mask, f, g)
            if shift != 0:
                key = network.scratch[_KEYS + f]
                old, new = key_row(features, f, key) * N, key_row(features, f, key + shift) * N
                change_row(network.lanes, _KIND, _KIND, network.weights, old, new)
            f += 1


@apart
def _score_answers(view, tables, network, head, keep, best):
    """Score all answers to the offer at hand; see `score_choices`."""
    features, weights, lanes = network.features, network.weights, network.lanes
    kind = np.int64(view[ix.OFFER_KIND]) - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    equal = same_groups(view, tables)
    hidden = features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_HIDDEN]
    add_row(lanes, _ROUND, _ROUND, weights, left_row(view, tables, features) * N)
    first = np.int64(tables[row + ix.KIND_RESPONSE])
    for answer in range(first, first + tables[row + ix.KIND_RESPONSES]):
        mask = np.int64(tables[tables[ix.RESPONSE_MASK_AT] + answer])
        if not is_distinct(mask, equal):
            continue
        copy_row(lanes, _KIND, _ROUND)
        if hidden:
            answered = features[lay.ANSWER_ROW] + tables[ix.RESPONSES] + answer
            add_row(lanes, _KIND, _KIND, weights, answered * N)
        else:
            _show_answer(view, tables, network, mask)
        score = output(lanes, _KIND, weights, head)
        best = _noted(network, keep, best, tables[ix.MOVES] + answer, score)
    return best


@apart
def score_choices(view, tables, network, keep):
    """Score every legal choice of a view; returns the `Best`, the first of equals by id.

    With ``keep`` the pairs (id, score) go to ``network.scores``, ids ascending. A score times the
    head's scale plus its bias (see `weights.Weights`) are the log-odds of winning.
    """
    features = network.features
    head = (np.int64(features[lay.ROWS]) + head_of(view, tables, features)) * N
    best = Best(np.int64(0), np.int64(-(2**62)), np.int64(-1))
    _begin(view, tables, network)
    if view[ix.PHASE] == ix.RESPOND:
        return _score_answers(view, tables, network, head, keep, best)
    left = left_row(view, tables, features)
    for kind in range(tables[ix.KINDS]):
        cards = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]
        if view[ix.LEFT + kind] == 0 or view[ix.HAND_SIZE] < cards:
            continue
        row = left - features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_LEFT]
        add_row(network.lanes, _KIND, _ROUND, network.weights, row * N)
        best = _score_kind(view, tables, network, kind, head, keep, best)
    return best


@inline
def mixed_choice(view, tables, network, sharpness, word):
    """A choice drawn by a random word, with probabilities in proportion to exp(sharpness * score).

    The logit response (McKelvey & Palfrey 1998), in integers: the same choice on every platform.
    Returns it and the number of legal choices.
    """
    best, scores = score_choices(view, tables, network, True), network.scores
    total = np.int64(0)
    for i in range(1, 2 * best.count, 2):
        scores[i] = np.int64(exp_negative((scores[i] - best.score) * sharpness) * _UNIT)
        total += scores[i]
    left = rng.below(word, total)[0]
    i = np.int64(0)
    while left >= scores[i + 1]:
        left -= scores[i + 1]
        i += 2
    return scores[i], best.count


@inline
def learned_choice(view, tables, network):
    """The choice with the highest score."""
    return score_choices(view, tables, network, False).choice
