"""Greedy: an agent that looks one ply ahead, at whatever the rules' rows say.

Every legal move is priced by the position it leaves. There each geisha's marker has a chance to go
either way: the items on the table lie where they lie, and all others, in the hand, face down or
unseen, land on either side in the shares that the unused action markers leave open. An offer is
worth what is left after the answer that is worst for oneself, a choice by chance its average.

What an action does comes from its row alone. A *fate* is one way in which the groups of a move can
be chosen: of each card whether it ends on the actor's side (+1), the other's (-1) or neither (0).
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from hanamikoji._jit import fixed, inline, njit, raw, shifted
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine.turns import legal_moves
from hanamikoji.moves import index as ix
from hanamikoji.rules import Action, Rules

__all__ = ["Greedy"]

_MINOR = 0.2
"""A geisha counts so much of her share of the goal that does not prevail; 0 to 0.3 play alike."""

# --- `numbers`, float64: what the rules' rows come to ---------------------------------------------
_STEPS = 64  # of the normal distribution's table to one standard deviation
_END = 4 * _STEPS
_K = ix.MOST_KINDS
WORTH = 0  # [G] of each geisha's marker
ACTOR = WORTH + ix.MOST_GEISHAS  # [K] cards of a move that will count for its actor, on average
OTHER = ACTOR + _K  # [K] and for the other
DOWN_ACTOR = OTHER + _K  # [K] the same of a kind whose cards the other doesn't see, else 0
DOWN_OTHER = DOWN_ACTOR + _K
BLIND_ACTOR = DOWN_OTHER + _K  # [K] the same of a kind whose fate the actor doesn't see, else 0
BLIND_OTHER = BLIND_ACTOR + _K
BLIND_CARDS = BLIND_OTHER + _K  # [K] all cards of such a kind's move
NORMAL = BLIND_CARDS + _K  # the normal distribution function from -4 to 4
NUMBERS = NORMAL + 2 * _END + 1

# --- `weights`, int16 in rows of 8: one for each kind, then the fates -----------------------------
FIRST_FATE, END_OF_FATES = 0, 1  # rows
IS_CHANCE = 2  # 1: the average fate counts; 0: the worst for the actor
LOW, HIGH, STEP = 3, 4, 5  # the sides that a card can go to: LOW, LOW + STEP, ..., HIGH
WIDTH = ix.MOST_CARDS

# --- `memory`, int64 ------------------------------------------------------------------------------
_UNIT = float(1 << 32)  # prices are integers, whose sums don't depend on their order
_ROW = 2 * ix.MOST_CARDS + 1
_BLOCK = (ix.MOST_CARDS + 1) * _ROW
UNSEEN = 0  # [G] items that may be anywhere
AHEAD = UNSEEN + ix.MOST_GEISHAS  # [G] items known to count for oneself minus those for the other
CURSOR = AHEAD + ix.MOST_GEISHAS  # [G] where in GAIN a geisha stands while a move is priced
GAIN = CURSOR + ix.MOST_GEISHAS  # [G, cards taken from the hand, change of AHEAD]
LEGAL = GAIN + ix.MOST_GEISHAS * _BLOCK


# --- prospects: what becomes of cards that are not yet placed -------------------------------------


@inline
def _look(view, tables, memory):
    """Fill UNSEEN and AHEAD; returns how many items are unseen."""
    unseen = 0
    for g in range(tables[ix.GEISHAS]):
        mine = view[ix.MINE + g] + view[ix.DOWN_MINE + g]
        theirs = view[ix.THEIRS + g] + view[ix.DOWN_THEIRS + g]
        gone = view[ix.OUT + g] + view[ix.DOWN_OUT + g] + view[ix.BLIND + g]
        memory[AHEAD + g] = mine - theirs
        memory[UNSEEN + g] = tables[ix.GEISHA_ITEMS + g] - view[ix.HAND + g] - mine - theirs - gone
        unseen += memory[UNSEEN + g]
    return unseen


@inline
def _own(view, tables, numbers):
    """Turns left; cards of the unused markers for oneself, for the other; blind cards' shares."""
    mine = theirs = blind_mine = blind_theirs = blind = 0.0
    turns = 0
    begun = ix.MARKERS_OF + (1 - view[ix.FIRST]) * ix.MOST_KINDS
    for kind in range(tables[ix.KINDS]):
        left = view[ix.LEFT + kind]
        used = tables[begun + kind] - left
        turns += left
        mine += left * numbers[ACTOR + kind]
        theirs += left * numbers[OTHER + kind]
        blind_mine += used * numbers[BLIND_ACTOR + kind]
        blind_theirs += used * numbers[BLIND_OTHER + kind]
        blind += used * numbers[BLIND_CARDS + kind]
    if blind > 0.0:
        blind_mine, blind_theirs = blind_mine / blind, blind_theirs / blind
    return turns, mine, theirs, blind_mine, blind_theirs


@inline
def _others(view, tables, numbers):
    """Unseen cards that the opponent has placed or will place: for oneself, for the opponent."""
    mine = theirs = 0.0
    begun = ix.MARKERS_OF + view[ix.FIRST] * ix.MOST_KINDS
    for kind in range(tables[ix.KINDS]):
        left = view[ix.THEIR_LEFT + kind]
        used = tables[begun + kind] - left
        mine += left * numbers[OTHER + kind] + used * numbers[DOWN_OTHER + kind]
        theirs += left * numbers[ACTOR + kind] + used * numbers[DOWN_ACTOR + kind]
    return mine, theirs


@inline
def _moments(mine, theirs):
    """Mean and variance of what a card adds to AHEAD, with these chances for the two sides."""
    return mine - theirs, mine + theirs - (mine - theirs) * (mine - theirs)


@inline
def _prospects(tables, own, others, unseen, hand, used, actor, other):
    """Moments of a card in hand, of an unseen one and of a blind one.

    After a move by which ``used`` (0 or 1) markers are gone that had ``actor`` and ``other``
    cards to place; ``hand`` cards are left, and ``others`` tells of the unseen ones.
    """
    turns, mine, theirs, blind_mine, blind_theirs = own
    draws = (turns - used) * tables[ix.DRAW]
    hand_mine = hand_theirs = 0.0
    if hand + draws > 0:
        hand_mine, hand_theirs = (mine - actor) / (hand + draws), (theirs - other) / (hand + draws)
    n = max(unseen, 1)
    return (
        *_moments(hand_mine, hand_theirs),
        *_moments((others[0] + draws * hand_mine) / n, (others[1] + draws * hand_theirs) / n),
        *_moments(blind_mine, blind_theirs),
    )


# --- prices ---------------------------------------------------------------------------------------


@inline
def _chance(numbers, deviations):
    """The chance of a normal variable to be positive, its mean in standard deviations."""
    at = np.int64(deviations * _STEPS + (_END + 0.5))
    return numbers[NORMAL + min(max(at, 0), 2 * _END)]


@inline
def _price(numbers, worth, marker, ahead, precision):
    """What a geisha is worth: her marker goes to whoever has more items, else it stays.

    ``ahead``: items for oneself minus for the other, expected; ``precision``: 1 / its deviation.
    """
    win = _chance(numbers, (ahead - 0.5) * precision)
    lose = _chance(numbers, (-0.5 - ahead) * precision)
    return np.int64(worth * (win - lose + marker * (1.0 - win - lose)))


@inline
def _untouched(g):
    """Where a geisha's GAIN begins: nothing taken, nothing changed."""
    return GAIN + g * _BLOCK + ix.MOST_CARDS


@njit
def _fill_gains(view, tables, numbers, memory, prospects, cards, low, high, step):
    """Price each geisha untouched, and fill GAIN for the moves of a kind; returns the prices' sum.

    The kind takes so many ``cards``, and each may go to the sides from low to high.
    """
    hand_mean, hand_variance, unseen_mean, unseen_variance, blind_mean, blind_variance = prospects
    total = np.int64(0)
    for g in range(tables[ix.GEISHAS]):
        hand, unseen, blind = view[ix.HAND + g], memory[UNSEEN + g], view[ix.BLIND + g]
        mean = memory[AHEAD + g] + unseen * unseen_mean + blind * blind_mean
        # Never 0, so that what is certain is many deviations away.
        variance = unseen * unseen_variance + blind * blind_variance + 1e-6
        untouched = np.int64(0)
        for taken in range(min(hand, cards) + 1):
            kept = hand - taken
            precision = 1.0 / np.sqrt(variance + kept * hand_variance)
            row, change = _untouched(g) + taken * _ROW, taken * low
            while change <= taken * high:
                ahead = mean + kept * hand_mean + change
                price = _price(numbers, numbers[WORTH + g], view[ix.MARKERS + g], ahead, precision)
                if taken == 0:
                    untouched = price
                memory[row + change] = price - untouched
                change += step
        total += untouched
    return total


@inline
def _gain(tables, weights, memory, fate, at, cards):
    """What the move whose cards are at ``tables[at:]`` gains if they have this fate."""
    for i in range(cards):
        memory[CURSOR + tables[at + i]] += _ROW + weights[fate * WIDTH + i]
    gain = np.int64(0)
    for i in range(cards):
        cursor = CURSOR + tables[at + i]
        gain += memory[memory[cursor]]
        memory[cursor] = _untouched(tables[at + i])  # where the gain is 0: it counts once
    return gain


@inline
def _outlook(tables, weights, memory, kind, at, cards, enough):
    """What a move gains on average or by its worst fate; or any value not above ``enough``."""
    first, end = weights[kind * WIDTH + FIRST_FATE], weights[kind * WIDTH + END_OF_FATES]
    if weights[kind * WIDTH + IS_CHANCE]:
        total = np.int64(0)
        for fate in range(first, end):
            total += _gain(tables, weights, memory, fate, at, cards)
        return total // (end - first)
    worst = _gain(tables, weights, memory, first, at, cards)
    for fate in range(first + 1, end):
        if worst <= enough:
            break
        worst = min(worst, _gain(tables, weights, memory, fate, at, cards))
    return worst


# --- decisions ------------------------------------------------------------------------------------


@njit
def _act(view, tables, weights, numbers, memory, legal):
    """The best of the moves at LEGAL."""
    unseen, own = _look(view, tables, memory), _own(view, tables, numbers)
    mine, theirs = _others(view, tables, numbers)
    for g in range(tables[ix.GEISHAS]):
        memory[CURSOR + g] = _untouched(g)
    best, best_value = memory[LEGAL], np.int64(-(2**62))
    last_kind, cards, base = -1, 0, np.int64(0)
    for i in range(LEGAL, LEGAL + legal):
        move = memory[i]
        kind = tables[tables[ix.MOVE_KIND_AT] + move]
        if kind != last_kind:
            last_kind, plan = kind, kind * WIDTH
            cards = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_CARDS]
            drawn = tables[ix.KIND_ROW + kind * ix.KIND_WIDTH + ix.KIND_EXCHANGE]
            actor, other = numbers[ACTOR + kind], numbers[OTHER + kind]
            # An exchange places an unseen card instead of one in hand.
            others = (mine + drawn * actor, theirs + drawn * other)
            prospects = _prospects(
                tables, own, others, unseen, view[ix.HAND_SIZE] - cards, 1, actor, other
            )
            base = _fill_gains(
                view, tables, numbers, memory, prospects, cards,
                weights[plan + LOW], weights[plan + HIGH], weights[plan + STEP],
            )  # fmt: skip
        at = tables[ix.MOVE_CARDS_AT] + move * ix.MOST_CARDS
        value = base + _outlook(tables, weights, memory, kind, at, cards, best_value - base)
        if value > best_value:
            best, best_value = move, value
    return best


@njit
def _respond(view, tables, weights, numbers, memory, legal):
    """The best of the responses at LEGAL; face down only the numbers of cards are known."""
    unseen, own = _look(view, tables, memory), _own(view, tables, numbers)
    mine, theirs = _others(view, tables, numbers)
    kind = view[ix.OFFER_KIND] - 1
    row = ix.KIND_ROW + kind * ix.KIND_WIDTH
    cards, up = tables[row + ix.KIND_CARDS], tables[row + ix.KIND_UP]
    at = tables[ix.MOVE_CARDS_AT]
    if up:
        at += (view[ix.OFFER_MOVE] - 1) * ix.MOST_CARDS
        unseen -= cards
        for i in range(cards):
            memory[UNSEEN + tables[at + i]] -= 1
    else:  # the marker is used, the cards are not placed yet
        mine, theirs = mine - numbers[DOWN_OTHER + kind], theirs - numbers[DOWN_ACTOR + kind]
    best, best_value = memory[LEGAL], np.int64(-(2**62))
    for i in range(LEGAL, LEGAL + legal):
        response = memory[i] - tables[ix.MOVES] - tables[row + ix.KIND_RESPONSE]
        fate = (weights[kind * WIDTH + FIRST_FATE] + response) * WIDTH
        for_me = for_them = 0
        for j in range(cards):
            side = weights[fate + j]
            if up:
                memory[AHEAD + tables[at + j]] -= side
            else:
                for_me += side < 0
                for_them += side > 0
        prospects = _prospects(
            tables, own, (mine + for_me, theirs + for_them), unseen, view[ix.HAND_SIZE], 0, 0.0, 0.0
        )
        value = _fill_gains(view, tables, numbers, memory, prospects, 0, 0, 0, 1)
        if value > best_value:
            best, best_value = memory[i], value
        if up:
            for j in range(cards):
                memory[AHEAD + tables[at + j]] += weights[fate + j]
    return best


def _greedy(view, tables, weights, numbers, lanes, memory, word):
    v, t, w, n, m = raw(view), fixed(tables), raw(weights[0]), raw(numbers), raw(memory)
    legal = legal_moves(v, t, shifted(m, LEGAL), len(memory) - LEGAL)
    if legal == 1:
        return memory[LEGAL]
    if view[ix.PHASE] == ix.RESPOND:
        return _respond(v, t, w, n, m, legal)
    return _act(v, t, w, n, m, legal)


# --- what the agent makes of the rules ------------------------------------------------------------

_SIDES = {"actor": 1, "opponent": -1, "out": 0, None: 0}


def _fates(action: Action) -> list[list[int]]:
    """All ways to choose, in the order of the responses: of each card the side it goes to."""
    if action.chooser == "nobody":
        return [[0 if action.exchange else _SIDES[action.rest_to]] * action.cards]
    return [
        [
            _SIDES[action.chosen_to if j in chosen else action.rest_to]
            for j, size in enumerate(action.groups)
            for _ in range(size)
        ]
        for chosen in combinations(range(len(action.groups)), action.choose)
    ]


def _plan(action: Action, first_fate: int) -> list[int]:
    """A kind's row in `weights`."""
    sides = sorted({side for fate in _fates(action) for side in fate})
    step = sides[1] - sides[0] if len(sides) == 2 else 1
    # Whoever chooses among cards face down chooses as good as by chance.
    chance = action.chooser == "chance" or action.face == "down"
    row = [first_fate, first_fate + len(_fates(action)), int(chance), sides[0], sides[-1], step]
    return row + [0] * (WIDTH - len(row))


def _shares(action: Action) -> tuple[float, float]:
    """How many cards of a move will count for its actor and for the other, on average."""
    if action.exchange:
        return float(action.rest_to == "actor"), float(action.rest_to == "opponent")
    fates = _fates(action)
    return (
        sum(fate.count(1) for fate in fates) / len(fates),
        sum(fate.count(-1) for fate in fates) / len(fates),
    )


def _worth(rules: Rules) -> Any:
    """What each geisha's marker brings towards the goals, else in the first tie-break."""
    charm, count = np.array(rules.charm, np.float64), np.ones(len(rules.charm))
    goals = rules.goals
    if not goals.charm and not goals.geishas:
        return count if rules.cap_tiebreak[:1] == ("geishas",) else charm
    for_charm = charm / goals.charm if goals.charm else 0 * charm
    for_count = count / goals.geishas if goals.geishas else 0 * count
    if goals.charm and goals.geishas:
        minor = for_charm if goals.prevails == "geishas" else for_count
        minor *= _MINOR
    return for_charm + for_count


def _numbers(rules: Rules) -> Any:
    """`numbers`."""
    numbers = np.zeros(NUMBERS)
    numbers[WORTH : WORTH + len(rules.charm)] = _worth(rules) * _UNIT
    for k, kind in enumerate(rules.kinds):
        shares = numbers[ACTOR + k], numbers[OTHER + k] = _shares(kind)
        if kind.face == "down":
            numbers[DOWN_ACTOR + k], numbers[DOWN_OTHER + k] = shares
            if kind.chooser != "nobody" and not kind.actor_sees:
                numbers[BLIND_ACTOR + k], numbers[BLIND_OTHER + k] = shares
                numbers[BLIND_CARDS + k] = kind.cards
    # Rounded, so that the last bits of a platform's erf don't matter.
    numbers[NORMAL:] = [
        round(0.5 + 0.5 * math.erf(i / _STEPS / math.sqrt(2)), 9) for i in range(-_END, _END + 1)
    ]
    return numbers


class Greedy:
    """Looks one ply ahead: for every move, each geisha's chance to end on either side."""

    kernel = staticmethod(_greedy)

    def prepare(self, game: Game) -> Parameters:
        """Read the fates of each kind's cards, and the worth of each geisha, off the rules."""
        kinds = game.rules.kinds
        plans: list[list[int]] = []
        fates: list[list[int]] = []
        for kind in kinds:
            plans.append(_plan(kind, len(kinds) + len(fates)))
            fates += [fate + [0] * (WIDTH - len(fate)) for fate in _fates(kind)]
        return Parameters(
            weights=np.array(plans + fates, np.int16).reshape(1, -1),
            numbers=_numbers(game.rules),
            memory=LEGAL + game.moves + game.responses,
        )
