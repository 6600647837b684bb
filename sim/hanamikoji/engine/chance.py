"""Chance given from outside: what it may do after a decision, each outcome with its probability.

The engine takes chance from the deck's order and from the deal's key. Whoever walks a game's tree
sets both: cards are put on the deck before they are drawn, and a blind choice is a function of the
key, so each of its outcomes has keys that give it.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.engine import state as st
from hanamikoji.engine.groups import count_bits
from hanamikoji.engine.state import view_of
from hanamikoji.moves import index as ix

MOST_WAYS = 70
"""Outcomes of a blind choice, at most: 4 of 8 groups."""


@inline
def clone(state, copy):
    """Copy one game's state."""
    for i in range(st.SIZE):
        copy[i] = state[i]


@njit
def set_hands(state, tables, hands):
    """Replace the hands at a round's first decision by given ones, int32 [2, MOST_GEISHAS].

    Those of the round's starter, its first draw included, and of the other.
    """
    starter = state[st.STARTER]
    for i in range(2):
        view = view_of(state, starter ^ i)
        for g in range(tables[ix.GEISHAS]):
            view[ix.HAND + g] = hands[i * ix.MOST_GEISHAS + g]


@inline
def _subsets(n, k):
    """The number of ways to choose k of n."""
    ways = np.int64(1)
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@njit
def blind_ways(state, tables, choice):
    """How many equally likely outcomes a decision's blind choice has; 1 where there is none."""
    if state[st.PHASE] == ix.ACT:
        kind = tables[tables[ix.MOVE_KIND_AT] + choice]
        row = ix.KIND_ROW + kind * ix.KIND_WIDTH
        if tables[row + ix.KIND_CHOOSER] != ix.CHANCE:
            return np.int64(1)
        return _subsets(tables[row + ix.KIND_GROUPS], tables[row + ix.KIND_CHOOSE])
    kind = view_of(state, state[st.DECIDER])[ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    if tables[row + ix.KIND_UP]:
        return np.int64(1)
    mask = np.int64(tables[tables[ix.RESPONSE_MASK_AT] + choice - tables[ix.MOVES]])
    equal, groups = np.int64(tables[row + ix.KIND_EQUAL]), tables[row + ix.KIND_GROUPS]
    ways = np.int64(1)
    j = 0
    while j < groups:
        run = np.int64(1) << j
        j += 1
        while j < groups and (equal >> j) & 1:
            run |= np.int64(1) << j
            j += 1
        ways *= _subsets(count_bits(run), count_bits(mask & run))
    return ways


@njit
def put_on_deck(state, tables, pool, cards, free):
    """Lay the next ``free`` cards on the deck and take them out of the ``pool``.

    ``pool`` counts, by geisha, the cards that nobody has seen: the rest of the deck and the removed
    ones, any of which may come next. ``cards`` is their number in base G, the first lowest.
    Returns the sequence's probability; 0 where the pool does not hold it.
    """
    left = np.int64(0)
    for g in range(tables[ix.GEISHAS]):
        left += pool[g]
    probability = 1.0
    for i in range(free):
        card = cards % tables[ix.GEISHAS]
        cards //= tables[ix.GEISHAS]
        if pool[card] == 0:
            return 0.0
        probability *= pool[card] / left
        pool[card] -= 1
        left -= 1
        state[st.DECK + state[st.HEAD] + i] = card
    return probability


@njit
def orders(state, first, end):
    """In how many orders the deck's cards from ``first`` to ``end`` may lie; 0 unless ascending.

    Cards drawn at once are one outcome whatever their order: it is counted at the ascending one.
    """
    ways, same = 1.0, 0
    for i in range(first, end):
        card = state[st.DECK + i]
        if i > first and card < state[st.DECK + i - 1]:
            return 0.0
        same = same + 1 if i > first and card == state[st.DECK + i - 1] else 1
        ways *= (i - first + 1) / same
    return ways
