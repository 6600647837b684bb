"""Agents that play at random: over physical cards and markers, or over distinct moves."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import njit, raw
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


@njit
def random_choice(view, v, tables, hand, h, word):  # type: ignore[no-untyped-def]
    """RULES 'Known figures': what random play decides in the view at ``view[v:]``.

    ``hand[h:]`` is scratch for G integers.
    """
    if view[v + ix.PHASE] == ix.RESPOND:
        return _random_response(view, v, tables, word)
    kinds, first_left = tables[ix.KINDS], v + ix.LEFT
    rows = ix.KIND_ROW
    cards_in_hand = view[v + ix.HAND_SIZE]
    markers = np.int64(0)
    for kind in range(kinds):
        if tables[rows + kind * ix.KIND_WIDTH + ix.KIND_CARDS] <= cards_in_hand:
            markers += view[first_left + kind]
    pick, bits = below(word, markers)
    row = rows
    for kind in range(kinds):
        row = rows + kind * ix.KIND_WIDTH
        if tables[row + ix.KIND_CARDS] <= cards_in_hand:
            pick -= view[first_left + kind]
            if pick < 0:
                break
    geishas = tables[ix.GEISHAS]
    for g in range(geishas):
        hand[h + g] = view[v + ix.HAND + g]
    step, state = tables[ix.STEP_AT], tables[row + ix.KIND_ROOT]
    for taken in range(tables[row + ix.KIND_CARDS]):
        pick, bits = below(bits, cards_in_hand - taken)
        g = 0
        while pick >= hand[h + g]:
            pick -= hand[h + g]
            g += 1
        hand[h + g] -= 1
        state = tables[step + state * geishas + g]
    return state


@njit
def _random_response(view, v, tables, word):  # type: ignore[no-untyped-def]
    """Uniform over the physical groups; equal ones share an id."""
    kind = view[v + ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    groups = (np.int64(1) << tables[row + ix.KIND_GROUPS]) - 1
    mask = choose_at_random(groups, tables[row + ix.KIND_CHOOSE], word)
    mask = as_distinct(mask, np.int64(same_groups(view, v, tables)))
    return tables[ix.MASK_RESPONSE + (kind << ix.MOST_GROUPS) + mask]


def _random(view, tables, weights, numbers, lanes, memory, word):  # type: ignore[no-untyped-def]
    return random_choice(raw(view), 0, raw(tables), raw(memory), 0, word)


def _random_move(view, tables, weights, numbers, lanes, memory, word):  # type: ignore[no-untyped-def]
    legal = legal_moves(raw(view), 0, raw(tables), raw(memory), 0, len(memory))
    return memory[below(word, legal)[0]]


class Random:
    """Uniform marker among the unused, then uniform cards; a uniform physical group of an offer."""

    kernel = staticmethod(_random)

    def prepare(self, game: Game) -> Parameters:
        """Scratch for a hand."""
        return Parameters(memory=game.geishas)


class RandomMove:
    """Uniform over the distinct legal moves."""

    kernel = staticmethod(_random_move)

    def prepare(self, game: Game) -> Parameters:
        """Scratch for all moves."""
        return Parameters(memory=game.moves + game.responses)
