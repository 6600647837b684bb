"""V under unguided rollouts: learned by playing them, and kept in the cache."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import cache_folder, fixed, kernel, njit, raw
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, begin_round, check_goals, count_favor, end_round
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ROUND_OVER, show
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.plan import build_plan
from hanamikoji.learning.network.values import model_rows, round_value, sigmoid, value_entry
from hanamikoji.learning.search.rollout import unguided_choice
from hanamikoji.learning.search.worlds import decide
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
def _learn(s, t, keys, p, values, visits, memory, seed, rounds):
    """Play rounds of the rollout policy, from a game under way or from random markers.

    Value iteration by sampling: each round moves the entry that it began from towards the value of
    where it ended, a running mean until the latest counts for `_LATEST`.
    """
    s_, t_, keys_, p_, values_, m_ = raw(s), fixed(t), raw(keys), raw(p), raw(values), raw(memory)
    for n in range(rounds):
        key = rng.fold(seed, n)
        keys[st.DEAL_KEY] = rng.fold(key, rng.VALUE_GAME)
        if n == 0 or s[st.PHASE] == ix.FINISHED:
            begin_game(s_, t_, keys_)
        elif (
            not t[ix.KEEP_MARKERS]
            or rng.below(rng.word(key, 0), _ANYWHERE)[0] > 0
            or _scatter(s_, t_, rng.fold(key, rng.VALUE_START))
        ):
            begin_round(s_, t_, keys_)
        else:
            begin_game(s_, t_, keys_)
        starter = np.int64(s[st.STARTER])
        view, number = view_of(s_, starter), np.int64(s[st.ROUND])
        first, end = np.int64(0), np.int64(1)
        if p[lay.CONFIGS] > 0:
            memory[0] = value_entry(view, 0, t_, p_, number)
        else:
            end = model_rows(view, 0, t_, p_, number, m_, 0)
        decision = 2
        while True:
            view = show(s_, np.int64(s[st.DECIDER]))
            choice = unguided_choice(view, 0, t_, rng.word(key, decision))
            decision += 1
            if decide(s_, 0, t_, keys_, 0, choice) == ROUND_OVER:
                break
        end_round(s_, t_, keys_)
        target = round_value(s_, 0, t_, p_, keys_, 0, values_, 0, m_, 32)
        target = target if starter == 0 else 1.0 - target
        if p[lay.CONFIGS] > 0:
            entry = memory[0]
            visits[entry] += 1
            share = max(1.0 / (visits[entry] + 1.0), _LATEST)
            values[entry] += share * (target - values[entry])
        else:
            total = 0.0
            for i in range(first, end):
                total += values[memory[i]]
            step = 10.0 * _LATEST * (target - sigmoid(total))
            for i in range(first, end):
                values[memory[i]] += step


@njit
def _scatter(s, t, key):
    """Random markers with which the game goes on, and who begins at random; False: not found."""
    view0, view1 = view_of(s, 0), view_of(s, 1)
    for n in range(_SCATTERS):
        bits = rng.word(key, n)
        starter, bits = rng.below(bits, 2)
        for g in range(t[ix.GEISHAS]):
            marker, bits = rng.below(bits, 3)
            view0[ix.MARKERS + g] = marker - 1
            view1[ix.MARKERS + g] = 1 - marker
        count_favor(s, t)
        if s[st.ROUND] >= t[ix.MIN_ROUNDS]:
            check_goals(s, t)
        if s[st.PHASE] != ix.FINISHED:
            s[st.STARTER] = starter
            return True
        s[st.PHASE] = ix.ACT
    return False


def _rounds(entries: int) -> int:
    return max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, _ROUNDS_PER_ENTRY * entries))


def _path(rules: Rules) -> Path:
    return cache_folder() / "search" / f"{rules.hash}-v{VERSION}.npy"


def learn_values(rules: Rules) -> Float64:
    """V for these rules, float64 as `hanamikoji.learning.network.values` lays it out."""
    plan = build_plan(rules).array.copy()
    values = np.full(int(plan[lay.VALUES]), 0.5 if plan[lay.CONFIGS] else 0.0)
    _learn(
        np.zeros(st.SIZE, np.int32), build_tables(rules).copy(), np.zeros(st.KEYS, np.uint64),
        plan, values, np.zeros(len(values), np.int64), np.zeros(64, np.int64),
        np.uint64(_SEED), _rounds(len(values)),
    )  # fmt: skip
    return values


def unguided_values(rules: Rules) -> Float64:
    """The same from the cache, or learned now and put there."""
    path = _path(rules)
    with contextlib.suppress(OSError, ValueError, EOFError):
        values: Float64 = np.load(path, allow_pickle=False)
        if values.shape == (int(build_plan(rules).array[lay.VALUES]),):
            return values
    values = learn_values(rules)
    with contextlib.suppress(OSError):  # a cache that can't be written is no cache
        _keep(path, values)
    return values


def _keep(path: Path, values: Float64) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.save(file, values, allow_pickle=False)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
