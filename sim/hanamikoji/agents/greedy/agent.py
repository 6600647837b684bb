"""Kernels of the one-ply search, and the agent's class."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import fixed, inline, njit, raw, shifted
from hanamikoji.agents.greedy import layout as lay
from hanamikoji.agents.greedy.parameters import parameters_of
from hanamikoji.agents.greedy.prices import (
    Places,
    Shares,
    fill_gains,
    look,
    others_shares,
    outlook,
    own_prospects,
    prospects_of,
    untouched,
    without_marker,
)
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine.turns import legal_moves
from hanamikoji.moves import index as ix

_LOWEST = -(2**62)


@njit
def _act(lent, legal):
    """The best of the moves at LEGAL."""
    _, tables, _, _, memory = lent
    unseen, own, others = look(lent), own_prospects(lent), others_shares(lent)
    for g in range(tables[ix.GEISHAS]):
        memory[lay.CURSOR + g] = untouched(g)
    best, best_value = memory[lay.LEGAL], np.int64(_LOWEST)
    last_kind, cards, base = -1, 0, np.int64(0)
    for i in range(lay.LEGAL, lay.LEGAL + legal):
        move = memory[i]
        kind = tables[tables[ix.MOVE_KIND_AT] + move]
        if kind != last_kind:
            last_kind, cards = kind, tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]
            base = _fill_kind(lent, kind, own, others, unseen)
        at = tables[ix.MOVE_CARDS_AT] + move * ix.MOST_CARDS
        value = base + outlook(lent, kind, at, cards, best_value - base)
        if value > best_value:
            best, best_value = move, value
    return best


@inline
def _fill_kind(lent, kind, own, others, unseen):
    """`fill_gains` for a kind's moves, each of which uses up one of its markers."""
    view, tables, weights, numbers, _ = lent
    kind_row, row = ix.KIND_ROW + kind * ix.KIND_WIDTH, kind * lay.WIDTH
    cards, drawn = tables[kind_row + ix.KIND_CARDS], tables[kind_row + ix.KIND_EXCHANGE]
    actor, other = numbers[lay.ACTOR + kind], numbers[lay.OTHER + kind]
    # An exchange places an unseen card instead of one in hand.
    placed = Shares(others.mine + drawn * actor, others.theirs + drawn * other)
    left = without_marker(own, actor, other)
    prospects = prospects_of(left, placed, unseen, view[ix.HAND_SIZE] - cards, tables[ix.DRAW])
    places = Places(cards, weights[row + lay.LOW], weights[row + lay.HIGH], weights[row + lay.STEP])
    return fill_gains(lent, prospects, places)


@njit
def _respond(lent, legal):
    """The best of the responses at LEGAL; face down only the numbers of cards are known."""
    view, tables, weights, numbers, memory = lent
    unseen, own, others = look(lent), own_prospects(lent), others_shares(lent)
    kind = view[ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    cards, up = tables[row + ix.KIND_CARDS], tables[row + ix.KIND_UP]
    at = tables[ix.MOVE_CARDS_AT]
    mine, theirs = others
    if up:
        at += (view[ix.OFFER_MOVE] - 1) * ix.MOST_CARDS
        unseen -= cards
        for i in range(cards):
            memory[lay.UNSEEN + tables[at + i]] -= 1
    else:  # the marker is used, the cards are not placed yet
        mine -= numbers[lay.DOWN_OTHER + kind]
        theirs -= numbers[lay.DOWN_ACTOR + kind]
    best, best_value = memory[lay.LEGAL], np.int64(_LOWEST)
    for i in range(lay.LEGAL, lay.LEGAL + legal):
        response = memory[i] - tables[ix.MOVES] - tables[row + ix.KIND_RESPONSE]
        fate = (weights[kind * lay.WIDTH + lay.FIRST_FATE] + response) * lay.WIDTH
        for_me = for_them = 0
        for j in range(cards):
            side = weights[fate + j]
            if up:
                memory[lay.AHEAD + tables[at + j]] -= side
            else:
                for_me += side < 0
                for_them += side > 0
        placed = Shares(mine + for_me, theirs + for_them)
        prospects = prospects_of(own, placed, unseen, view[ix.HAND_SIZE], tables[ix.DRAW])
        value = fill_gains(lent, prospects, Places(0, 0, 0, 1))
        if value > best_value:
            best, best_value = memory[i], value
        if up:
            for j in range(cards):
                memory[lay.AHEAD + tables[at + j]] += weights[fate + j]
    return best


def _greedy(view, tables, weights, numbers, lanes, memory, word):
    lent = lay.Lent(raw(view), fixed(tables), raw(weights[0]), raw(numbers), raw(memory))
    room = len(memory) - lay.LEGAL
    legal = legal_moves(raw(view), lent.tables, shifted(lent.memory, lay.LEGAL), room)
    if legal == 1:
        return memory[lay.LEGAL]
    if view[ix.PHASE] == ix.RESPOND:
        return _respond(lent, legal)
    return _act(lent, legal)


class Greedy:
    """Looks one ply ahead: for every move, each geisha's chance to end on either side."""

    kernel = staticmethod(_greedy)

    def prepare(self, game: Game) -> Parameters:
        """Read the fates of each kind's cards, and the worth of each geisha, off the rules."""
        return parameters_of(game)
