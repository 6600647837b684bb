"""Kernels: which rows describe a position, computed from scratch; the reference for `network`.

Arguments everywhere: ``s[v:]`` a view (int32), ``t`` the rules' tables, ``p`` the feature plan.
A position is what a player knows right after a move of its own, before the answer or the next draw.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.learning.network import layout as lay
from hanamikoji.moves import index as ix


@inline
def stage_of(t, p, number):
    """The class of the round with this number: by rounds to the first goal check and to the cap."""
    stage = min(max(np.int64(t[ix.MIN_ROUNDS]) - number, 0), np.int64(p[lay.MIN_STAGES]) - 1)
    caps = np.int64(p[lay.CAP_STAGES])
    if caps > 0:
        stage = stage * caps + min(max(np.int64(p[lay.CAP]) - number, 0), caps - 1)
    return stage


@inline
def head_of(s, v, t, p):
    """Which output scores the moves of the decision at hand."""
    stage = stage_of(t, p, np.int64(s[v + ix.ROUND]))
    turn = stage * t[ix.TURNS] + s[v + ix.TURN]
    return (turn * 2 + s[v + ix.PHASE]) * 2 + s[v + ix.FIRST]


@inline
def pair_rank(n, own, their):
    """Number of (own, their) markers among n equal geishas, in lexicographic order."""
    return own * (n + 1) - own * (own - 1) // 2 + their


@njit
def config_of(s, v, p):
    """The number of the marker configuration as this player sees it."""
    config = np.int64(0)
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
        config += p[lay.CLASS_STRIDE + c] * pair_rank(n, own, their)
    return config


@inline
def charm_row(s, v, p):
    """Both players' charm as one number."""
    cap = np.int64(p[lay.CHARM_CAP])
    own = min(np.int64(s[v + ix.CHARM]) // p[lay.CHARM_BIN], cap)
    their = min(np.int64(s[v + ix.THEIR_CHARM]) // p[lay.CHARM_BIN], cap)
    return own * (cap + 1) + their


@inline
def favor_row(s, v, p):
    """Both players' geishas as one number."""
    cap = np.int64(p[lay.FAVOR_CAP])
    own = min(np.int64(s[v + ix.FAVOR]), cap)
    their = min(np.int64(s[v + ix.THEIR_FAVOR]), cap)
    return own * (cap + 1) + their


@inline
def category_key(s, v, p, factor, g):
    """The key of geisha g's local state in one factor, offers apart."""
    f = lay.FACTOR + factor * lay.FACTOR_WIDTH + 1
    key = np.int64(p[f]) * (s[v + ix.MARKERS + g] + 1)
    at = v + ix.HAND + g
    for c in range(lay.HAND, lay.ROLE):
        key += np.int64(p[f + c]) * s[at]
        at += ix.MOST_GEISHAS
    return key


@njit
def round_rows(s, v, t, p, out, at):
    """Write the rows that no move of this decision changes; returns the end of what is written."""
    if p[lay.CONFIG_ROW] >= 0:
        out[at] = p[lay.CONFIG_ROW] + config_of(s, v, p)
        at += 1
    else:
        out[at] = p[lay.CHARM_ROW] + charm_row(s, v, p)
        out[at + 1] = p[lay.FAVOR_ROW] + favor_row(s, v, p)
        at += 2
    if p[lay.ROUND_ROW] >= 0:
        out[at] = p[lay.ROUND_ROW] + stage_of(t, p, np.int64(s[v + ix.ROUND]))
        at += 1
    if p[lay.THEIR_ROW] >= 0:
        row = np.int64(p[lay.THEIR_ROW])
        for kind in range(t[ix.KINDS]):
            stride = np.int64(p[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_THEIR])
            row += stride * s[v + ix.THEIR_LEFT + kind]
        out[at] = row
        at += 1
    if p[lay.ANSWER_ROW] >= 0:
        at = _answer_rows(s, v, t, p, out, at)
    return at


@inline
def _answer_rows(s, v, t, p, out, at):
    """What was answered to face-down offers this round."""
    for turn in range(s[v + ix.TURN]):
        entry = v + ix.HISTORY + turn * ix.HISTORY_WIDTH
        kind = s[entry + ix.HISTORY_KIND] - 1
        if kind >= 0 and p[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_HIDDEN]:
            answer = np.int64(s[entry + ix.HISTORY_ANSWER]) - 1 - t[ix.MOVES]
            if s[entry + ix.HISTORY_ACTOR] == 2:
                answer += t[ix.RESPONSES]
            out[at] = p[lay.ANSWER_ROW] + answer
            at += 1
    return at


@inline
def left_row(s, v, t, p):
    """The row of the action markers that are left."""
    row = np.int64(p[lay.LEFT_ROW])
    together = p[lay.THEIR_ROW] < 0
    for kind in range(t[ix.KINDS]):
        k = lay.KIND + kind * lay.KIND_WIDTH
        row += np.int64(p[k + lay.KIND_LEFT]) * s[v + ix.LEFT + kind]
        if together:
            row += np.int64(p[k + lay.KIND_THEIR]) * s[v + ix.THEIR_LEFT + kind]
    return row


@inline
def key_row(p, factor, key):
    """The row of a key in a factor."""
    return p[p[lay.FACTOR + factor * lay.FACTOR_WIDTH] + key]


@inline
def state_shift(p, kind, state, factor):
    """By how much a geisha's key changes when her cards in a move of this kind leave the hand."""
    k = lay.KIND + kind * lay.KIND_WIDTH
    f = lay.FACTOR + factor * lay.FACTOR_WIDTH + 1
    entry = p[k + lay.KIND_STATE_AT] + state * lay.STATE_WIDTH
    cards = np.int64(p[entry + lay.STATE_CARDS])
    shift = -cards * p[f + lay.HAND]
    if p[k + lay.KIND_OFFERS]:
        return shift + np.int64(p[f + lay.ROLE]) * p[entry + lay.STATE_ROLE]
    return shift + cards * p[f + p[k + lay.KIND_TO]]


@inline
def group_category(t, kind, mask, group):
    """Where the cards of a group lie after this answer, as the responder sees it."""
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    place = t[row + ix.KIND_CHOSEN_TO] if (mask >> group) & 1 else t[row + ix.KIND_REST_TO]
    if place == ix.TO_OUT:
        return lay.OUT
    return lay.THEIRS if place == ix.TO_ACTOR else lay.MINE


@njit
def position_rows(s, v, t, p, choice, out, at):
    """Write the rows of the position that a legal choice leads to; returns their end."""
    at = round_rows(s, v, t, p, out, at)
    if s[v + ix.PHASE] == ix.RESPOND:
        return _answered_rows(s, v, t, p, choice, out, at)
    kind = np.int64(t[t[ix.MOVE_KIND_AT] + choice])
    k = lay.KIND + kind * lay.KIND_WIDTH
    out[at] = left_row(s, v, t, p) - p[k + lay.KIND_LEFT]
    at += 1
    if p[k + lay.KIND_OFFER_ROW] >= 0:
        first = t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_MOVE]
        out[at] = np.int64(p[k + lay.KIND_OFFER_ROW]) + choice - first
        at += 1
    states = p[k + lay.KIND_STATE_AT] + lay.STATE_NEXT
    cards = t[ix.MOVE_CARDS_AT] + choice * ix.MOST_CARDS
    group = ix.KIND_GROUP + kind * ix.MOST_CARDS
    for g in range(t[ix.GEISHAS]):
        state = np.int64(0)
        for i in range(t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]):
            if t[cards + i] == g:
                j = np.int64(t[group + i]) if p[k + lay.KIND_OFFERS] else np.int64(0)
                state = np.int64(p[states + state * lay.STATE_WIDTH + j])
        for f in range(p[lay.FIRST_FACTOR + g], p[lay.FIRST_FACTOR + g + 1]):
            key = category_key(s, v, p, f, g) + state_shift(p, kind, state, f)
            out[at] = key_row(p, f, key)
            at += 1
    return at


@njit
def _answered_rows(s, v, t, p, choice, out, at):
    kind = np.int64(s[v + ix.OFFER_KIND]) - 1
    answer = np.int64(choice) - t[ix.MOVES]
    mask = np.int64(t[t[ix.RESPONSE_MASK_AT] + answer])
    out[at] = left_row(s, v, t, p)
    at += 1
    if p[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_HIDDEN]:
        out[at] = p[lay.ANSWER_ROW] + t[ix.RESPONSES] + answer
        at += 1
    for g in range(t[ix.GEISHAS]):
        for f in range(p[lay.FIRST_FACTOR + g], p[lay.FIRST_FACTOR + g + 1]):
            key = category_key(s, v, p, f, g) + answer_shift(s, v, t, p, kind, mask, f, g)
            out[at] = key_row(p, f, key)
            at += 1
    return at


@inline
def answer_shift(s, v, t, p, kind, mask, factor, g):
    """By how much geisha g's key changes when the offer at hand is answered by this mask."""
    strides = lay.FACTOR + factor * lay.FACTOR_WIDTH + 1
    shift = np.int64(0)
    for j in range(t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_GROUPS]):
        n = np.int64(s[v + ix.OFFER + j * ix.MOST_GEISHAS + g])
        if n > 0:
            shift += n * p[strides + group_category(t, kind, mask, j)]
    return shift
