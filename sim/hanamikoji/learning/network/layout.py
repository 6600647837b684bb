"""Names of places in a feature layout, the int32 array by which the kernels find everything.

``from hanamikoji.learning.network import layout as lay``. A feature layout belongs to one set of
rules and is built by `hanamikoji.learning.network.features`; compiled code sees these names as
plain constants.

What a player knows after a move is a short list of **rows** of the network's first layer: for each
geisha the row of her local state (or several, one for each *factor*, where one table would be too
large), and a few rows about the round as a whole.
"""

from hanamikoji._jit import lanes

LANES = lanes.LANES
"""Units of the hidden layer; every row has as many int16."""

MOST_ROWS = 112
"""At most this many rows describe a position (16 geishas of 3 factors, 16 turns, global ones)."""

# --- a geisha's local state: how many of her items are where --------------------------------------
# HAND to UNDER are in the order of the view's blocks from index.HAND on.
MARKER = 0  # 0 the opponent's, 1 nobody's, 2 own
HAND = 1
MINE = 2
THEIRS = 3
OUT = 4
DOWN_MINE = 5
DOWN_THEIRS = 6
DOWN_OUT = 7
BLIND = 8
UNDER = 9
ROLE = 10  # how she stands in the own offer that waits for an answer; 0: not at all
CATEGORIES = 11

# --- header --------------------------------------------------------------------------------------
ROWS = 0  # of the first layer
HEADS = 1  # rows of output weights, behind those of the first layer
FACTORS = 2  # over all geishas
SINGLE = 3  # 1: one factor for each geisha
LEFT_ROW = 4  # action markers left, own and the opponent's together (or own only)
THEIR_ROW = 5  # the opponent's only; -1 where LEFT_ROW has both
CONFIG_ROW = 6  # who holds which victory marker, equal geishas taken together; -1: too many
CHARM_ROW = 7  # both players' charm; -1 where CONFIG_ROW has it
CHARM_CAP = 8
CHARM_BIN = 9
FAVOR_ROW = 10  # both players' geishas; -1 where CONFIG_ROW has it
FAVOR_CAP = 11
ROUND_ROW = 12  # class of the round; -1 where it does not matter
ANSWER_ROW = 13  # answers to face-down offers, [2, R]: own offers, the opponent's; -1: none
STAGES = 14  # classes of rounds
MIN_STAGES = 15  # rounds to the first goal check that are told apart, and 1 for none
CAP_STAGES = 16  # rounds to the last round that are told apart, and 1; 0: no cap
CAP = 17  # the last round
CLASSES = 18  # of equal geishas
CONFIGS = 19  # marker configurations, equal geishas taken together; 0: too many to number
VALUES = 20  # entries of the table (or weights of the model) of win probabilities
VALUE_CHARM = 21  # where the model's charm weights begin, see values.py; 0: a table
VALUE_STAGE = 22  # weights of one stage in the model
WALK_AT = 23  # [nodes, NODE_WIDTH] the rules' walk with what the network needs
SIZE = 24  # entries of the whole array
ORDER_ROW = 25  # [turns, 2, K] which kind each earlier turn of the round was: own, the opponent's

FIRST_FACTOR = 32  # [17]
FACTOR = FIRST_FACTOR + 17  # [48, FACTOR_WIDTH]
MOST_FACTORS = 48
FACTOR_WIDTH = 12  # where its table of rows begins, then a stride for each category
KIND = FACTOR + MOST_FACTORS * FACTOR_WIDTH  # [16, KIND_WIDTH]
KIND_OFFERS = 0  # 1: somebody chooses among its groups
KIND_TO = 1  # the category its cards go to, where nobody chooses
KIND_STATES = 2  # how a geisha can stand in a move of this kind, group by group
KIND_STATE_AT = 3  # [states, STATE_WIDTH]
KIND_OFFER_ROW = 4  # the row of its first move as a whole; -1: none
KIND_LEFT = 5  # stride of own markers left in LEFT_ROW
KIND_THEIR = 6
KIND_HIDDEN = 7  # 1: the opponent chooses without seeing the cards
KIND_EVENT_ROW = 8  # [2, moves, answers] earlier offers, own and the opponent's; -1: none
KIND_FACED_ROW = 9  # the row of the first offer to be answered as a whole; -1: none
KIND_WIDTH = 10
CLASS_OF = KIND + 16 * KIND_WIDTH  # [16] geishas in the order of their classes
CLASS_END = CLASS_OF + 16  # [16] where each class ends in that order
CLASS_STRIDE = CLASS_END + 16  # [16]
CLASS_VALUE = CLASS_STRIDE + 16  # [16] where a class's weights begin in the model of values
HEADER = CLASS_VALUE + 16

STATE_CARDS = 0
STATE_ROLE = 1
STATE_NEXT = 2  # [MOST_GROUPS] the state after one more of her cards in this group
STATE_WIDTH = 10

NODE_CARD = 0
NODE_NEED = 1
NODE_SKIP = 2
NODE_MOVE = 3
NODE_DEPTH = 4
NODE_BEFORE = 5  # the card's geisha's state before it
NODE_AFTER = 6
NODE_WIDTH = 8

# --- an agent's numbers (float64) ----------------------------------------------------------------
FEATURES_ROW = 0  # where the layout begins among the rows of `weights`, which hold it as int32
FEATURES_SIZE = 1
SCALES_AT = 2  # [heads] what a score is multiplied by ...
BIASES_AT = 3  # [heads] ... and what is then added: the log-odds of winning
VALUES_AT = 4  # V, see values.py
TEMPERATURE = 5  # of the mixed choice, in log-odds; 0: the best choice
NUMBERS_HEADER = 8
