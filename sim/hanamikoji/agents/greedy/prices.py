"""Kernels of the heuristic evaluation: what becomes of cards not yet placed, what that is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hanamikoji._jit import inline, njit
from hanamikoji.agents.greedy import layout as lay
from hanamikoji.moves import index as ix


class Own(NamedTuple):
    """What the own unused markers will do, and what became of the own blind cards."""

    turns: int  # left
    mine: float  # cards that they will place for oneself
    theirs: float  # and for the opponent
    blind_mine: float  # share of the blind cards that counts for oneself
    blind_theirs: float


class Shares(NamedTuple):
    """Unseen cards that the opponent has placed or will place: for oneself, for the opponent."""

    mine: float
    theirs: float


class MeanVariance(NamedTuple):
    """Mean and variance of what a card adds to AHEAD."""

    mean: float
    variance: float


class Prospects(NamedTuple):
    """The moments of a card in hand, of an unseen one and of a blind one."""

    hand: MeanVariance
    unseen: MeanVariance
    blind: MeanVariance


class Places(NamedTuple):
    """How many cards a move takes from the hand, and the sides that each may go to."""

    cards: int
    low: int
    high: int
    step: int


# --- prospects: what becomes of cards that are not yet placed -------------------------------------


@inline
def look(lent):
    """Fill UNSEEN and AHEAD; returns how many items are unseen."""
    view, tables, _, _, memory = lent
    unseen = 0
    for g in range(tables[ix.GEISHAS]):
        mine = view[ix.MINE + g] + view[ix.DOWN_MINE + g]
        theirs = view[ix.THEIRS + g] + view[ix.DOWN_THEIRS + g]
        gone = view[ix.OUT + g] + view[ix.DOWN_OUT + g] + view[ix.BLIND + g]
        here = tables[ix.GEISHA_ITEMS + g] - view[ix.HAND + g] - mine - theirs - gone
        memory[lay.AHEAD + g] = mine - theirs
        memory[lay.UNSEEN + g] = here
        unseen += here
    return unseen


@inline
def own_prospects(lent):
    """See `Own`."""
    view, tables, _, numbers, _ = lent
    mine = theirs = blind_mine = blind_theirs = blind = 0.0
    turns = 0
    begun = ix.MARKERS_OF + (1 - view[ix.FIRST]) * ix.MOST_KINDS
    for kind in range(tables[ix.KINDS]):
        left = view[ix.LEFT + kind]
        used = tables[begun + kind] - left
        turns += left
        mine += left * numbers[lay.ACTOR + kind]
        theirs += left * numbers[lay.OTHER + kind]
        blind_mine += used * numbers[lay.BLIND_ACTOR + kind]
        blind_theirs += used * numbers[lay.BLIND_OTHER + kind]
        blind += used * numbers[lay.BLIND_CARDS + kind]
    if blind > 0.0:
        blind_mine, blind_theirs = blind_mine / blind, blind_theirs / blind
    return Own(turns, mine, theirs, blind_mine, blind_theirs)


@inline
def without_marker(own, actor, other):
    """The same after a marker is used that had ``actor`` and ``other`` cards to place."""
    return Own(
        own.turns - 1, own.mine - actor, own.theirs - other, own.blind_mine, own.blind_theirs
    )


@inline
def others_shares(lent):
    """See `Shares`."""
    view, tables, _, numbers, _ = lent
    mine = theirs = 0.0
    begun = ix.MARKERS_OF + view[ix.FIRST] * ix.MOST_KINDS
    for kind in range(tables[ix.KINDS]):
        left = view[ix.THEIR_LEFT + kind]
        used = tables[begun + kind] - left
        mine += left * numbers[lay.OTHER + kind] + used * numbers[lay.DOWN_OTHER + kind]
        theirs += left * numbers[lay.ACTOR + kind] + used * numbers[lay.DOWN_ACTOR + kind]
    return Shares(mine, theirs)


@inline
def _moments(mine, theirs):
    """The moments of a card with these chances for the two sides."""
    return MeanVariance(mine - theirs, mine + theirs - (mine - theirs) * (mine - theirs))


@inline
def prospects_of(own, others, unseen, hand, drawn):
    """The prospects with ``hand`` cards in hand, and ``drawn`` to come with each own turn."""
    draws = own.turns * drawn
    mine = theirs = 0.0
    if hand + draws > 0:
        mine, theirs = own.mine / (hand + draws), own.theirs / (hand + draws)
    n = max(unseen, 1)
    return Prospects(
        _moments(mine, theirs),
        _moments((others.mine + draws * mine) / n, (others.theirs + draws * theirs) / n),
        _moments(own.blind_mine, own.blind_theirs),
    )


# --- prices ---------------------------------------------------------------------------------------


@inline
def _chance(numbers, deviations):
    """The chance of a normal variable to be positive, its mean in standard deviations."""
    at = np.int64(deviations * lay.STEPS + (lay.END + 0.5))
    return numbers[lay.NORMAL + min(max(at, 0), 2 * lay.END)]


@inline
def _price(numbers, worth, marker, ahead, precision):
    """What a geisha is worth: her marker goes to whoever has more items, else it stays.

    ``ahead``: items for oneself minus for the other, expected; ``precision``: 1 / its deviation.
    """
    win = _chance(numbers, (ahead - 0.5) * precision)
    lose = _chance(numbers, (-0.5 - ahead) * precision)
    return np.int64(worth * (win - lose + marker * (1.0 - win - lose)))


@inline
def untouched(g):
    """Where a geisha's GAIN begins: nothing taken, nothing changed."""
    return lay.GAIN + g * lay.BLOCK + ix.MOST_CARDS


@njit
def fill_gains(lent, prospects, places):
    """Price each geisha untouched, and fill GAIN for the moves of a kind; returns the prices' sum.

    ``places`` is of that kind.
    """
    view, tables, _, numbers, memory = lent
    hand, unseen, blind = prospects
    total = np.int64(0)
    for g in range(tables[ix.GEISHAS]):
        held, rest, hidden = view[ix.HAND + g], memory[lay.UNSEEN + g], view[ix.BLIND + g]
        mean = memory[lay.AHEAD + g] + rest * unseen.mean + hidden * blind.mean
        # Never 0, so that what is certain is many deviations away.
        variance = rest * unseen.variance + hidden * blind.variance + 1e-6
        worth, marker = numbers[lay.WORTH + g], view[ix.MARKERS + g]
        standing = np.int64(0)
        for taken in range(min(held, places.cards) + 1):
            kept = held - taken
            precision = 1.0 / np.sqrt(variance + kept * hand.variance)
            row, change = untouched(g) + taken * lay.ROW, taken * places.low
            while change <= taken * places.high:
                ahead = mean + kept * hand.mean + change
                price = _price(numbers, worth, marker, ahead, precision)
                if taken == 0:
                    standing = price
                memory[row + change] = price - standing
                change += places.step
        total += standing
    return total


@inline
def _gain(lent, fate, at, cards):
    """What the move whose cards are at ``tables[at:]`` gains if they have this fate."""
    _, tables, weights, _, memory = lent
    for i in range(cards):
        memory[lay.CURSOR + tables[at + i]] += lay.ROW + weights[fate * lay.WIDTH + i]
    gain = np.int64(0)
    for i in range(cards):
        cursor = lay.CURSOR + tables[at + i]
        gain += memory[memory[cursor]]
        memory[cursor] = untouched(tables[at + i])  # where the gain is 0: it counts once
    return gain


@inline
def outlook(lent, kind, at, cards, enough):
    """What a move gains on average or by its worst fate; or any value not above ``enough``."""
    row = kind * lay.WIDTH
    first, end = lent.weights[row + lay.FIRST_FATE], lent.weights[row + lay.END_OF_FATES]
    if lent.weights[row + lay.IS_CHANCE]:
        total = np.int64(0)
        for fate in range(first, end):
            total += _gain(lent, fate, at, cards)
        return total // (end - first)
    worst = _gain(lent, first, at, cards)
    for fate in range(first + 1, end):
        if worst <= enough:
            break
        worst = min(worst, _gain(lent, fate, at, cards))
    return worst
