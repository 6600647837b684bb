"""Kernels: gradients summed in the order of samples, lazy Adam, and the tables for play.

Everything is done by blocks of lanes, which never meet: any number of threads gives the same bits.
"""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import kernel, njit, raw
from hanamikoji.agents.learned import layout as lay
from hanamikoji.agents.learned.values import sigmoid

N = lay.LANES
BETA_1, BETA_2, EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


def corrections(steps: int):  # type: ignore[no-untyped-def]
    """float32 (steps, 2): Adam's 1 / (1 - beta^t), until both are 1 to float32's precision."""
    table = np.ones((steps, 2), np.float32)
    one = two = 1.0
    for step in range(1, steps):
        one *= float(BETA_1)
        two *= float(BETA_2)
        table[step] = 1 / (1 - one), 1 / (1 - two)
    return table


@njit
def _adam_row(theta, first, second, gradient, at, lo, hi, rate, fix_1, fix_2):  # type: ignore[no-untyped-def]  # fmt: skip
    """One Adam step of a row's lanes (Kingma & Ba 2015); the gradient is cleared."""
    for h in range(at + lo, at + hi):
        g = gradient[h]
        gradient[h] = np.float32(0)
        m = BETA_1 * first[h] + (np.float32(1) - BETA_1) * g
        q = BETA_2 * second[h] + (np.float32(1) - BETA_2) * (g * g)
        first[h] = m
        second[h] = q
        theta[h] -= rate * (m * fix_1) / (np.sqrt(q * fix_2) + EPSILON)


@kernel
def update_block(
    block, lo, hi, samples, rows, counts, which, slopes, sums,
    parts, theta, first, second, steps, gradient, sources, touched, back,
    wf, w, trained, rate, fixes, scale, most,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Sum the gradients of all samples for lanes ``lo`` to ``hi``, step, and fold the rows.

    ``samples`` int64 [chunks]: how many each chunk of the sample arrays holds. ``gradient`` is that
    of trained rows and heads, ``sources`` that of rows, both all zero between calls; ``touched``
    int32 [blocks, 2, rows] and ``back`` [blocks, lanes]: scratch. ``steps`` int32 [blocks, rows of theta]: each row's Adam steps so far.
    """
    t_, f_, q_, g_, src = raw(theta), raw(first), raw(second), raw(gradient), raw(sources)
    seen, marked, steps_, back_ = touched[block, 0], touched[block, 1], steps[block], raw(back[block])
    heads = trained * N
    n_rows = len(wf)
    n_seen = 0
    for chunk in range(len(samples)):
        for i in range(samples[chunk]):
            slope = slopes[chunk, i]
            head = heads + which[chunk, i] * N
            x = raw(sums[chunk, i])
            for h in range(lo, hi):
                y = x[h]
                on = np.float32(1) if y > 0 else np.float32(0)
                g_[head + h] += slope * (y * on)
                back_[h] = slope * (t_[head + h] * on)
            for j in range(counts[chunk, i]):
                row = np.int64(rows[chunk, i, j])
                if marked[row] == 0:
                    marked[row] = 1
                    seen[n_seen] = row
                    n_seen += 1
                for h in range(lo, hi):
                    src[row * N + h] += back_[h]
    for i in range(n_seen):
        row = np.int64(seen[i])
        marked[row] = 0
        for k in range(parts.shape[1]):
            part = np.int64(parts[row, k])
            if part >= 0:
                if steps_[part] >= 0:
                    steps_[part] = -steps_[part] - 1
                for h in range(lo, hi):
                    g_[part * N + h] += src[row * N + h]
        for h in range(lo, hi):
            src[row * N + h] = np.float32(0)
    longest = len(fixes) - 1
    for part in range(len(theta)):
        if part < trained and steps_[part] >= 0:
            continue
        step = -steps_[part] if part < trained else steps_[part] + 1
        steps_[part] = step
        step = min(step, longest)
        _adam_row(t_, f_, q_, g_, part * N, lo, hi, rate, fixes[step, 0], fixes[step, 1])
    fold_block(lo, hi, parts, t_, raw(wf), raw(w), n_rows, trained, len(theta), scale, most)
    return n_seen


@njit
def fold_block(lo, hi, parts, theta, wf, w, n_rows, trained, n_theta, scale, most):  # type: ignore[no-untyped-def]  # fmt: skip
    """Rows are sums of trained rows; as float32, and as int16 for self-play."""
    for row in range(n_rows):
        at = row * N
        own = np.int64(parts[row, 0]) * N
        for h in range(lo, hi):
            wf[at + h] = theta[own + h]
        for k in range(1, parts.shape[1]):
            part = np.int64(parts[row, k]) * N
            if part >= 0:
                for h in range(lo, hi):
                    wf[at + h] += theta[part + h]
        for h in range(lo, hi):
            w[at + h] = _as_int16(wf[at + h], scale, most)
    for head in range(n_theta - trained):
        for h in range(lo, hi):
            w[(n_rows + head) * N + h] = _as_int16(
                theta[(trained + head) * N + h], np.float32(2048), np.float32(16383)
            )


@njit
def _as_int16(x, scale, most):  # type: ignore[no-untyped-def]
    y = np.floor(x * scale + np.float32(0.5))
    y = y if y < most else most
    y = y if y > -most else -most
    return np.int16(np.int32(y))


@kernel
def fold(parts, theta, wf, w, trained, scale, most):  # type: ignore[no-untyped-def]
    """All lanes at once: after weights have been set from outside."""
    fold_block(
        0, N, parts, raw(theta), raw(wf), raw(w), len(wf), trained, len(theta), scale, most
    )


@kernel
def update_bias(samples, which, slopes, bias, moments, sums, rate, fixes, step):  # type: ignore[no-untyped-def]  # fmt: skip
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
def update_values(value_rows, value_targets, values, visits, table, floor):  # type: ignore[no-untyped-def]
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
