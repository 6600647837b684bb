"""Kernels: the likelihood of a decision, if the opponent is as good as the network.

Determinizations in which the opponent would have thrown much away by what it did are seldom those
it was in. A decision that falls short of the network's best by x log-odds of winning counts
2 / (1 + exp(x / belief)): 1 for the best, about 1/2 at x = belief; a determinization counts the
product of its decisions (by rejection). The logistic rather than exp, for ours is exact on all
platforms. Of a hidden move only the kind was seen: the best move of that kind is taken for it.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import apart
from hanamikoji.engine import state as st
from hanamikoji.engine.turns import show
from hanamikoji.learning.network.network import score_choices
from hanamikoji.learning.network.rows import head_of
from hanamikoji.learning.network.values import sigmoid
from hanamikoji.moves import index as ix


@apart
def likely_choice(state, tables, guide, belief, kind, choice):
    """The decider's choice ``choice``, or its best move of a kind if that is -1.

    Returns it and how likely it is, 0 to 1; -1 and 0.0 where there is none.
    """
    view, network = show(state, np.int64(state[st.DECIDER])), guide.network
    best = score_choices(view, tables, network, True)
    found, score = np.int64(-1), np.int64(-(2**62))
    for i in range(best.count):
        one, its_score = network.scores[2 * i], network.scores[2 * i + 1]
        fits = one == choice if choice >= 0 else tables[tables[ix.MOVE_KIND_AT] + one] == kind
        if fits and its_score > score:
            found, score = one, its_score
    if found < 0:
        return found, 0.0
    scale = guide.scales[head_of(view, tables, network.features)]
    return found, 2.0 * sigmoid(np.float64(score - best.score) * scale / belief)
