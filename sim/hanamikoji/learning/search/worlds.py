"""Kernels: make up a world, an engine state that a player can't tell from the one it is in.

Every physical card is known by its place in the round's shuffle. Following the public history turn
by turn, each side's cards are taken from the places it had been given by then; places whose card
nobody has shown to the player get the cards that are left, at random. The deck thus made is dealt
and replayed by the engine, chance's choices falling as they were seen to fall. The world counts
only if the player's view in it is, to the last entry, the one it started from.

Arguments as in `hanamikoji.engine.rounds`; ``view`` is the player's, ``m`` the scratch (int64, see
`places`), all bare pointers. ``side`` 0 is the player, 1 the opponent.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import address_of, apart, call_agent, inline, njit, shifted
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.groups import choose_at_random
from hanamikoji.engine.rounds import begin_round, begin_turn, count_favor, deal
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import (
    ILLEGAL,
    apply_choice,
    as_distinct,
    show,
)
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.belief import likely_choice
from hanamikoji.moves import index as ix

_CHANCE_TRIES = 2000


@apart
def decide(s, b, t, keys, k, choice):
    """The engine's `apply_choice`, compiled once for all who call it here."""
    return apply_choice(shifted(s, b), t, shifted(keys, k), choice)


# --- where each card came from --------------------------------------------------------------------


@inline
def _draw_number(m, key, n):
    """A number in [0, n) from the world's next random word."""
    m[pl.DRAWN] += 1
    return rng.below(rng.word(key, m[pl.DRAWN]), n)[0]


@inline
def _bind(m, place, card):
    """The card at a place is known; returns whether there is such a card left."""
    m[pl.CARD + place] = card
    m[pl.COUNT + card] -= 1
    return m[pl.COUNT + card] >= 0


@inline
def _receive(m, side, place):
    n = m[pl.OPENS + side]
    m[pl.OPEN + side * pl.WIDE + n] = place
    m[pl.OPENS + side] = n + 1


@inline
def _remove(m, side, i):
    """Take the i-th card out of those a side holds; returns its place."""
    last = m[pl.OPENS + side] - 1
    at = pl.OPEN + side * pl.WIDE
    place = m[at + i]
    m[at + i] = m[at + last]
    m[pl.OPENS + side] = last
    return place


@njit
def _take_any(m, key, side):
    """A side uses a card that the player did not see; returns its place or -1."""
    if m[pl.OPENS + side] == 0:
        return np.int64(-1)
    return _remove(m, side, _draw_number(m, key, m[pl.OPENS + side]))


@apart
def _take_known(m, key, side, card):
    """A side uses this card: one known to be it, else any that may be; returns its place or -1."""
    at, n = pl.OPEN + side * pl.WIDE, m[pl.OPENS + side]
    unknown = 0
    for i in range(n):
        found = m[pl.CARD + m[at + i]]
        if found == card:
            return _remove(m, side, i)
        unknown += found < 0
    if unknown == 0:
        return np.int64(-1)
    pick = _draw_number(m, key, unknown)
    for i in range(n):
        place = m[at + i]
        if m[pl.CARD + place] < 0:
            if pick == 0:
                return _remove(m, side, i) if _bind(m, place, card) else np.int64(-1)
            pick -= 1
    return np.int64(-1)


@inline
def _place_at(m, t, head):
    """Where the card came from that lies at ``head`` of the deck."""
    n = t[ix.CARDS]
    return np.int64(head) if head < n else m[pl.PUT + head - n]


@njit
def _use(view, t, m, key, turn, side, head, puts, hidden_too):
    """The cards of one turn's action leave their side's hand; returns False if they can't."""
    entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
    move = np.int64(view[entry + ix.HISTORY_MOVE]) - 1
    row = ix.KIND_ROW + (view[entry + ix.HISTORY_KIND] - 1) * ix.KIND_WIDTH
    cards = t[ix.MOVE_CARDS_AT] + max(move, 0) * ix.MOST_CARDS
    exchanged = t[row + ix.KIND_EXCHANGE]
    if move >= 0 or hidden_too or exchanged:
        for i in range(t[row + ix.KIND_CARDS]):
            if move >= 0:
                place = _take_known(m, key, side, np.int64(t[cards + i]))
            else:
                place = _take_any(m, key, side)
            if place < 0:
                return False
            m[pl.HIDDEN + turn * ix.MOST_CARDS + i] = place
    if exchanged:
        m[pl.PUT + puts] = m[pl.HIDDEN + turn * ix.MOST_CARDS]
        drawn = np.int64(view[entry + ix.HISTORY_ANSWER]) - 1
        place = _place_at(m, t, head)
        if drawn >= 0 and m[pl.CARD + place] != drawn:
            return m[pl.CARD + place] < 0 and _bind(m, place, drawn)
    return True


@apart
def lay_out(view, t, m, key, hidden_too):
    """Fill CARD with a whole deck that agrees with the view, and HIDDEN; False if it went wrong.

    Without ``hidden_too`` the opponent's hidden moves (but exchanges) are left open.
    """
    m[pl.DRAWN] = 0
    cards, hand = np.int64(t[ix.CARDS]), np.int64(t[ix.HAND_CARDS])
    for i in range(cards):
        m[pl.CARD + i] = -1
    for g in range(t[ix.GEISHAS]):
        m[pl.COUNT + g] = t[ix.GEISHA_ITEMS + g]
    for side in range(2):
        began = view[ix.FIRST] if side == 0 else 1 - view[ix.FIRST]
        first = np.int64(t[ix.REMOVED]) + (0 if began else hand)
        m[pl.OPENS + side] = 0
        for i in range(hand):
            _receive(m, side, first + i)
    head, puts = np.int64(t[ix.REMOVED]) + 2 * hand, 0
    for turn in range(view[ix.TURN] + 1):
        entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
        actor = view[entry + ix.HISTORY_ACTOR]  # 0: the player's own turn, not yet played
        side = max(np.int64(actor) - 1, 0)
        for _ in range(t[ix.DRAW]):
            _receive(m, side, _place_at(m, t, head))
            head += 1
        if actor > 0:
            if not _use(view, t, m, key, turn, side, head, puts, hidden_too):
                return False
            row = ix.KIND_ROW + (view[entry + ix.HISTORY_KIND] - 1) * ix.KIND_WIDTH
            if t[row + ix.KIND_EXCHANGE]:
                head += 1
                puts += 1
    for g in range(t[ix.GEISHAS]):
        for _ in range(view[ix.HAND + g]):
            if _take_known(m, key, 0, np.int64(g)) < 0:
                return False
    return _fill(t, m, key)


@njit
def _fill(t, m, key):
    """The cards that are left go to the places that are left, at random."""
    n = np.int64(0)
    for g in range(t[ix.GEISHAS]):
        for _ in range(m[pl.COUNT + g]):
            m[pl.POOL + n] = g
            n += 1
    used, bits = np.uint64(1) << np.uint64(33), np.uint64(0)
    for i in range(t[ix.CARDS]):
        if m[pl.CARD + i] >= 0:
            continue
        used *= np.uint64(n)
        if used > np.uint64(1) << np.uint64(32):  # several draws from one word, as in a shuffle
            m[pl.DRAWN] += 1
            bits = rng.word(key, m[pl.DRAWN])
            used = np.uint64(n)
        j, bits = rng.below(bits, n)
        n -= 1
        m[pl.CARD + i] = m[pl.POOL + j]
        m[pl.POOL + j] = m[pl.POOL + n]
    return n == 0


# --- replay ---------------------------------------------------------------------------------------


@njit
def prepare_world(view, t, s):
    """What all worlds of a decision share: the game before this round."""
    for i in range(st.SIZE):
        s[i] = 0
    role = np.int64(view[ix.ROLE])
    mine, theirs = view_of(s, role), view_of(s, 1 - role)
    mine[ix.ROLE] = role
    theirs[ix.ROLE] = 1 - role
    for g in range(t[ix.GEISHAS]):
        mine[ix.MARKERS + g] = view[ix.MARKERS + g]
        theirs[ix.MARKERS + g] = -view[ix.MARKERS + g]
    count_favor(s, t)


@apart
def _deal_out(view, t, s, keys, m):
    """Begin the round with the deck that `lay_out` made."""
    role = np.int64(view[ix.ROLE])
    s[st.ROUND] = view[ix.ROUND] - 1
    s[st.STARTER] = role if view[ix.FIRST] else 1 - role
    for r in range(2):
        theirs = view_of(s, r)
        theirs[ix.OFFER_KIND] = 0
        theirs[ix.OFFER_MOVE] = 0
        for i in range(ix.OFFER, ix.HAND):
            theirs[i] = 0
    begin_round(s, t, keys)
    for r in range(2):
        theirs = view_of(s, r)
        for g in range(t[ix.GEISHAS]):
            theirs[ix.HAND + g] = 0
    for i in range(t[ix.CARDS]):
        s[st.DECK + i] = m[pl.CARD + i]
    deal(s, t)
    begin_turn(s, t)


@inline
def _hidden_move(t, m, turn, kind):
    """The move of this kind with the cards that `lay_out` gave it, in the order it took them."""
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    move = np.int64(t[row + ix.KIND_ROOT])
    for i in range(t[row + ix.KIND_CARDS]):
        card = m[pl.CARD + m[pl.HIDDEN + turn * ix.MOST_CARDS + i]]
        move = np.int64(t[t[ix.STEP_AT] + move * t[ix.GEISHAS] + card])
    return move


@apart
def _steer_chance(view, t, s, keys, key, turn, kind, move):
    """Find a key under which chance chooses as the player saw it choose; False: not found."""
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    seen = np.int64(view[ix.HISTORY + turn * ix.HISTORY_WIDTH + ix.HISTORY_ANSWER]) - 1
    equal = t[t[ix.MOVE_EQUAL_AT] + move]
    for n in range(_CHANCE_TRIES):
        keys[st.DEAL_KEY] = rng.word(key, n)
        chance = rng.round_key(keys[st.DEAL_KEY], s[st.ROUND], rng.CHANCE)
        mask = choose_at_random(
            (np.int64(1) << t[row + ix.KIND_GROUPS]) - 1,
            t[row + ix.KIND_CHOOSE],
            rng.word(chance, turn),
        )
        at = ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + as_distinct(mask, equal)
        if t[at] == seen:
            return True
    return False


@njit
def _asked(t, s, key, turn, role, model, context):
    """What the agent that the opponent is known to be decides here."""
    view = show(s, role)
    word = rng.word(key, 2 * turn + s[st.PHASE])
    return np.int64(call_agent(model, address_of(view), context, word))


@inline
def _happens(bits, share):
    """True with probability ``share``."""
    return np.float64(bits >> np.uint64(11)) < share * 9007199254740992.0


@apart
def _move_of_opponent(
    t, p, w, lanes, numbers, s, m, choices, key, turn, kind, move, model, context, belief
):  # fmt: skip
    """The move that the opponent makes in this world; -1: it would not have made what was seen.

    ``move`` is what was seen, or laid out, of it; -1: its kind.
    """
    role = np.int64(s[st.DECIDER])
    if model != 0:
        asked = _asked(t, s, rng.fold(key, rng.WORLD_MODEL), turn, role, model, context)
        same = asked >= 0 and t[t[ix.MOVE_KIND_AT] + asked] == kind
        return asked if same and (move < 0 or asked == move) else np.int64(-1)
    if belief == 0.0:
        return move
    found, likely = likely_choice(t, p, w, lanes, numbers, s, m, choices, role, kind, move, belief)
    return (
        found
        if _happens(rng.word(rng.fold(key, rng.WORLD_BELIEF), 2 * turn), likely)
        else np.int64(-1)
    )


@apart
def _answers_so(
    t, p, w, lanes, numbers, s, m, choices, key, turn, answer, model, context, belief
):  # fmt: skip
    """Whether the opponent answers an offer of the player's in this world as it was seen to."""
    role = np.int64(s[st.DECIDER])
    if model != 0:
        return _asked(t, s, rng.fold(key, rng.WORLD_MODEL), turn, role, model, context) == answer
    if belief == 0.0:
        return True
    _, likely = likely_choice(
        t, p, w, lanes, numbers, s, m, choices, role, np.int64(-1), answer, belief
    )
    return _happens(rng.word(rng.fold(key, rng.WORLD_BELIEF), 2 * turn + 1), likely)


@apart
def _replay(
    view, t, p, w, lanes, numbers, s, keys, m, choices, key, model, context, belief
):  # fmt: skip
    """Play the round up to the decision; False if the player would have seen otherwise.

    With a ``model`` the opponent's decisions must be the model's: shown ones agree, hidden ones
    are made by it. With a ``belief`` they must be likely (see `belief`).
    """
    chances = rng.fold(key, rng.WORLD_CHANCE)
    planned = _is_planned(t, model, belief)
    for turn in range(view[ix.TURN] + 1):
        entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
        actor = view[entry + ix.HISTORY_ACTOR]
        if actor == 0:
            break
        kind = np.int64(view[entry + ix.HISTORY_KIND]) - 1
        chooser = t[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CHOOSER]
        move = np.int64(view[entry + ix.HISTORY_MOVE]) - 1
        if move < 0 and planned:
            move = _hidden_move(t, m, turn, kind)
        if actor == ix.OTHER:
            move = _move_of_opponent(
                t, p, w, lanes, numbers, s, m, choices, key, turn, kind, move, model, context,
                belief,
            )  # fmt: skip
            if move < 0:
                return False
        key_of_turn = rng.fold(chances, turn)
        keys[st.DEAL_KEY] = key_of_turn
        if chooser == ix.CHANCE and not _steer_chance(
            view, t, s, keys, key_of_turn, turn, kind, move
        ):
            return False
        if decide(s, 0, t, keys, 0, move) == ILLEGAL:
            return False
        answer = np.int64(view[entry + ix.HISTORY_ANSWER]) - 1
        if chooser == ix.OPPONENT and answer >= 0:
            if actor == ix.ONESELF and not _answers_so(
                t, p, w, lanes, numbers, s, m, choices, key, turn, answer, model, context, belief
            ):  # fmt: skip
                return False
            if decide(s, 0, t, keys, 0, answer) == ILLEGAL:
                return False
    return True


@apart
def _looks_alike(view, t, s):
    """Whether the player decides now and sees what it sees."""
    role = np.int64(view[ix.ROLE])
    if s[st.DECIDER] != role:
        return False
    shown = show(s, role)
    for i in range(ix.VIEW_SIZE):  # noqa: SIM110 - kernels make no generators
        if shown[i] != view[i]:
            return False
    return True


@inline
def _is_planned(t, model, belief):
    """Whether the opponent's hidden moves are laid out with the cards, not made on the way."""
    return (model == 0 and belief == 0.0) or t[ix.EXCHANGES] != 0


@apart
def make_world(
    view, t, p, w, lanes, numbers, s, keys, m, choices, key, model, context, belief
):  # fmt: skip
    """Try once to make up a world after `prepare_world`; False if it is none.

    ``s`` is then at the player's decision, and what chance still decides follows from ``key``.
    ``model``, ``context``: address of the agent that the opponent is known to be, 0 if it isn't.
    ``belief``: how well the opponent plays, see `belief`; 0: anyhow.
    """
    if not lay_out(view, t, m, rng.fold(key, rng.WORLD_CARDS), _is_planned(t, model, belief)):
        return False
    _deal_out(view, t, s, keys, m)
    if not _replay(
        view, t, p, w, lanes, numbers, s, keys, m, choices, key, model, context, belief
    ):  # fmt: skip
        return False
    keys[st.DEAL_KEY] = rng.fold(key, rng.WORLD_DEAL)
    return _looks_alike(view, t, s)
