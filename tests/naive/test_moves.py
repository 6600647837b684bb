"""The oracle's combinatorics against the counts of docs/rules.md, and small cases by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest

from hanamikoji.rules import PRESETS, Rules
from naive.moves import canonical, divisions, sizes_of, takes, without
from naive.script import groups

BASE = PRESETS["base"]
CARDS = tuple(g for g, items in enumerate(BASE.items) for _ in range(items))


def hands(size: int) -> dict[tuple[int, ...], Fraction]:
    """Return every distinct hand of base cards with its probability."""
    dealt = comb(len(CARDS), size)
    found = {}
    for counts in product(*(range(items + 1) for items in BASE.items)):
        if sum(counts) == size:
            ways = prod(comb(i, c) for i, c in zip(BASE.items, counts, strict=True))
            hand = tuple(g for g, count in enumerate(counts) for _ in range(count))
            found[hand] = Fraction(ways, dealt)
    return found


def first_turn(rules: Rules) -> tuple[int, float, list[float]]:
    """Return the most distinct first moves, their mean over deals, and the mean per action."""
    seven = hands(7)
    numbers = {hand: [len(divisions(hand, a.groups)) for a in rules.actions] for hand in seven}
    means = [sum(p * numbers[hand][k] for hand, p in seven.items()) for k in range(4)]
    most = max(sum(counts) for counts in numbers.values())
    return most, round(float(sum(means)), 1), [round(float(mean), 2) for mean in means]


def test_first_turn__base_counts() -> None:
    assert first_turn(BASE) == (168, 73.0, [4.89, 11.58, 17.17, 39.39])


def test_first_turn__avoid_misfortune_counts() -> None:
    assert first_turn(PRESETS["avoid-misfortune"])[:2] == (98, 50.8)


def test_first_turn__most_per_action() -> None:
    seven_geishas = tuple(range(7))
    assert [len(divisions(seven_geishas, a.groups)) for a in BASE.actions] == [7, 21, 35, 105]


def test_offers__known_counts() -> None:
    assert len(divisions(CARDS, (1, 1, 1))) == 81
    assert len(divisions(CARDS, (2, 2))) == 383


@pytest.mark.parametrize(
    ("cards", "sizes", "found"),
    [
        ("AAB", (1,), ["A", "B"]),
        ("AAB", (2,), ["AA", "AB"]),
        ("AAB", (1, 1), ["A A", "A B"]),
        ("AABB", (2, 2), ["AA BB", "AB AB"]),
        ("AABC", (2, 2), ["AA BC", "AB AC"]),
        ("ABCD", (2, 2), ["AB CD", "AC BD", "AD BC"]),
        ("AAB", (1, 2), ["A AB", "B AA"]),
        ("AABB", (1, 1, 2), ["A A BB", "A B AB", "B B AA"]),
        ("AB", (1, 1, 1), []),
    ],
)
def test_divisions__by_hand(cards: str, sizes: tuple[int, ...], found: list[str]) -> None:
    hand = tuple(ord(letter) - ord("A") for letter in cards)
    assert divisions(hand, sizes) == {groups(words) for words in found}


def test_divisions__are_canonical_and_in_hand() -> None:
    hand = (0, 0, 1, 2, 2, 2, 3)
    for sizes in ((1, 1, 1), (2, 2), (1, 2, 2), (1, 1, 1, 1), (3, 3)):
        for division in divisions(hand, sizes):
            assert division == canonical(division)
            assert sizes_of(division) == sizes
            without(hand, [card for group in division for card in group])


@pytest.mark.parametrize(
    ("offer", "choose", "found"),
    [
        ("A A B", 1, ["A", "B"]),
        ("A A B", 2, ["A A", "A B"]),
        ("A B C", 2, ["A B", "A C", "B C"]),
        ("AB AB", 1, ["AB"]),
        ("AB CD", 1, ["AB", "CD"]),
        ("A BC", 1, ["A", "BC"]),
    ],
)
def test_takes__distinct_sub_multisets(offer: str, choose: int, found: list[str]) -> None:
    assert takes(groups(offer), choose) == {groups(words) for words in found}


def test_without__refuses_a_card_that_is_not_there() -> None:
    assert without((0, 1, 1, 2), [1, 2]) == (0, 1)
    with pytest.raises(ValueError, match="not in list"):
        without((0, 1), [1, 1])


def test_divisions__equal_those_of_all_physical_orders() -> None:
    """An offer is what remains of an order of cards when pairs and their members have none."""
    hand = [0, 0, 1, 2, 2]
    seen = Counter()
    for picks in product(range(5), repeat=4):
        if len(set(picks)) == 4:
            a, b, c, d = (hand[pick] for pick in picks)
            seen[canonical([[a, b], [c, d]])] += 1
    assert set(seen) == divisions(tuple(hand), (2, 2))
