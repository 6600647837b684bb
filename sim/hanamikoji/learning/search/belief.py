"""Kernels: how likely an opponent decides as it was seen to, if it is as good as the network.

Worlds in which the opponent would have thrown much away by what it did are seldom those it was in.
A decision that falls short of the network's best by x log-odds of winning counts
2 / (1 + exp(x / belief)): 1 for the best, about 1/2 at x = belief; a world counts the product of
its decisions (by rejection). The logistic rather than exp, for ours is exact on all platforms.
Of a hidden move only the kind was seen: the best move of that kind is taken for it.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import apart
from hanamikoji.engine.turns import show
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import score_choices
from hanamikoji.learning.network.rows import head_of
from hanamikoji.learning.network.values import sigmoid
from hanamikoji.learning.search import places as pl
from hanamikoji.moves import index as ix


@apart
def likely_choice(t, p, w, lanes, numbers, s, m, choices, role, kind, choice, belief):
    """The choice ``choice`` of a role in the state ``s``, or its best move of a kind if that is -1.

    Returns it and how likely it is, 0 to 1; -1 and 0.0 where there is none.
    """
    view = show(s, role)
    pairs = pl.IDS + 2 * choices
    n, best, _ = score_choices(view, 0, t, p, w, lanes, m, pl.IDS + 4 * choices, pairs)
    found, score = np.int64(-1), np.int64(-(2**62))
    for i in range(n):
        one, its_score = m[pairs + 2 * i], m[pairs + 2 * i + 1]
        fits = one == choice if choice >= 0 else t[t[ix.MOVE_KIND_AT] + one] == kind
        if fits and its_score > score:
            found, score = one, its_score
    if found < 0:
        return found, 0.0
    scale = numbers[np.int64(numbers[lay.SCALES_AT]) + head_of(view, 0, t, p)]
    return found, 2.0 * sigmoid(np.float64(score - best) * scale / belief)
