"""Kernels for setup, dealing, scoring and the end of a game.

Arguments everywhere are pointers: ``state`` to one game's state (see `hanamikoji.engine.state`),
``tables`` to the rules' tables (see `hanamikoji.moves.index`), ``keys`` to the game's random keys.
Kernels trust their input.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit, shifted
from hanamikoji.engine import codes, rng
from hanamikoji.engine import state as st
from hanamikoji.engine.state import view_of
from hanamikoji.moves import index as ix

_ENOUGH = np.uint64(1) << np.uint64(32)


@njit
def begin_game(state, tables, keys):
    """Set up a game whose keys, SEATING and GAME are in place, and begin its first round."""
    state[st.ROUND] = 0
    state[st.STARTER] = 0
    state[st.LEAD] = 0
    state[st.LEAD_CHANGES] = 0
    state[st.CONFLICT] = 0
    state[st.OPENING] = -1
    state[st.OPENING + 1] = -1
    view_of(state, 0)[ix.ROLE] = 0
    view_of(state, 1)[ix.ROLE] = 1
    reset_markers(state, tables)
    begin_round(state, tables, keys)


@njit
def reset_markers(state, tables):
    """Put the victory markers where the rules put them at the start."""
    view0, view1 = view_of(state, 0), view_of(state, 1)
    for g in range(tables[ix.GEISHAS]):
        marker = tables[ix.GEISHA_INITIAL + g]
        view0[ix.MARKERS + g] = marker
        view1[ix.MARKERS + g] = -marker
    count_favor(state, tables)


@njit
def begin_round(state, tables, keys):
    """Next round: clear the views, shuffle, deal, and begin the first turn."""
    state[st.ROUND] += 1
    state[st.TURN] = 0
    starter = state[st.STARTER]
    for role in range(2):
        view = view_of(state, role)
        for i in range(ix.HAND, ix.VIEW_SIZE):
            view[i] = 0
        view[ix.ROUND] = state[st.ROUND]
        view[ix.FIRST] = np.int32(role == starter)
        state[st.DECISIONS + role] = 0
        state[st.LEGAL + role] = 0
    for role in range(2):
        mine = ix.MARKERS_OF + (role ^ starter) * ix.MOST_KINDS
        view, other = view_of(state, role), view_of(state, 1 - role)
        total = np.int32(0)
        for kind in range(tables[ix.KINDS]):
            view[ix.LEFT + kind] = tables[mine + kind]
            other[ix.THEIR_LEFT + kind] = tables[mine + kind]
            total += tables[mine + kind]
        state[st.MARKERS_LEFT + role] = total
    for g in range(tables[ix.GEISHAS]):
        state[st.BALANCE + g] = 0
    for role in range(2):
        keys[st.ROUND_KEYS + role] = rng.fold(keys[st.ROLE_KEYS + role], state[st.ROUND])
    shuffle(state, tables, rng.round_key(keys[st.DEAL_KEY], state[st.ROUND], rng.SHUFFLE))
    deal(state, tables)
    state[st.ACTOR] = starter
    begin_turn(state, tables)


@inline
def shuffle(state, tables, key):
    """Fisher-Yates over all cards, several swaps from one random word."""
    cards = tables[ix.CARDS]
    deck, ordered = shifted(state, st.DECK), tables[ix.DECK_AT]
    for i in range(cards):
        deck[i] = tables[ordered + i]
    n = np.int64(0)
    bits = rng.word(key, n)
    used = np.uint64(1)
    for i in range(cards - 1):
        left = cards - i
        used *= np.uint64(left)
        if used > _ENOUGH:
            n += 1
            bits = rng.word(key, n)
            used = np.uint64(left)
        j, bits = rng.below(bits, left)
        card = deck[i]
        deck[i] = deck[i + j]
        deck[i + j] = card


@inline
def deal(state, tables):
    """Removed cards first, the round starter's hand, the other's hand; the rest is the deck."""
    hand = tables[ix.HAND_CARDS]
    dealt = shifted(state, st.DECK + tables[ix.REMOVED])
    starter = state[st.STARTER]
    first, second = view_of(state, starter), view_of(state, 1 - starter)
    for i in range(hand):
        first[ix.HAND + dealt[i]] += 1
        second[ix.HAND + dealt[hand + i]] += 1
    view_of(state, 0)[ix.HAND_SIZE] = hand
    view_of(state, 1)[ix.HAND_SIZE] = hand
    state[st.HEAD] = tables[ix.REMOVED] + 2 * hand
    state[st.TAIL] = tables[ix.CARDS]
    if tables[ix.EXCHANGES]:
        for i in range(tables[ix.CARDS]):
            state[st.UNDER + i] = 0


@inline
def draw(state, tables, role):
    """Take the top card of the deck, which must not be empty; returns it."""
    head = state[st.HEAD]
    state[st.HEAD] = head + 1
    card = state[st.DECK + head]
    if tables[ix.EXCHANGES]:
        owner = state[st.UNDER + head]
        if owner > 0:
            view_of(state, owner - 1)[ix.UNDER + card] -= 1
    return card


@inline
def begin_turn(state, tables):
    """The actor draws and is to act."""
    actor = state[st.ACTOR]
    view = view_of(state, actor)
    for _ in range(tables[ix.DRAW]):
        view[ix.HAND + draw(state, tables, actor)] += 1
    view[ix.HAND_SIZE] += tables[ix.DRAW]
    state[st.PHASE] = ix.ACT
    state[st.DECIDER] = actor


@inline
def end_turn(state, tables):
    """Pass the turn on: alternate while both have markers. Returns whether the round is over."""
    state[st.TURN] += 1
    other = 1 - state[st.ACTOR]
    if state[st.MARKERS_LEFT + other] > 0:
        state[st.ACTOR] = other
    elif state[st.MARKERS_LEFT + 1 - other] == 0:
        return True
    begin_turn(state, tables)
    return False


@njit
def count_favor(state, tables):
    """Write charm and geishas held by markers into both views."""
    view0, view1 = view_of(state, 0), view_of(state, 1)
    charm0 = charm1 = favor0 = favor1 = np.int32(0)
    for g in range(tables[ix.GEISHAS]):
        marker, charm = view0[ix.MARKERS + g], tables[ix.GEISHA_CHARM + g]
        mine, theirs = np.int32(marker > 0), np.int32(marker < 0)  # no branch could be foreseen
        charm0 += charm * mine
        favor0 += mine
        charm1 += charm * theirs
        favor1 += theirs
    view0[ix.CHARM] = charm0
    view0[ix.THEIR_CHARM] = charm1
    view0[ix.FAVOR] = favor0
    view0[ix.THEIR_FAVOR] = favor1
    view1[ix.CHARM] = charm1
    view1[ix.THEIR_CHARM] = charm0
    view1[ix.FAVOR] = favor1
    view1[ix.THEIR_FAVOR] = favor0


@inline
def score_round(state, tables):
    """Move the markers by the balance of items, and count lead changes."""
    view0, view1 = view_of(state, 0), view_of(state, 1)
    for g in range(tables[ix.GEISHAS]):
        balance = state[st.BALANCE + g]
        side = np.int32(balance > 0) - np.int32(balance < 0)
        side += view0[ix.MARKERS + g] * np.int32(balance == 0)
        view0[ix.MARKERS + g] = side
        view1[ix.MARKERS + g] = -side
    count_favor(state, tables)
    difference = view0[ix.CHARM] - view0[ix.THEIR_CHARM]
    if difference != 0:
        lead = np.int32(1) if difference > 0 else np.int32(-1)
        if lead == -state[st.LEAD]:
            state[st.LEAD_CHANGES] += 1
        state[st.LEAD] = lead


@inline
def finish(state, outcome, reason):
    """End the game."""
    state[st.PHASE] = ix.FINISHED
    state[st.OUTCOME] = outcome
    state[st.REASON] = reason


@inline
def _larger(mine, theirs):
    """The role that has more, or SHARED."""
    if mine > theirs:
        return codes.WON_STARTER
    return codes.WON_SECOND if theirs > mine else codes.SHARED


@inline
def check_goals(state, tables):
    """RULES 'Goals and the end': end the game if a goal is reached."""
    view = view_of(state, 0)
    charm0, charm1 = view[ix.CHARM], view[ix.THEIR_CHARM]
    favor0, favor1 = view[ix.FAVOR], view[ix.THEIR_FAVOR]
    goal = tables[ix.GOAL_CHARM]
    c0, c1 = goal > 0 and charm0 >= goal, goal > 0 and charm1 >= goal
    goal = tables[ix.GOAL_GEISHAS]
    g0, g1 = goal > 0 and favor0 >= goal, goal > 0 and favor1 >= goal
    if not (c0 or c1 or g0 or g1):
        return
    # One goal each and not the same: only their ranking decides.
    state[st.CONFLICT] = np.int32(
        (c0 and g1 and not c1 and not g0) or (c1 and g0 and not c0 and not g1)
    )
    geishas_first = tables[ix.PREVAILS] == ix.PREVAILS_GEISHAS
    p0, p1 = (g0, g1) if geishas_first else (c0, c1)
    if p0 != p1:
        winner = codes.WON_STARTER if p0 else codes.WON_SECOND
    elif not p0 and (g0 or c0) != (g1 or c1):
        winner = codes.WON_STARTER if (g0 or c0) else codes.WON_SECOND
    elif geishas_first:
        winner = _larger(favor0, favor1)
        if winner == codes.SHARED:
            winner = _larger(charm0, charm1)
    else:
        winner = _larger(charm0, charm1)
        if winner == codes.SHARED:
            winner = _larger(favor0, favor1)
    prevailing = p0 if winner == codes.WON_STARTER else p1
    if winner == codes.SHARED:
        finish(state, winner, codes.BY_SHARING)
    elif prevailing == geishas_first:
        finish(state, winner, codes.BY_GEISHAS)
    else:
        finish(state, winner, codes.BY_CHARM)


@njit
def check_cap(state, tables):
    """End the game at its last round by the tie-breaks in order; what stays level is shared."""
    view = view_of(state, 0)
    for i in range(3):
        tiebreak = tables[ix.TIEBREAK + i]
        winner, reason = codes.SHARED, codes.BY_SHARING
        if tiebreak == ix.TIEBREAK_GEISHAS:
            winner = _larger(view[ix.FAVOR], view[ix.THEIR_FAVOR])
            reason = codes.CAP_GEISHAS
        elif tiebreak == ix.TIEBREAK_CHARM:
            winner = _larger(view[ix.CHARM], view[ix.THEIR_CHARM])
            reason = codes.CAP_CHARM
        elif tiebreak == ix.TIEBREAK_HIGHEST:
            best0 = best1 = np.int32(0)
            for g in range(tables[ix.GEISHAS]):
                marker, charm = view[ix.MARKERS + g], tables[ix.GEISHA_CHARM + g]
                if marker > 0:
                    best0 = max(best0, charm)
                elif marker < 0:
                    best1 = max(best1, charm)
            winner = _larger(best0, best1)
            reason = codes.CAP_HIGHEST
        if winner != codes.SHARED:
            finish(state, winner, reason)
            return
    finish(state, codes.SHARED, codes.BY_SHARING)


@inline
def next_starter(state, tables, keys):
    """The role that begins the next round."""
    view = view_of(state, 0)
    starter = state[st.STARTER]
    how = tables[ix.NEXT_STARTER]
    if how == ix.STARTER_SAME:
        return starter
    if how == ix.STARTER_RANDOM:
        key = rng.round_key(keys[st.DEAL_KEY], state[st.ROUND] + 1, rng.STARTER)
        return np.int32(rng.word(key, 0) >> np.uint64(63))
    difference = view[ix.CHARM] - view[ix.THEIR_CHARM]
    if how == ix.STARTER_ALTERNATE or difference == 0:
        return np.int32(1) - starter
    ahead = np.int32(0) if difference > 0 else np.int32(1)
    return ahead if how == ix.STARTER_WINNER else np.int32(1) - ahead


@inline
def end_round(state, tables, keys):
    """Score; end the game if it is over, else leave it ready for `begin_next_round`."""
    score_round(state, tables)
    played = state[st.ROUND]
    if played >= tables[ix.MIN_ROUNDS]:
        check_goals(state, tables)
    cap = tables[ix.MAX_ROUNDS]
    if state[st.PHASE] != ix.FINISHED and cap > 0 and played >= cap:
        check_cap(state, tables)
    if state[st.PHASE] != ix.FINISHED and played >= tables[ix.ROUND_LIMIT]:
        finish(state, codes.UNFINISHED, codes.ROUND_LIMIT)


@inline
def begin_next_round(state, tables, keys):
    """After a round that did not end the game."""
    state[st.STARTER] = next_starter(state, tables, keys)
    if not tables[ix.KEEP_MARKERS]:
        reset_markers(state, tables)
    begin_round(state, tables, keys)
