"""The network asked from Python: scores, chances and rows of a decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import fixed, flat, inline, kernel, raw
from hanamikoji.engine.seat import Game
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FeatureLayout, build_features
from hanamikoji.learning.network.network import (
    SCRATCH_LANES,
    Network,
    mixed_choice,
    score_choices,
    scratch_size,
)
from hanamikoji.learning.network.rows import head_of, position_rows
from hanamikoji.learning.network.weights import Weights

Array = npt.NDArray[Any]


@inline
def _pointers(network):
    features, weights, lanes, scratch, scores = network
    return Network(raw(features), flat(weights), flat(lanes), raw(scratch), raw(scores))


@kernel
def _score(view, tables, network, keep):
    best = score_choices(raw(view), fixed(tables), _pointers(network), keep)
    return best.count, best.choice


@kernel
def _mixed(view, tables, network, sharpness, word):
    return mixed_choice(raw(view), fixed(tables), _pointers(network), sharpness, word)


@kernel
def _rows(view, tables, features, choice, out):
    return position_rows(raw(view), fixed(tables), raw(features), choice, raw(out))


@kernel
def _head(view, tables, features):
    return head_of(raw(view), fixed(tables), raw(features))


class Scorer:
    """Scores every legal choice of a view with some weights."""

    def __init__(self, game: Game, weights: Weights) -> None:
        self.features: FeatureLayout = build_features(game.rules)
        self._tables = game.tables.copy()
        self._biases, self._scales = weights.biases, weights.scales
        self._network = Network(
            self.features.array.copy(),
            np.concatenate([weights.rows, weights.heads]),
            np.zeros((SCRATCH_LANES, lay.LANES), np.int16),
            np.zeros(scratch_size(self.features.array), np.int64),
            np.zeros(2 * (game.moves + game.responses), np.int64),
        )

    def scores(self, view: Array) -> tuple[Array, Array]:
        """All legal ids, ascending, and their scores: int64 (n,) each."""
        n, _ = _score(self._owned(view), self._tables, self._network, True)
        pairs = self._network.scores[: 2 * n].reshape(n, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def choice(self, view: Array) -> int:
        """The choice with the best score: what `learned` plays."""
        return int(_score(self._owned(view), self._tables, self._network, False)[1])

    def drawn(self, view: Array, temperature: float, word: int) -> tuple[int, int]:
        """The choice that a random word draws, and how many choices are legal."""
        sharpness = self._scales[self.head(view)] / temperature
        drawn = _mixed(
            self._owned(view), self._tables, self._network, sharpness, np.uint64(word)
        )  # fmt: skip
        return int(drawn[0]), int(drawn[1])

    def chances(self, view: Array) -> tuple[Array, Array]:
        """All legal ids, and the chance to win the game that the network gives each."""
        ids, scores = self.scores(view)
        head = self.head(view)
        return ids, 1 / (1 + np.exp(-(scores * self._scales[head] + self._biases[head])))

    def rows(self, view: Array, choice: int) -> Array:
        """The rows that describe what a choice leads to, from scratch: int64 (n,)."""
        network = self._network
        out = network.scratch
        n = _rows(self._owned(view), self._tables, network.features, choice, out)
        return out[:n].copy()

    def head(self, view: Array) -> int:
        """The head that scores this decision."""
        return int(_head(self._owned(view), self._tables, self._network.features))

    @staticmethod
    def _owned(view: Array) -> Array:
        return np.array(view, np.int32)
