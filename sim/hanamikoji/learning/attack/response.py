"""Approximate best responses: the trainer's network learns to beat a frozen agent, not itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import fixed, kernel, njit, raw, shifted
from hanamikoji.agents.random import random_choice
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import end_round
from hanamikoji.engine.seat import CompiledSeat, Context
from hanamikoji.engine.turns import ILLEGAL, ROUND_OVER, apply_choice, show
from hanamikoji.errors import PluginError
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FeatureLayout
from hanamikoji.learning.network.network import learned_choice
from hanamikoji.learning.network.rows import head_of
from hanamikoji.learning.network.values import Values, round_value, sigmoid
from hanamikoji.learning.network.weights import Weights, WeightsOrigin, quantise
from hanamikoji.learning.search.players import Opponent, answer_of
from hanamikoji.learning.training.selfplay import (
    begin_any_round,
    below_share,
    forward,
    network_of_chunk,
    note_position,
    note_values,
)
from hanamikoji.learning.training.trainer import CHUNKS, Recipe, Training
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Array = npt.NDArray[Any]

WARM_RATE = 0.001
"""Where training starts from weights that play well already."""

_WARM_VISITS = 500  # what a value that was given counts for
_HEAD = 1.0  # the largest output weight after a warm start, about


@njit
def _play_round(state, tables, keys, network, opponent, samples, place, stretch):
    """Play the round that has begun to its end; ``place``: the chunk, its samples, the round's key.

    Returns the samples by then, or -1 if the agent failed.
    """
    c, n, key = place
    learner, words = np.int64(state[st.SEATING]), rng.fold(key, rng.ATTACK_AGENT)
    decision = 0
    while True:
        role = np.int64(state[st.DECIDER])
        view = show(state, role)
        if role == learner:
            bits = rng.word(key, decision)
            if below_share(bits, stretch.epsilon):
                choice = np.int64(random_choice(view, tables, rng.mix(bits)))
            else:
                choice = np.int64(learned_choice(view, tables, network))
            note_position(view, tables, network, samples, c, n, choice)
            samples.heads[c, n] = head_of(view, tables, network.features)
            n += 1
        else:
            choice = answer_of(opponent, view, words, decision)
        decision += 1
        status = apply_choice(state, tables, keys, choice)
        if status == ILLEGAL:
            return np.int64(-1)
        if status == ROUND_OVER:
            return n


@njit
def _blame(learner, samples, c, begun, n, target):
    """Give samples ``begun`` to ``n`` their slopes; returns the sum of squared errors."""
    loss = 0.0
    for i in range(begun, n):
        output = forward(learner, samples, c, i)
        chance = sigmoid(np.float64(output) + learner.biases[samples.heads[c, i]])
        samples.slopes[c, i] = np.float32(chance - target)
        loss += (chance - target) ** 2
    return loss


@kernel
def play_against(c, tables, games, network, learner, opponent, stretch, samples):
    """Play chunk c's rounds against the opponent's agent; samples as of `selfplay.play_chunks`.

    Only the learner's decisions are samples; it plays either role, as chance has it for each game.
    V has two halves: for rounds that the learner begins, and for those that the agent does. Returns
    False if the agent failed.
    """
    state, keys, tables_ = raw(games.states[c]), raw(games.keys[c]), fixed(tables)
    net = network_of_chunk(network, c)
    features, half = net.features, np.int64(network.features[lay.VALUES])
    ours = Values(features, raw(learner.values), raw(samples.scratch[c]))
    theirs = Values(features, shifted(ours.entries, half), ours.scratch)
    n, loss = np.int64(0), 0.0
    for j in range(stretch.rounds):
        key = rng.fold(stretch.seed, stretch.first + c * stretch.rounds + j)
        if state[st.ROUND] == 0 or state[st.PHASE] == ix.FINISHED:
            state[st.SEATING] = np.int32(rng.fold(key, rng.ATTACK_SEAT) >> np.uint64(63))
        begin_any_round(state, tables_, keys, features, key, stretch.random_share)
        begun, role, starter = n, np.int64(state[st.SEATING]), np.int64(state[st.STARTER])
        offset = np.int64(0) if starter == role else half
        note_values(state, tables_, features, offset, raw(samples.entries[c, j]))
        n = _play_round(state, tables_, keys, net, opponent, samples, (c, n, key), stretch)
        if n < 0:
            return False
        end_round(state, tables_, keys)
        first, second = (ours, theirs) if role == 0 else (theirs, ours)
        value = round_value(state, tables_, keys, first, second)
        samples.targets[c, j] = value if starter == 0 else 1.0 - value
        loss += _blame(learner, samples, c, begun, n, value if role == 0 else 1.0 - value)
    samples.losses[c] = loss
    samples.count[c] = n
    return True


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
            self.trained.theta[:], self.bias[:] = unfolded(start, self.features), start.biases
            self.values[:] = np.tile(start.values, 2)
            self.visits[:] = _WARM_VISITS
            self.fold()

    def _play(self, begin: int, end: int) -> None:
        learner, stretch = self._learner(), self._stretch()
        for c in range(begin, end):
            opponent = Opponent(self._agent.address, self._contexts[c].address, 0.0)
            if not play_against(
                c, self.tables, self.games, self.network, learner, opponent, stretch, self.samples
            ):
                raise PluginError(f"agent '{self._agent.name}' failed while it was played against")

    def weights(self) -> Weights:
        """The response as it is now, in integers; its V is that of rounds it begins."""
        features, recipe = self.features, self.recipe
        origin = WeightsOrigin(self.rules.hash, features.signature, recipe.rounds, recipe.seed)
        values = self.values[: int(features.array[lay.VALUES])]
        rows, best = self.folded.rows, 0.0
        return quantise(features, rows, self.heads, self.bias, values, best, origin)


def unfolded(weights: Weights, features: FeatureLayout) -> Array:
    """Trained rows and heads, float32, whose network is that of the weights.

    Each row's own part is all of it, the shared parts begin at zero.
    """
    theta = np.zeros((features.trained + features.heads, lay.LANES), np.float32)
    outputs = weights.heads * weights.scales[:, None]
    factor = 2.0 ** np.round(np.log2(_HEAD / max(np.abs(outputs).max(), 1e-30)))
    theta[features.parts[:, 0]] = weights.rows / factor
    theta[features.trained :] = outputs * factor
    return theta
