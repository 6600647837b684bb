"""Compile rules to tables: all that kernels know about a variant, as one flat int32 array."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.moves import index as ix
from hanamikoji.moves.kinds import KindTable, kind_table
from hanamikoji.rules import Action, Rules

Int32 = npt.NDArray[np.int32]

_CHOOSERS = ("nobody", "opponent", "chance")
_PLACES = ("actor", "opponent", "out")
_PREVAILS = {"charm": ix.PREVAILS_CHARM, "geishas": ix.PREVAILS_GEISHAS}
_TIEBREAKS = {
    "geishas": ix.TIEBREAK_GEISHAS,
    "charm": ix.TIEBREAK_CHARM,
    "highest-geisha": ix.TIEBREAK_HIGHEST,
}
_STARTERS = {
    "alternate": ix.STARTER_ALTERNATE,
    "same": ix.STARTER_SAME,
    "winner": ix.STARTER_WINNER,
    "loser": ix.STARTER_LOSER,
    "random": ix.STARTER_RANDOM,
}
_MARKERS = {"none": 0, "starter": 1, "second": -1}


@functools.lru_cache(maxsize=64)
def build_tables(rules: Rules) -> Int32:
    """The tables of a variant, int32 (T,): see `hanamikoji.moves.index` for what is where.

    Raises:
        RulesError: a kind has too many distinct moves.
    """
    deck = np.repeat(np.arange(len(rules.items)), rules.items).astype(np.int32)
    actions = _action_tables(rules.kinds, rules.items)
    tables = np.concatenate([actions, deck])
    tables[ix.DECK_AT] = len(actions)
    tables[ix.TABLES_SIZE] = len(tables)
    _set_rules(tables, rules)
    return tables


@functools.lru_cache(maxsize=16)
def _action_tables(actions: tuple[Action, ...], items: tuple[int, ...]) -> Int32:
    """What depends on the kinds of action alone, which most variants of a sweep share."""
    kinds = [kind_table(action, items) for action in actions]
    parts = _Parts()
    _add_kinds(parts, actions, kinds)
    _add_automaton(parts, kinds)
    return parts.join()


class _Parts:
    """The header and the longer tables behind it, while they are put together."""

    def __init__(self) -> None:
        self.header = np.zeros(ix.TABLES_HEADER, np.int32)
        self._tables: list[Int32] = []
        self._size = ix.TABLES_HEADER

    def add(self, place: int, values: Any) -> None:
        table = np.asarray(values, np.int32).ravel()
        self.header[place] = self._size
        self._tables.append(table)
        self._size += len(table)

    def join(self) -> Int32:
        return np.concatenate([self.header, *self._tables])


def _set_rules(header: Int32, rules: Rules) -> None:
    header[ix.GEISHAS] = len(rules.charm)
    header[ix.KINDS] = len(rules.kinds)
    header[ix.CARDS] = sum(rules.items)
    header[ix.HAND_CARDS] = rules.hand
    header[ix.REMOVED] = rules.removed
    header[ix.DRAW] = rules.draw
    header[ix.TURNS] = np.sum(rules.marker_counts)
    header[ix.GOAL_CHARM] = rules.goals.charm or 0
    header[ix.GOAL_GEISHAS] = rules.goals.geishas or 0
    header[ix.PREVAILS] = _PREVAILS[rules.goals.prevails]
    header[ix.MAX_ROUNDS] = rules.max_rounds or 0
    header[ix.MIN_ROUNDS] = rules.min_rounds
    for i, name in enumerate(rules.cap_tiebreak):
        header[ix.TIEBREAK + i] = _TIEBREAKS[name]
    header[ix.NEXT_STARTER] = _STARTERS[rules.next_starter]
    header[ix.KEEP_MARKERS] = int(rules.keep_markers)
    header[ix.ROUND_LIMIT] = rules.round_limit
    for g, marker in enumerate(rules.markers):
        header[ix.GEISHA_CHARM + g] = rules.charm[g]
        header[ix.GEISHA_ITEMS + g] = rules.items[g]
        header[ix.GEISHA_INITIAL + g] = _MARKERS[marker]
    for first_or_second, counts in enumerate(rules.marker_counts):
        at = ix.MARKERS_OF + first_or_second * ix.MOST_KINDS
        header[at : at + len(counts)] = counts


def _kind_row(action: Action) -> list[int]:
    """What is in a kind's row before its moves, states and responses are numbered."""
    row = [0] * ix.KIND_WIDTH
    row[ix.KIND_CARDS] = action.cards
    row[ix.KIND_UP] = int(action.face == "up")
    row[ix.KIND_GROUPS] = len(action.groups)
    row[ix.KIND_CHOOSER] = _CHOOSERS.index(action.chooser)
    row[ix.KIND_CHOOSE] = action.choose
    row[ix.KIND_CHOSEN_TO] = _PLACES.index(action.chosen_to or action.rest_to)
    row[ix.KIND_REST_TO] = _PLACES.index(action.rest_to)
    row[ix.KIND_EXCHANGE] = int(action.exchange)
    chosen, rest = row[ix.KIND_CHOSEN_TO], row[ix.KIND_REST_TO]
    blind = action.chooser != "nobody" and action.face == "down" and not action.actor_sees
    row[ix.KIND_HIDES] = int(blind and chosen != rest)
    row[ix.KIND_CHOSEN_WAY : ix.KIND_REST_WAY] = _way(action, chosen)
    row[ix.KIND_REST_WAY : ix.KIND_REST_WAY + 3] = _way(action, rest)
    return row


def _way(action: Action, place: int) -> tuple[int, int, int]:
    """How a card is put down that goes to a place: see `index.WAY_SIDE`."""
    side = {ix.TO_ACTOR: 1, ix.TO_OPPONENT: -1}.get(place, 0)
    # MINE, THEIRS, OUT (and their face-down twins) follow each other, as wide as one another.
    mine = ix.MINE if action.face == "up" else ix.DOWN_MINE
    theirs = place if place == ix.TO_OUT else 1 - place
    return side, mine + place * ix.MOST_GEISHAS, ix.MINE + theirs * ix.MOST_GEISHAS


def _add_kinds(parts: _Parts, actions: Sequence[Action], kinds: Sequence[KindTable]) -> None:
    """Number the moves and responses of all kinds in a row, and describe each."""
    header = parts.header
    rows = header[ix.KIND_ROW : ix.KIND_GROUP].reshape(ix.MOST_KINDS, ix.KIND_WIDTH)
    group = header[ix.KIND_GROUP : ix.MASK_RESPONSE].reshape(ix.MOST_KINDS, ix.MOST_CARDS)
    answers = header[ix.MASK_RESPONSE :].reshape(ix.MOST_KINDS, 2**ix.MOST_GROUPS)
    answers[:] = -1
    moves = sum(len(kind.cards) for kind in kinds)
    cards = np.zeros((moves, ix.MOST_CARDS), np.int32)
    masks: list[int] = []
    first = 0
    for k, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
        rows[k] = _kind_row(action)
        rows[k, ix.KIND_MOVE] = first
        rows[k, ix.KIND_MOVES] = len(kind.cards)
        rows[k, ix.KIND_EQUAL] = kind.equal_groups(face_up=False)[0]
        group[k, : action.cards] = np.repeat(np.arange(len(action.groups)), action.groups)
        cards[first : first + len(kind.cards), : action.cards] = kind.cards
        first += len(kind.cards)
        rows[k, ix.KIND_RESPONSE] = len(masks)
        if action.chooser != "nobody":  # chance is never asked, but what it took is told alike
            for chosen in combinations(range(len(action.groups)), action.choose):
                mask = sum(1 << j for j in chosen)
                answers[k, mask] = moves + len(masks)
                masks.append(mask)
        rows[k, ix.KIND_RESPONSES] = len(masks) - rows[k, ix.KIND_RESPONSE]
    header[ix.MOVES] = moves
    header[ix.RESPONSES] = len(masks)
    header[ix.EXCHANGES] = int(any(action.exchange for action in actions))
    parts.add(ix.MOVE_CARDS_AT, cards)
    places = 4 * np.arange(ix.MOST_CARDS, dtype=np.uint32)
    packed = (cards.astype(np.uint32) << places).sum(axis=1, dtype=np.uint32)
    parts.add(ix.MOVE_PACKED_AT, packed.view(np.int32))
    parts.add(ix.MOVE_KIND_AT, np.repeat(range(len(kinds)), [len(kind.cards) for kind in kinds]))
    equal = [
        kind.equal_groups(face_up=action.face == "up")
        for action, kind in zip(actions, kinds, strict=True)
    ]
    parts.add(ix.MOVE_EQUAL_AT, np.concatenate(equal))
    parts.add(ix.RESPONSE_MASK_AT, masks)


def _add_automaton(parts: _Parts, kinds: Sequence[KindTable]) -> None:
    """Number the states, nodes and moves of all kinds in a row; last cards lead to move ids."""
    steps: list[Int32] = []
    walks: list[Int32] = []
    rows = parts.header[ix.KIND_ROW : ix.KIND_GROUP].reshape(ix.MOST_KINDS, ix.KIND_WIDTH)
    first_state = first_move = first_node = 0
    for row, kind in zip(rows, kinds, strict=False):
        row[ix.KIND_ROOT] = first_state
        row[ix.KIND_WALK : ix.KIND_WALK + 2] = first_node, first_node + len(kind.walk)
        offset = np.full((len(kind.step), 1), first_state)
        offset[-kind.last_states :] = first_move
        steps.append(np.where(kind.step < 0, -1, kind.step + offset).astype(np.int32).ravel())
        walk = kind.walk.copy()
        walk[:, ix.WALK_SKIP] += first_node
        walk[:, ix.WALK_MOVE] += np.where(walk[:, ix.WALK_MOVE] < 0, 0, first_move)
        walks.append(walk.ravel())
        first_state += len(kind.step)
        first_move += len(kind.cards)
        first_node += len(kind.walk)
    parts.add(ix.STEP_AT, np.concatenate(steps))
    parts.add(ix.WALK_AT, np.concatenate(walks))
