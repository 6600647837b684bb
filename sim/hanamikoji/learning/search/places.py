"""Names of places in the search's scratch memory and among its numbers.

``from hanamikoji.learning.search import places as pl``. Scratch is one int64 array; states of games
and their keys live in it as int32 and uint64.
"""

from hanamikoji.engine import state as st
from hanamikoji.learning.network.values import MOST_ENTRIES
from hanamikoji.moves import index as ix

_STATE = (st.SIZE + 1) // 2  # int64 that hold a state
_MOST_POSITIONS = 200  # cards of a game
_MOST_OPEN = _MOST_POSITIONS + ix.MOST_TURNS

# --- scratch --------------------------------------------------------------------------------------
KEYS = 0  # uint64 [st.KEYS] of the determinization
WORLD = KEYS + 8  # int32 [st.SIZE] the determinization at the decision
GAME = WORLD + _STATE  # int32 [st.SIZE] the determinization as it is played on
CARD = GAME + _STATE  # [positions] the card at a place of the shuffled deck, -1: not yet known
OPEN = CARD + _MOST_POSITIONS  # [2, positions] where the cards came from that each side holds
OPENS = OPEN + 2 * _MOST_OPEN  # [2] how many
WIDE = _MOST_OPEN
PUT = OPENS + 2  # [turns] where the cards came from that were put under the deck
HIDDEN = PUT + ix.MOST_TURNS  # [turns, MOST_CARDS] and those of the opponent's hidden moves
COUNT = HIDDEN + ix.MOST_TURNS * ix.MOST_CARDS  # [G] cards of each geisha not yet placed
POOL = COUNT + ix.MOST_GEISHAS  # [positions] them, one by one
DRAWN = POOL + _MOST_POSITIONS  # random words used so far
HEAD = DRAWN + 1  # the deck's next card
PUTS = HEAD + 1  # cards put under the deck so far
VALUES = PUTS + 1  # [MOST_ENTRIES] scratch for V
IDS = VALUES + MOST_ENTRIES  # [choices] candidates; behind them [choices] their totals,
# [choices, 2] the network's scores, and the network's scratch

# --- numbers, from the end of the agent's float64 -------------------------------------------------
ROLLOUTS = 0  # to the round's end for each decision, all candidates together
TOP = 1  # candidates by the network's score; 0: all
GUIDED = 2  # 1: the network plays on; 0: random play with greedy answers
TRUST = 3  # how many rollouts the network's own chance counts for
MODEL = 4  # address of the agent that the opponent is known to be; 0: none
MODEL_CONTEXT = 5
TRIES = 6  # at determinizations for one decision, at most
BELIEF = 7  # see `belief`; 0: all states of the information set are alike
OPTIONS = 8


def memory_size(choices: int, network: int) -> int:
    """int64 of scratch for so many move and response ids and the network's own scratch."""
    return IDS + 4 * choices + network
