"""Kernels: sequential halving over determinizations (Karnin, Koren & Somekh 2013, ICML 28).

All candidates still in the race are tried in the same determinizations with the same randomness;
after each of log2(candidates) phases, which get equal shares of the rollouts, the worse half drops
out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import apart, inline, njit
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.turns import ROUND_OVER, legal_moves
from hanamikoji.learning.network.network import score_choices
from hanamikoji.learning.network.rows import head_of
from hanamikoji.learning.network.values import sigmoid
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.determinization import decide, determinize, prepare_world
from hanamikoji.learning.search.rollout import finish_round, roll_out
from hanamikoji.moves import index as ix

_UNIT = 4294967296.0  # totals are integers: a sum is the same in any order


class Race(NamedTuple):
    """What a search works with: pointers and bundles of pointers."""

    ids: Any
    """int64 (choices,): the candidates."""
    totals: Any
    """int64 (choices,): the sum of what each was worth, in units of 2^-32."""
    world: Any
    """`World`: the determinization at the decision."""
    game: Any
    """int32 (`st.SIZE`,): the determinization as it is played on."""
    guide: Any
    opponent: Any
    options: Any
    """float64, see `places`."""


# --- candidates -----------------------------------------------------------------------------------


@inline
def _swap(race, i, j):
    id_, total = race.ids[i], race.totals[i]
    race.ids[i], race.totals[i] = race.ids[j], race.totals[j]
    race.ids[j], race.totals[j] = id_, total


@apart
def _bring_forward(race, n, most):
    """Bring the best ``most`` of n candidates to the front, best first; equals by id."""
    ids, totals = race.ids, race.totals
    for i in range(min(most, n)):
        best = i
        for j in range(i + 1, n):
            same = totals[j] == totals[best] and ids[j] < ids[best]
            if totals[j] > totals[best] or same:
                best = j
        _swap(race, i, best)


@apart
def _by_network(view, tables, race):
    """The network's best candidates, each with its chance as its first TRUST rollouts."""
    guide = race.guide
    n = score_choices(view, tables, guide.network, True).count
    for i in range(n):
        race.ids[i] = guide.network.scores[2 * i]
        race.totals[i] = guide.network.scores[2 * i + 1]
    top = np.int64(race.options[pl.TOP])
    if top == 0:
        top = n
    _bring_forward(race, n, top)
    n = min(n, top)
    head = head_of(view, tables, guide.network.features)
    for i in range(n):
        chance = sigmoid(race.totals[i] * guide.scales[head] + guide.biases[head])
        race.totals[i] = np.int64(chance * race.options[pl.TRUST] * _UNIT)
    return n


@apart
def _all_legal(view, tables, race, most, word):
    """All legal choices; a random ``most`` of them where there are more."""
    choices = np.int64(tables[ix.MOVES]) + tables[ix.RESPONSES]
    n = np.int64(legal_moves(view, tables, race.ids, choices))
    key = rng.fold(word, rng.SEARCH_SAMPLE)
    if n > most:
        for i in range(most):
            _swap(race, i, i + rng.below(rng.word(key, i), n - i)[0])
        n = most
    for i in range(n):
        race.totals[i] = 0
    return n


# --- the race -------------------------------------------------------------------------------------


@apart
def _try_all(tables, race, n, role, key):
    """Add to each candidate's total what it is worth in the determinization at hand."""
    game, keys, guide = race.game, race.world.keys, race.guide
    for i in range(n):
        for j in range(st.SIZE):
            game[j] = race.world.state[j]
        if decide(game, tables, keys, race.ids[i]) == ROUND_OVER:
            value = finish_round(game, tables, keys, guide.values, role)
        else:
            value = roll_out(game, tables, keys, guide, race.opponent, role, key)
        race.totals[i] += np.int64(value * _UNIT)


@njit
def search_choice(view, tables, race, word):
    """The choice that does best in states of the information set.

    Where none is found before the tries are spent, what is ahead by then is chosen.
    """
    budget = np.int64(race.options[pl.ROLLOUTS])
    tries = np.int64(race.options[pl.TRIES])
    if race.guide.guided:
        n = _by_network(view, tables, race)
    else:
        n = _all_legal(view, tables, race, max(budget // 2, 2), word)
    if n == 1:
        return race.ids[0]
    role = np.int64(view[ix.ROLE])
    prepare_world(view, tables, race.world.state)
    phases = 0
    while (1 << phases) < n:
        phases += 1
    attempts, attempt = rng.fold(word, rng.SEARCH_WORLDS), 0
    while n > 1:
        share = max(budget // (n * phases), 1)
        for _ in range(share):
            found = False
            while not found and attempt < tries:
                key = rng.word(attempts, attempt)
                found = determinize(view, tables, race.world, race.guide, race.opponent, key)
                attempt += 1
            if not found:
                break
            _try_all(tables, race, n, role, rng.fold(key, rng.SEARCH_ROLLOUTS))
        budget = max(budget - n * share, 0)
        half = (n + 1) // 2
        _bring_forward(race, n, half)
        n = half
        phases -= 1
    return race.ids[0]
