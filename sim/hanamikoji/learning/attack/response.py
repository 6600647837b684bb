"""Best responses: the trainer's network learns to beat a frozen agent instead of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import address_of, call_agent, fixed, flat, kernel, njit, raw
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import codes, rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import end_round, next_starter, reset_markers
from hanamikoji.engine.seat import CompiledSeat, Context
from hanamikoji.engine.state import view_of
from hanamikoji.engine.turns import ILLEGAL, ROUND_OVER, apply_choice, show
from hanamikoji.errors import PluginError
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import learned_choice
from hanamikoji.learning.network.plan import FeaturePlan
from hanamikoji.learning.network.rows import head_of, position_rows
from hanamikoji.learning.network.values import model_rows, sigmoid, value_entry, value_of
from hanamikoji.learning.network.weights import Origin, Weights, quantise
from hanamikoji.learning.training.selfplay import _begin, _below_share, _forward
from hanamikoji.learning.training.trainer import CHUNKS, Recipe, Training
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Array = npt.NDArray[Any]

WARM_RATE = 0.001
"""Where training starts from weights that play well already."""

_WARM_VISITS = 500  # what a value that was given counts for
_HEAD = 1.0  # the largest output weight after a warm start, about


@njit
def _value_against(s, t, p, keys, values, half, memory, m):
    """The chance of role 0 to win after a scored round; see `round_value`, of which this is a twin.

    ``values`` is V where the learner begins, and from ``half`` on where the frozen agent does.
    """
    if s[st.PHASE] == ix.FINISHED:
        outcome = s[st.OUTCOME]
        if outcome == codes.WON_STARTER:
            return 1.0
        return 0.0 if outcome == codes.WON_SECOND else 0.5
    s[st.STARTER] = next_starter(s, t, keys)
    if not t[ix.KEEP_MARKERS]:
        reset_markers(s, t)
    number = np.int64(s[st.ROUND]) + 1
    frozen = 1 - np.int64(s[st.SEATING])  # the role of the frozen agent
    if t[ix.NEXT_STARTER] == ix.STARTER_RANDOM or s[st.STARTER] == 0:
        at = half if frozen == 0 else np.int64(0)
        first = value_of(view_of(s, 0), 0, t, p, values, at, number, memory, m)
        if t[ix.NEXT_STARTER] != ix.STARTER_RANDOM:
            return first
    at = half if frozen == 1 else np.int64(0)
    second = 1.0 - value_of(view_of(s, 1), 0, t, p, values, at, number, memory, m)
    return (first + second) / 2 if t[ix.NEXT_STARTER] == ix.STARTER_RANDOM else second


@njit
def _note_value(s, t, p, offset, memory, scratch, value_row):
    """Write which entries of V a round that begins reads: a count, then the entries."""
    view, number = view_of(s, np.int64(s[st.STARTER])), np.int64(s[st.ROUND])
    if p[lay.CONFIGS] > 0:
        value_row[0] = 1
        value_row[1] = offset + value_entry(view, 0, t, p, number)
        return
    end = model_rows(view, 0, t, p, number, memory, scratch)
    value_row[0] = end - scratch
    for i in range(end - scratch):
        value_row[1 + i] = offset + memory[scratch + i]


@kernel
def play_against(
    s, t, keys, p, w, lanes, memory, values, wf, heads, bias,
    agent, context, seed, first, rounds, random_share, epsilon,
    rows, counts, which, slopes, sums, products, value_rows, value_targets, losses,
):  # fmt: skip
    """Play rounds against the agent at an address; samples as of `selfplay._play_chunk`.

    Only the learner's decisions are samples; it plays either role, as chance has it for each game.
    Returns -1 if the agent failed.
    """
    s_, t_, keys_, p_, w_, lanes_ = raw(s), fixed(t), raw(keys), raw(p), flat(w), flat(lanes)
    m_, values_, wf_, heads_ = raw(memory), raw(values), flat(wf), flat(heads)
    scratch, half = len(memory) - 64, np.int64(p[lay.VALUES])
    n = 0
    loss = 0.0
    for j in range(rounds):
        key = rng.fold(seed, first + j)
        if s[st.ROUND] == 0 or s[st.PHASE] == ix.FINISHED:
            s[st.SEATING] = np.int32(rng.fold(key, rng.ATTACK_SEAT) >> np.uint64(63))
        _begin(s_, t_, p_, keys_, key, random_share)
        begun, decision = n, 0
        learner, starter = np.int64(s[st.SEATING]), np.int64(s[st.STARTER])
        offset = np.int64(0) if starter == learner else half
        _note_value(s_, t_, p_, offset, m_, scratch, raw(value_rows[j]))
        words = rng.fold(key, rng.ATTACK_AGENT)
        status = np.int64(0)
        while status != ROUND_OVER:
            role = np.int64(s[st.DECIDER])
            view = show(s_, role)
            if role == learner:
                bits = rng.word(key, decision)
                if _below_share(bits, epsilon):
                    choice = np.int64(random_choice(view, t_, rng.mix(bits)))
                else:
                    choice = np.int64(learned_choice(view, 0, t_, p_, w_, lanes_, m_, 0))
                counts[n] = position_rows(view, 0, t_, p_, choice, m_, 0)
                for i in range(counts[n]):
                    rows[n, i] = memory[i]
                which[n] = np.int64(head_of(view, 0, t_, p_))
                n += 1
            else:
                word = rng.word(words, decision)
                choice = np.int64(call_agent(agent, address_of(view), context, word))
            decision += 1
            status = np.int64(apply_choice(s_, t_, keys_, choice))
            if status == ILLEGAL:
                return -1
        end_round(s_, t_, keys_)
        value = _value_against(s_, t_, p_, keys_, values_, half, m_, scratch)
        value_targets[j] = value if starter == 0 else 1.0 - value
        target = value if learner == 0 else 1.0 - value
        for i in range(begun, n):
            row, sum_ = raw(rows[i]), raw(sums[i])
            output = _forward(row, counts[i], which[i], wf_, heads_, sum_, raw(products))
            chance = sigmoid(np.float64(output) + bias[which[i]])
            slopes[i] = np.float32(chance - target)
            loss += (chance - target) ** 2
    losses[0] = loss
    return n


class Response(Training):
    """A training against a frozen compiled agent, from nothing or from weights."""

    def __init__(
        self, rules: Rules, recipe: Recipe, agent: CompiledSeat, start: Weights | None = None
    ) -> None:
        super().__init__(rules, recipe)
        self._agent = agent
        self._contexts = [Context(self.tables, agent.parameters) for _ in range(CHUNKS)]
        self.values = np.tile(self.values, 2)
        self.visits = np.zeros(len(self.values), np.int64)
        if start is not None:
            self.theta[:], self.bias[:] = unfolded(start, self.plan), start.biases
            self.values[:] = np.tile(start.values, 2)
            self.visits[:] = _WARM_VISITS
            self.fold()

    def _play(self, begin: int, end: int) -> None:
        chunk = self.recipe.chunk
        for c in range(begin, end):
            self.samples[c] = play_against(
                self.states[c], self.tables, self.keys[c], self.array, self.w, self.lanes[c],
                self.memory[c], self.values, self.wf, self.theta[self.plan.trained:], self.bias,
                self._agent.address, self._contexts[c].address,
                self._seed, self.done + c * chunk, chunk, self.recipe.random_share,
                self._epsilon(), self.rows[c], self.counts[c], self.which[c], self.slopes[c],
                self.sums[c], self.products[c], self.value_rows[c], self.value_targets[c],
                self.chunk_losses[c],
            )  # fmt: skip
            if self.samples[c] < 0:
                raise PluginError(f"agent '{self._agent.name}' failed while it was played against")

    def weights(self) -> Weights:
        """The response as it is now, in integers; its V is that of rounds it begins."""
        plan, recipe = self.plan, self.recipe
        origin = Origin(self.rules.hash, plan.signature, recipe.rounds, recipe.seed)
        values = self.values[: int(self.array[lay.VALUES])]
        heads = self.theta[plan.trained :]
        return quantise(plan, self.wf, heads, self.bias, values, origin)


def unfolded(weights: Weights, plan: FeaturePlan) -> Array:
    """Trained rows and heads, float32, whose network is that of the weights.

    Each row's own part is all of it, the shared parts begin at zero.
    """
    theta = np.zeros((plan.trained + plan.heads, lay.LANES), np.float32)
    outputs = weights.heads * weights.scales[:, None]
    factor = 2.0 ** np.round(np.log2(_HEAD / max(np.abs(outputs).max(), 1e-30)))
    theta[plan.parts[:, 0]] = weights.rows / factor
    theta[plan.trained :] = outputs * factor
    return theta
