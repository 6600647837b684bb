"""Kernels: determinization, an engine state out of a player's information set.

A deck that agrees with what the player knows (see `decks`) is dealt and replayed by the engine,
chance's choices falling as they were seen to fall. The state counts only if the player's view in it
is, to the last entry, the one it started from. What is known or believed of the opponent rejects
states in which it would have decided otherwise (see `players.Opponent`).

Arguments are pointers: ``view`` to the player's view, ``tables`` to the rules' tables; bundles of
pointers: a `World`, a `Guide` and an `Opponent`. ``key`` is the random key of one try.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import apart, inline, njit
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.groups import choose_at_random
from hanamikoji.engine.rounds import begin_round, begin_turn, count_favor, deal
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ILLEGAL, apply_choice, as_distinct, show
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.belief import likely_choice
from hanamikoji.learning.search.decks import lay_out
from hanamikoji.learning.search.players import answer_of
from hanamikoji.moves import index as ix

_CHANCE_TRIES = 2000


class World(NamedTuple):
    """A game that a player may be in, and the memory it is made in."""

    state: Any
    """int32 (`st.SIZE`,)."""
    keys: Any
    """uint64 (`st.KEYS`,)."""
    scratch: Any
    """int64, see `places`."""


@apart
def decide(state, tables, keys, choice):
    """The engine's `apply_choice`, compiled once for all who call it here."""
    return apply_choice(state, tables, keys, choice)


# --- the deal -------------------------------------------------------------------------------------


@njit
def prepare_world(view, tables, state):
    """What all determinizations of a decision share: the game before this round."""
    for i in range(st.SIZE):
        state[i] = 0
    role = np.int64(view[ix.ROLE])
    mine, theirs = view_of(state, role), view_of(state, 1 - role)
    mine[ix.ROLE] = role
    theirs[ix.ROLE] = 1 - role
    for g in range(tables[ix.GEISHAS]):
        mine[ix.MARKERS + g] = view[ix.MARKERS + g]
        theirs[ix.MARKERS + g] = -view[ix.MARKERS + g]
    count_favor(state, tables)


@apart
def _deal_out(view, tables, world):
    """Begin the round with the deck that `lay_out` made."""
    state = world.state
    role = np.int64(view[ix.ROLE])
    state[st.ROUND] = view[ix.ROUND] - 1
    state[st.STARTER] = role if view[ix.FIRST] else 1 - role
    for r in range(2):
        one = view_of(state, r)
        one[ix.OFFER_KIND] = 0
        one[ix.OFFER_MOVE] = 0
        for i in range(ix.OFFER, ix.HAND):
            one[i] = 0
    begin_round(state, tables, world.keys)
    for r in range(2):
        for g in range(tables[ix.GEISHAS]):
            view_of(state, r)[ix.HAND + g] = 0
    for i in range(tables[ix.CARDS]):
        state[st.DECK + i] = world.scratch[pl.CARD + i]
    deal(state, tables)
    begin_turn(state, tables)


# --- the round so far -----------------------------------------------------------------------------


@inline
def _hidden_move(tables, scratch, turn, kind):
    """The move of this kind with the cards that `lay_out` gave it, in the order it took them."""
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    move = np.int64(tables[row + ix.KIND_ROOT])
    for i in range(tables[row + ix.KIND_CARDS]):
        card = scratch[pl.CARD + scratch[pl.HIDDEN + turn * ix.MOST_CARDS + i]]
        move = np.int64(tables[tables[ix.STEP_AT] + move * tables[ix.GEISHAS] + card])
    return move


@apart
def _steer_chance(tables, world, key, turn, move, seen):
    """Find a key under which chance chooses as it was seen to; False if none is found."""
    kind = np.int64(tables[tables[ix.MOVE_KIND_AT] + move])
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    equal = tables[tables[ix.MOVE_EQUAL_AT] + move]
    for n in range(_CHANCE_TRIES):
        world.keys[st.DEAL_KEY] = rng.word(key, n)
        chance = rng.round_key(world.keys[st.DEAL_KEY], world.state[st.ROUND], rng.CHANCE)
        mask = choose_at_random(
            (np.int64(1) << tables[row + ix.KIND_GROUPS]) - 1,
            tables[row + ix.KIND_CHOOSE],
            rng.word(chance, turn),
        )
        at = ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + as_distinct(mask, equal)
        if tables[at] == seen:
            return True
    return False


@njit
def _modelled(world, opponent, key, turn):
    """What the agent that the opponent is known to be decides here."""
    state = world.state
    view = show(state, np.int64(state[st.DECIDER]))
    return answer_of(opponent, view, rng.fold(key, rng.WORLD_MODEL), 2 * turn + state[st.PHASE])


@inline
def _happens(key, n, share):
    """True with probability ``share``, by the n-th doubt."""
    bits = rng.word(rng.fold(key, rng.WORLD_BELIEF), n)
    return np.float64(bits >> np.uint64(11)) < share * 9007199254740992.0


@apart
def _move_of_opponent(tables, world, guide, opponent, key, turn, kind, move):
    """The move that the opponent makes in this state; -1: it would not have made what was seen.

    ``move`` is what was seen, or laid out, of it; -1: its kind.
    """
    if opponent.address != 0:
        asked = _modelled(world, opponent, key, turn)
        same = asked >= 0 and tables[tables[ix.MOVE_KIND_AT] + asked] == kind
        return asked if same and (move < 0 or asked == move) else np.int64(-1)
    if opponent.belief == 0.0:
        return move
    found, likely = likely_choice(world.state, tables, guide, opponent.belief, kind, move)
    return found if _happens(key, 2 * turn, likely) else np.int64(-1)


@apart
def _answers_so(tables, world, guide, opponent, key, turn, answer):
    """Whether the opponent answers an offer of the player's in this state as it was seen to."""
    if opponent.address != 0:
        return _modelled(world, opponent, key, turn) == answer
    if opponent.belief == 0.0:
        return True
    _, likely = likely_choice(world.state, tables, guide, opponent.belief, np.int64(-1), answer)
    return _happens(key, 2 * turn + 1, likely)


@apart
def _replay_turn(view, tables, world, guide, opponent, key, turn):
    """Play one turn of the round again; False if the player would have seen otherwise."""
    entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
    mine = view[entry + ix.HISTORY_ACTOR] == ix.ONESELF
    kind = np.int64(view[entry + ix.HISTORY_KIND]) - 1
    chooser = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CHOOSER]
    move = np.int64(view[entry + ix.HISTORY_MOVE]) - 1
    answer = np.int64(view[entry + ix.HISTORY_ANSWER]) - 1
    if move < 0 and _is_laid_out(tables, opponent):
        move = _hidden_move(tables, world.scratch, turn, kind)
    if not mine:
        move = _move_of_opponent(tables, world, guide, opponent, key, turn, kind, move)
        if move < 0:
            return False
    key_of_turn = rng.fold(rng.fold(key, rng.WORLD_CHANCE), turn)
    world.keys[st.DEAL_KEY] = key_of_turn
    if chooser == ix.CHANCE and not _steer_chance(tables, world, key_of_turn, turn, move, answer):
        return False
    if decide(world.state, tables, world.keys, move) == ILLEGAL:
        return False
    if chooser == ix.OPPONENT and answer >= 0:
        if mine and not _answers_so(tables, world, guide, opponent, key, turn, answer):
            return False
        return decide(world.state, tables, world.keys, answer) != ILLEGAL
    return True


@apart
def _looks_alike(view, state):
    """Whether the player decides now and sees what it sees."""
    role = np.int64(view[ix.ROLE])
    if state[st.DECIDER] != role:
        return False
    seen = show(state, role)
    for i in range(ix.VIEW_SIZE):  # noqa: SIM110 - kernels make no generators
        if seen[i] != view[i]:
            return False
    return True


@inline
def _is_laid_out(tables, opponent):
    """Whether the opponent's hidden moves are laid out with the cards, not made on the way."""
    anyhow = opponent.address == 0 and opponent.belief == 0.0
    return anyhow or tables[ix.EXCHANGES] != 0


@apart
def determinize(view, tables, world, guide, opponent, key):
    """Try once to make up a state, after `prepare_world`; False if it failed.

    ``world.state`` is then at the player's decision, and what chance still decides follows from
    ``key``. A known opponent's decisions are that agent's: shown ones agree, hidden ones are made
    by it; an unknown one's must be likely (see `belief`).
    """
    hidden_too = _is_laid_out(tables, opponent)
    if not lay_out(view, tables, world.scratch, rng.fold(key, rng.WORLD_CARDS), hidden_too):
        return False
    _deal_out(view, tables, world)
    for turn in range(view[ix.TURN] + 1):
        if view[ix.HISTORY + turn * ix.HISTORY_WIDTH + ix.HISTORY_ACTOR] == 0:
            break
        if not _replay_turn(view, tables, world, guide, opponent, key, turn):
            return False
    world.keys[st.DEAL_KEY] = rng.fold(key, rng.WORLD_DEAL)
    return _looks_alike(view, world.state)
