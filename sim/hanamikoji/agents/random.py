"""Agents that play at random: over physical cards and markers, or over distinct moves."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import fixed, inline, njit, raw
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine.groups import choose_at_random, count_bits
from hanamikoji.engine.rng import below
from hanamikoji.engine.turns import as_distinct, legal_moves, same_groups
from hanamikoji.moves import index as ix

__all__ = ["Random", "RandomMove", "random_choice"]


@inline
def random_choice(view, tables, word):
    """RULES 'Known figures': what random play decides in a view."""
    if view[ix.PHASE] == ix.RESPOND:
        return _random_response(view, tables, word)
    hand = view[ix.HAND_SIZE]
    kind, bits = _pick_marker(view, tables, hand, word)
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    if hand >= _MOST_COMPARED:
        return _from_many(view, tables, row, bits)
    geishas = tables[ix.GEISHAS]
    low, high = _running_sums(view, geishas)
    step, state = tables[ix.STEP_AT], tables[row + ix.KIND_ROOT]
    for taken in range(ix.MOST_CARDS):
        if taken >= tables[row + ix.KIND_CARDS]:
            break
        pick, bits = below(bits, hand - taken)
        passed = _passed(low, pick)
        low -= passed ^ _ONES
        g = count_bits(np.int64(passed))
        if geishas > 8:
            passed = _passed(high, pick)
            high -= passed ^ _ONES
            g += count_bits(np.int64(passed))
        state = tables[step + state * geishas + g]
    return state


@njit
def _from_many(view, tables, row, bits):
    """Goes on as `random_choice` does, sum by sum: a hand too large to compare them at once."""
    geishas, hand = tables[ix.GEISHAS], view[ix.HAND_SIZE]
    step, state = tables[ix.STEP_AT], tables[row + ix.KIND_ROOT]
    taken = np.uint64(0)  # four bits a geisha
    for i in range(tables[row + ix.KIND_CARDS]):
        pick, bits = below(bits, hand - i)
        g = 0
        here = view[ix.HAND] - np.int64(taken & np.uint64(15))
        while pick >= here:
            pick -= here
            g += 1
            here = view[ix.HAND + g] - np.int64((taken >> np.uint64(4 * g)) & np.uint64(15))
        taken += np.uint64(1) << np.uint64(4 * g)
        state = tables[step + state * geishas + g]
    return state


@inline
def _playable(view, tables, kind, hand):
    """How many unused markers of a kind may be played with so many cards in hand."""
    enough = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS] <= hand
    return view[ix.LEFT + kind] * np.int32(enough)


@inline
def _pick_marker(view, tables, hand, word):
    """The kind of a random one of the markers that may be played, and the word's other bits.

    Loops of fixed length, the second seldom needed: their ends need not be foreseen.
    """
    many = tables[ix.KINDS] > _FEW
    total = np.int32(0)
    for k in range(_FEW):
        total += _playable(view, tables, k, hand)
    if many:
        for k in range(_FEW, ix.MOST_KINDS):
            total += _playable(view, tables, k, hand)
    pick, bits = below(word, total)
    kind, passed = 0, np.int32(0)
    for k in range(_FEW):
        passed += _playable(view, tables, k, hand)
        kind += passed <= pick
    if many:
        for k in range(_FEW, ix.MOST_KINDS):
            passed += _playable(view, tables, k, hand)
            kind += passed <= pick
    return kind, bits


# The hand as running sums, one byte a geisha in two words: finding the geisha of the i-th card is
# then a handful of instructions and no loop whose end the processor can't foresee.
_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_MOST_COMPARED = 128  # what `_passed` compares is below this
_SEVEN, _TOP = np.uint64(7), np.uint64(56)
_FEW = 4


@inline
def _running_sums(view, geishas):
    """Byte g of the two words: how many cards are of geishas 0 to g."""
    low = high = np.uint64(0)
    for g in range(8):
        low |= np.uint64(view[ix.HAND + g]) << np.uint64(8 * g)
    low *= _ONES
    if geishas > 8:
        for g in range(8):
            high |= np.uint64(view[ix.HAND + 8 + g]) << np.uint64(8 * g)
        high = (high + (low >> _TOP)) * _ONES
    return low, high


@inline
def _passed(sums, pick):
    """The lowest bit of each byte whose sum is not above ``pick``."""
    return (((np.uint64(pick) * _ONES | _HIGHS) - sums) >> _SEVEN) & _ONES


@njit
def _random_response(view, tables, word):
    """Uniform over the physical groups; equal ones share an id."""
    kind = view[ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    groups = tables[row + ix.KIND_GROUPS]
    if tables[row + ix.KIND_CHOOSE] == 1:
        mask = np.int64(1) << below(word, groups)[0]
    else:
        mask = choose_at_random((np.int64(1) << groups) - 1, tables[row + ix.KIND_CHOOSE], word)
    mask = as_distinct(mask, np.int64(same_groups(view, tables)))
    return tables[ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + mask]


def _random(view, tables, weights, numbers, lanes, memory, word):
    return random_choice(raw(view), fixed(tables), word)


def _random_move(view, tables, weights, numbers, lanes, memory, word):
    legal = legal_moves(raw(view), fixed(tables), raw(memory), len(memory))
    return memory[below(word, legal)[0]]


class Random:
    """Uniform marker among the unused, then uniform cards; a uniform physical group of an offer."""

    kernel = staticmethod(_random)


class RandomMove:
    """Uniform over the distinct legal moves."""

    kernel = staticmethod(_random_move)

    def prepare(self, game: Game) -> Parameters:
        """Scratch for all moves."""
        return Parameters(memory=game.moves + game.responses)
