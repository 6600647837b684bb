"""V under unguided rollouts: learned by playing them, and cached."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import (
    cache_folder,
    fixed,
    kernel,
    njit,
    raw,
    read_checked,
    shifted,
    use_temporary_cache,
    write_checked,
)
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, begin_round, check_goals, count_favor
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ROUND_OVER, show
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.values import MOST_ENTRIES, Values, sigmoid, value_entries
from hanamikoji.learning.search.determinization import decide
from hanamikoji.learning.search.rollout import finish_round, unguided_choice
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Float64 = npt.NDArray[np.float64]

VERSION = 1
"""Raised whenever these values come out otherwise than before."""

_ROUNDS_PER_ENTRY, _FEWEST_ROUNDS, _MOST_ROUNDS = 200, 200_000, 3_000_000
_LATEST = 0.002  # at least this share of an entry is what became of its latest round
_SEED = 0x56414C55
_SCATTERS = 20
_ANYWHERE = 3  # one round in so many begins from random markers


@kernel
def _learn(state, tables, keys, values, visits, seed, rounds):
    """Play rounds of the rollout policy, from a game under way or from random markers.

    Value iteration by sampling: each round moves the entry that it began from towards the value of
    where it ended, a running mean until the latest counts for `_LATEST`.
    """
    state_, tables_, keys_ = raw(state), fixed(tables), raw(keys)
    features, entries, scratch = values
    begun = raw(scratch)  # the entries of V that the round began from
    ahead = Values(raw(features), raw(entries), shifted(begun, MOST_ENTRIES))
    for n in range(rounds):
        key = rng.fold(seed, n)
        keys[st.DEAL_KEY] = rng.fold(key, rng.VALUE_GAME)
        if n == 0 or state[st.PHASE] == ix.FINISHED:
            begin_game(state_, tables_, keys_)
        elif (
            not tables[ix.KEEP_MARKERS]
            or rng.below(rng.word(key, 0), _ANYWHERE)[0] > 0
            or _scatter(state_, tables_, rng.fold(key, rng.VALUE_START))
        ):
            begin_round(state_, tables_, keys_)
        else:
            begin_game(state_, tables_, keys_)
        starter = np.int64(state[st.STARTER])
        view, number = view_of(state_, starter), np.int64(state[st.ROUND])
        count = value_entries(view, tables_, ahead.features, number, begun)
        _play_on(state_, tables_, keys_, key)
        target = finish_round(state_, tables_, keys_, ahead, starter)
        if features[lay.CONFIGS] > 0:
            entry = scratch[0]
            visits[entry] += 1
            share = max(1.0 / (visits[entry] + 1.0), _LATEST)
            entries[entry] += share * (target - entries[entry])
        else:
            total = 0.0
            for i in range(count):
                total += entries[scratch[i]]
            step = 10.0 * _LATEST * (target - sigmoid(total))
            for i in range(count):
                entries[scratch[i]] += step


@njit
def _play_on(state, tables, keys, key):
    """Play the round that has begun to its end."""
    decision = 2
    while True:
        view = show(state, np.int64(state[st.DECIDER]))
        choice = unguided_choice(view, tables, rng.word(key, decision))
        decision += 1
        if decide(state, tables, keys, choice) == ROUND_OVER:
            break


@njit
def _scatter(state, tables, key):
    """Random markers that don't end the game, and a random starter; False if there are none."""
    view0, view1 = view_of(state, 0), view_of(state, 1)
    for n in range(_SCATTERS):
        bits = rng.word(key, n)
        starter, bits = rng.below(bits, 2)
        for g in range(tables[ix.GEISHAS]):
            marker, bits = rng.below(bits, 3)
            view0[ix.MARKERS + g] = marker - 1
            view1[ix.MARKERS + g] = 1 - marker
        count_favor(state, tables)
        if state[st.ROUND] >= tables[ix.MIN_ROUNDS]:
            check_goals(state, tables)
        if state[st.PHASE] != ix.FINISHED:
            state[st.STARTER] = starter
            return True
        state[st.PHASE] = ix.ACT
    return False


def _rounds(entries: int) -> int:
    return max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, _ROUNDS_PER_ENTRY * entries))


def _path(rules: Rules) -> Path:
    return cache_folder() / "search" / f"{rules.hash}-v{VERSION}.values"


def learn_values(rules: Rules) -> Float64:
    """V for these rules, float64 as `hanamikoji.learning.network.values` lays it out."""
    features = build_features(rules).array.copy()
    values = np.full(int(features[lay.VALUES]), 0.5 if features[lay.CONFIGS] else 0.0)
    scratch = np.zeros(2 * MOST_ENTRIES, np.int64)
    _learn(
        np.zeros(st.SIZE, np.int32), build_tables(rules).copy(), np.zeros(st.KEYS, np.uint64),
        Values(features, values, scratch), np.zeros(len(values), np.int64),
        np.uint64(_SEED), _rounds(len(values)),
    )  # fmt: skip
    return values


def unguided_values(rules: Rules) -> Float64:
    """The same from the cache, or learned now and put there."""
    found = read_checked(_path(rules))
    if found is not None:
        values: Float64 = np.frombuffer(found).copy()
        if values.shape == (int(build_features(rules).array[lay.VALUES]),):
            return values
    values = learn_values(rules)
    try:
        _keep(_path(rules), values)
    except OSError as error:
        use_temporary_cache(error)
        with contextlib.suppress(OSError):  # they are in memory: another process learns them again
            _keep(_path(rules), values)
    return values


def _keep(path: Path, values: Float64) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_checked(path, values.tobytes())
