"""The engine's randomness over Python's unbounded integers, written from rng.py's docstring."""

from __future__ import annotations

import hashlib

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
SHUFFLE, CHANCE, STARTER = 0, 1, 2


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def splitmix(seed: int, count: int) -> list[int]:
    """The first outputs of the SplitMix64 generator, as its authors' program has them."""
    words = []
    for _ in range(count):
        seed = (seed + GOLDEN) & MASK
        words.append(mix(seed))
    return words


def word(key: int, n: int) -> int:
    return mix((key + (n + 1) * GOLDEN) & MASK)


def fold(key: int, n: int) -> int:
    return mix((mix(key ^ GOLDEN) + n * GOLDEN) & MASK)


def deal_key(seed: int, deal: int) -> int:
    return fold(fold(seed, 1), deal)


def round_key(seed: int, deal: int, number: int, purpose: int) -> int:
    return fold(deal_key(seed, deal), number * 4 + purpose)


def decision_word(seed: int, who: tuple[str, int, int], number: int, decision: int) -> int:
    """The word of a name's decision in a role, a deal and a round."""
    name, role, deal = who
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    agent = fold(fold(seed, 2), int.from_bytes(digest, "little"))
    return word(fold(fold(fold(agent, role), deal), number), decision)


class Draws:
    """Bounded draws from a key's words, several from one while their product stays below 2^32."""

    def __init__(self, key: int) -> None:
        self._key, self._used, self._product = key, 0, 1
        self._bits = word(key, 0)

    def below(self, n: int) -> int:
        self._product *= n
        if self._product > 2**32:
            self._used += 1
            self._bits = word(self._key, self._used)
            self._product = n
        number, self._bits = divmod(self._bits * n, 2**64)
        return number


def shuffled(cards: list[int], key: int) -> list[int]:
    draws = Draws(key)
    cards = list(cards)
    for i in range(len(cards) - 1):
        j = i + draws.below(len(cards) - i)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def subset(groups: int, choose: int, bits: int) -> int:
    """A mask of so many out of the first ``groups`` groups."""
    left = list(range(groups))
    mask = 0
    for _ in range(choose):
        pick, bits = divmod(bits * len(left), 2**64)
        mask |= 1 << left.pop(pick)
    return mask
