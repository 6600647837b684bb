"""Kernels: gradients summed in the order of samples, lazy Adam, and the tables for play.

Everything is done by blocks of lanes, which never meet: any number of threads gives the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import flat, inline, kernel, njit, raw, shifted
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import PARTS
from hanamikoji.learning.network.values import sigmoid

N = lay.LANES
BLOCKS = 2
"""Lanes are worked on in so many blocks, each by one thread."""
WIDE = N // BLOCKS
# Loops over lanes get their number as an argument: known when compiling, they would be unrolled
# before they could be made vector code (8 times slower, measured).

BETA_1, BETA_2, EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
REST_1, REST_2 = np.float32(1) - BETA_1, np.float32(1) - BETA_2

HEAD_SCALE, MOST_HEAD, HALF = np.float32(2048), np.float32(16383), np.float32(0.5)


class Trained(NamedTuple):
    """Trained rows, the heads behind them, and Adam's moments: float32 (trained + heads, 64)."""

    theta: Any
    first: Any
    second: Any
    gradient: Any
    """All zero between calls."""
    steps: Any
    """int32 (blocks, trained + heads): each row's Adam steps so far."""
    parts: Any
    """int32 (rows, `PARTS`): see `FeatureLayout.parts`."""


class Folded(NamedTuple):
    """What the trained rows add up to: the network for play."""

    rows: Any
    """float32 (rows, 64)."""
    weights: Any
    """int16 (rows + heads, 64)."""
    scale: Any
    """What float rows are multiplied by for ``weights``."""
    most: Any
    """The largest int16 of a row."""


class Scratch(NamedTuple):
    """Memory of `update_block`."""

    sources: Any
    """float32 (rows, 64): the rows' gradient, all zero between calls."""
    touched: Any
    """int32 (blocks, 2, rows)."""
    back: Any
    """float32 (blocks, 64)."""


class Rates(NamedTuple):
    """How large an Adam step is."""

    rate: Any
    fixes: Any
    """float32 (steps, 2): see `corrections`."""


def corrections(steps: int):
    """float32 (steps, 2): Adam's 1 / (1 - beta^t), until both are 1 to float32's precision."""
    table = np.ones((steps, 2), np.float32)
    one = two = 1.0
    for step in range(1, steps):
        one *= float(BETA_1)
        two *= float(BETA_2)
        table[step] = 1 / (1 - one), 1 / (1 - two)
    return table


@njit
def _adam_row(trained, at, wide, rate, fix_1, fix_2):
    """One Adam step of a block of a row's lanes (Kingma & Ba 2015); the gradient is cleared."""
    theta, gradient = flat(trained.theta), flat(trained.gradient)
    first, second = flat(trained.first), flat(trained.second)
    for h in range(at, at + wide):
        g = gradient[h]
        first[h] = np.float32(BETA_1 * first[h]) + np.float32(REST_1 * g)
        second[h] = np.float32(BETA_2 * second[h]) + np.float32(REST_2 * np.float32(g * g))
        gradient[h] = np.float32(0)
    for h in range(at, at + wide):
        down = np.sqrt(np.float32(second[h] * fix_2)) + EPSILON
        theta[h] -= np.float32(rate * np.float32(first[h] * fix_1)) / down


@inline
def _add_to(target, to, source, at, wide):
    for h in range(wide):
        target[to + h] = np.float32(target[to + h] + source[at + h])


@inline
def _clear(target, to, wide):
    for h in range(wide):
        target[to + h] = np.float32(0)


@inline
def _backward(hidden, slope, head, gradient, back, wide):
    """The gradient of a head, and what goes on to the rows behind it."""
    for h in range(wide):
        y = hidden[h]
        y = y if y > 0 else np.float32(0)
        gradient[h] = np.float32(gradient[h] + np.float32(slope * y))
    for h in range(wide):
        z = np.float32(slope * head[h])
        back[h] = z if hidden[h] > 0 else np.float32(0)


# --- one block of lanes ---------------------------------------------------------------------------


@njit
def _sum_gradients(block, wide, samples, trained, folded, scratch):
    """Add up the heads' gradients and those of the rows, in the order of samples.

    Returns how many rows are in the samples; they are listed in ``touched[block, 0]``.
    """
    theta, gradient = flat(trained.theta), flat(trained.gradient)
    sources, back = flat(scratch.sources), raw(scratch.back[block])
    seen, marked = raw(scratch.touched[block, 0]), raw(scratch.touched[block, 1])
    lo, behind = np.int64(block) * wide, len(trained.theta) - _heads(folded)
    n_seen = 0
    for chunk in range(len(samples.count)):
        sums, rows = flat(samples.sums[chunk]), flat(samples.rows[chunk])
        heads, sizes = raw(samples.heads[chunk]), raw(samples.sizes[chunk])
        for i in range(samples.count[chunk]):
            head = (behind + np.int64(heads[i])) * N + lo
            _backward(
                shifted(sums, i * N + lo), samples.slopes[chunk, i], shifted(theta, head),
                shifted(gradient, head), back, wide,
            )  # fmt: skip
            listed = i * lay.MOST_ROWS
            for j in range(listed, listed + sizes[i]):
                row = np.int64(rows[j])
                if marked[row] == 0:
                    marked[row] = 1
                    seen[n_seen] = row
                    n_seen += 1
                _add_to(sources, row * N + lo, back, 0, wide)
    for i in range(n_seen):
        marked[seen[i]] = 0
    return n_seen


@inline
def _heads(folded):
    return len(folded.weights) - len(folded.rows)


@njit
def _share_gradients(block, wide, trained, scratch, n_seen):
    """Hand the rows' gradients on to the trained rows that they are sums of."""
    gradient, sources = flat(trained.gradient), flat(scratch.sources)
    parts, steps = flat(trained.parts), raw(trained.steps[block])
    seen, lo = raw(scratch.touched[block, 0]), np.int64(block) * wide
    for i in range(n_seen):
        row = np.int64(seen[i])
        for k in range(row * PARTS, row * PARTS + PARTS):
            part = np.int64(parts[k])
            if part >= 0:
                if steps[part] >= 0:
                    steps[part] = -steps[part] - 1  # negative: to be stepped
                _add_to(gradient, part * N + lo, sources, row * N + lo, wide)
        _clear(sources, row * N + lo, wide)


@kernel
def update_block(block, wide, samples, trained, folded, scratch, rates):
    """Sum the gradients of all samples for one block of ``wide`` lanes, step, and fold the rows."""
    n_seen = _sum_gradients(block, wide, samples, trained, folded, scratch)
    _share_gradients(block, wide, trained, scratch, n_seen)
    fixes, steps = rates.fixes, raw(trained.steps[block])
    lo, behind = np.int64(block) * wide, len(trained.theta) - _heads(folded)
    longest = len(fixes) - 1
    for part in range(len(trained.theta)):
        step = np.int64(steps[part])
        if part >= behind:
            step = -step - 1
        if step < 0:
            steps[part] = -step
            step = min(-step, longest)
            _adam_row(trained, part * N + lo, wide, rates.rate, fixes[step, 0], fixes[step, 1])
    _fold_block(lo, wide, trained, folded)
    return n_seen


@njit
def _fold_block(lo, wide, trained, folded):
    """Rows are sums of trained rows; as float32, and as int16 for self-play."""
    parts, theta = flat(trained.parts), flat(trained.theta)
    rows, weights = flat(folded.rows), flat(folded.weights)
    n_rows, heads = len(folded.rows), _heads(folded)
    for row in range(n_rows):
        at = row * N + lo
        own = np.int64(parts[row * PARTS]) * N + lo
        for h in range(wide):
            rows[at + h] = theta[own + h]
        for k in range(row * PARTS + 1, row * PARTS + PARTS):
            if parts[k] >= 0:
                _add_to(rows, at, theta, np.int64(parts[k]) * N + lo, wide)
        to, source = shifted(weights, at), shifted(rows, at)
        _to_int16(to, source, wide, folded.scale, folded.most)
    behind = len(trained.theta) - heads
    for head in range(heads):
        to = shifted(weights, (n_rows + head) * N + lo)
        source = shifted(theta, (behind + head) * N + lo)
        _to_int16(to, source, wide, HEAD_SCALE, MOST_HEAD)


@inline
def _to_int16(to, source, wide, scale, most):
    for h in range(wide):
        y = np.floor(np.float32(np.float32(source[h] * scale) + HALF))
        y = y if y < most else most
        y = y if y > -most else -most
        to[h] = np.int16(np.int32(y))


@kernel
def fold(wide, trained, folded):
    """All lanes: after weights have been set from outside."""
    _fold_block(np.int64(0), wide, trained, folded)


# --- what is not in lanes -------------------------------------------------------------------------


@kernel
def update_bias(samples, bias, moments, sums, rates, step):
    """Adam for the output biases; ``moments`` float64 [2, heads], ``sums`` [heads] is scratch."""
    for chunk in range(len(samples.count)):
        for i in range(samples.count[chunk]):
            sums[samples.heads[chunk, i]] += samples.slopes[chunk, i]
    step = min(step, len(rates.fixes) - 1)
    for head in range(len(bias)):
        g = sums[head]
        sums[head] = 0.0
        moments[0, head] = 0.9 * moments[0, head] + 0.1 * g
        moments[1, head] = 0.999 * moments[1, head] + 0.001 * g * g
        down = np.sqrt(moments[1, head] * rates.fixes[step, 1]) + 1e-8
        bias[head] -= rates.rate * moments[0, head] * rates.fixes[step, 0] / down


@kernel
def update_values(samples, values, visits, table, floor):
    """Move V towards what became of each round, in the order of rounds.

    A table's entry is a running mean until its weight of the latest falls to ``floor``; the model
    takes a step of logistic regression of ten times that.
    """
    for chunk in range(len(samples.entries)):
        for j in range(samples.entries.shape[1]):
            target = samples.targets[chunk, j]
            entries = samples.entries[chunk, j]
            if table:
                entry = entries[1]
                visits[entry] += 1
                values[entry] += max(1.0 / (visits[entry] + 3.0), floor) * (target - values[entry])
                continue
            total = 0.0
            for i in range(entries[0]):
                total += values[entries[1 + i]]
            step = 10.0 * floor * (target - sigmoid(total))
            for i in range(entries[0]):
                values[entries[1 + i]] += step
