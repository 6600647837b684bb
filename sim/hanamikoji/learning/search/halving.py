"""Kernels: which candidate gets how many worlds.

All candidates still in the race are tried in the same worlds with the same randomness; after each
of log2(candidates) phases, which get equal shares of the rollouts, the worse half drops out:
sequential halving (Karnin, Koren & Somekh 2013, ICML 28).
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import apart, inline, njit, shifted
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.turns import ROUND_OVER, legal_moves
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import score_choices
from hanamikoji.learning.network.rows import head_of
from hanamikoji.learning.network.values import sigmoid
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.rollout import finish_round, roll_out
from hanamikoji.learning.search.worlds import decide, make_world, prepare_world
from hanamikoji.moves import index as ix

_UNIT = 4294967296.0  # totals are integers: a sum is the same in any order


# --- candidates -----------------------------------------------------------------------------------


@inline
def _swap(m, choices, i, j):
    for at in (pl.IDS, pl.IDS + choices):
        kept = m[at + i]
        m[at + i] = m[at + j]
        m[at + j] = kept


@apart
def _bring_forward(m, choices, n, most):
    """Bring the best ``most`` of n candidates to the front, best first; equals by id."""
    totals = pl.IDS + choices
    for i in range(min(most, n)):
        best = i
        for j in range(i + 1, n):
            better = m[totals + j] > m[totals + best]
            same = m[totals + j] == m[totals + best] and m[pl.IDS + j] < m[pl.IDS + best]
            if better or same:
                best = j
        _swap(m, choices, i, best)


@apart
def _by_network(view, t, p, w, lanes, numbers, m, choices, top, trust):  # fmt: skip
    """The network's best candidates, each with its chance as its first ``trust`` rollouts."""
    totals, pairs = pl.IDS + choices, pl.IDS + 2 * choices
    n, _, _ = score_choices(view, 0, t, p, w, lanes, m, pl.IDS + 4 * choices, pairs)
    for i in range(n):
        m[pl.IDS + i] = m[pairs + 2 * i]
        m[totals + i] = m[pairs + 2 * i + 1]
    if top == 0:
        top = n
    _bring_forward(m, choices, n, top)
    n = min(n, top)
    head = head_of(view, 0, t, p)
    scale = numbers[np.int64(numbers[lay.SCALES_AT]) + head]
    bias = numbers[np.int64(numbers[lay.BIASES_AT]) + head]
    for i in range(n):
        chance = sigmoid(m[totals + i] * scale + bias)
        m[totals + i] = np.int64(chance * trust * _UNIT)
    return n


@apart
def _all_legal(view, t, m, choices, most, word):
    """All legal choices; a random ``most`` of them where there are more."""
    n = np.int64(legal_moves(view, t, shifted(m, pl.IDS), choices))
    key = rng.fold(word, rng.SEARCH_SAMPLE)
    if n > most:
        for i in range(most):
            _swap(m, choices, i, i + rng.below(rng.word(key, i), n - i)[0])
        n = most
    for i in range(n):
        m[pl.IDS + choices + i] = 0
    return n


# --- the race -------------------------------------------------------------------------------------


@apart
def _try_all(
    n, s, game, t, p, w, lanes, keys, numbers, m, choices, guided, role, model, context, key
):  # fmt: skip
    """Add to each candidate's total what it is worth in the world ``s``."""
    values = np.int64(numbers[lay.VALUES_AT])
    network = pl.IDS + 4 * choices
    for i in range(n):
        for j in range(st.SIZE):
            game[j] = s[j]
        if decide(game, 0, t, keys, 0, m[pl.IDS + i]) == ROUND_OVER:
            value = finish_round(game, t, p, keys, numbers, values, m, pl.VALUES)
            value = value if role == 0 else 1.0 - value
        else:
            value = roll_out(
                game, t, p, w, lanes, keys, numbers, values, m, network,
                guided, role, model, context, key,
            )  # fmt: skip
        m[pl.IDS + choices + i] += np.int64(value * _UNIT)


@njit
def search_choice(view, t, p, w, lanes, numbers, options, s, game, keys, m, word):  # fmt: skip
    """The choice that does best in the worlds that may be; see `places` for the scratch ``m``.

    ``numbers[options:]`` are the options. Where no world is found before the tries are spent, what
    is ahead by then is chosen.
    """
    choices = np.int64(t[ix.MOVES]) + t[ix.RESPONSES]
    guided = numbers[options + pl.GUIDED] != 0.0
    budget = np.int64(numbers[options + pl.ROLLOUTS])
    tries = np.int64(numbers[options + pl.TRIES])
    model = np.int64(numbers[options + pl.MODEL])
    context = np.int64(numbers[options + pl.MODEL_CONTEXT])
    belief = numbers[options + pl.BELIEF]
    if guided:
        top = np.int64(numbers[options + pl.TOP])
        trust = numbers[options + pl.TRUST]
        n = _by_network(view, t, p, w, lanes, numbers, m, choices, top, trust)
    else:
        n = _all_legal(view, t, m, choices, max(budget // 2, 2), word)
    if n == 1:
        return m[pl.IDS]
    role = np.int64(view[ix.ROLE])
    prepare_world(view, t, s)
    phases = 0
    while (1 << phases) < n:
        phases += 1
    worlds, attempt = rng.fold(word, rng.SEARCH_WORLDS), 0
    while n > 1:
        share = max(budget // (n * phases), 1)
        for _ in range(share):
            found = False
            while not found and attempt < tries:
                key = rng.word(worlds, attempt)
                found = make_world(
                    view, t, p, w, lanes, numbers, s, keys, m, choices, key, model, context,
                    belief,
                )  # fmt: skip
                attempt += 1
            if not found:
                break
            _try_all(
                n, s, game, t, p, w, lanes, keys, numbers, m, choices,
                guided, role, model, context, rng.fold(key, rng.SEARCH_ROLLOUTS),
            )  # fmt: skip
        budget = max(budget - n * share, 0)
        half = (n + 1) // 2
        _bring_forward(m, choices, n, half)
        n = half
        phases -= 1
    return m[pl.IDS]
