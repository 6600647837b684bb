"""Kernels: a round begins, a turn begins, a round is scored, a game ends.

Arguments everywhere: ``s`` int32 states, ``b`` where this game's begins, ``t`` int32 tables,
``keys`` uint64 and ``k`` where this game's begin. They trust their input.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.engine import codes, rng
from hanamikoji.engine import state as st
from hanamikoji.engine.state import view_at
from hanamikoji.moves import index as ix

_ENOUGH = np.uint64(1) << np.uint64(32)


@njit
def begin_game(s, b, t, keys, k):
    """Set up a game whose keys, SEATING and GAME are in place, and begin its first round."""
    s[b + st.ROUND] = 0
    s[b + st.STARTER] = 0
    s[b + st.LEAD] = 0
    s[b + st.LEAD_CHANGES] = 0
    s[b + st.CONFLICT] = 0
    s[b + st.OPENING] = -1
    s[b + st.OPENING + 1] = -1
    s[view_at(b, 0) + ix.ROLE] = 0
    s[view_at(b, 1) + ix.ROLE] = 1
    reset_markers(s, b, t)
    begin_round(s, b, t, keys, k)


@njit
def reset_markers(s, b, t):
    """Put the victory markers where the rules put them at the start."""
    v0, v1 = view_at(b, 0) + ix.MARKERS, view_at(b, 1) + ix.MARKERS
    initial = ix.GEISHA_INITIAL
    for g in range(t[ix.GEISHAS]):
        s[v0 + g] = t[initial + g]
        s[v1 + g] = -t[initial + g]
    count_favor(s, b, t)


@njit
def begin_round(s, b, t, keys, k):
    """Next round: clear the views, shuffle, deal, and begin the first turn."""
    s[b + st.ROUND] += 1
    s[b + st.TURN] = 0
    clear, end = ix.HAND, ix.VIEW_SIZE
    kinds, left = t[ix.KINDS], ix.MARKERS_OF
    starter = s[b + st.STARTER]
    for role in range(2):
        v = view_at(b, role)
        for i in range(v + clear, v + end):
            s[i] = 0
        s[v + ix.ROUND] = s[b + st.ROUND]
        s[v + ix.FIRST] = np.int32(role == starter)
        s[b + st.DECISIONS + role] = 0
        s[b + st.LEGAL + role] = 0
    for role in range(2):
        mine = left + (role ^ starter) * ix.MOST_KINDS
        v, other = view_at(b, role) + ix.LEFT, view_at(b, 1 - role) + ix.THEIR_LEFT
        total = np.int32(0)
        for kind in range(kinds):
            s[v + kind] = t[mine + kind]
            s[other + kind] = t[mine + kind]
            total += t[mine + kind]
        s[b + st.MARKERS_LEFT + role] = total
    for g in range(t[ix.GEISHAS]):
        s[b + st.BALANCE + g] = 0
    for role in range(2):
        keys[k + st.ROUND_KEYS + role] = rng.fold(keys[k + st.ROLE_KEYS + role], s[b + st.ROUND])
    shuffle(s, b, t, rng.round_key(keys[k + st.DEAL_KEY], s[b + st.ROUND], rng.SHUFFLE))
    deal(s, b, t)
    s[b + st.ACTOR] = starter
    begin_turn(s, b, t)


@inline
def shuffle(s, b, t, key):
    """Fisher-Yates over all cards, several swaps from one random word."""
    cards = t[ix.CARDS]
    at, source = b + st.DECK, t[ix.DECK_AT]
    for i in range(cards):
        s[at + i] = t[source + i]
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
        card = s[at + i]
        s[at + i] = s[at + i + j]
        s[at + i + j] = card


@inline
def deal(s, b, t):
    """Removed cards first, the round starter's hand, the other's hand; the rest is the deck."""
    hand = t[ix.HAND_CARDS]
    at = b + st.DECK + t[ix.REMOVED]
    starter = s[b + st.STARTER]
    first = view_at(b, starter) + ix.HAND
    second = view_at(b, 1 - starter) + ix.HAND
    for i in range(hand):
        s[first + s[at + i]] += 1
        s[second + s[at + hand + i]] += 1
    s[view_at(b, 0) + ix.HAND_SIZE] = hand
    s[view_at(b, 1) + ix.HAND_SIZE] = hand
    s[b + st.HEAD] = t[ix.REMOVED] + 2 * hand
    s[b + st.TAIL] = t[ix.CARDS]
    if t[ix.EXCHANGES]:
        for i in range(t[ix.CARDS]):
            s[b + st.UNDER + i] = 0


@inline
def draw(s, b, t, role):
    """Take the top card of the deck, which must not be empty; returns it."""
    head = s[b + st.HEAD]
    s[b + st.HEAD] = head + 1
    card = s[b + st.DECK + head]
    if t[ix.EXCHANGES]:
        owner = s[b + st.UNDER + head]
        if owner > 0:
            s[view_at(b, owner - 1) + ix.UNDER + card] -= 1
    return card


@inline
def begin_turn(s, b, t):
    """The actor draws and is to act."""
    actor = s[b + st.ACTOR]
    v = view_at(b, actor)
    for _ in range(t[ix.DRAW]):
        s[v + ix.HAND + draw(s, b, t, actor)] += 1
    s[v + ix.HAND_SIZE] += t[ix.DRAW]
    s[b + st.PHASE] = ix.ACT
    s[b + st.DECIDER] = actor


@inline
def end_turn(s, b, t):
    """Pass the turn on: alternate while both have markers. Returns whether the round is over."""
    s[b + st.TURN] += 1
    other = 1 - s[b + st.ACTOR]
    if s[b + st.MARKERS_LEFT + other] > 0:
        s[b + st.ACTOR] = other
    elif s[b + st.MARKERS_LEFT + 1 - other] == 0:
        return True
    begin_turn(s, b, t)
    return False


@njit
def count_favor(s, b, t):
    """Write charm and geishas held by markers into both views."""
    v0, v1 = view_at(b, 0), view_at(b, 1)
    charm0 = charm1 = favor0 = favor1 = np.int32(0)
    for g in range(t[ix.GEISHAS]):
        marker, charm = s[v0 + ix.MARKERS + g], t[ix.GEISHA_CHARM + g]
        mine, theirs = np.int32(marker > 0), np.int32(marker < 0)  # no branch could be foreseen
        charm0 += charm * mine
        favor0 += mine
        charm1 += charm * theirs
        favor1 += theirs
    s[v0 + ix.CHARM] = charm0
    s[v0 + ix.THEIR_CHARM] = charm1
    s[v0 + ix.FAVOR] = favor0
    s[v0 + ix.THEIR_FAVOR] = favor1
    s[v1 + ix.CHARM] = charm1
    s[v1 + ix.THEIR_CHARM] = charm0
    s[v1 + ix.FAVOR] = favor1
    s[v1 + ix.THEIR_FAVOR] = favor0


@inline
def score_round(s, b, t):
    """Move the markers by the balance of items, and count lead changes."""
    v0, v1 = view_at(b, 0), view_at(b, 1)
    for g in range(t[ix.GEISHAS]):
        balance = s[b + st.BALANCE + g]
        side = np.int32(balance > 0) - np.int32(balance < 0)
        side += s[v0 + ix.MARKERS + g] * np.int32(balance == 0)
        s[v0 + ix.MARKERS + g] = side
        s[v1 + ix.MARKERS + g] = -side
    count_favor(s, b, t)
    difference = s[v0 + ix.CHARM] - s[v0 + ix.THEIR_CHARM]
    if difference != 0:
        lead = np.int32(1) if difference > 0 else np.int32(-1)
        if lead == -s[b + st.LEAD]:
            s[b + st.LEAD_CHANGES] += 1
        s[b + st.LEAD] = lead


@inline
def finish(s, b, outcome, reason):
    """End the game."""
    s[b + st.PHASE] = ix.FINISHED
    s[b + st.OUTCOME] = outcome
    s[b + st.REASON] = reason


@inline
def _larger(mine, theirs):
    """The role that has more, or SHARED."""
    if mine > theirs:
        return codes.WON_STARTER
    return codes.WON_SECOND if theirs > mine else codes.SHARED


@inline
def check_goals(s, b, t):
    """RULES 'Goals and the end': end the game if a goal is reached."""
    v = view_at(b, 0)
    charm0, charm1 = s[v + ix.CHARM], s[v + ix.THEIR_CHARM]
    favor0, favor1 = s[v + ix.FAVOR], s[v + ix.THEIR_FAVOR]
    goal = t[ix.GOAL_CHARM]
    c0, c1 = goal > 0 and charm0 >= goal, goal > 0 and charm1 >= goal
    goal = t[ix.GOAL_GEISHAS]
    g0, g1 = goal > 0 and favor0 >= goal, goal > 0 and favor1 >= goal
    if not (c0 or c1 or g0 or g1):
        return
    # One goal each and not the same: only their ranking decides.
    s[b + st.CONFLICT] = np.int32(
        (c0 and g1 and not c1 and not g0) or (c1 and g0 and not c0 and not g1)
    )
    geishas_first = t[ix.PREVAILS] == 1
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
        finish(s, b, winner, codes.BY_SHARING)
    elif prevailing == geishas_first:
        finish(s, b, winner, codes.BY_GEISHAS)
    else:
        finish(s, b, winner, codes.BY_CHARM)


@njit
def check_cap(s, b, t):
    """End the game at its last round by the tie-breaks in order; what stays level is shared."""
    v = view_at(b, 0)
    for i in range(3):
        tiebreak = t[ix.TIEBREAK + i]
        winner, reason = codes.SHARED, codes.BY_SHARING
        if tiebreak == 1:
            winner = _larger(s[v + ix.FAVOR], s[v + ix.THEIR_FAVOR])
            reason = codes.CAP_GEISHAS
        elif tiebreak == 2:
            winner = _larger(s[v + ix.CHARM], s[v + ix.THEIR_CHARM])
            reason = codes.CAP_CHARM
        elif tiebreak == 3:
            best0 = best1 = np.int32(0)
            for g in range(t[ix.GEISHAS]):
                marker, charm = s[v + ix.MARKERS + g], t[ix.GEISHA_CHARM + g]
                if marker > 0:
                    best0 = max(best0, charm)
                elif marker < 0:
                    best1 = max(best1, charm)
            winner = _larger(best0, best1)
            reason = codes.CAP_HIGHEST
        if winner != codes.SHARED:
            finish(s, b, winner, reason)
            return
    finish(s, b, codes.SHARED, codes.BY_SHARING)


@inline
def next_starter(s, b, t, keys, k):
    """The role that begins the next round."""
    v = view_at(b, 0)
    starter = s[b + st.STARTER]
    how = t[ix.NEXT_STARTER]
    if how == 1:
        return starter
    if how == 4:
        key = rng.round_key(keys[k + st.DEAL_KEY], s[b + st.ROUND] + 1, rng.STARTER)
        return np.int32(rng.word(key, 0) >> np.uint64(63))
    difference = s[v + ix.CHARM] - s[v + ix.THEIR_CHARM]
    if how == 0 or difference == 0:
        return np.int32(1) - starter
    ahead = np.int32(0) if difference > 0 else np.int32(1)
    return ahead if how == 2 else np.int32(1) - ahead


@inline
def end_round(s, b, t, keys, k):
    """Score; end the game if it is over, else leave it ready for `begin_next_round`."""
    score_round(s, b, t)
    played = s[b + st.ROUND]
    if played >= t[ix.MIN_ROUNDS]:
        check_goals(s, b, t)
    if s[b + st.PHASE] != ix.FINISHED and t[ix.MAX_ROUNDS] > 0 and played >= t[ix.MAX_ROUNDS]:
        check_cap(s, b, t)
    if s[b + st.PHASE] != ix.FINISHED and played >= t[ix.ROUND_LIMIT]:
        finish(s, b, codes.UNFINISHED, codes.ROUND_LIMIT)


@inline
def begin_next_round(s, b, t, keys, k):
    """After a round that did not end the game."""
    s[b + st.STARTER] = next_starter(s, b, t, keys, k)
    if not t[ix.KEEP_MARKERS]:
        reset_markers(s, b, t)
    begin_round(s, b, t, keys, k)
