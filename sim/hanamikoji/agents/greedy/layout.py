"""Where the agent's arrays keep what; see `hanamikoji.engine.seat.Parameters`."""

from __future__ import annotations

from typing import Any, NamedTuple

from hanamikoji.moves import index as ix

# --- `numbers`, float64: what the rules' rows come to ---------------------------------------------
STEPS = 64  # of the normal distribution's table to one standard deviation
END = 4 * STEPS
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
NUMBERS = NORMAL + 2 * END + 1

# --- `weights`, int16 in rows of 8: one for each kind, then the fates -----------------------------
FIRST_FATE, END_OF_FATES = 0, 1  # rows
IS_CHANCE = 2  # 1: the average fate counts; 0: the worst for the actor
LOW, HIGH, STEP = 3, 4, 5  # the sides that a card can go to: LOW, LOW + STEP, ..., HIGH
WIDTH = ix.MOST_CARDS

# --- `memory`, int64 ------------------------------------------------------------------------------
UNIT = float(1 << 32)  # prices are integers, whose sums don't depend on their order
ROW = 2 * ix.MOST_CARDS + 1
BLOCK = (ix.MOST_CARDS + 1) * ROW
UNSEEN = 0  # [G] items that may be anywhere
AHEAD = UNSEEN + ix.MOST_GEISHAS  # [G] items known to count for oneself minus those for the other
CURSOR = AHEAD + ix.MOST_GEISHAS  # [G] where in GAIN a geisha stands while a move is priced
GAIN = CURSOR + ix.MOST_GEISHAS  # [G, cards taken from the hand, change of AHEAD]
LEGAL = GAIN + ix.MOST_GEISHAS * BLOCK


class Lent(NamedTuple):
    """Pointers to the arrays of a decision, under the names above.

    To be unpacked: Numba takes an attribute called ``view`` for NumPy's.
    """

    view: Any
    tables: Any
    weights: Any
    numbers: Any
    memory: Any
