"""One game's state: an int32 row of `SIZE` entries, header first.

Many games' states lie one after the other in one array; kernels get a pointer to one of them.
Behind the header come the balance of items per geisha, the two players' views, which are kept up to
date as things happen (see `hanamikoji.moves.index`), the deck, and who put which card under it.
"""

from __future__ import annotations

from hanamikoji._jit import inline, shifted
from hanamikoji.moves import index as ix

PHASE = 0  # ix.ACT, ix.RESPOND or ix.FINISHED
ROUND = 1
TURN = 2  # turns completed in this round
ACTOR = 3  # role whose turn it is
DECIDER = 4  # role that decides next
STARTER = 5  # role that began this round
HEAD = 6  # next card of the deck
TAIL = 7  # end of the deck
MOVE = 8  # the pending offer's move
LEAD = 9  # last charm lead that was not level: +1 role 0, -1 role 1, 0 none yet
LEAD_CHANGES = 10
CONFLICT = 11  # 1: charm goal on one side, geisha goal on the other, decided the game
OPENING = 12  # [2] kind of each role's first action, -1 none
OUTCOME = 14
REASON = 15
DECISIONS = 16  # [2] decisions of each role in this round
LEGAL = 18  # [2] legal moves summed over them, when recorded
MARKERS_LEFT = 20  # [2] action markers not yet used
SEATING = 22
GAME = 23  # row of the game in the results
CHOSEN = 24  # groups that were chosen last, bit j: group j of its move; only a replay reads it
BALANCE = 32  # [G] items of role 0 minus items of role 1, all that will count
VIEWS = BALANCE + ix.MOST_GEISHAS  # two views, of role 0 and of role 1
DECK = VIEWS + 2 * ix.VIEW_SIZE  # the shuffled cards, and behind them those put under the deck
_MOST_DECK = 200 + ix.MOST_TURNS
UNDER = DECK + _MOST_DECK  # who put the card there: 0 nobody, 1 + role
SIZE = UNDER + _MOST_DECK

DEAL_KEY = 0
ROLE_KEYS = 1  # [2] each role's agent's key in this game
ROUND_KEYS = 3  # [2] and in this round
KEYS = 5  # uint64 per game


@inline
def view_of(state, role):
    """The view of a role (0 the game's starter, 1 its second) in a game's state."""
    return shifted(state, VIEWS + role * ix.VIEW_SIZE)
