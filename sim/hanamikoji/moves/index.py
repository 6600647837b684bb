"""Memory layout: the entries of a view, of the rules' tables and of a kind's row.

Three flat int32 arrays run through the engine, and this file is the map of all three. Write
``from hanamikoji.moves import index as ix`` and read ``view[ix.TURN]``, ``view[ix.HAND + g]`` or
``tables[ix.GEISHA_CHARM + g]``: compiled code sees plain constants.

1. **View** of one player, its information set as a flat row (an information-state tensor):
   `HEADER` single numbers, then blocks. Blocks are as wide as the largest rules need, so every
   place is the same for all rules; what the rules at hand don't use stays 0.
2. **Tables** of one set of rules, the same for all (built by `hanamikoji.moves.build_tables`).
   Single numbers, blocks of fixed size, then tables of any length: an entry named ``*_AT`` says
   where one of those begins.
3. **Kind rows**: what one kind of action marker does.
"""

MOST_GEISHAS = 16
MOST_KINDS = 16
MOST_GROUPS = 8
MOST_CARDS = 8  # that one action takes
MOST_TURNS = 16  # of a round, both players together

# --- a view's header -----------------------------------------------------------------------------
PHASE = 0  # ACT or RESPOND
ROUND = 1  # 1, 2, ...
TURN = 2  # turns of this round that are over, both players together
ROLE = 3  # 0 starter of the game, 1 second
FIRST = 4  # 1 if this player began the round
DECISION = 5  # this player's decisions in this round so far
DECK = 6  # cards in the deck
HAND_SIZE = 7
THEIR_HAND_SIZE = 8
CHARM = 9  # charm held by markers now
THEIR_CHARM = 10
FAVOR = 11  # geishas held by markers now
THEIR_FAVOR = 12
OFFER_KIND = 13  # 1 + kind of the offer to respond to, 0 none
OFFER_MOVE = 14  # 1 + move id of the face-up offer to respond to, 0 none or hidden
HEADER = 16

ACT, RESPOND, FINISHED = 0, 1, 2

# --- a view's blocks -----------------------------------------------------------------------------
_G = MOST_GEISHAS
MARKERS = HEADER  # [G] +1 own, -1 the opponent's, 0 neutral
LEFT = MARKERS + _G  # [K] own action markers not yet used, by kind
THEIR_LEFT = LEFT + MOST_KINDS  # [K] the opponent's
OFFER = THEIR_LEFT + MOST_KINDS  # [groups, G] the face-up groups to choose from, when responding
HAND = OFFER + MOST_GROUPS * _G  # [G] own hand; from here on all is cleared when a round begins
MINE = HAND + _G  # [G] public items on the own side
THEIRS = MINE + _G  # [G] public items on the opponent's side
OUT = THEIRS + _G  # [G] items publicly out of the round
DOWN_MINE = OUT + _G  # [G] own face-down items that will count for oneself
DOWN_THEIRS = DOWN_MINE + _G  # [G] own face-down items that will count for the opponent
DOWN_OUT = DOWN_THEIRS + _G  # [G] own face-down items out of the round
BLIND = DOWN_OUT + _G  # [G] own face-down items whose fate another's blind choice hides
UNDER = BLIND + _G  # [G] own cards put under the deck and still there
HISTORY = UNDER + _G  # [turns, 4] this round's turns in order, see HISTORY_*
VIEW_SIZE = HISTORY + MOST_TURNS * 4  # F

HISTORY_ACTOR = 0  # ONESELF or OTHER; 0: not yet played
HISTORY_KIND = 1  # 1 + kind
HISTORY_MOVE = 2  # 1 + move id; 0 hidden
HISTORY_ANSWER = 3  # 1 + response id, chance's too; of an exchange 1 + the drawn card; 0 hidden
HISTORY_WIDTH = 4

ONESELF, OTHER = 1, 2

VIEW_BLOCKS = {
    "markers": (MARKERS, (_G,)),
    "left": (LEFT, (MOST_KINDS,)),
    "their_left": (THEIR_LEFT, (MOST_KINDS,)),
    "offer": (OFFER, (MOST_GROUPS, _G)),
    "hand": (HAND, (_G,)),
    "mine": (MINE, (_G,)),
    "theirs": (THEIRS, (_G,)),
    "out": (OUT, (_G,)),
    "down_mine": (DOWN_MINE, (_G,)),
    "down_theirs": (DOWN_THEIRS, (_G,)),
    "down_out": (DOWN_OUT, (_G,)),
    "blind": (BLIND, (_G,)),
    "under": (UNDER, (_G,)),
    "history": (HISTORY, (MOST_TURNS, HISTORY_WIDTH)),
}
"""Where each block of a view begins, and its shape."""

# --- tables: numbers -----------------------------------------------------------------------------
GEISHAS = 0  # G, 1..16
KINDS = 1  # K: distinct kinds of action markers, 1..16
CARDS = 2  # N: item cards in all
HAND_CARDS = 3  # dealt to each player
REMOVED = 4  # removed unseen
DRAW = 5  # drawn at the start of each turn
TURNS = 6  # turns of a round, both players together
GOAL_CHARM = 7  # charm that wins; 0: off
GOAL_GEISHAS = 8  # geishas that win; 0: off
PREVAILS = 9  # which goal outranks the other, see PREVAILS_*
MAX_ROUNDS = 10  # 0: no cap
MIN_ROUNDS = 11  # no goal check before this round
TIEBREAK = 12  # [3] at the last round, in order, see TIEBREAK_*
NEXT_STARTER = 15  # who begins the next round, see STARTER_*
KEEP_MARKERS = 16  # 0: back to the initial markers after each round
ROUND_LIMIT = 17  # a game that reaches it is unfinished
MOVES = 18  # M: distinct moves; a move's id is 0..M-1
RESPONSES = 19  # R: a response's id is M..M+R-1; what chance may choose has ids as well
EXCHANGES = 20  # 1 if any kind exchanges with the deck
TABLES_SIZE = 21  # entries of the whole array

PREVAILS_CHARM, PREVAILS_GEISHAS = range(2)
TIEBREAK_NONE, TIEBREAK_GEISHAS, TIEBREAK_CHARM, TIEBREAK_HIGHEST = range(4)
STARTER_ALTERNATE, STARTER_SAME, STARTER_WINNER, STARTER_LOSER, STARTER_RANDOM = range(5)

# --- tables: where the tables of any length begin ------------------------------------------------
DECK_AT = 24  # [N] the item cards in order
MOVE_CARDS_AT = 25  # [M, MOST_CARDS] the cards of a move, group after group; padded with 0
MOVE_PACKED_AT = 26  # [M] the same cards, four bits each, the first lowest
MOVE_KIND_AT = 27  # [M]
MOVE_EQUAL_AT = 28  # [M] bit j: group j looks the same as group j - 1 to the chooser
RESPONSE_MASK_AT = 29  # [R] bit j: group j is chosen
STEP_AT = 30  # [states, G] from a partial move and a card to the next partial move, or move id
WALK_AT = 31  # [nodes, WALK_WIDTH] all moves as a threaded prefix tree: see WALK_* below

# --- a kind's row --------------------------------------------------------------------------------
KIND_CARDS = 0
KIND_UP = 1  # 1: face up
KIND_GROUPS = 2  # how many groups the actor forms (1 where nobody chooses)
KIND_CHOOSER = 3  # NOBODY, OPPONENT, CHANCE
KIND_CHOOSE = 4  # how many groups are chosen
KIND_CHOSEN_TO = 5  # TO_ACTOR, TO_OPPONENT, TO_OUT
KIND_REST_TO = 6
KIND_HIDES = 7  # 1: a blind choice may hide from the actor where its cards went
KIND_EXCHANGE = 8
KIND_ROOT = 9  # state of the empty move in STEP
KIND_MOVE = 10  # first move id
KIND_MOVES = 11  # how many
KIND_RESPONSE = 12  # first response, counted from 0 (its id is M more)
KIND_RESPONSES = 13
KIND_EQUAL = 14  # bit j: group j is as large as group j - 1
KIND_WALK = 15  # its nodes of WALK: from here
KIND_WALK_END = 16  # to here
KIND_CHOSEN_WAY = 17  # how cards of chosen groups are put down, see WAY_*
KIND_REST_WAY = 20  # and the others
KIND_WIDTH = 24

WAY_SIDE = 0  # what each adds to the actor's items: 1, -1 (the opponent's) or 0 (out)
WAY_MINE = 1  # the block of the actor's view that counts it
WAY_THEIRS = 2  # the block of the opponent's, where it is face up

NOBODY, OPPONENT, CHANCE = 0, 1, 2
TO_ACTOR, TO_OPPONENT, TO_OUT = 0, 1, 2

# --- tables: blocks of fixed size ----------------------------------------------------------------
GEISHA_CHARM = 32  # [G]
GEISHA_ITEMS = GEISHA_CHARM + _G  # [G]
GEISHA_INITIAL = GEISHA_ITEMS + _G  # [G] markers at the start: +1 starter's, -1 second's, 0 neutral
MARKERS_OF = GEISHA_INITIAL + _G  # [2, K] action markers of the round's starter, of its second
KIND_ROW = MARKERS_OF + 2 * MOST_KINDS  # [K, KIND_WIDTH]
KIND_GROUP = KIND_ROW + MOST_KINDS * KIND_WIDTH  # [K, MOST_CARDS] the group of each card of a move
MASK_RESPONSE = (
    KIND_GROUP + MOST_KINDS * MOST_CARDS
)  # [K, 256] response id of a mask of groups, or -1
TABLES_HEADER = MASK_RESPONSE + MOST_KINDS * 2**MOST_GROUPS

# --- a node of the walk (see hanamikoji.moves.kinds) ----------------------------------------------
WALK_CARD = 0
WALK_NEED = 1  # how many of the card the move has needed so far
WALK_SKIP = 2  # the node to go on with if the hand has fewer
WALK_MOVE = 3  # the move id, or -1 before the last card
WALK_WIDTH = 4
