"""Kernels: games from their deal to their end, or to a decision that Python must make."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import (
    RAISED,
    address_of,
    call_agent,
    fixed,
    inline,
    kernel,
    njit,
    raw,
    shifted,
)
from hanamikoji.engine import codes, rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, begin_next_round, end_round, finish
from hanamikoji.engine.state import view_at
from hanamikoji.engine.turns import ILLEGAL, ROUND_OVER, apply_choice, legal_moves, show
from hanamikoji.moves import index as ix

GAME_COLUMNS = {
    np.int8: (
        "outcome", "reason", "geishas_starter", "geishas_second", "goal_conflict",
        "opening_starter", "opening_second",
    ),
    np.int16: ("rounds", "charm_starter", "charm_second", "lead_changes"),
    np.int32: ("favor_starter", "favor_second"),
}  # fmt: skip
"""What `write_game` writes of a game, by the type that holds it: an array (columns, games) each."""

ROUND_COLUMNS = (
    "game", "round", "round_starter", "favor_starter", "favor_second",
    "order_starter", "order_second", "decisions_starter", "decisions_second",
    "legal_starter", "legal_second",
)  # fmt: skip
MOVE_COLUMNS = ("game", "round", "turn", "decision", "role", "phase", "choice", "legal")

WAITS, REFUSES, DONE, STOPPED = range(4)
"""A game waits for a decision of Python's; it was answered with an illegal one; it is over; a
compiled agent failed and the run must stop."""

# What the kernels are told, int64: see `Match`.
(
    COMPILED,  # [2] by seat: 1 if the agent is compiled
    _,
    ADDRESS,  # [2] where its entry is
    _,
    CONTEXT,  # [2] where its context is
    _,
    FORFEITS,  # 1: a failing agent loses the game; 0: everything stops
    SPARE,  # rounds whose record must have room before a game begins
    RECORD_ROUNDS,
    RECORD_MOVES,
    ROUND_ROWS,  # rows written so far
    MOVE_ROWS,
    FAILED,  # 1 + the slot of the game in which a compiled agent failed
    FAILED_CHOICE,  # what it answered
    PLAN_SIZE,
) = range(15)


@njit
def set_up(s, b, t, keys, k, plan_keys, seed, deal, seating, game):
    """Begin a game: ``plan_keys`` are the agent keys by seat; seating 0: a starts, 1: b does."""
    keys[k + st.DEAL_KEY] = rng.deal_key(seed, deal)
    for role in range(2):
        keys[k + st.ROLE_KEYS + role] = rng.agent_game_key(plan_keys[role ^ seating], role, deal)
    s[b + st.SEATING] = seating
    s[b + st.GAME] = game
    begin_game(s, b, t, keys, k)


@inline
def decision_word(s, b, keys, k, role):
    """The random word of the decision at hand."""
    return rng.word(keys[k + st.ROUND_KEYS + role], s[b + st.DECISIONS + role])


@njit
def record_move(s, b, t, plan, moves, role, choice):
    """Count the legal moves of a decision and write its row; before the choice is carried out."""
    v = view_at(b, role)
    legal = legal_moves(s, v, t, plan, 0, 0)
    s[b + st.LEGAL + role] += legal
    if plan[RECORD_MOVES]:
        row = plan[MOVE_ROWS]
        moves[row, 0] = s[b + st.GAME]
        moves[row, 1] = s[b + st.ROUND]
        moves[row, 2] = s[b + st.TURN]
        moves[row, 3] = s[b + st.DECISIONS + role]
        moves[row, 4] = role
        moves[row, 5] = s[b + st.PHASE]
        moves[row, 6] = choice
        moves[row, 7] = legal
        plan[MOVE_ROWS] = row + 1


@inline
def _favor_mask(s, v, t):
    mask = np.int32(0)
    for g in range(t[ix.GEISHAS]):
        mask |= np.int32(s[v + ix.MARKERS + g] > 0) << g
    return mask


@njit
def _order(s, b, t, actor):
    """The kinds a role used this round in order, 5 bits each, 1 + kind, the first lowest."""
    history = view_at(b, 0) + ix.HISTORY
    order, at = np.int64(0), 0
    for turn in range(t[ix.TURNS]):
        entry = history + turn * ix.HISTORY_WIDTH
        if s[entry + ix.HISTORY_ACTOR] == 1 + actor:
            order |= np.int64(s[entry + ix.HISTORY_KIND]) << at
            at += 5
    return order


@njit
def record_round(s, b, t, plan, rounds):
    """Write the row of a round that has just been scored."""
    row = plan[ROUND_ROWS]
    rounds[row, 0] = s[b + st.GAME]
    rounds[row, 1] = s[b + st.ROUND]
    rounds[row, 2] = s[b + st.STARTER]
    for role in range(2):
        rounds[row, 3 + role] = _favor_mask(s, view_at(b, role), t)
        rounds[row, 5 + role] = _order(s, b, t, role)
        rounds[row, 7 + role] = s[b + st.DECISIONS + role]
        rounds[row, 9 + role] = s[b + st.LEGAL + role]
    plan[ROUND_ROWS] = row + 1


@inline
def write_game(s, b, t, games):
    """Write the entries of a game that is over into its columns."""
    row = s[b + st.GAME]
    v, w = view_at(b, 0), view_at(b, 1)
    narrow, middle, wide = games
    narrow[0, row] = s[b + st.OUTCOME]
    narrow[1, row] = s[b + st.REASON]
    narrow[2, row] = s[v + ix.FAVOR]
    narrow[3, row] = s[v + ix.THEIR_FAVOR]
    narrow[4, row] = s[b + st.CONFLICT]
    narrow[5, row] = s[b + st.OPENING]
    narrow[6, row] = s[b + st.OPENING + 1]
    middle[0, row] = s[b + st.ROUND]
    middle[1, row] = s[v + ix.CHARM]
    middle[2, row] = s[v + ix.THEIR_CHARM]
    middle[3, row] = s[b + st.LEAD_CHANGES]
    wide[0, row] = _favor_mask(s, v, t)
    wide[1, row] = _favor_mask(s, w, t)


@njit
def forfeit(s, b, role, reason):
    """The game is lost for the role at fault; an offer it was to answer is taken off the table.

    The next game begins in the same state, and only what belongs to a round is cleared then.
    """
    v = view_at(b, role)
    s[v + ix.OFFER_KIND] = 0
    s[v + ix.OFFER_MOVE] = 0
    for i in range(v + ix.OFFER, v + ix.HAND):
        s[i] = 0
    finish(s, b, codes.WON_SECOND if role == 0 else codes.WON_STARTER, reason)


@inline
def decide(s, b, t, keys, k, plan, rounds, moves, choice):
    """Carry out a legal or illegal choice of the decider, and the end of a round if it comes.

    Returns False if the choice was illegal (nothing has changed then).
    """
    role = s[b + st.DECIDER]
    recorded = plan[RECORD_ROUNDS] | plan[RECORD_MOVES]
    if recorded:
        legal, row = s[b + st.LEGAL + role], plan[MOVE_ROWS]
        record_move(s, b, t, plan, moves, role, choice)
    status = apply_choice(s, b, t, keys, k, choice)
    if status == ILLEGAL:
        if recorded:
            s[b + st.LEGAL + role], plan[MOVE_ROWS] = legal, row
        return False
    if status == ROUND_OVER:
        end_round(s, b, t, keys, k)
        if plan[RECORD_ROUNDS]:
            record_round(s, b, t, plan, rounds)
        if s[b + st.PHASE] != ix.FINISHED:
            begin_next_round(s, b, t, keys, k)
    return True


@inline
def advance(s, b, t, keys, k, plan, rounds, moves, answered, answer):
    """Let agents decide, the first time by ``answer`` if one is given, until the game is over or
    Python must decide. Returns WAITS, REFUSES, DONE or STOPPED."""
    while s[b + st.PHASE] != ix.FINISHED:
        role = s[b + st.DECIDER]
        seat = role ^ s[b + st.SEATING]
        if not answered:
            v = show(s, b, t, role)
            if not plan[COMPILED + seat]:
                return WAITS
            word = decision_word(s, b, keys, k, role)
            view = address_of(s) + 4 * np.int64(v)  # in Python a role is an int32, no address is
            answer = np.int64(call_agent(plan[ADDRESS + seat], view, plan[CONTEXT + seat], word))
        if not decide(s, b, t, keys, k, plan, rounds, moves, answer):
            if answered:
                return REFUSES
            if not plan[FORFEITS]:
                plan[FAILED_CHOICE] = answer
                return STOPPED
            raised = answer == RAISED
            forfeit(s, b, role, codes.FORFEIT_ERROR if raised else codes.FORFEIT_ILLEGAL)
        answered = False
    return DONE


# --- many games at once --------------------------------------------------------------------------

IDLE, READY, WAITING, ANSWERED, REFUSED = range(5)
"""A slot holds no game; a game that may go on; one that waits for an answer; one that has it in
``answers``; one whose answer was illegal, and which is as it was."""


@kernel
def run_slots(s, t, keys, plan, plan_keys, seed, first, seatings, queue, status, answers, games, rounds, moves):  # fmt: skip # noqa: E501
    """Advance every slot until it waits, and refill those whose game is over from the queue.

    ``queue`` int64 [2]: the next game and the last but one; ``status`` int8 and ``answers`` int64
    by slot. Game n is deal ``first + n // seatings``, seating ``n % seatings``. Returns how many
    slots hold a game, or -1 where a compiled agent failed and the run must stop. No game begins
    when the record is nearly full (see ``plan``).
    """
    s_, t_, keys_, plan_, names_ = raw(s), fixed(t), raw(keys), raw(plan), raw(plan_keys)
    held = 0
    for slot in range(len(status)):
        here, k = shifted(s_, slot * st.SIZE), shifted(keys_, slot * st.KEYS)
        while status[slot] != WAITING and status[slot] != REFUSED:
            if status[slot] == IDLE:
                if queue[0] >= queue[1] or not _has_room(t, plan, rounds, moves):
                    break
                game = queue[0]
                queue[0] += 1
                deal, seating = first + game // seatings, game % seatings
                set_up(here, 0, t_, k, 0, names_, seed, deal, seating, game)
            given = status[slot] == ANSWERED
            end = advance(here, 0, t_, k, 0, plan_, rounds, moves, given, answers[slot])
            if end == STOPPED:
                plan[FAILED] = 1 + slot
                return -1
            if end == DONE:
                write_game(here, 0, t_, games)
                status[slot] = IDLE
            else:
                status[slot] = WAITING if end == WAITS else REFUSED
        held += status[slot] != IDLE
    return held


@inline
def _has_room(t, plan, rounds, moves):
    """Whether the record has room for a game more."""
    spare = plan[SPARE]
    return spare == 0 or (
        plan[ROUND_ROWS] + spare <= len(rounds)
        and plan[MOVE_ROWS] + spare * 2 * t[ix.TURNS] <= len(moves)
    )


@kernel
def gather(s, t, keys, status, seat, slots, views, words, offsets, ids):
    """Collect the waiting decisions of a seat (-1: of both) for an agent.

    Writes which ``slots``, their ``views``, ``words`` and legal ``ids`` (see `Batch`). Returns how
    many; ``offsets[n]`` is how many ids there are, beyond ``len(ids)`` they are only counted.
    """
    s_, t_, keys_, ids_ = raw(s), fixed(t), raw(keys), raw(ids)
    n, end = 0, np.int64(0)
    offsets[0] = 0
    for slot in range(len(status)):
        if status[slot] != WAITING:
            continue
        b, k = slot * st.SIZE, slot * st.KEYS
        role = s_[b + st.DECIDER]
        if seat >= 0 and role ^ s_[b + st.SEATING] != seat:
            continue
        v = view_at(b, role)
        for i in range(ix.VIEW_SIZE):
            views[n, i] = s_[v + i]
        words[n] = decision_word(s_, b, keys_, k, role)
        end += legal_moves(s_, v, t_, ids_, end, len(ids))
        slots[n] = slot
        n += 1
        offsets[n] = end
    return n


@kernel
def give_up(s, slot, status, reason):
    """The decider of a game that can't go on forfeits it."""
    b = slot * st.SIZE
    forfeit(raw(s), b, s[b + st.DECIDER], reason)
    status[slot] = READY
