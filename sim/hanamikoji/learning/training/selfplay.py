"""Kernels: rounds of self-play, each decision a sample with its gradient."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import fixed, flat, inline, kernel, njit, raw
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, begin_round, check_goals, count_favor, end_round
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ROUND_OVER, apply_choice, show
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import learned_choice
from hanamikoji.learning.network.rows import head_of, position_rows
from hanamikoji.learning.network.values import model_rows, round_value, sigmoid, value_entry
from hanamikoji.moves import index as ix

N = lay.LANES
_TRIES = 20


@inline
def _below_share(bits, share):
    """True with probability ``share`` (0..1), from the upper 32 bits of a word."""
    return np.float64(bits >> np.uint64(32)) < share * 4294967296.0


@njit
def _random_markers(s, t, p, key):
    """Markers, the round's number and who begins at random, such that the game goes on."""
    view0, view1 = view_of(s, 0), view_of(s, 1)
    n = 0
    last = 1
    if p[lay.STAGES] > 1:
        last = max(np.int64(t[ix.MIN_ROUNDS]) + 1, 4)
        if p[lay.CAP_STAGES] > 0:
            last = np.int64(p[lay.CAP])
    for _ in range(_TRIES):
        bits = rng.word(key, n)
        number, bits = rng.below(bits, max(last - 1, 1))
        number += last > 1
        starter, bits = rng.below(bits, 2)
        bits = rng.word(key, n + 1)
        n += 2
        for g in range(t[ix.GEISHAS]):
            marker, bits = rng.below(bits, 3)
            view0[ix.MARKERS + g] = marker - 1
            view1[ix.MARKERS + g] = 1 - marker
        count_favor(s, t)
        s[st.PHASE] = ix.ACT
        if number >= t[ix.MIN_ROUNDS] or p[lay.STAGES] == 1:
            check_goals(s, t)
        if s[st.PHASE] != ix.FINISHED:
            s[st.ROUND] = number
            s[st.STARTER] = starter
            return True
    return False


@njit
def _begin(s, t, p, keys, key, random_share):
    """Begin the next round of self-play: of the game under way, of a new one, or anywhere."""
    keys[st.DEAL_KEY] = rng.fold(key, rng.TRAINING_GAME)
    fresh = s[st.ROUND] == 0 or s[st.PHASE] == ix.FINISHED
    chances = rng.fold(key, rng.TRAINING_START)
    if t[ix.KEEP_MARKERS] and _below_share(rng.word(chances, 0), random_share):
        if s[st.ROUND] == 0:
            begin_game(s, t, keys)
        if _random_markers(s, t, p, rng.fold(chances, 1)):
            begin_round(s, t, keys)
            return
        fresh = True
    if fresh:
        begin_game(s, t, keys)
    else:
        begin_round(s, t, keys)


@njit
def _forward(row, count, head, wf, heads, sums, products):
    """The output before the sigmoid, in float32; the hidden layer's sums stay in ``sums``."""
    first = np.int64(row[0]) * N
    for h in range(N):
        sums[h] = wf[first + h]
    for i in range(1, count):
        at = np.int64(row[i]) * N
        for h in range(N):
            sums[h] += wf[at + h]
    for h in range(N):
        x = sums[h]
        x = x if x > 0 else np.float32(0)
        products[h] = x * heads[head * N + h]
    half = N // 2
    while half > 0:  # pairwise: the same bits whatever the width of vectors
        for h in range(half):
            products[h] += products[half + h]
        half //= 2
    return products[0]


@njit
def _note_values(s, v, t, p, number, out):
    """Keep what V reads for a round: a count, then entries of the table or the model."""
    if p[lay.CONFIGS] > 0:
        out[0] = 1
        out[1] = value_entry(s, v, t, p, number)
    else:
        out[0] = model_rows(s, v, t, p, number, raw(out), 1) - 1


@njit
def _blame(
    begun, n, value, trace, rows, counts, which, slopes, sums, wf, heads, bias, products
):  # fmt: skip
    """Give samples ``begun`` to ``n``, a round worth ``value`` to role 0, their slopes.

    ``which`` holds 2 head + role, and then the head alone. Returns the sum of squared errors.
    """
    loss = 0.0
    mine, theirs = value, 1.0 - value
    for i in range(n - 1, begun - 1, -1):
        role = np.int64(which[i] % 2)
        target = mine if role == 0 else theirs
        head = np.int64(which[i] // 2)
        which[i] = head
        output = _forward(raw(rows[i]), counts[i], head, wf, heads, raw(sums[i]), products)
        chance = sigmoid(np.float64(output) + bias[head])
        slopes[i] = np.float32(chance - target)
        loss += (chance - target) ** 2
        target += (1.0 - trace) * (chance - target)
        if role == 0:
            mine = target
        else:
            theirs = target
    return loss


@njit
def _play_chunk(
    s, t, keys, p, w, lanes, memory, values, wf, heads, bias,
    seed, first, rounds, random_share, epsilon, trace,
    rows, counts, which, slopes, sums, products, value_rows, value_targets, losses,
):  # fmt: skip
    """Play ``rounds`` rounds from number ``first`` on with fixed weights; returns the samples.

    ``s`` is this chunk's game, which goes on from call to call. Of sample i: ``rows[i,
    :counts[i]]`` describe the position, ``which[i]`` is its head, ``slopes[i]`` the loss's
    derivative by the output, ``sums[i]`` the hidden layer before ReLU. ``value_rows[j]`` are what V
    read for round j (a count, then entries), ``value_targets[j]`` what became of it. A decision's
    target is ``trace`` times that of the player's next decision (at the round's end: what became of
    the round) and else what the network thinks of that decision: TD(lambda), Sutton 1988.
    """
    s_, t_, keys_, p_, w_, lanes_ = raw(s), fixed(t), raw(keys), raw(p), flat(w), flat(lanes)
    m_, values_, products_ = raw(memory), raw(values), raw(products)
    wf_, heads_ = flat(wf), flat(heads)
    scratch = len(memory) - 64
    n = 0
    loss = 0.0
    for j in range(rounds):
        key = rng.fold(seed, first + j)
        _begin(s_, t_, p_, keys_, key, random_share)
        begun = n
        starter = np.int64(s_[st.STARTER])
        _note_values(view_of(s_, starter), 0, t_, p_, np.int64(s_[st.ROUND]), value_rows[j])
        decision = 0
        while True:
            role = np.int64(s_[st.DECIDER])
            view = show(s_, role)
            bits = rng.word(key, decision)
            if _below_share(bits, epsilon):
                choice = np.int64(random_choice(view, t_, rng.mix(bits)))
            else:
                choice = np.int64(learned_choice(view, 0, t_, p_, w_, lanes_, m_, 0))
            end = position_rows(view, 0, t_, p_, choice, m_, 0)
            for i in range(end):
                rows[n, i] = memory[i]
            counts[n] = end
            which[n] = np.int64(head_of(view, 0, t_, p_)) * 2 + role
            n += 1
            decision += 1
            if apply_choice(s_, t_, keys_, choice) == ROUND_OVER:
                break
        end_round(s_, t_, keys_)
        value = round_value(s_, 0, t_, p_, keys_, 0, values_, 0, m_, scratch)
        value_targets[j] = value if starter == 0 else 1.0 - value
        loss += _blame(
            begun, n, value, trace, rows, counts, which, slopes, sums, wf_, heads_, bias, products_
        )
    losses[0] = loss
    return n


@kernel
def play_chunks(
    begin, end, states, t, keys, p, w, lanes, memory, values, wf, heads, bias,
    seed, first, rounds, random_share, epsilon, trace,
    samples, rows, counts, which, slopes, sums, products, value_rows, value_targets, losses,
):  # fmt: skip
    """Play the chunks from ``begin`` to ``end``; ``samples[c]`` becomes the samples of each.

    The arrays are those of `_play_chunk` with one more dimension, for the chunks; chunk c's rounds
    begin at number ``first + c * rounds``.
    """
    for c in range(begin, end):
        samples[c] = _play_chunk(
            states[c], t, keys[c], p, w, lanes[c], memory[c], values, wf, heads, bias,
            seed, first + c * rounds, rounds, random_share, epsilon, trace,
            rows[c], counts[c], which[c], slopes[c], sums[c], products[c],
            value_rows[c], value_targets[c], losses[c],
        )  # fmt: skip
