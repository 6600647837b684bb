"""Agents that play at random: over physical cards and markers, or over distinct moves."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import fixed, inline, njit, raw
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine.rng import below
from hanamikoji.engine.turns import (
    as_distinct,
    choose_at_random,
    legal_moves,
    same_groups,
)
from hanamikoji.moves import index as ix

__all__ = ["Random", "RandomMove", "random_choice"]


@inline
def random_choice(view, v, tables, word):
    """RULES 'Known figures': what random play decides in the view at ``view[v:]``."""
    if view[v + ix.PHASE] == ix.RESPOND:
        return _random_response(view, v, tables, word)
    cards_in_hand = view[v + ix.HAND_SIZE]
    low, high = _marker_sums(view, v, tables, cards_in_hand)
    kind, bits = below(word, max(low, high) >> _TOP)
    kind = _count_reached(low, kind) + (_count_reached(high, kind) if tables[ix.KINDS] > 8 else 0)
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    geishas = tables[ix.GEISHAS]
    low, high = _prefix_sums(view, v + ix.HAND, geishas)
    if cards_in_hand >= _MOST_COMPARED:
        return _from_many(low, high, tables, row, cards_in_hand, bits)
    step, state = tables[ix.STEP_AT], tables[row + ix.KIND_ROOT]
    for taken in range(ix.MOST_CARDS):
        if taken >= tables[row + ix.KIND_CARDS]:
            break
        pick, bits = below(bits, cards_in_hand - taken)
        g = _count_reached(low, pick)
        if g < 8:
            low -= _ONES << (_EIGHT * np.uint64(g))
            high -= _ONES
        else:
            g += _count_reached(high, pick)
            high -= _ONES << (_EIGHT * np.uint64(g - 8))
        state = tables[step + state * geishas + g]
    return state


@njit
def _from_many(low, high, tables, row, cards_in_hand, bits):
    """Goes on as `random_choice` does, sum by sum: a hand too large to compare them at once."""
    geishas = tables[ix.GEISHAS]
    step, state = tables[ix.STEP_AT], tables[row + ix.KIND_ROOT]
    for taken in range(tables[row + ix.KIND_CARDS]):
        pick, bits = below(bits, cards_in_hand - taken)
        g = 0
        while pick >= _sum_at(low, high, g):
            g += 1
        if g < 8:
            low -= _ONES << (_EIGHT * np.uint64(g))
            high -= _ONES
        else:
            high -= _ONES << (_EIGHT * np.uint64(g - 8))
        state = tables[step + state * geishas + g]
    return state


@inline
def _sum_at(low, high, g):
    """The running sum of geisha ``g``."""
    sums = low if g < 8 else high
    return np.int64((sums >> (_EIGHT * np.uint64(g & 7))) & np.uint64(255))


# The hand as running sums, one byte a geisha in two words: finding the geisha of the i-th card is
# then a handful of instructions and no loop whose end the processor can't foresee.
_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_MOST_COMPARED = 128  # what `_count_reached` compares is below this
_EIGHT, _SEVEN, _TOP = np.uint64(8), np.uint64(7), np.uint64(56)


@inline
def _prefix_sums(view, hand, geishas):
    """Byte g of the two words: how many cards are of geishas 0 to g."""
    low = high = np.uint64(0)
    for g in range(8):
        low |= np.uint64(view[hand + g]) << np.uint64(8 * g)
    low *= _ONES
    if geishas > 8:
        for g in range(8):
            high |= np.uint64(view[hand + 8 + g]) << np.uint64(8 * g)
        high = high * _ONES + (low >> _TOP) * _ONES
    return low, high


@inline
def _marker_sums(view, v, tables, cards_in_hand):
    """Byte k of the two words: how many unused markers are of kinds 0 to k, and playable."""
    low = high = np.uint64(0)
    for k in range(8):
        playable = tables[ix.KIND_ROW + k * ix.KIND_WIDTH + ix.KIND_CARDS] <= cards_in_hand
        low |= np.uint64(view[v + ix.LEFT + k] * playable) << np.uint64(8 * k)
    low *= _ONES
    if tables[ix.KINDS] > 8:
        for k in range(8):
            row = ix.KIND_ROW + (8 + k) * ix.KIND_WIDTH
            playable = tables[row + ix.KIND_CARDS] <= cards_in_hand
            high |= np.uint64(view[v + ix.LEFT + 8 + k] * playable) << np.uint64(8 * k)
        high = high * _ONES + (low >> _TOP) * _ONES
    return low, high


@inline
def _count_reached(sums, pick):
    """How many of the eight sums are not above ``pick``."""
    reached = ((np.uint64(pick) * _ONES | _HIGHS) - sums) & _HIGHS
    return np.int64(((reached >> _SEVEN) * _ONES) >> _TOP)


@njit
def _random_response(view, v, tables, word):
    """Uniform over the physical groups; equal ones share an id."""
    kind = view[v + ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    groups = tables[row + ix.KIND_GROUPS]
    if tables[row + ix.KIND_CHOOSE] == 1:
        mask = np.int64(1) << below(word, groups)[0]
    else:
        mask = choose_at_random((np.int64(1) << groups) - 1, tables[row + ix.KIND_CHOOSE], word)
    mask = as_distinct(mask, np.int64(same_groups(view, v, tables)))
    return tables[ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + mask]


def _random(view, tables, weights, numbers, lanes, memory, word):
    return random_choice(raw(view), 0, fixed(tables), word)


def _random_move(view, tables, weights, numbers, lanes, memory, word):
    legal = legal_moves(raw(view), 0, fixed(tables), raw(memory), 0, len(memory))
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
