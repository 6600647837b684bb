"""Kernels: play a world on to the round's end, and what that is worth.

Unguided, both sides play at random and answer offers greedily. What a round's end is worth is read
from V (see `hanamikoji.learning.network.values`), which belongs to whoever plays on.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import address_of, apart, call_agent, njit, shifted
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import end_round
from hanamikoji.engine.turns import ILLEGAL, ROUND_OVER, is_distinct, same_groups, show
from hanamikoji.learning.network.network import learned_choice
from hanamikoji.learning.network.values import round_value
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.worlds import decide
from hanamikoji.moves import index as ix

_LEAD = 6  # from this many items more on, a lead is worth no more


@njit
def _lead_worth(items):
    """What a lead of so many items is worth: each further one half of the one before."""
    size = min(abs(items), _LEAD)
    worth = (1 << _LEAD) - (1 << (_LEAD - size))
    return worth if items > 0 else -worth


@apart
def greedy_answer(s, v, t, word):
    """The answer to the offer in this view that leads at the most charm; the first of equals.

    An offer that can't be seen is answered at random.
    """
    if s[v + ix.OFFER_MOVE] == 0:
        return np.int64(random_choice(shifted(s, v), t, word))
    row = ix.KIND_ROW + (s[v + ix.OFFER_KIND] - 1) * ix.KIND_WIDTH
    equal = same_groups(shifted(s, v), t)
    groups, first = t[row + ix.KIND_GROUPS], np.int64(t[row + ix.KIND_RESPONSE])
    best, choice = np.int64(-(2**62)), np.int64(-1)
    for answer in range(first, first + t[row + ix.KIND_RESPONSES]):
        mask = np.int64(t[t[ix.RESPONSE_MASK_AT] + answer])
        if not is_distinct(mask, equal):
            continue
        worth = np.int64(0)
        for g in range(t[ix.GEISHAS]):
            lead = np.int64(s[v + ix.MINE + g]) + s[v + ix.DOWN_MINE + g]
            lead -= np.int64(s[v + ix.THEIRS + g]) + s[v + ix.DOWN_THEIRS + g]
            for j in range(groups):
                chosen = (mask >> j) & 1
                place = t[row + ix.KIND_CHOSEN_TO] if chosen else t[row + ix.KIND_REST_TO]
                side = np.int64(place == ix.TO_OPPONENT) - np.int64(place == ix.TO_ACTOR)
                lead += side * s[v + ix.OFFER + j * ix.MOST_GEISHAS + g]
            worth += (1 + 2 * np.int64(t[ix.GEISHA_CHARM + g])) * _lead_worth(lead)
        if worth > best:
            best, choice = worth, np.int64(t[ix.MOVES]) + answer
    return choice


@apart
def unguided_choice(s, v, t, word):
    """Random moves, greedy answers."""
    if s[v + ix.PHASE] == ix.RESPOND:
        return greedy_answer(s, v, t, word)
    return np.int64(random_choice(shifted(s, v), t, word))


@apart
def finish_round(s, t, p, keys, values, a, memory, m):
    """Score a round that is over; the chance of role 0 to win the game (see `round_value`)."""
    end_round(s, t, keys)
    return round_value(s, 0, t, p, keys, 0, values, a, memory, m)


@apart
def roll_out(s, t, p, w, lanes, keys, values, a, memory, m, guided, role, model, context, key):
    """Play on to the round's end and return the chance of ``role`` to win; -1.0: a model failed.

    ``values[a:]`` is V, ``memory[m:]`` the network's scratch. ``model``: address of the agent that
    plays the other role, 0: the same one plays both.
    """
    n = 0
    while True:
        decider = np.int64(s[st.DECIDER])
        view = show(s, decider)
        if model != 0 and decider != role:
            choice = np.int64(call_agent(model, address_of(view), context, rng.word(key, n)))
        elif guided:
            choice = np.int64(learned_choice(view, 0, t, p, w, lanes, memory, m))
        else:
            choice = unguided_choice(view, 0, t, rng.word(key, n))
        n += 1
        status = decide(s, 0, t, keys, 0, choice)
        if status == ROUND_OVER:
            break
        if status == ILLEGAL:
            return -1.0
    value = finish_round(s, t, p, keys, values, a, memory, pl.VALUES)
    return value if role == 0 else 1.0 - value
