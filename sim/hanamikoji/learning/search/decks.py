"""Kernels: a deck that agrees with what a player has seen of its cards.

Every physical card is known by its place in the round's shuffle. Following the public history turn
by turn, each side's cards are taken from the places it had been given by then; places whose card
the player has not seen get the remaining cards, at random.

Arguments are pointers: ``view`` to the player's view, ``tables`` to the rules' tables, ``scratch``
to int64, see `places`. ``key`` is the random key of the deck. ``side`` 0 is the player, 1 the
opponent.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import apart, inline, njit
from hanamikoji.engine import rng
from hanamikoji.learning.search import places as pl
from hanamikoji.moves import index as ix

# --- the cards a side holds -----------------------------------------------------------------------


@inline
def _draw_number(scratch, key, n):
    """A number in [0, n) from the deck's next random word."""
    scratch[pl.DRAWN] += 1
    return rng.below(rng.word(key, scratch[pl.DRAWN]), n)[0]


@inline
def _bind(scratch, place, card):
    """The card at a place is known; returns whether there is such a card left."""
    scratch[pl.CARD + place] = card
    scratch[pl.COUNT + card] -= 1
    return scratch[pl.COUNT + card] >= 0


@inline
def _receive(scratch, side, place):
    """A side is given the card from a place."""
    n = scratch[pl.OPENS + side]
    scratch[pl.OPEN + side * pl.WIDE + n] = place
    scratch[pl.OPENS + side] = n + 1


@inline
def _remove(scratch, side, i):
    """Take the i-th card out of a side's; returns its place."""
    last = scratch[pl.OPENS + side] - 1
    at = pl.OPEN + side * pl.WIDE
    place = scratch[at + i]
    scratch[at + i] = scratch[at + last]
    scratch[pl.OPENS + side] = last
    return place


@njit
def _take_any(scratch, key, side):
    """A side uses a card that the player did not see; returns its place or -1."""
    if scratch[pl.OPENS + side] == 0:
        return np.int64(-1)
    return _remove(scratch, side, _draw_number(scratch, key, scratch[pl.OPENS + side]))


@apart
def _take_known(scratch, key, side, card):
    """A side uses this card: one known to be it, else any that may be; returns its place or -1."""
    at, n = pl.OPEN + side * pl.WIDE, scratch[pl.OPENS + side]
    unknown = 0
    for i in range(n):
        found = scratch[pl.CARD + scratch[at + i]]
        if found == card:
            return _remove(scratch, side, i)
        unknown += found < 0
    if unknown == 0:
        return np.int64(-1)
    pick = _draw_number(scratch, key, unknown)
    for i in range(n):
        place = scratch[at + i]
        if scratch[pl.CARD + place] < 0:
            if pick == 0:
                taken = _bind(scratch, place, card)
                return _remove(scratch, side, i) if taken else np.int64(-1)
            pick -= 1
    return np.int64(-1)


# --- the round so far -----------------------------------------------------------------------------


@inline
def _place_at(tables, scratch, head):
    """Where the card came from that lies at ``head`` of the deck."""
    n = tables[ix.CARDS]
    return np.int64(head) if head < n else scratch[pl.PUT + head - n]


@njit
def _use(view, tables, scratch, key, turn, side, hidden_too):
    """The cards of one turn's action leave their side's hand; returns False if they can't."""
    entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
    move = np.int64(view[entry + ix.HISTORY_MOVE]) - 1
    row = ix.KIND_ROW + (view[entry + ix.HISTORY_KIND] - 1) * ix.KIND_WIDTH
    if move < 0 and not hidden_too and not tables[row + ix.KIND_EXCHANGE]:
        return True
    cards = tables[ix.MOVE_CARDS_AT] + max(move, 0) * ix.MOST_CARDS
    for i in range(tables[row + ix.KIND_CARDS]):
        if move >= 0:
            place = _take_known(scratch, key, side, np.int64(tables[cards + i]))
        else:
            place = _take_any(scratch, key, side)
        if place < 0:
            return False
        scratch[pl.HIDDEN + turn * ix.MOST_CARDS + i] = place
    return True


@njit
def _exchange(view, tables, scratch, turn):
    """The card that was used goes under the deck, the top one is drawn; returns False if it can't.

    The drawn card is played in place of the one that was used; no hand receives it.
    """
    scratch[pl.PUT + scratch[pl.PUTS]] = scratch[pl.HIDDEN + turn * ix.MOST_CARDS]
    drawn = np.int64(view[ix.HISTORY + turn * ix.HISTORY_WIDTH + ix.HISTORY_ANSWER]) - 1
    place = _place_at(tables, scratch, scratch[pl.HEAD])
    scratch[pl.PUTS] += 1
    scratch[pl.HEAD] += 1
    if drawn >= 0 and scratch[pl.CARD + place] != drawn:
        return scratch[pl.CARD + place] < 0 and _bind(scratch, place, drawn)
    return True


@njit
def _deal_hands(view, tables, scratch):
    """Nothing is known of any card; each side gets the places of its first hand."""
    hand = np.int64(tables[ix.HAND_CARDS])
    scratch[pl.DRAWN] = scratch[pl.PUTS] = 0
    scratch[pl.HEAD] = np.int64(tables[ix.REMOVED]) + 2 * hand
    for i in range(tables[ix.CARDS]):
        scratch[pl.CARD + i] = -1
    for g in range(tables[ix.GEISHAS]):
        scratch[pl.COUNT + g] = tables[ix.GEISHA_ITEMS + g]
    for side in range(2):
        began = view[ix.FIRST] if side == 0 else 1 - view[ix.FIRST]
        first = np.int64(tables[ix.REMOVED]) + (0 if began else hand)
        scratch[pl.OPENS + side] = 0
        for i in range(hand):
            _receive(scratch, side, first + i)


@apart
def lay_out(view, tables, scratch, key, hidden_too):
    """Fill CARD with a whole deck that agrees with the view, and HIDDEN; False if it went wrong.

    Without ``hidden_too`` the opponent's hidden moves (but exchanges) are left open.
    """
    _deal_hands(view, tables, scratch)
    for turn in range(view[ix.TURN] + 1):
        entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
        actor = view[entry + ix.HISTORY_ACTOR]  # 0: the player's own turn, not yet played
        side = max(np.int64(actor) - 1, 0)
        for _ in range(tables[ix.DRAW]):
            _receive(scratch, side, _place_at(tables, scratch, scratch[pl.HEAD]))
            scratch[pl.HEAD] += 1
        if actor == 0:
            continue
        if not _use(view, tables, scratch, key, turn, side, hidden_too):
            return False
        row = ix.KIND_ROW + (view[entry + ix.HISTORY_KIND] - 1) * ix.KIND_WIDTH
        if tables[row + ix.KIND_EXCHANGE] and not _exchange(view, tables, scratch, turn):
            return False
    for g in range(tables[ix.GEISHAS]):
        for _ in range(view[ix.HAND + g]):
            if _take_known(scratch, key, 0, np.int64(g)) < 0:
                return False
    return _fill(tables, scratch, key)


@njit
def _fill(tables, scratch, key):
    """The cards that are left go to the places that are left, at random."""
    n = np.int64(0)
    for g in range(tables[ix.GEISHAS]):
        for _ in range(scratch[pl.COUNT + g]):
            scratch[pl.POOL + n] = g
            n += 1
    used, bits = np.uint64(1) << np.uint64(33), np.uint64(0)
    for i in range(tables[ix.CARDS]):
        if scratch[pl.CARD + i] >= 0:
            continue
        used *= np.uint64(n)
        if used > np.uint64(1) << np.uint64(32):  # several draws from one word, as in a shuffle
            scratch[pl.DRAWN] += 1
            bits = rng.word(key, scratch[pl.DRAWN])
            used = np.uint64(n)
        j, bits = rng.below(bits, n)
        n -= 1
        scratch[pl.CARD + i] = scratch[pl.POOL + j]
        scratch[pl.POOL + j] = scratch[pl.POOL + n]
    return n == 0
