"""What may be played and taken, by plain enumeration: the oracle's combinatorics.

Written from docs/rules.md alone, without a look at the package's move tables.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Group = tuple[int, ...]
"""Cards that lie together: their geishas, ascending."""

Groups = tuple[Group, ...]
"""Groups in canonical order: by size, then by content."""


class Move(NamedTuple):
    """A kind of marker and the cards played with it, in groups."""

    kind: int
    groups: Groups


class Take(NamedTuple):
    """An answer to an offer: the sizes of the groups taken; the groups where they are face up."""

    sizes: tuple[int, ...]
    groups: Groups | None


def canonical(groups: Iterable[Iterable[int]]) -> Groups:
    """Put groups in canonical order."""
    return tuple(sorted((tuple(sorted(g)) for g in groups), key=lambda g: (len(g), g)))


@lru_cache(maxsize=100_000)
def divisions(cards: Group, sizes: tuple[int, ...], least: Group = ()) -> frozenset[Groups]:
    """Return all distinct ways to pick groups of these ascending sizes out of some cards.

    Groups of equal size are a set, so that only ascending ones are built: none before ``least``.
    """
    if not sizes:
        return frozenset({()})
    found = set()
    for group in set(combinations(cards, sizes[0])):
        if len(group) == len(least) and group < least:
            continue
        rest = without(cards, group)
        for others in divisions(rest, sizes[1:], group):
            found.add((group, *others))
    return frozenset(found)


def without(cards: Sequence[int], gone: Iterable[int]) -> Group:
    """Return the cards left when some are taken away; ValueError where one isn't there."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def takes(groups: Groups, choose: int) -> frozenset[Groups]:
    """Return the distinct sub-multisets of so many groups."""
    return frozenset(combinations(groups, choose))


def sizes_of(groups: Iterable[Group]) -> tuple[int, ...]:
    """Return the sizes of groups, ascending."""
    return tuple(sorted(len(group) for group in groups))
