"""Kernels: rounds of self-play, each decision a sample with its gradient.

The method is Deep Monte Carlo (Zha et al. 2021, "DouZero", ICML 38): the network learns what became
of the positions that its own choices led to, one round at a time, by way of V.

Choices are drawn in proportion to exp(log-odds of winning / temperature), which is learning by
smooth fictitious play (Fudenberg & Levine 1998; for learned action values Leslie & Collins 2005,
"Individual Q-learning in normal form games"): in two-player zero-sum games it comes to rest in a
quantal response equilibrium (McKelvey & Palfrey 1998), near an exact one at low temperatures. The
choice with the best score would go round in circles wherever hidden cards ask for mixing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import fixed, flat, inline, kernel, njit, raw, shifted
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import begin_game, begin_round, check_goals, count_favor, end_round
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ROUND_OVER, apply_choice, show
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import Network, mixed_choice
from hanamikoji.learning.network.rows import head_of, position_rows
from hanamikoji.learning.network.values import (
    Values,
    round_value,
    sigmoid,
    value_entries,
)
from hanamikoji.moves import index as ix

N = lay.LANES
_TRIES = 20


class Games(NamedTuple):
    """The games under way, one for each chunk: arrays for kernels."""

    states: Any
    """int32 (chunks, `st.SIZE`)."""
    keys: Any
    """uint64 (chunks, `st.KEYS`)."""


class Learner(NamedTuple):
    """The network as it is trained, in float32, and V."""

    rows: Any
    """float32 (rows, 64)."""
    heads: Any
    """float32 (heads, 64)."""
    biases: Any
    """float64 (heads,)."""
    values: Any
    """float64: entries of V."""


class Stretch(NamedTuple):
    """Which rounds are played, and how."""

    seed: Any
    """uint64."""
    first: Any
    """The number of the first chunk's first round."""
    rounds: Any
    """Of each chunk."""
    random_share: Any
    """How many begin from random markers, 0..1."""
    epsilon: Any
    """How many decisions are random, 0..1."""
    sharpness: Any
    """What scores are multiplied by in `mixed_choice`."""
    trace: Any
    """How much of a decision's target is the player's next one's, 0..1."""


class Samples(NamedTuple):
    """What the chunks' decisions were and what became of them; see `_play_chunk`."""

    count: Any
    """int64 (chunks,): samples of each; the arrays hold more."""
    rows: Any
    """int32 (chunks, samples, `lay.MOST_ROWS`): of the position."""
    sizes: Any
    """int32 (chunks, samples): how many rows it has."""
    heads: Any
    """int32 (chunks, samples)."""
    slopes: Any
    """float32 (chunks, samples): the loss's derivative by the output."""
    sums: Any
    """float32 (chunks, samples, 64): the hidden layer before ReLU."""
    products: Any
    """float32 (chunks, 64): scratch."""
    entries: Any
    """int64 (chunks, rounds, 1 + `MOST_ENTRIES`): what V read for a round, a count first."""
    targets: Any
    """float64 (chunks, rounds): what became of it for who began."""
    scratch: Any
    """int64 (chunks, `MOST_ENTRIES`)."""
    losses: Any
    """float64 (chunks,): the sum of squared errors."""
    bits: Any
    """int64 (chunks,): what it takes to name each decision's choice among the legal ones, added up.

    Random decisions left out."""


@inline
def network_of_chunk(network, c):
    """Pointers to the network, with chunk c's own scratch."""
    scratch = raw(network.scratch[c])
    return Network(
        raw(network.features),
        flat(network.weights),
        flat(network.lanes[c]),
        scratch,
        raw(network.scores[c]),
    )


@inline
def below_share(bits, share):
    """True with probability ``share`` (0..1), from the upper 32 bits of a word."""
    return np.float64(bits >> np.uint64(32)) < share * 4294967296.0


@inline
def bit_length(n):
    """The bits of a number from 0 on."""
    bits = np.int64(0)
    while n > 0:
        bits += 1
        n >>= 1
    return bits


@njit
def _random_markers(state, tables, features, key):
    """Markers, the round's number and who begins at random, such that the game goes on."""
    view0, view1 = view_of(state, 0), view_of(state, 1)
    n = 0
    last = 1
    if features[lay.STAGES] > 1:
        last = max(np.int64(tables[ix.MIN_ROUNDS]) + 1, 4)
        if features[lay.CAP_STAGES] > 0:
            last = np.int64(features[lay.CAP])
    for _ in range(_TRIES):
        bits = rng.word(key, n)
        number, bits = rng.below(bits, max(last - 1, 1))
        number += last > 1
        starter, bits = rng.below(bits, 2)
        bits = rng.word(key, n + 1)
        n += 2
        for g in range(tables[ix.GEISHAS]):
            marker, bits = rng.below(bits, 3)
            view0[ix.MARKERS + g] = marker - 1
            view1[ix.MARKERS + g] = 1 - marker
        count_favor(state, tables)
        state[st.PHASE] = ix.ACT
        if number >= tables[ix.MIN_ROUNDS] or features[lay.STAGES] == 1:
            check_goals(state, tables)
        if state[st.PHASE] != ix.FINISHED:
            state[st.ROUND] = number
            state[st.STARTER] = starter
            return True
    return False


@njit
def begin_any_round(state, tables, keys, features, key, random_share):
    """Begin the next round of self-play: of the game under way, of a new one, or anywhere."""
    keys[st.DEAL_KEY] = rng.fold(key, rng.TRAINING_GAME)
    fresh = state[st.ROUND] == 0 or state[st.PHASE] == ix.FINISHED
    chances = rng.fold(key, rng.TRAINING_START)
    if tables[ix.KEEP_MARKERS] and below_share(rng.word(chances, 0), random_share):
        if state[st.ROUND] == 0:
            begin_game(state, tables, keys)
        if _random_markers(state, tables, features, rng.fold(chances, 1)):
            begin_round(state, tables, keys)
            return
        fresh = True
    if fresh:
        begin_game(state, tables, keys)
    else:
        begin_round(state, tables, keys)


@njit
def note_values(state, tables, features, offset, out):
    """Write what V reads for the round that begins: a count, then entries (``offset`` further)."""
    view, number = view_of(state, np.int64(state[st.STARTER])), np.int64(state[st.ROUND])
    count = value_entries(view, tables, features, number, shifted(out, 1))
    out[0] = count
    for i in range(count):
        out[1 + i] += offset


@njit
def note_position(view, tables, network, samples, c, n, choice):
    """Write the rows of the position that a choice leads to as sample n of chunk c."""
    size = position_rows(view, tables, network.features, choice, network.scratch)
    row = raw(samples.rows[c, n])
    for i in range(size):
        row[i] = network.scratch[i]
    samples.sizes[c, n] = size


@njit
def forward(learner, samples, c, n):
    """Sample n's output before the sigmoid, in float32; the hidden layer's sums stay in ``sums``.

    Its head is in ``samples.heads``.
    """
    rows, sums, products = flat(learner.rows), raw(samples.sums[c, n]), raw(samples.products[c])
    row, head = raw(samples.rows[c, n]), shifted(flat(learner.heads), samples.heads[c, n] * N)
    first = np.int64(row[0]) * N
    for h in range(N):
        sums[h] = rows[first + h]
    for i in range(1, samples.sizes[c, n]):
        at = np.int64(row[i]) * N
        for h in range(N):
            sums[h] += rows[at + h]
    for h in range(N):
        x = sums[h]
        x = x if x > 0 else np.float32(0)
        products[h] = x * head[h]
    half = N // 2
    while half > 0:  # pairwise: the same bits whatever the width of vectors
        for h in range(half):
            products[h] += products[half + h]
        half //= 2
    return products[0]


@njit
def _blame(learner, samples, c, begun, n, value, trace):
    """Give samples ``begun`` to ``n``, a round worth ``value`` to role 0, their slopes.

    ``heads`` holds 2 head + role, and then the head alone. Returns the sum of squared errors.
    """
    loss = 0.0
    mine, theirs = value, 1.0 - value
    heads = raw(samples.heads[c])
    for i in range(n - 1, begun - 1, -1):
        role = np.int64(heads[i] % 2)
        target = mine if role == 0 else theirs
        heads[i] = heads[i] // 2
        output = forward(learner, samples, c, i)
        chance = sigmoid(np.float64(output) + learner.biases[heads[i]])
        samples.slopes[c, i] = np.float32(chance - target)
        loss += (chance - target) ** 2
        target += (1.0 - trace) * (chance - target)
        if role == 0:
            mine = target
        else:
            theirs = target
    return loss


@njit
def _play_round(state, tables, keys, network, samples, place, stretch):
    """Play the round that has begun to its end; ``place``: the chunk, its samples, the round's key.

    Returns the samples by then. ``heads`` of the new ones hold 2 head + role.
    """
    c, n, key = place
    decision = 0
    while True:
        role = np.int64(state[st.DECIDER])
        view = show(state, role)
        bits = rng.word(key, decision)
        if below_share(bits, stretch.epsilon):
            choice = np.int64(random_choice(view, tables, rng.mix(bits)))
        else:
            word = rng.mix(bits)
            choice, choices = mixed_choice(view, tables, network, stretch.sharpness, word)
            samples.bits[c] += bit_length(choices - 1)
        note_position(view, tables, network, samples, c, n, choice)
        samples.heads[c, n] = np.int64(head_of(view, tables, network.features)) * 2 + role
        n += 1
        decision += 1
        if apply_choice(state, tables, keys, choice) == ROUND_OVER:
            return n


@njit
def _play_chunk(c, tables, games, network, learner, stretch, samples):
    """Play chunk c's rounds with fixed weights.

    Its game goes on from call to call. A decision's target is ``trace`` times that of the player's
    next decision (at the round's end: what became of the round) and else what the network thinks of
    that decision: TD(lambda), Sutton 1988.
    """
    state, keys = raw(games.states[c]), raw(games.keys[c])
    network = network_of_chunk(network, c)
    features = network.features
    values = Values(features, raw(learner.values), raw(samples.scratch[c]))
    n = np.int64(0)
    loss = 0.0
    samples.bits[c] = 0
    for j in range(stretch.rounds):
        key = rng.fold(stretch.seed, stretch.first + c * stretch.rounds + j)
        begin_any_round(state, tables, keys, features, key, stretch.random_share)
        begun, starter = n, np.int64(state[st.STARTER])
        note_values(state, tables, features, 0, raw(samples.entries[c, j]))
        n = _play_round(state, tables, keys, network, samples, (c, n, key), stretch)
        end_round(state, tables, keys)
        value = round_value(state, tables, keys, values, values)
        samples.targets[c, j] = value if starter == 0 else 1.0 - value
        loss += _blame(learner, samples, c, begun, n, value, stretch.trace)
    samples.losses[c] = loss
    samples.count[c] = n


@kernel
def play_chunks(begin, end, tables, games, network, learner, stretch, samples):
    """Play the chunks from ``begin`` to ``end``, and write their samples.

    Chunk c's rounds begin at number ``first + c * rounds``. ``network``'s ``lanes``, ``scratch``
    and ``scores`` have one more dimension, for the chunks.
    """
    tables_ = fixed(tables)
    for c in range(begin, end):
        _play_chunk(c, tables_, games, network, learner, stretch, samples)
