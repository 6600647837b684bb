"""Kernels: rollouts to the round's end, and what that is worth.

Unguided, both sides play at random and answer offers greedily. What a round's end is worth is read
from V (see `hanamikoji.learning.network.values`), which belongs to whoever plays on.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import apart, njit
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import end_round
from hanamikoji.engine.turns import ILLEGAL, ROUND_OVER, is_distinct, same_groups, show
from hanamikoji.learning.network.network import learned_choice
from hanamikoji.learning.network.values import round_value
from hanamikoji.learning.search.determinization import decide
from hanamikoji.learning.search.players import answer_of
from hanamikoji.moves import index as ix

_LEAD = 6  # from this many items more on, a lead is worth no more


@njit
def _lead_worth(items):
    """What a lead of so many items is worth: each further one half of the one before."""
    size = min(abs(items), _LEAD)
    worth = (1 << _LEAD) - (1 << (_LEAD - size))
    return worth if items > 0 else -worth


@njit
def _lead_after(view, tables, row, mask, g):
    """By how many items of geisha g the responder is ahead after this answer."""
    lead = np.int64(view[ix.MINE + g]) + view[ix.DOWN_MINE + g]
    lead -= np.int64(view[ix.THEIRS + g]) + view[ix.DOWN_THEIRS + g]
    for j in range(tables[row + ix.KIND_GROUPS]):
        chosen = (mask >> j) & 1
        place = tables[row + ix.KIND_CHOSEN_TO] if chosen else tables[row + ix.KIND_REST_TO]
        side = np.int64(place == ix.TO_OPPONENT) - np.int64(place == ix.TO_ACTOR)
        lead += side * view[ix.OFFER + j * ix.MOST_GEISHAS + g]
    return lead


@apart
def greedy_answer(view, tables, word):
    """The answer to the offer in this view that leads at the most charm; the first among equals.

    An offer that can't be seen is answered at random.
    """
    if view[ix.OFFER_MOVE] == 0:
        return np.int64(random_choice(view, tables, word))
    row = ix.KIND_ROW + (view[ix.OFFER_KIND] - 1) * ix.KIND_WIDTH
    equal, first = same_groups(view, tables), np.int64(tables[row + ix.KIND_RESPONSE])
    best, choice = np.int64(-(2**62)), np.int64(-1)
    for answer in range(first, first + tables[row + ix.KIND_RESPONSES]):
        mask = np.int64(tables[tables[ix.RESPONSE_MASK_AT] + answer])
        if not is_distinct(mask, equal):
            continue
        worth = np.int64(0)
        for g in range(tables[ix.GEISHAS]):
            lead = _lead_after(view, tables, row, mask, g)
            worth += (1 + 2 * np.int64(tables[ix.GEISHA_CHARM + g])) * _lead_worth(lead)
        if worth > best:
            best, choice = worth, np.int64(tables[ix.MOVES]) + answer
    return choice


@apart
def unguided_choice(view, tables, word):
    """Random moves, greedy answers."""
    if view[ix.PHASE] == ix.RESPOND:
        return greedy_answer(view, tables, word)
    return np.int64(random_choice(view, tables, word))


@apart
def finish_round(state, tables, keys, values, role):
    """Score a round that is over; the chance of a role to win the game (see `round_value`)."""
    end_round(state, tables, keys)
    value = round_value(state, tables, keys, values, values)
    return value if role == 0 else 1.0 - value


@apart
def roll_out(state, tables, keys, guide, opponent, role, key):
    """Play on to the round's end and return the chance of ``role`` to win; -1.0: an agent failed.

    An opponent that is known plays the other role, else the same one plays both.
    """
    n = 0
    while True:
        decider = np.int64(state[st.DECIDER])
        view = show(state, decider)
        if opponent.address != 0 and decider != role:
            choice = answer_of(opponent, view, key, n)
        elif guide.guided:
            choice = np.int64(learned_choice(view, tables, guide.network))
        else:
            choice = unguided_choice(view, tables, rng.word(key, n))
        n += 1
        status = decide(state, tables, keys, choice)
        if status == ROUND_OVER:
            return finish_round(state, tables, keys, guide.values, role)
        if status == ILLEGAL:
            return -1.0
