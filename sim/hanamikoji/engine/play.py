"""Kernels that step many games in lockstep, each to its end or to a decision of Python's."""

from __future__ import annotations

from typing import Any, NamedTuple

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
from hanamikoji.engine.record import count_move, has_room, write_game, write_move, write_round
from hanamikoji.engine.rounds import begin_game, begin_next_round, end_round, finish
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ILLEGAL, ROUND_OVER, apply_choice, legal_moves, show
from hanamikoji.moves import index as ix

IDLE, READY, WAITING, ANSWERED, REFUSED, FAILED = range(6)
"""A slot has no game; a game that may continue; one that waits for an answer from Python; one that
has it in ``answers``; one whose answer was illegal, and which is as it was; one in which a compiled
agent failed, so that the run must stop, with what it answered in ``answers``."""


class Slots(NamedTuple):
    """Games under way at once, a slot each."""

    states: Any  # int32 (slots * st.SIZE,)
    keys: Any  # uint64 (slots * st.KEYS,)
    status: Any  # int8 (slots,), see IDLE and so on
    answers: Any  # int64 (slots,)


def new_slots(n: int) -> Slots:
    """Room for n games that have yet to begin."""
    return Slots(
        states=np.zeros(n * st.SIZE, np.int32),
        keys=np.zeros(n * st.KEYS, np.uint64),
        status=np.zeros(n, np.int8),
        answers=np.zeros(n, np.int64),
    )


class Schedule(NamedTuple):
    """Which games to play.

    Game n is deal ``first + n // seatings``, seating ``n % seatings``; in seating 0 the agent of
    seat a starts, in seating 1 that of seat b.
    """

    seed: Any  # uint64
    agent_keys: Any  # uint64 [2], by seat
    first: int  # deal of game 0
    seatings: int
    queue: Any  # int64 [2]: the next game to begin, and the last but one


class Controls(NamedTuple):
    """Who decides, by seat: a compiled agent at an address, or Python where that is 0."""

    addresses: Any  # int64 [2] of the agents' entries
    contexts: Any  # int64 [2] addresses of their contexts
    forfeits: bool  # a failing agent loses the game; else everything stops


class Decisions(NamedTuple):
    """Room for the decisions that an agent is asked at once; see `hanamikoji.engine.seat.Batch`."""

    slots: Any  # int64 (slots,), which game each is of
    views: Any  # int32 (slots, F)
    words: Any  # uint64 (slots,)
    offsets: Any  # int64 (slots + 1,)
    ids: Any  # int64


def new_decisions(n: int, ids: int) -> Decisions:
    """Room for n decisions with so many legal ids in all."""
    return Decisions(
        slots=np.zeros(n, np.int64),
        views=np.zeros((n, ix.VIEW_SIZE), np.int32),
        words=np.zeros(n, np.uint64),
        offsets=np.zeros(n + 1, np.int64),
        ids=np.zeros(ids, np.int64),
    )


# --- one game ------------------------------------------------------------------------------------


@njit
def set_up(state, tables, keys, schedule, game):
    """Begin a game of the schedule."""
    deal, seating = schedule.first + game // schedule.seatings, game % schedule.seatings
    keys[st.DEAL_KEY] = rng.deal_key(schedule.seed, deal)
    for role in range(2):
        agent_key = schedule.agent_keys[role ^ seating]
        keys[st.ROLE_KEYS + role] = rng.agent_game_key(agent_key, role, deal)
    state[st.SEATING] = seating
    state[st.GAME] = game
    begin_game(state, tables, keys)


@inline
def decision_word(state, keys, role):
    """The random word of the decision at hand."""
    return rng.word(keys[st.ROUND_KEYS + role], state[st.DECISIONS + role])


@njit
def forfeit(state, role, reason):
    """The game is lost for the role at fault; an offer it was to answer is taken off the table.

    The next game begins in the same state, and only what belongs to a round is cleared then.
    """
    view = view_of(state, role)
    view[ix.OFFER_KIND] = 0
    view[ix.OFFER_MOVE] = 0
    for i in range(ix.OFFER, ix.HAND):
        view[i] = 0
    finish(state, codes.WON_SECOND if role == 0 else codes.WON_STARTER, reason)


@inline
def decide(state, tables, keys, record, choice):
    """Carry out a legal or illegal choice of the decider, and the end of a round if it comes.

    Returns False if the choice was illegal (nothing has changed then).
    """
    role = state[st.DECIDER]
    recorded = record.keeps_rounds or record.keeps_moves
    legal = write_move(record, state, tables, role, choice) if recorded else 0
    status = apply_choice(state, tables, keys, choice)
    if status == ILLEGAL:
        return False
    if recorded:
        count_move(record, state, role, legal)
    if status == ROUND_OVER:
        end_round(state, tables, keys)
        if record.keeps_rounds:
            write_round(record, state, tables)
        if state[st.PHASE] != ix.FINISHED:
            begin_next_round(state, tables, keys)
    return True


@inline
def advance(state, tables, keys, controls, record, answered, answer):
    """Let agents decide until the game is over or Python must decide.

    The first decision is ``answer`` if one is given. Returns the slot's status (IDLE if the game is
    over) and the last answer.
    """
    while state[st.PHASE] != ix.FINISHED:
        role = state[st.DECIDER]
        seat = role ^ state[st.SEATING]
        if not answered:
            view = show(state, role)
            if controls.addresses[seat] == 0:
                return WAITING, answer
            word = decision_word(state, keys, role)
            answer = np.int64(
                call_agent(
                    controls.addresses[seat], address_of(view), controls.contexts[seat], word
                )
            )
        if not decide(state, tables, keys, record, answer):
            if answered:
                return REFUSED, answer
            if not controls.forfeits:
                return FAILED, answer
            raised = answer == RAISED
            forfeit(state, role, codes.FORFEIT_ERROR if raised else codes.FORFEIT_ILLEGAL)
        answered = False
    return IDLE, answer


# --- many games at once --------------------------------------------------------------------------


@kernel
def run_slots(slots, tables, schedule, controls, record):
    """Advance every slot until it waits, and refill those whose game is over from the queue.

    Returns how many slots are in use, or -1 if a compiled agent failed and the run must stop.
    No game begins when the record is nearly full.
    """
    states, all_keys, rules = raw(slots.states), raw(slots.keys), fixed(tables)
    status, answers, queue = slots.status, slots.answers, schedule.queue
    seats = Controls(raw(controls.addresses), raw(controls.contexts), controls.forfeits)
    held = 0
    for slot in range(len(status)):
        state, keys = shifted(states, slot * st.SIZE), shifted(all_keys, slot * st.KEYS)
        while status[slot] != WAITING and status[slot] != REFUSED:
            if status[slot] == IDLE:
                if queue[0] >= queue[1] or not has_room(record, rules):
                    break
                set_up(state, rules, keys, schedule, queue[0])
                queue[0] += 1
            answered = status[slot] == ANSWERED
            status[slot], answers[slot] = advance(
                state, rules, keys, seats, record, answered, answers[slot]
            )
            if status[slot] == FAILED:
                return -1
            if status[slot] == IDLE:
                write_game(record, state, rules)
        held += status[slot] != IDLE
    return held


@kernel
def gather(slots, tables, seat, decisions):
    """Collect the waiting decisions of a seat (-1: of both) for an agent; returns how many.

    ``offsets[n]`` is how many legal ids there are; those beyond ``len(ids)`` are only counted.
    """
    states, all_keys, ids = raw(slots.states), raw(slots.keys), raw(decisions.ids)
    n, end = 0, np.int64(0)
    decisions.offsets[0] = 0
    for slot in range(len(slots.status)):
        if slots.status[slot] != WAITING:
            continue
        state, keys = shifted(states, slot * st.SIZE), shifted(all_keys, slot * st.KEYS)
        role = state[st.DECIDER]
        if seat >= 0 and role ^ state[st.SEATING] != seat:
            continue
        view = view_of(state, role)
        for i in range(ix.VIEW_SIZE):
            decisions.views[n, i] = view[i]
        decisions.words[n] = decision_word(state, keys, role)
        room = len(decisions.ids) - end
        end += legal_moves(view, fixed(tables), shifted(ids, min(end, len(decisions.ids))), room)
        decisions.slots[n] = slot
        n += 1
        decisions.offsets[n] = end
    return n


@kernel
def give_up(slots, slot, reason):
    """The decider of a game that can't continue forfeits it."""
    state = shifted(raw(slots.states), slot * st.SIZE)
    forfeit(state, state[st.DECIDER], reason)
    slots.status[slot] = READY
