"""Move generation for one kind of action marker: a finite automaton and a threaded prefix tree.

A move is a multiset of cards divided into groups; groups of equal size are unordered. Its canonical
form lists the groups by size, equal sizes in lexicographic order, each group sorted. The prefixes
of canonical forms are the states of an automaton:

- ``step[state][card]`` accepts the cards in *any* order, group after group, and ends at the move:
  how an agent that picks physical cards finds the move's id without sorting;
- ``walk`` is the tree of canonical forms in preorder, threaded: where the hand lacks a node's card,
  ``skip`` leads past all moves that begin so. A walk meets each legal move once, needs no stack,
  and goes prefix by prefix, which is also how a network scores moves incrementally.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from hanamikoji.errors import RulesError
from hanamikoji.rules import Action
from hanamikoji.rules.counting import MOST_MOVES, count_distinct_moves

Groups = tuple[tuple[int, ...], ...]
Cards = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]

_BITS = 4  # of a card: there are at most 16 geishas


@dataclass(frozen=True, eq=False)
class KindTable:
    """The distinct moves of one kind with ``G`` geishas.

    States and moves are numbered from 0 within the kind; the root is state 0. ``step`` leads from
    states to states, and from states of the last card to moves; -1 where the cards don't exist.
    A node of ``walk`` is (card, how many of it the move has needed so far, index of the node to go
    on with if the hand has fewer, move or -1 before the last card).
    """

    sizes: tuple[int, ...]
    """Of the groups."""
    cards: Cards
    """int64 (moves, cards): each move's cards, group after group."""
    step: Int32
    """int32 (states, G)."""
    last_states: int
    """So many states, the last ones, read a last card."""
    walk: Int32
    """int32 (nodes, 4)."""

    @property
    def moves(self) -> tuple[Groups, ...]:
        """The moves as groups of cards."""
        bounds = _bounds(self.sizes)
        rows = self.cards.tolist()
        return tuple(tuple(tuple(row[i:j]) for i, j in bounds) for row in rows)

    def equal_groups(self, *, face_up: bool) -> Cards:
        """int64 (moves,): bit j: group j looks the same as group j - 1.

        That is of the same content face up, of the same size face down.
        """
        bits = np.zeros(len(self.cards), np.int64)
        for j, ((a, b), (c, d)) in enumerate(pairwise(_bounds(self.sizes)), 1):
            if b - a == d - c:
                alike = (self.cards[:, a:b] == self.cards[:, c:d]).all(axis=1) | (not face_up)
                bits |= alike.astype(np.int64) << j
        return bits


def _bounds(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Where each group of a move begins and ends."""
    return list(pairwise((0, *accumulate(sizes))))


def _packed(cards: Cards) -> Cards:
    """Rows of cards as one number each, which are in the same order."""
    places = _BITS * np.arange(cards.shape[1])[::-1]
    packed: Cards = (cards << places).sum(axis=1)
    return packed


def _canonical(cards: Cards, sizes: tuple[int, ...]) -> Cards:
    """The canonical forms, packed, of partial moves: rows of cards, group after group."""
    length = cards.shape[1]
    whole = [(i, j) for i, j in _bounds(sizes) if j <= length]
    begun = whole[-1][1] if whole else 0
    form = np.zeros(len(cards), np.int64)
    for size in dict.fromkeys(j - i for i, j in whole):
        alike = [_packed(np.sort(cards[:, i:j], axis=1)) for i, j in whole if j - i == size]
        for group in np.sort(np.stack(alike), axis=0):
            form = form << _BITS * size | group
    rest = _packed(np.sort(cards[:, begun:], axis=1))
    forms: Cards = form << _BITS * (length - begun) | rest
    return forms


@functools.lru_cache(maxsize=64)
def _kind_table(name: str, sizes: tuple[int, ...], items: tuple[int, ...]) -> KindTable:
    if count_distinct_moves(sizes, items) > MOST_MOVES:
        raise RulesError(
            f"action '{name}' has more than {MOST_MOVES:,} distinct moves with these items; give "
            "it fewer cards or groups, or the geishas fewer items"
        )
    level: Cards = np.zeros((1, 0), np.int64)  # the states that have read so many cards
    steps: list[Int32] = []
    states = 1
    for read in range(sum(sizes)):
        following, step = _read_card(level, sizes, items)
        last = read == sum(sizes) - 1
        steps.append(step if last else np.where(step < 0, -1, step + states))
        states += 0 if last else len(following)
        level = following
    return KindTable(
        sizes, level, np.concatenate(steps).astype(np.int32), len(steps[-1]), _threaded(level)
    )


def _read_card(level: Cards, sizes: tuple[int, ...], items: tuple[int, ...]) -> tuple[Cards, Int32]:
    """What partial moves become with one card more.

    Returns the new ones in lexicographic order, and for each old one and each card which of them it
    is, -1 where there is no such card.
    """
    geishas = np.arange(len(items))
    used = (level[:, :, None] == geishas).sum(axis=1)
    state, card = np.nonzero(used < np.asarray(items))
    forms = _canonical(np.concatenate([level[state], card[:, None]], axis=1), sizes)
    found, number = np.unique(forms, return_inverse=True)
    step = np.full(used.shape, -1, np.int32)
    step[state, card] = number
    places = _BITS * np.arange(level.shape[1] + 1)[::-1]
    return found[:, None] >> places & (1 << _BITS) - 1, step


def _threaded(moves: Cards) -> Int32:
    """The prefix tree of sorted moves of one length in preorder, see `KindTable.walk`."""
    count, length = moves.shape
    begins = np.ones((count, length), bool)  # where a move leaves the path of the one before it
    begins[1:] = np.logical_or.accumulate(moves[1:] != moves[:-1], axis=1)
    need = np.stack([(moves[:, : i + 1] == moves[:, i : i + 1]).sum(axis=1) for i in range(length)])
    number, depth = np.nonzero(begins)
    walk = np.empty((len(number), 4), np.int32)
    walk[:, 0] = moves[number, depth]
    walk[:, 1] = need[depth, number]
    walk[:, 3] = np.where(depth == length - 1, number, -1)
    for each in range(length):
        at = np.flatnonzero(depth == each)
        ends = np.append(np.flatnonzero(depth <= each), len(walk))
        walk[at, 2] = ends[np.searchsorted(ends, at, side="right")]
    return walk


def kind_table(action: Action, items: tuple[int, ...]) -> KindTable:
    """All distinct moves of an action when geisha ``g`` has ``items[g]`` item cards.

    Raises:
        RulesError: there are more than `MOST_MOVES`.
    """
    return _kind_table(action.name, action.groups, items)


def count_moves(action: Action, items: tuple[int, ...]) -> int:
    """How many distinct moves an action has in all.

    Raises:
        RulesError: there are more than `MOST_MOVES`.
    """
    return len(kind_table(action, items).cards)
