"""Kernels: the active rows for what happened earlier in the round.

Hidden cards are not equally likely whatever was played: which offers the opponent made, what it
took of others and in which order tell of its hand. Rows of their own let the network learn so.
Arguments as in `rows`; functions write from ``out[n]`` on and return the end.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.learning.network import layout as lay
from hanamikoji.moves import index as ix


@njit
def history_rows(view, tables, features, out, n):
    """The rows of this round's earlier turns, and of the offer at hand as a whole."""
    for turn in range(view[ix.TURN]):
        entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
        kind = np.int64(view[entry + ix.HISTORY_KIND]) - 1
        if kind < 0:
            continue
        whose = np.int64(view[entry + ix.HISTORY_ACTOR] == ix.OTHER)
        out[n] = features[lay.ORDER_ROW] + (turn * 2 + whose) * tables[ix.KINDS] + kind
        n = _answer_row(view, tables, features, out, n + 1, entry, kind, whose)
        n = _event_row(view, tables, features, out, n, entry, kind, whose)
    if view[ix.PHASE] == ix.RESPOND:
        n = _faced_row(view, tables, features, out, n)
    return n


@inline
def _answer_row(view, tables, features, out, n, entry, kind, whose):
    """What was answered to a face-down offer."""
    if features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_HIDDEN]:
        answer = np.int64(view[entry + ix.HISTORY_ANSWER]) - 1 - tables[ix.MOVES]
        out[n] = features[lay.ANSWER_ROW] + whose * tables[ix.RESPONSES] + answer
        n += 1
    return n


@inline
def _event_row(view, tables, features, out, n, entry, kind, whose):
    """What was offered, as far as the player knows it, and what was chosen."""
    first = np.int64(features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_EVENT_ROW])
    move = np.int64(view[entry + ix.HISTORY_MOVE]) - 1
    answer = np.int64(view[entry + ix.HISTORY_ANSWER]) - 1
    if first >= 0 and move >= 0 and answer >= 0:
        row = ix.KIND_ROW + kind * ix.KIND_WIDTH
        offer = whose * tables[row + ix.KIND_MOVES] + move - tables[row + ix.KIND_MOVE]
        answer -= np.int64(tables[ix.MOVES]) + tables[row + ix.KIND_RESPONSE]
        out[n] = first + offer * tables[row + ix.KIND_RESPONSES] + answer
        n += 1
    return n


@inline
def _faced_row(view, tables, features, out, n):
    """The face-up offer that is to be answered."""
    kind = np.int64(view[ix.OFFER_KIND]) - 1
    first = np.int64(features[lay.KIND + kind * lay.KIND_WIDTH + lay.KIND_FACED_ROW])
    if first >= 0:
        row = ix.KIND_ROW + kind * ix.KIND_WIDTH
        out[n] = first + view[ix.OFFER_MOVE] - 1 - tables[row + ix.KIND_MOVE]
        n += 1
    return n
