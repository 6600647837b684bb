"""Kernels: the active rows of the first layer for a position, computed from scratch.

A position is what a player knows right after a decision of its own, before the answer or the next
draw. `network` keeps the sum of the same rows up to date from move to move; this is its reference,
and what training learns from.

Arguments everywhere are pointers: ``view`` to the decider's view, ``tables`` to the rules' tables,
``features`` to the feature layout (see `layout`), ``out`` to int64 that row numbers are written to.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.history import history_rows
from hanamikoji.moves import index as ix

# --- the round as a whole -------------------------------------------------------------------------


@inline
def stage_of(tables, features, number):
    """The class of the round with this number: by rounds to the first goal check and to the cap."""
    to_check = max(np.int64(tables[ix.MIN_ROUNDS]) - number, 0)
    stage = min(to_check, np.int64(features[lay.MIN_STAGES]) - 1)
    caps = np.int64(features[lay.CAP_STAGES])
    if caps > 0:
        stage = stage * caps + min(max(np.int64(features[lay.CAP]) - number, 0), caps - 1)
    return stage


@inline
def head_of(view, tables, features):
    """Which output scores the moves of the decision at hand."""
    stage = stage_of(tables, features, np.int64(view[ix.ROUND]))
    turn = stage * tables[ix.TURNS] + view[ix.TURN]
    return (turn * 2 + view[ix.PHASE]) * 2 + view[ix.FIRST]


@inline
def pair_rank(n, own, their):
    """Number of (own, their) markers among n equal geishas, in lexicographic order."""
    return own * (n + 1) - own * (own - 1) // 2 + their


@inline
def class_rank(view, features, c, begin):
    """The `pair_rank` of a class of equal geishas, which begins there in CLASS_OF; and its end."""
    end = np.int64(features[lay.CLASS_END + c])
    own = their = np.int64(0)
    for i in range(begin, end):
        marker = view[ix.MARKERS + features[lay.CLASS_OF + i]]
        own += marker > 0
        their += marker < 0
    return pair_rank(end - begin, own, their), end


@njit
def config_of(view, features):
    """The number of the marker configuration as this player sees it."""
    config = at = np.int64(0)
    for c in range(features[lay.CLASSES]):
        rank, at = class_rank(view, features, c, at)
        config += features[lay.CLASS_STRIDE + c] * rank
    return config


@inline
def charm_row(view, features):
    """Both players' charm as one number."""
    cap = np.int64(features[lay.CHARM_CAP])
    own = min(np.int64(view[ix.CHARM]) // features[lay.CHARM_BIN], cap)
    their = min(np.int64(view[ix.THEIR_CHARM]) // features[lay.CHARM_BIN], cap)
    return own * (cap + 1) + their


@inline
def favor_row(view, features):
    """Both players' geishas as one number."""
    cap = np.int64(features[lay.FAVOR_CAP])
    own = min(np.int64(view[ix.FAVOR]), cap)
    their = min(np.int64(view[ix.THEIR_FAVOR]), cap)
    return own * (cap + 1) + their


@njit
def round_rows(view, tables, features, out):
    """Write the rows that no move of this decision changes; returns how many."""
    n = 1
    if features[lay.CONFIG_ROW] >= 0:
        out[0] = features[lay.CONFIG_ROW] + config_of(view, features)
    else:
        out[0] = features[lay.CHARM_ROW] + charm_row(view, features)
        out[1] = features[lay.FAVOR_ROW] + favor_row(view, features)
        n = 2
    if features[lay.ROUND_ROW] >= 0:
        stage = stage_of(tables, features, np.int64(view[ix.ROUND]))
        out[n] = features[lay.ROUND_ROW] + stage
        n += 1
    if features[lay.THEIR_ROW] >= 0:
        row = np.int64(features[lay.THEIR_ROW])
        for kind in range(tables[ix.KINDS]):
            stride = np.int64(features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_THEIR])
            row += stride * view[ix.THEIR_LEFT + kind]
        out[n] = row
        n += 1
    return history_rows(view, tables, features, out, n)


@inline
def left_row(view, tables, features):
    """The row of the action markers that are left."""
    row = np.int64(features[lay.LEFT_ROW])
    together = features[lay.THEIR_ROW] < 0
    for kind in range(tables[ix.KINDS]):
        k = lay.KIND + kind * lay.KIND_WIDTH
        row += np.int64(features[k + lay.KIND_LEFT]) * view[ix.LEFT + kind]
        if together:
            row += np.int64(features[k + lay.KIND_THEIR]) * view[ix.THEIR_LEFT + kind]
    return row


# --- geishas --------------------------------------------------------------------------------------


@inline
def category_key(view, features, factor, g):
    """The key of geisha g's local state in one factor, offers apart."""
    f = lay.FACTOR + factor * lay.FACTOR_WIDTH + 1
    key = np.int64(features[f]) * (view[ix.MARKERS + g] + 1)
    at = ix.HAND + g
    for c in range(lay.HAND, lay.ROLE):
        key += np.int64(features[f + c]) * view[at]
        at += ix.MOST_GEISHAS
    return key


@inline
def key_row(features, factor, key):
    """The row of a key in a factor."""
    return np.int64(features[features[lay.FACTOR + factor * lay.FACTOR_WIDTH] + key])


@inline
def state_shift(features, kind, state, factor):
    """By how much a geisha's key changes when her cards in a move of this kind leave the hand."""
    k = lay.KIND + kind * lay.KIND_WIDTH
    f = lay.FACTOR + factor * lay.FACTOR_WIDTH + 1
    entry = features[k + lay.KIND_STATE_AT] + state * lay.STATE_WIDTH
    cards = np.int64(features[entry + lay.STATE_CARDS])
    shift = -cards * features[f + lay.HAND]
    if features[k + lay.KIND_OFFERS]:
        return shift + np.int64(features[f + lay.ROLE]) * features[entry + lay.STATE_ROLE]
    return shift + cards * features[f + features[k + lay.KIND_TO]]


@inline
def _group_category(tables, kind, mask, group):
    """Where the cards of a group lie after this answer, as the responder sees it."""
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    chosen = (mask >> group) & 1
    place = tables[row + ix.KIND_CHOSEN_TO] if chosen else tables[row + ix.KIND_REST_TO]
    if place == ix.TO_OUT:
        return lay.OUT
    return lay.THEIRS if place == ix.TO_ACTOR else lay.MINE


@inline
def answer_shift(view, tables, features, mask, factor, g):
    """By how much geisha g's key changes when the offer at hand is answered by this mask."""
    kind = np.int64(view[ix.OFFER_KIND]) - 1
    strides = lay.FACTOR + factor * lay.FACTOR_WIDTH + 1
    shift = np.int64(0)
    for j in range(tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_GROUPS]):
        n = np.int64(view[ix.OFFER + j * ix.MOST_GEISHAS + g])
        if n > 0:
            shift += n * features[strides + _group_category(tables, kind, mask, j)]
    return shift


# --- positions ------------------------------------------------------------------------------------


@njit
def position_rows(view, tables, features, choice, out):
    """Write the rows of the position that a legal choice leads to; returns how many."""
    n = round_rows(view, tables, features, out)
    if view[ix.PHASE] == ix.RESPOND:
        return _answered_rows(view, tables, features, choice, out, n)
    kind = np.int64(tables[tables[ix.MOVE_KIND_AT] + choice])
    k = lay.KIND + kind * lay.KIND_WIDTH
    out[n] = left_row(view, tables, features) - features[k + lay.KIND_LEFT]
    n += 1
    if features[k + lay.KIND_OFFER_ROW] >= 0:
        first = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_MOVE]
        out[n] = np.int64(features[k + lay.KIND_OFFER_ROW]) + choice - first
        n += 1
    for g in range(tables[ix.GEISHAS]):
        state = _state_in_move(tables, features, kind, choice, g)
        for f in range(features[lay.FIRST_FACTOR + g], features[lay.FIRST_FACTOR + g + 1]):
            shift = state_shift(features, kind, state, f)
            out[n] = key_row(features, f, category_key(view, features, f, g) + shift)
            n += 1
    return n


@inline
def _state_in_move(tables, features, kind, move, g):
    """How geisha g stands in a move of this kind."""
    k = lay.KIND + kind * lay.KIND_WIDTH
    states = features[k + lay.KIND_STATE_AT] + lay.STATE_NEXT
    cards = tables[ix.MOVE_CARDS_AT] + move * ix.MOST_CARDS
    group = ix.KIND_GROUP + kind * ix.MOST_CARDS
    state = np.int64(0)
    for i in range(tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]):
        if tables[cards + i] == g:
            j = np.int64(tables[group + i]) if features[k + lay.KIND_OFFERS] else np.int64(0)
            state = np.int64(features[states + state * lay.STATE_WIDTH + j])
    return state


@njit
def _answered_rows(view, tables, features, choice, out, n):
    kind = np.int64(view[ix.OFFER_KIND]) - 1
    answer = np.int64(choice) - tables[ix.MOVES]
    mask = np.int64(tables[tables[ix.RESPONSE_MASK_AT] + answer])
    out[n] = left_row(view, tables, features)
    n += 1
    if features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_HIDDEN]:
        out[n] = features[lay.ANSWER_ROW] + tables[ix.RESPONSES] + answer
        n += 1
    for g in range(tables[ix.GEISHAS]):
        for f in range(features[lay.FIRST_FACTOR + g], features[lay.FIRST_FACTOR + g + 1]):
            shift = answer_shift(view, tables, features, mask, f, g)
            out[n] = key_row(features, f, category_key(view, features, f, g) + shift)
            n += 1
    return n
