"""How many distinct moves an action has, counted without listing them.

A move is a multiset of cards divided into groups, groups of equal size unordered. Listing moves is
how `hanamikoji.moves` makes its tables; ten thousand variants of a sweep are checked by counting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product

MOST_MOVES = 200_000
"""An action with more distinct moves than this is refused."""

MOST_MOVES_IN_ALL = 500_000
"""A variant whose kinds of action together have more is refused."""


def count_moves_at_most(groups: Sequence[int], items: Sequence[int]) -> int:
    """An upper bound: multisets of cards from as many geishas, times the ways to group them."""
    cards = sum(groups)
    ways = math.factorial(cards)
    for size, alike in Counter(groups).items():
        ways //= math.factorial(size) ** alike * math.factorial(alike)
    return math.comb(len(items) + cards - 1, cards) * ways


def count_distinct_moves(groups: Sequence[int], items: Sequence[int]) -> int:
    """The number of distinct moves of an action that divides its cards into groups of these sizes.

    Geisha ``g`` has ``items[g]`` item cards.
    """
    return _count(tuple(sorted(groups)), tuple(sorted(items)))


@lru_cache(maxsize=4096)
def _count(groups: tuple[int, ...], items: tuple[int, ...]) -> int:
    """Count unordered groups by Burnside's lemma.

    It is the average, over the permutations of groups of equal size, of the number of divisions
    that the permutation leaves as they are.
    """
    alike = Counter(groups)
    singles = alike.pop(1, 0)  # any number of single cards is one multiset of as many
    total = Fraction(0)
    for types in product(*(_cycle_types(count) for count in alike.values())):
        share = Fraction(1)
        cycles = [(singles, 1)] if singles else []  # (cards in each group, groups in the cycle)
        for size, (lengths, weight) in zip(alike, types, strict=True):
            share *= weight
            cycles += [(size, length) for length in lengths]
        total += share * _count_ordered(tuple(cycles), items)
    return int(total)


def _cycle_types(count: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """The cycle lengths that permutations of ``count`` things have, and what share of them do."""
    for lengths in _partitions(count, count):
        size = math.prod(
            length**times * math.factorial(times) for length, times in Counter(lengths).items()
        )
        yield lengths, Fraction(1, size)


def _partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        yield from ((first, *rest) for rest in _partitions(total - first, first))


def _count_ordered(cycles: tuple[tuple[int, int], ...], items: tuple[int, ...]) -> int:
    """Ways to fill one group for each (size, weight), where a card in it takes ``weight`` items."""
    ways: Counter[tuple[int, ...]] = Counter({tuple(size for size, _ in cycles): 1})
    weights = [weight for _, weight in cycles]
    for stock in items:
        after: Counter[tuple[int, ...]] = Counter()
        for open_places, count in ways.items():
            for takes in _takes(open_places, weights, stock):
                left = tuple(p - t for p, t in zip(open_places, takes, strict=True))
                after[left] += count
        ways = after
    return ways[(0,) * len(cycles)]


def _takes(
    places: tuple[int, ...], weights: Sequence[int], stock: int
) -> Iterator[tuple[int, ...]]:
    if not places:
        yield ()
        return
    for take in range(min(places[0], stock // weights[0]) + 1):
        for rest in _takes(places[1:], weights[1:], stock - take * weights[0]):
            yield (take, *rest)
