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

from hanamikoji.errors import RulesError
from hanamikoji.rules import Action
from hanamikoji.rules.counting import MOST_MOVES, count_distinct_moves

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class KindTable:
    """The distinct moves of one kind with ``G`` geishas.

    States and moves are numbered from 0 within the kind; the root is state 0. ``step`` leads from
    states to states, and from states of the last card to moves; -1 where the cards don't exist.
    A node of ``walk`` is (card, how many of it the move has needed so far, index of the node to go
    on with if the hand has fewer, move or -1 before the last card).
    """

    moves: tuple[Groups, ...]
    step: tuple[tuple[int, ...], ...]
    depth: tuple[int, ...]
    """How many cards each state has read."""
    walk: tuple[tuple[int, int, int, int], ...]


def _canonical(cards: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The canonical form of a partial move: its cards, group after group, in any order."""
    groups: list[tuple[int, ...]] = []
    at = 0
    for size in sizes:
        if at + size > len(cards):
            break
        groups.append(tuple(sorted(cards[at : at + size])))
        at += size
    groups.sort(key=lambda group: (len(group), group))
    return (*(card for group in groups for card in group), *sorted(cards[at:]))


@functools.lru_cache(maxsize=4096)
def _kind_table(name: str, sizes: tuple[int, ...], items: tuple[int, ...]) -> KindTable:
    if count_distinct_moves(sizes, items) > MOST_MOVES:
        raise RulesError(
            f"action '{name}' has more than {MOST_MOVES:,} distinct moves with these items; give "
            "it fewer cards or groups, or the geishas fewer items"
        )
    level: dict[tuple[int, ...], int] = {(): 0}
    prefixes: list[tuple[int, ...]] = [()]
    step: list[tuple[int, ...]] = []
    depth: list[int] = []
    moves: list[tuple[int, ...]] = []
    for read in range(sum(sizes)):
        last = read == sum(sizes) - 1
        following: dict[tuple[int, ...], int] = {}
        # Canonical order within a level makes ids of the last level lexicographic.
        target = moves if last else prefixes
        for state in sorted(
            {
                _canonical((*prefix, card), sizes)
                for prefix in level
                for card in range(len(items))
                if prefix.count(card) < items[card]
            }
        ):
            following[state] = len(target)
            target.append(state)
        for prefix in level:
            row = tuple(
                following[_canonical((*prefix, card), sizes)]
                if prefix.count(card) < items[card]
                else -1
                for card in range(len(items))
            )
            step.append(row)
            depth.append(read)
        level = following
    return KindTable(
        tuple(_split(move, sizes) for move in moves), tuple(step), tuple(depth), _threaded(moves)
    )


def _threaded(moves: list[tuple[int, ...]]) -> tuple[tuple[int, int, int, int], ...]:
    """The prefix tree of sorted moves of one length in preorder, see `KindTable.walk`."""
    nodes: list[tuple[int, int, int]] = []  # card, need, move
    depths: list[int] = []
    previous: tuple[int, ...] = ()
    for number, move in enumerate(moves):
        shared = next(
            (i for i, pair in enumerate(zip(move, previous, strict=False)) if pair[0] != pair[1]),
            len(previous),
        )
        for i in range(shared, len(move)):
            last = i == len(move) - 1
            nodes.append((move[i], move[: i + 1].count(move[i]), number if last else -1))
            depths.append(i)
        previous = move
    skip = [len(nodes)] * len(nodes)
    following: dict[int, int] = {}  # depth -> the next node at that depth or above it
    for at in range(len(nodes) - 1, -1, -1):
        skip[at] = min((i for d, i in following.items() if d <= depths[at]), default=len(nodes))
        following[depths[at]] = at
    return tuple((card, need, to, move) for (card, need, move), to in zip(nodes, skip, strict=True))


def _split(cards: tuple[int, ...], sizes: tuple[int, ...]) -> Groups:
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return tuple(cards[end - size : end] for end, size in zip(ends, sizes, strict=True))


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
    return len(kind_table(action, items).moves)


def equal_neighbours(groups: Groups, *, face_up: bool) -> int:
    """Bit j: group j looks the same as group j - 1 (content face up, size face down)."""
    return sum(
        1 << j
        for j in range(1, len(groups))
        if (groups[j] == groups[j - 1] if face_up else len(groups[j]) == len(groups[j - 1]))
    )
