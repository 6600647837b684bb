"""Kernels for legal moves and for state transitions. See `rounds` for the arguments.

Functions of a view take a pointer to one player's view: its information set.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import inline, njit, shifted
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.groups import choose_alike, choose_at_random, hidden_groups
from hanamikoji.engine.rounds import draw, end_turn
from hanamikoji.engine.state import view_of
from hanamikoji.moves import index as ix

ILLEGAL, GOES_ON, ROUND_OVER = -1, 0, 1
"""What became of a decision."""


@inline
def show(state, role):
    """Bring the header of a player's view up to date for its decision; returns the view."""
    view = view_of(state, role)
    view[ix.PHASE] = state[st.PHASE]
    view[ix.TURN] = state[st.TURN]
    view[ix.DECISION] = state[st.DECISIONS + role]
    view[ix.DECK] = state[st.TAIL] - state[st.HEAD]
    view[ix.THEIR_HAND_SIZE] = view_of(state, 1 - role)[ix.HAND_SIZE]
    return view


# --- legal moves ---------------------------------------------------------------------------------


@njit
def legal_moves(view, tables, out, room):
    """Write the ids that are legal in a view into ``out``, ascending.

    Returns how many there are; those beyond the first ``room`` are only counted.
    """
    if view[ix.PHASE] == ix.RESPOND:
        return _legal_responses(view, tables, out, room)
    n = 0
    walk = tables[ix.WALK_AT]
    for kind in range(tables[ix.KINDS]):
        row = ix.KIND_ROW + kind * ix.KIND_WIDTH
        if view[ix.LEFT + kind] == 0 or view[ix.HAND_SIZE] < tables[row + ix.KIND_CARDS]:
            continue
        node, end = tables[row + ix.KIND_WALK], tables[row + ix.KIND_WALK_END]
        while node < end:
            here = walk + node * ix.WALK_WIDTH
            move = tables[here + ix.WALK_MOVE]
            enough = view[ix.HAND + tables[here + ix.WALK_CARD]] >= tables[here + ix.WALK_NEED]
            if move >= 0:
                # No branch on the hand here: it could not be predicted, and most nodes are last.
                if n < room:
                    out[n] = move
                n += enough
                node += 1
            elif enough:
                node += 1
            else:
                node = tables[here + ix.WALK_SKIP]
    return n


@inline
def same_groups(view, tables):
    """Bit j: groups j and j - 1 of the offer in this view look the same to the responder."""
    if view[ix.OFFER_MOVE] > 0:
        return tables[tables[ix.MOVE_EQUAL_AT] + view[ix.OFFER_MOVE] - 1]
    return tables[ix.KIND_ROW + (view[ix.OFFER_KIND] - 1) * ix.KIND_WIDTH + ix.KIND_EQUAL]


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
def _legal_responses(view, tables, out, room):
    row = ix.KIND_ROW + (view[ix.OFFER_KIND] - 1) * ix.KIND_WIDTH
    equal = same_groups(view, tables)
    n = 0
    first = tables[row + ix.KIND_RESPONSE]
    for i in range(first, first + tables[row + ix.KIND_RESPONSES]):
        if is_distinct(tables[tables[ix.RESPONSE_MASK_AT] + i], equal):
            if n < room:
                out[n] = tables[ix.MOVES] + i
            n += 1
    return n


# --- decisions -----------------------------------------------------------------------------------


@inline
def apply_choice(state, tables, keys, choice):
    """Carry out the decider's move or response; an illegal one changes nothing.

    Returns ILLEGAL, GOES_ON (somebody decides next) or ROUND_OVER.
    """
    if state[st.PHASE] == ix.ACT:
        return _apply_move(state, tables, keys, choice)
    return _apply_response(state, tables, keys, choice)


@inline
def card_of(cards, i):
    """The i-th of a move's packed cards."""
    return (cards >> (4 * i)) & 15


@inline
def _take_from_hand(view, cards, n):
    """Take a move's cards out of a hand; if they are not there, leave it as it was."""
    missing = np.int32(0)
    for i in range(ix.MOST_CARDS):  # a constant bound keeps the compiler from unrolling for more
        if i >= n:
            break
        card = ix.HAND + card_of(cards, i)
        view[card] -= 1
        missing |= view[card]
    if missing < 0:
        for i in range(ix.MOST_CARDS):
            if i >= n:
                break
            view[ix.HAND + card_of(cards, i)] += 1
    return missing >= 0


@inline
def _history(state, role):
    """This turn's row in a role's history."""
    return shifted(view_of(state, role), ix.HISTORY + state[st.TURN] * ix.HISTORY_WIDTH)


@inline
def _apply_move(state, tables, keys, move):
    # In one piece: split into what uses up the marker and what follows, it runs 6 % slower.
    if move < 0 or move >= tables[ix.MOVES]:
        return ILLEGAL
    actor = state[st.ACTOR]
    kind = tables[tables[ix.MOVE_KIND_AT] + move]
    view, other = view_of(state, actor), view_of(state, 1 - actor)
    if view[ix.LEFT + kind] == 0:
        return ILLEGAL
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    n = tables[row + ix.KIND_CARDS]
    cards = tables[tables[ix.MOVE_PACKED_AT] + move]
    if not _take_from_hand(view, cards, n):
        return ILLEGAL
    view[ix.HAND_SIZE] -= n
    view[ix.LEFT + kind] -= 1
    other[ix.THEIR_LEFT + kind] -= 1
    state[st.MARKERS_LEFT + actor] -= 1
    state[st.DECISIONS + actor] += 1
    if state[st.OPENING + actor] < 0:
        state[st.OPENING + actor] = kind
    mine, theirs = _history(state, actor), _history(state, 1 - actor)
    mine[ix.HISTORY_ACTOR] = ix.ONESELF
    mine[ix.HISTORY_KIND] = kind + 1
    mine[ix.HISTORY_MOVE] = move + 1
    theirs[ix.HISTORY_ACTOR] = ix.OTHER
    theirs[ix.HISTORY_KIND] = kind + 1
    chooser = tables[row + ix.KIND_CHOOSER]
    if tables[row + ix.KIND_EXCHANGE]:
        _exchange(state, tables, row, card_of(cards, 0))
    else:
        if tables[row + ix.KIND_UP]:
            theirs[ix.HISTORY_MOVE] = move + 1
        if chooser == ix.OPPONENT:
            _offer(state, tables, kind, move)
            return GOES_ON
        mask = np.int64(0)
        if chooser == ix.CHANCE:
            mask = _choose_by_chance(state, tables, keys, kind, move)
        _place(state, tables, row, move, mask)
    return ROUND_OVER if end_turn(state, tables) else GOES_ON


@njit
def _choose_by_chance(state, tables, keys, kind, move):
    """Chance chooses among a move's groups; returns the mask of those it took."""
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    key = rng.round_key(keys[st.DEAL_KEY], state[st.ROUND], rng.CHANCE)
    mask = choose_at_random(
        (np.int64(1) << tables[row + ix.KIND_GROUPS]) - 1,
        tables[row + ix.KIND_CHOOSE],
        rng.word(key, state[st.TURN]),
    )
    # What everybody saw of it: the groups, or face down how large they were.
    equal = tables[tables[ix.MOVE_EQUAL_AT] + move]
    seen = tables[ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + as_distinct(mask, equal)]
    _history(state, 0)[ix.HISTORY_ANSWER] = seen + 1
    _history(state, 1)[ix.HISTORY_ANSWER] = seen + 1
    return mask


@inline
def _exchange(state, tables, row, card):
    """Put a card under the deck; the top one takes its place (RULES: referral)."""
    actor = state[st.ACTOR]
    tail = state[st.TAIL]
    state[st.DECK + tail] = card
    state[st.UNDER + tail] = actor + 1
    view_of(state, actor)[ix.UNDER + card] += 1
    state[st.TAIL] = tail + 1
    drawn = draw(state, tables, actor)
    up = tables[row + ix.KIND_UP]
    _history(state, actor)[ix.HISTORY_ANSWER] = drawn + 1
    if up:
        _history(state, 1 - actor)[ix.HISTORY_ANSWER] = drawn + 1
    balance, mine, theirs = _way(tables, row + ix.KIND_REST_WAY, actor)
    state[st.BALANCE + drawn] += balance
    view_of(state, actor)[mine + drawn] += 1
    view_of(state, 1 - actor)[theirs + drawn] += up


@inline
def _offer(state, tables, kind, move):
    """Lay a move's groups before the opponent, who decides next."""
    view = view_of(state, 1 - state[st.ACTOR])
    state[st.PHASE] = ix.RESPOND
    state[st.DECIDER] = 1 - state[st.ACTOR]
    state[st.MOVE] = move
    view[ix.OFFER_KIND] = kind + 1
    if tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_UP]:
        view[ix.OFFER_MOVE] = move + 1
        _show_groups(view, tables, kind, move, np.int32(1))


@inline
def _show_groups(view, tables, kind, move, step):
    """Add (+1) or take back (-1) the face-up groups of an offer in the responder's view."""
    group = ix.KIND_GROUP + kind * ix.MOST_CARDS
    cards = tables[tables[ix.MOVE_PACKED_AT] + move]
    n = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]
    for i in range(ix.MOST_CARDS):
        if i >= n:
            break
        view[ix.OFFER + tables[group + i] * ix.MOST_GEISHAS + card_of(cards, i)] += step


@inline
def _apply_response(state, tables, keys, choice):
    responder = state[st.DECIDER]
    view = view_of(state, responder)
    kind = view[ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    n = choice - tables[ix.MOVES] - tables[row + ix.KIND_RESPONSE]
    if n < 0 or n >= tables[row + ix.KIND_RESPONSES]:
        return ILLEGAL
    mask = np.int64(tables[tables[ix.RESPONSE_MASK_AT] + choice - tables[ix.MOVES]])
    equal = same_groups(view, tables)
    if not is_distinct(mask, equal):
        return ILLEGAL
    move = state[st.MOVE]
    state[st.DECISIONS + responder] += 1
    _history(state, responder)[ix.HISTORY_ANSWER] = choice + 1
    _history(state, 1 - responder)[ix.HISTORY_ANSWER] = choice + 1
    if tables[row + ix.KIND_UP]:
        _show_groups(view, tables, kind, move, np.int32(-1))
    else:
        key = rng.round_key(keys[st.DEAL_KEY], state[st.ROUND], rng.CHANCE)
        mask = choose_alike(tables, row, mask, rng.word(key, state[st.TURN]))
    view[ix.OFFER_KIND] = 0
    view[ix.OFFER_MOVE] = 0
    _place(state, tables, row, move, mask)
    return ROUND_OVER if end_turn(state, tables) else GOES_ON


@inline
def _place(state, tables, row, move, mask):
    """Put a move's cards where they go: the groups in ``mask`` were chosen, the rest were not."""
    state[st.CHOSEN] = mask
    kind = tables[tables[ix.MOVE_KIND_AT] + move]
    group = ix.KIND_GROUP + kind * ix.MOST_CARDS
    cards = tables[tables[ix.MOVE_PACKED_AT] + move]
    actor, up, n = state[st.ACTOR], tables[row + ix.KIND_UP], tables[row + ix.KIND_CARDS]
    view, other = view_of(state, actor), view_of(state, 1 - actor)
    chosen = _way(tables, row + ix.KIND_CHOSEN_WAY, actor)
    rest = _way(tables, row + ix.KIND_REST_WAY, actor)
    for i in range(ix.MOST_CARDS):
        if i >= n:
            break
        balance, mine, theirs = chosen if (mask >> tables[group + i]) & 1 else rest
        card = card_of(cards, i)
        state[st.BALANCE + card] += balance
        view[mine + card] += 1
        other[theirs + card] += up
    if tables[row + ix.KIND_HIDES]:
        _hide(view, tables, row, move, mask)


@njit
def _hide(view, tables, row, move, mask):
    """Count cards that a blind choice hides from the actor apart, not where they went."""
    hidden = hidden_groups(tables, row, mask)
    group = ix.KIND_GROUP + tables[tables[ix.MOVE_KIND_AT] + move] * ix.MOST_CARDS
    cards = tables[tables[ix.MOVE_PACKED_AT] + move]
    chosen = tables[row + ix.KIND_CHOSEN_WAY + ix.WAY_MINE]
    rest = tables[row + ix.KIND_REST_WAY + ix.WAY_MINE]
    for i in range(tables[row + ix.KIND_CARDS]):
        j = tables[group + i]
        if (hidden >> j) & 1:
            card = card_of(cards, i)
            view[(chosen if (mask >> j) & 1 else rest) + card] -= 1
            view[ix.BLIND + card] += 1


@inline
def _way(tables, way, actor):
    """What a card put down adds to the balance, and the block of each view that counts it.

    The actor's view first; a face-down card adds nothing to the opponent's block.
    """
    balance = (1 - 2 * actor) * tables[way + ix.WAY_SIDE]
    return balance, tables[way + ix.WAY_MINE], tables[way + ix.WAY_THEIRS]
