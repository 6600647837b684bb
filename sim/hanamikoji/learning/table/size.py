"""How many information sets a variant has, estimated from random play."""

from __future__ import annotations

import functools

import numpy as np

from hanamikoji._jit import fixed, kernel, njit, raw
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, begin_next_round, end_round
from hanamikoji.engine.turns import ROUND_OVER, apply_choice, legal_moves, show
from hanamikoji.learning.table.keys import find, information_key
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

_ROUNDS = 200_000
_SLOTS = 1 << 22
_SEED = np.uint64(0x51_2E)


@njit
def _visit(seen, counts, view, tables):
    """Count a visit; returns 1 if it is the first of its information set."""
    key = information_key(view, tables)
    slot = find(seen, _SLOTS - 1, key)
    new = seen[slot] == 0
    seen[slot] = key
    counts[slot] = min(counts[slot] + 1, 3)
    return np.int64(new)


@kernel
def _sample(state, tables, keys, ids, seen, counts, rounds):
    """Play so many rounds at random; returns how many information sets were met."""
    s, t, k, ids_ = raw(state), fixed(tables), raw(keys), raw(ids)
    seen_, counts_ = raw(seen), raw(counts)
    s[st.PHASE] = ix.FINISHED
    met = np.int64(0)
    for n in range(rounds):
        key = rng.fold(_SEED, n)
        k[st.DEAL_KEY] = rng.fold(key, rng.TABLE_DEAL)
        if s[st.PHASE] == ix.FINISHED:
            begin_game(s, t, k)
        else:
            begin_next_round(s, t, k)
        words = rng.fold(key, rng.TABLE_PLAY)
        decision = 0
        while True:
            view = show(s, s[st.DECIDER])
            met += _visit(seen_, counts_, view, t)
            count = legal_moves(view, t, ids_, len(ids))
            choice = ids_[rng.below(rng.word(words, decision), count)[0]]
            decision += 1
            if apply_choice(s, t, k, choice) == ROUND_OVER:
                break
        end_round(s, t, k)
        if 2 * met > _SLOTS:
            break
    return met


@functools.lru_cache(maxsize=1024)
def information_sets(rules: Rules) -> int:
    """Estimate how many information sets these rules have, from random play.

    Those that were met, and by Chao's estimator (1984, from those met once and twice) those that
    were not. It errs on the low side.
    """
    tables = build_tables(rules).copy()
    ids = np.zeros(int(tables[ix.MOVES] + tables[ix.RESPONSES]), np.int32)
    counts = np.zeros(_SLOTS, np.int8)
    met = _sample(
        np.zeros(st.SIZE, np.int32), tables, np.zeros(st.KEYS, np.uint64), ids,
        np.zeros(_SLOTS, np.int64), counts, _ROUNDS,
    )  # fmt: skip
    once, twice = (int((counts == n).sum()) for n in (1, 2))
    return int(met) + once * (once - 1) // (2 * (twice + 1))
