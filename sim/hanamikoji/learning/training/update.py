"""Kernels: gradients summed in the order of samples, lazy Adam, and the tables for play.

Everything is done by blocks of lanes, which never meet: any number of threads gives the same bits.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import flat, inline, kernel, njit, raw
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.plan import PARTS
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
def _adam_row(theta, first, second, gradient, at, wide, rate, fix_1, fix_2):  # fmt: skip
    """One Adam step of a block of a row's lanes (Kingma & Ba 2015); the gradient is cleared."""
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
def _back(x, at, slope, theta, gradient, head, back, wide):
    """The gradient of a head, and what goes on to the rows behind it."""
    for h in range(wide):
        y = x[at + h]
        y = y if y > 0 else np.float32(0)
        gradient[head + h] = np.float32(gradient[head + h] + np.float32(slope * y))
    for h in range(wide):
        z = np.float32(slope * theta[head + h])
        back[h] = z if x[at + h] > 0 else np.float32(0)


@kernel
def update_block(
    block, wide, samples, rows, counts, which, slopes, sums,
    parts, theta, first, second, steps, gradient, sources, touched, back,
    wf, w, trained, rate, fixes, scale, most,
):  # fmt: skip
    """Sum the gradients of all samples for one block of ``wide`` lanes, step, and fold the rows.

    ``samples`` int64 [chunks]: how many each chunk of the sample arrays holds. ``gradient`` is that
    of trained rows and heads, ``sources`` that of rows, both all zero between calls; ``touched``
    int32 [blocks, 2, rows] and ``back`` [blocks, lanes]: scratch. ``steps`` int32 [blocks, rows of
    theta]: each row's Adam steps so far.
    """
    t_, f_, q_, g_, src = flat(theta), flat(first), flat(second), flat(gradient), flat(sources)
    seen, marked, steps_ = raw(touched[block, 0]), raw(touched[block, 1]), raw(steps[block])
    back_, parts_ = raw(back[block]), flat(parts)
    lo = np.int64(block) * wide
    n_rows = len(wf)
    n_seen = 0
    for chunk in range(len(samples)):
        sums_, rows_, counts_ = flat(sums[chunk]), flat(rows[chunk]), raw(counts[chunk])
        which_, slopes_ = raw(which[chunk]), raw(slopes[chunk])
        for i in range(samples[chunk]):
            head = (trained + np.int64(which_[i])) * N + lo
            _back(sums_, i * N + lo, slopes_[i], t_, g_, head, back_, wide)
            listed = i * lay.MOST_ROWS
            for j in range(listed, listed + counts_[i]):
                row = np.int64(rows_[j])
                if marked[row] == 0:
                    marked[row] = 1
                    seen[n_seen] = row
                    n_seen += 1
                _add_to(src, row * N + lo, back_, 0, wide)
    for i in range(n_seen):
        row = np.int64(seen[i])
        marked[row] = 0
        for k in range(row * PARTS, row * PARTS + PARTS):
            part = np.int64(parts_[k])
            if part >= 0:
                if steps_[part] >= 0:
                    steps_[part] = -steps_[part] - 1
                _add_to(g_, part * N + lo, src, row * N + lo, wide)
        _clear(src, row * N + lo, wide)
    longest = len(fixes) - 1
    for part in range(len(theta)):
        step = np.int64(steps_[part])
        if part >= trained:
            step = -step - 1
        if step < 0:
            steps_[part] = -step
            step = min(-step, longest)
            _adam_row(t_, f_, q_, g_, part * N + lo, wide, rate, fixes[step, 0], fixes[step, 1])
    _fold_block(lo, wide, parts_, t_, flat(wf), flat(w), n_rows, trained, len(theta), scale, most)
    return n_seen


@njit
def _fold_block(lo, wide, parts, theta, wf, w, n_rows, trained, n_theta, scale, most):  # fmt: skip
    """Rows are sums of trained rows; as float32, and as int16 for self-play."""
    for row in range(n_rows):
        at = row * N + lo
        own = np.int64(parts[row * PARTS]) * N + lo
        for h in range(wide):
            wf[at + h] = theta[own + h]
        for k in range(row * PARTS + 1, row * PARTS + PARTS):
            if parts[k] >= 0:
                _add_to(wf, at, theta, np.int64(parts[k]) * N + lo, wide)
        _to_int16(w, at, wf, at, wide, scale, most)
    for head in range(n_theta - trained):
        at = (trained + head) * N + lo
        _to_int16(w, (n_rows + head) * N + lo, theta, at, wide, HEAD_SCALE, MOST_HEAD)


@inline
def _to_int16(w, to, x, at, wide, scale, most):
    for h in range(wide):
        y = np.floor(np.float32(np.float32(x[at + h] * scale) + HALF))
        y = y if y < most else most
        y = y if y > -most else -most
        w[to + h] = np.int16(np.int32(y))


@kernel
def fold(parts, theta, wf, w, wide, trained, scale, most):
    """All lanes: after weights have been set from outside."""
    _fold_block(
        0,
        wide,
        flat(parts),
        flat(theta),
        flat(wf),
        flat(w),
        len(wf),
        trained,
        len(theta),
        scale,
        most,
    )


@kernel
def update_bias(samples, which, slopes, bias, moments, sums, rate, fixes, step):  # fmt: skip
    """Adam for the output biases; ``moments`` float64 [2, heads], ``sums`` [heads] is scratch."""
    for chunk in range(len(samples)):
        for i in range(samples[chunk]):
            sums[which[chunk, i]] += slopes[chunk, i]
    step = min(step, len(fixes) - 1)
    for head in range(len(bias)):
        g = sums[head]
        sums[head] = 0.0
        moments[0, head] = 0.9 * moments[0, head] + 0.1 * g
        moments[1, head] = 0.999 * moments[1, head] + 0.001 * g * g
        down = np.sqrt(moments[1, head] * fixes[step, 1]) + 1e-8
        bias[head] -= rate * moments[0, head] * fixes[step, 0] / down


@kernel
def update_values(value_rows, value_targets, values, visits, table, floor):
    """Move V towards what became of each round, in the order of rounds.

    A table's entry is a running mean until its weight of the latest falls to ``floor``; the model
    takes a step of logistic regression of ten times that.
    """
    for chunk in range(len(value_rows)):
        for j in range(value_rows.shape[1]):
            n = value_rows[chunk, j, 0]
            target = value_targets[chunk, j]
            if table:
                entry = value_rows[chunk, j, 1]
                visits[entry] += 1
                values[entry] += max(1.0 / (visits[entry] + 3.0), floor) * (target - values[entry])
                continue
            total = 0.0
            for i in range(n):
                total += values[value_rows[chunk, j, 1 + i]]
            step = 10.0 * floor * (target - sigmoid(total))
            for i in range(n):
                values[value_rows[chunk, j, 1 + i]] += step
