"""Kernels: what a player may do, and what happens when it does. See `rounds` for the arguments."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import draw, end_turn
from hanamikoji.engine.state import view_at
from hanamikoji.moves import index as ix

ILLEGAL, GOES_ON, ROUND_OVER = -1, 0, 1
"""What became of a decision."""


@inline
def show(s, b, t, role):
    """Bring the header of a player's view up to date for its decision; returns where it is."""
    v = view_at(b, role)
    s[v + ix.PHASE] = s[b + st.PHASE]
    s[v + ix.TURN] = s[b + st.TURN]
    s[v + ix.DECISION] = s[b + st.DECISIONS + role]
    s[v + ix.DECK] = s[b + st.TAIL] - s[b + st.HEAD]
    s[v + ix.THEIR_HAND_SIZE] = s[view_at(b, 1 - role) + ix.HAND_SIZE]
    return v


# --- legal moves ---------------------------------------------------------------------------------


@njit
def legal_moves(s, v, t, out, at, room):
    """Write the ids that are legal in the view at ``s[v:]`` into ``out[at:room]``, ascending.

    Returns how many there are; those beyond ``room`` are only counted.
    """
    if s[v + ix.PHASE] == ix.RESPOND:
        return _legal_responses(s, v, t, out, at, room)
    n = at
    hand, left = v + ix.HAND, v + ix.LEFT
    walk = t[ix.WALK_AT]
    for kind in range(t[ix.KINDS]):
        row = ix.KIND_ROW + kind * ix.KIND_WIDTH
        if s[left + kind] == 0 or s[v + ix.HAND_SIZE] < t[row + ix.KIND_CARDS]:
            continue
        node, end = t[row + ix.KIND_WALK], t[row + ix.KIND_WALK_END]
        while node < end:
            here = walk + node * ix.WALK_WIDTH
            move = t[here + ix.WALK_MOVE]
            enough = s[hand + t[here + ix.WALK_CARD]] >= t[here + ix.WALK_NEED]
            if move >= 0:
                # No branch on the hand here: it could not be predicted, and most nodes are last.
                if n < room:
                    out[n] = move
                n += enough
                node += 1
            elif enough:
                node += 1
            else:
                node = t[here + ix.WALK_SKIP]
    return n - at


@inline
def same_groups(s, v, t):
    """Bit j: groups j and j - 1 of the offer in this view look the same to the responder."""
    if s[v + ix.OFFER_MOVE] > 0:
        return t[t[ix.MOVE_EQUAL_AT] + s[v + ix.OFFER_MOVE] - 1]
    return t[ix.KIND_ROW + (s[v + ix.OFFER_KIND] - 1) * ix.KIND_WIDTH + ix.KIND_EQUAL]


@inline
def is_distinct(mask, equal):
    """Whether a choice takes the first ones of any run of equal groups: one id for each choice."""
    return (mask & equal & ~(mask << 1)) == 0


@inline
def as_distinct(mask, equal):
    """The distinct choice that looks the same as taking the groups of ``mask``."""
    late = mask & equal & ~(mask << 1)
    while late != 0:
        last = late & -late
        mask = (mask ^ last) | (last >> 1)
        late = mask & equal & ~(mask << 1)
    return mask


@inline
def _legal_responses(s, v, t, out, at, room):
    row = ix.KIND_ROW + (s[v + ix.OFFER_KIND] - 1) * ix.KIND_WIDTH
    equal = same_groups(s, v, t)
    n = at
    for i in range(
        t[row + ix.KIND_RESPONSE], t[row + ix.KIND_RESPONSE] + t[row + ix.KIND_RESPONSES]
    ):
        if is_distinct(t[t[ix.RESPONSE_MASK_AT] + i], equal):
            if n < room:
                out[n] = t[ix.MOVES] + i
            n += 1
    return n - at


# --- decisions -----------------------------------------------------------------------------------


@inline
def apply_choice(s, b, t, keys, k, choice):
    """Carry out the decider's move or response; an illegal one changes nothing.

    Returns ILLEGAL, GOES_ON (somebody decides next) or ROUND_OVER.
    """
    if s[b + st.PHASE] == ix.ACT:
        return _apply_move(s, b, t, keys, k, choice)
    return _apply_response(s, b, t, keys, k, choice)


@inline
def card_of(cards, i):
    """The i-th of a move's packed cards."""
    return (cards >> (4 * i)) & 15


@inline
def _take_from_hand(s, hand, cards, n):
    """Take a move's cards out of a hand; if they are not there, leave it as it was."""
    missing = np.int32(0)
    for i in range(ix.MOST_CARDS):  # a constant bound keeps the compiler from unrolling for more
        if i >= n:
            break
        card = hand + card_of(cards, i)
        s[card] -= 1
        missing |= s[card]
    if missing < 0:
        for i in range(ix.MOST_CARDS):
            if i >= n:
                break
            s[hand + card_of(cards, i)] += 1
    return missing >= 0


@inline
def _history(s, b, t, role):
    """Where this turn stands in a role's history."""
    return view_at(b, role) + ix.HISTORY + s[b + st.TURN] * ix.HISTORY_WIDTH


@inline
def _apply_move(s, b, t, keys, k, move):
    if move < 0 or move >= t[ix.MOVES]:
        return ILLEGAL
    actor = s[b + st.ACTOR]
    kind = t[t[ix.MOVE_KIND_AT] + move]
    v, other = view_at(b, actor), view_at(b, 1 - actor)
    if s[v + ix.LEFT + kind] == 0:
        return ILLEGAL
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    n = t[row + ix.KIND_CARDS]
    cards = t[t[ix.MOVE_PACKED_AT] + move]
    if not _take_from_hand(s, v + ix.HAND, cards, n):
        return ILLEGAL
    s[v + ix.HAND_SIZE] -= n
    s[v + ix.LEFT + kind] -= 1
    s[other + ix.THEIR_LEFT + kind] -= 1
    s[b + st.MARKERS_LEFT + actor] -= 1
    s[b + st.DECISIONS + actor] += 1
    if s[b + st.OPENING + actor] < 0:
        s[b + st.OPENING + actor] = kind
    up = t[row + ix.KIND_UP]
    mine, theirs = _history(s, b, t, actor), _history(s, b, t, 1 - actor)
    s[mine + ix.HISTORY_ACTOR] = 1
    s[mine + ix.HISTORY_KIND] = kind + 1
    s[mine + ix.HISTORY_MOVE] = move + 1
    s[theirs + ix.HISTORY_ACTOR] = 2
    s[theirs + ix.HISTORY_KIND] = kind + 1
    chooser = t[row + ix.KIND_CHOOSER]
    if t[row + ix.KIND_EXCHANGE]:
        _exchange(s, b, t, row, card_of(cards, 0))
    else:
        if up:
            s[theirs + ix.HISTORY_MOVE] = move + 1
        if chooser == ix.OPPONENT:
            _offer(s, b, t, kind, move)
            return GOES_ON
        mask = np.int64(0)
        if chooser == ix.CHANCE:
            key = rng.round_key(keys[k + st.DEAL_KEY], s[b + st.ROUND], rng.CHANCE)
            mask = choose_at_random(
                (np.int64(1) << t[row + ix.KIND_GROUPS]) - 1,
                t[row + ix.KIND_CHOOSE],
                rng.word(key, s[b + st.TURN]),
            )
            # What everybody saw of it: the groups, or face down how large they were.
            equal = t[t[ix.MOVE_EQUAL_AT] + move]
            seen = t[ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + as_distinct(mask, equal)]
            s[mine + ix.HISTORY_ANSWER] = seen + 1
            s[theirs + ix.HISTORY_ANSWER] = seen + 1
        _place(s, b, t, row, move, mask)
    return ROUND_OVER if end_turn(s, b, t) else GOES_ON


@inline
def _exchange(s, b, t, row, card):
    """Put a card under the deck; the top one takes its place (RULES: referral)."""
    actor = s[b + st.ACTOR]
    tail = s[b + st.TAIL]
    s[b + st.DECK + tail] = card
    s[b + st.UNDER + tail] = actor + 1
    s[view_at(b, actor) + ix.UNDER + card] += 1
    s[b + st.TAIL] = tail + 1
    drawn = draw(s, b, t, actor)
    s[_history(s, b, t, actor) + ix.HISTORY_ANSWER] = drawn + 1
    if t[row + ix.KIND_UP]:
        s[_history(s, b, t, 1 - actor) + ix.HISTORY_ANSWER] = drawn + 1
    up = t[row + ix.KIND_UP]
    balance, mine, theirs = _way(b, actor, t, row + ix.KIND_REST_WAY)
    s[b + st.BALANCE + drawn] += balance
    s[mine + drawn] += 1
    s[theirs + drawn] += up


@inline
def _offer(s, b, t, kind, move):
    """Lay a move's groups before the opponent, who decides next."""
    v = view_at(b, 1 - s[b + st.ACTOR])
    s[b + st.PHASE] = ix.RESPOND
    s[b + st.DECIDER] = 1 - s[b + st.ACTOR]
    s[b + st.MOVE] = move
    s[v + ix.OFFER_KIND] = kind + 1
    if t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_UP]:
        s[v + ix.OFFER_MOVE] = move + 1
        _show_groups(s, v, t, kind, move, np.int32(1))


@inline
def _show_groups(s, v, t, kind, move, step):
    """Add (+1) or take back (-1) the face-up groups of an offer in the responder's view."""
    group = ix.KIND_GROUP + kind * ix.MOST_CARDS
    cards = t[t[ix.MOVE_PACKED_AT] + move]
    n = t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]
    for i in range(ix.MOST_CARDS):
        if i >= n:
            break
        s[v + ix.OFFER + t[group + i] * ix.MOST_GEISHAS + card_of(cards, i)] += step


@inline
def _apply_response(s, b, t, keys, k, choice):
    responder = s[b + st.DECIDER]
    v = view_at(b, responder)
    kind = s[v + ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    n = choice - t[ix.MOVES] - t[row + ix.KIND_RESPONSE]
    if n < 0 or n >= t[row + ix.KIND_RESPONSES]:
        return ILLEGAL
    mask = np.int64(t[t[ix.RESPONSE_MASK_AT] + choice - t[ix.MOVES]])
    equal = same_groups(s, v, t)
    if not is_distinct(mask, equal):
        return ILLEGAL
    move = s[b + st.MOVE]
    s[b + st.DECISIONS + responder] += 1
    s[_history(s, b, t, responder) + ix.HISTORY_ANSWER] = choice + 1
    s[_history(s, b, t, 1 - responder) + ix.HISTORY_ANSWER] = choice + 1
    if t[row + ix.KIND_UP]:
        _show_groups(s, v, t, kind, move, np.int32(-1))
    else:
        key = rng.round_key(keys[k + st.DEAL_KEY], s[b + st.ROUND], rng.CHANCE)
        mask = _choose_alike(t, row, mask, rng.word(key, s[b + st.TURN]))
    s[v + ix.OFFER_KIND] = 0
    s[v + ix.OFFER_MOVE] = 0
    _place(s, b, t, row, move, mask)
    return ROUND_OVER if end_turn(s, b, t) else GOES_ON


@inline
def count_bits(mask):
    """How many bits are set: the compiler knows the loop and makes one instruction of it."""
    n = 0
    while mask != 0:
        mask &= mask - 1
        n += 1
    return n


@inline
def choose_at_random(groups, n, bits):
    """A uniform subset of n of the groups in the mask ``groups``."""
    chosen = np.int64(0)
    left = count_bits(groups)
    for _ in range(n):
        i, bits = rng.below(bits, left)
        rest = groups
        for _ in range(i):
            rest &= rest - 1
        one = rest & -rest
        chosen |= one
        groups ^= one
        left -= 1
    return chosen


@inline
def _choose_alike(t, row, mask, bits):
    """Face down the responder only chose by size: which of equal groups it gets is chance."""
    equal = np.int64(t[row + ix.KIND_EQUAL])
    groups = t[row + ix.KIND_GROUPS]
    chosen = np.int64(0)
    j = 0
    while j < groups:
        run = np.int64(1) << j
        j += 1
        while j < groups and (equal >> j) & 1:
            run |= np.int64(1) << j
            j += 1
        chosen |= choose_at_random(run, count_bits(mask & run), bits)
        bits = rng.mix(bits)
    return chosen


@inline
def _place(s, b, t, row, move, mask):
    """Put a move's cards where they go: the groups in ``mask`` were chosen, the rest were not."""
    s[b + st.CHOSEN] = mask
    kind = t[t[ix.MOVE_KIND_AT] + move]
    group = ix.KIND_GROUP + kind * ix.MOST_CARDS
    cards = t[t[ix.MOVE_PACKED_AT] + move]
    actor, up, n = s[b + st.ACTOR], t[row + ix.KIND_UP], t[row + ix.KIND_CARDS]
    chosen = _way(b, actor, t, row + ix.KIND_CHOSEN_WAY)
    rest = _way(b, actor, t, row + ix.KIND_REST_WAY)
    for i in range(ix.MOST_CARDS):
        if i >= n:
            break
        balance, mine, theirs = chosen if (mask >> t[group + i]) & 1 else rest
        card = card_of(cards, i)
        s[b + st.BALANCE + card] += balance
        s[mine + card] += 1
        s[theirs + card] += up
    if t[row + ix.KIND_HIDES]:
        _hide(s, b, t, row, cards, group, mask, chosen[1], rest[1])


@njit
def _hide(s, b, t, row, cards, group, mask, chosen, rest):
    """Count cards that a blind choice hides from the actor apart, not where they went."""
    hidden = _hidden_groups(t, row, mask)
    blind = view_at(b, s[b + st.ACTOR]) + ix.BLIND
    for i in range(t[row + ix.KIND_CARDS]):
        j = t[group + i]
        if (hidden >> j) & 1:
            card = card_of(cards, i)
            s[(chosen if (mask >> j) & 1 else rest) + card] -= 1
            s[blind + card] += 1


@inline
def _hidden_groups(t, row, mask):
    """The groups whose fate a blind choice hides from the actor: sizes taken in part."""
    equal = np.int64(t[row + ix.KIND_EQUAL])
    groups = t[row + ix.KIND_GROUPS]
    hidden = np.int64(0)
    j = 0
    while j < groups:
        run = np.int64(1) << j
        j += 1
        while j < groups and (equal >> j) & 1:
            run |= np.int64(1) << j
            j += 1
        if mask & run != 0 and mask & run != run:
            hidden |= run
    return hidden


@inline
def _way(b, actor, t, way):
    """What a card put down adds to the balance, and which block of each view it is counted in.

    A face-down card adds nothing to the opponent's block.
    """
    balance = (1 - 2 * actor) * t[way + ix.WAY_SIDE]
    mine, theirs = view_at(b, actor), view_at(b, 1 - actor)
    return balance, mine + t[way + ix.WAY_MINE], theirs + t[way + ix.WAY_THEIRS]
