"""Kernels that write what a run keeps: a row for each game, round and decision."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import inline, njit, raw
from hanamikoji.engine import state as st
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import legal_moves
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

ROUNDS, MOVES = range(2)
"""Entries of `Record.written`."""


class Record(NamedTuple):
    """What a run keeps, and how much of it is written.

    Games run interleaved, so rounds and moves are rows in no order of games. ``spare`` is the
    number of rounds whose rows must fit before a game begins; 0: the caller makes room.
    """

    games: tuple[Any, ...]  # the arrays of `GAME_COLUMNS`
    rounds: Any  # int64 (rows, ROUND_COLUMNS)
    moves: Any  # int32 (rows, MOVE_COLUMNS)
    written: Any  # int64 [2], rows written so far, see ROUNDS and MOVES
    keeps_rounds: bool
    keeps_moves: bool
    spare: int


def game_arrays(games: int) -> tuple[Any, ...]:
    """Room for this many games: the arrays of `GAME_COLUMNS`."""
    return tuple(np.zeros((len(names), games), kind) for kind, names in GAME_COLUMNS.items())


def game_columns(arrays: tuple[Any, ...]) -> dict[str, Any]:
    """The arrays of `GAME_COLUMNS` by name, a view each."""
    columns = {
        name: column
        for array, names in zip(arrays, GAME_COLUMNS.values(), strict=True)
        for name, column in zip(names, array, strict=True)
    }
    columns["goal_conflict"] = columns["goal_conflict"].view(np.bool_)
    return columns


def new_record(games: int, *, rounds: bool, moves: bool) -> Record:
    """An empty record of this many games that keeps ``rounds`` and ``moves`` or doesn't."""
    return Record(
        games=game_arrays(games),
        rounds=np.zeros((1, len(ROUND_COLUMNS)), np.int64),
        moves=np.zeros((1, len(MOVE_COLUMNS)), np.int32),
        written=np.zeros(2, np.int64),
        keeps_rounds=rounds,
        keeps_moves=moves,
        spare=0,
    )


@inline
def has_room(record, tables):
    """Whether the record has room for a game more."""
    rounds = record.written[ROUNDS] + record.spare
    moves = record.written[MOVES] + record.spare * 2 * tables[ix.TURNS]
    return record.spare == 0 or (rounds <= len(record.rounds) and moves <= len(record.moves))


@njit
def write_move(record, state, tables, role, choice):
    """Write the row of a decision that may yet turn out illegal; returns the legal moves.

    The row only counts once `count_move` is called.
    """
    legal = legal_moves(view_of(state, role), tables, raw(record.written), 0)
    if record.keeps_moves:
        row = record.moves[record.written[MOVES]]
        row[0] = state[st.GAME]
        row[1] = state[st.ROUND]
        row[2] = state[st.TURN]
        row[3] = state[st.DECISIONS + role]
        row[4] = role
        row[5] = state[st.PHASE]
        row[6] = choice
        row[7] = legal
    return legal


@inline
def count_move(record, state, role, legal):
    """Count a decision that was carried out."""
    state[st.LEGAL + role] += legal
    record.written[MOVES] += record.keeps_moves


@njit
def write_round(record, state, tables):
    """Write the row of a round that has just been scored."""
    row = record.rounds[record.written[ROUNDS]]
    row[0] = state[st.GAME]
    row[1] = state[st.ROUND]
    row[2] = state[st.STARTER]
    for role in range(2):
        row[3 + role] = _favor_mask(view_of(state, role), tables)
        row[5 + role] = _order(view_of(state, role), tables)
        row[7 + role] = state[st.DECISIONS + role]
        row[9 + role] = state[st.LEGAL + role]
    record.written[ROUNDS] += 1


@inline
def write_game(record, state, tables):
    """Write the entries of a game that is over into its columns."""
    row = state[st.GAME]
    view = view_of(state, 0)
    narrow, middle, wide = record.games
    narrow[0, row] = state[st.OUTCOME]
    narrow[1, row] = state[st.REASON]
    narrow[2, row] = view[ix.FAVOR]
    narrow[3, row] = view[ix.THEIR_FAVOR]
    narrow[4, row] = state[st.CONFLICT]
    narrow[5, row] = state[st.OPENING]
    narrow[6, row] = state[st.OPENING + 1]
    middle[0, row] = state[st.ROUND]
    middle[1, row] = view[ix.CHARM]
    middle[2, row] = view[ix.THEIR_CHARM]
    middle[3, row] = state[st.LEAD_CHANGES]
    wide[0, row] = _favor_mask(view, tables)
    wide[1, row] = _favor_mask(view_of(state, 1), tables)


@inline
def _favor_mask(view, tables):
    """Bit g: the player of this view has the marker of geisha g."""
    mask = np.int32(0)
    for g in range(tables[ix.GEISHAS]):
        mask |= np.int32(view[ix.MARKERS + g] > 0) << g
    return mask


@njit
def _order(view, tables):
    """The kinds a player used this round in order, 5 bits each, 1 + kind, the first lowest."""
    order, at = np.int64(0), 0
    for turn in range(tables[ix.TURNS]):
        entry = ix.HISTORY + turn * ix.HISTORY_WIDTH
        if view[entry + ix.HISTORY_ACTOR] == ix.ONESELF:
            order |= np.int64(view[entry + ix.HISTORY_KIND]) << at
            at += 5
    return order
