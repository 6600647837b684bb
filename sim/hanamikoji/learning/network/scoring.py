"""The network asked from Python: scores, chances and rows of a decision; for tests and tools."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import fixed, flat, kernel, raw
from hanamikoji.engine.seat import Game
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import SCRATCH_LANES, score_choices, scratch_memory
from hanamikoji.learning.network.plan import FeaturePlan, build_plan
from hanamikoji.learning.network.rows import head_of, position_rows
from hanamikoji.learning.network.weights import Weights

Array = npt.NDArray[Any]


@kernel
def _score(view, tables, plan, weights, lanes, memory, out):
    return score_choices(
        raw(view), 0, fixed(tables), raw(plan), flat(weights), flat(lanes), raw(memory), 0, out
    )


@kernel
def _rows(view, tables, plan, choice, memory):
    return position_rows(raw(view), 0, fixed(tables), raw(plan), choice, raw(memory), 0)


@kernel
def _head(view, tables, plan):
    return head_of(raw(view), 0, fixed(tables), raw(plan))


class Scorer:
    """Scores every legal choice of a view with some weights."""

    def __init__(self, game: Game, weights: Weights) -> None:
        self.plan: FeaturePlan = build_plan(game.rules)
        self._tables = game.tables.copy()
        self._plan = self.plan.array.copy()
        self._weights = np.concatenate([weights.rows, weights.heads])
        self._biases, self._scales = weights.biases, weights.scales
        self._lanes = np.zeros((SCRATCH_LANES, lay.LANES), np.int16)
        self._out = scratch_memory(self.plan.array)
        self._memory = np.zeros(self._out + 2 * (game.moves + game.responses), np.int64)

    def scores(self, view: Array) -> tuple[Array, Array]:
        """All legal ids, ascending, and their scores: int64 (n,) each."""
        n, _, _ = _score(
            self._owned(view), self._tables, self._plan, self._weights, self._lanes, self._memory,
            self._out,
        )  # fmt: skip
        pairs = self._memory[self._out : self._out + 2 * n].reshape(n, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def choice(self, view: Array) -> int:
        """The choice with the best score: what `learned` plays."""
        return int(
            _score(
                self._owned(view), self._tables, self._plan, self._weights, self._lanes,
                self._memory, -1,
            )[2]
        )  # fmt: skip

    def chances(self, view: Array) -> tuple[Array, Array]:
        """All legal ids, and the chance to win the game that the network gives each."""
        ids, scores = self.scores(view)
        head = self.head(view)
        return ids, 1 / (1 + np.exp(-(scores * self._scales[head] + self._biases[head])))

    def rows(self, view: Array, choice: int) -> Array:
        """The rows that describe what a choice leads to, from scratch: int64 (n,)."""
        n = _rows(self._owned(view), self._tables, self._plan, choice, self._memory)
        return self._memory[:n].copy()

    def head(self, view: Array) -> int:
        """The head that scores this decision."""
        return int(_head(self._owned(view), self._tables, self._plan))

    @staticmethod
    def _owned(view: Array) -> Array:
        return np.array(view, np.int32)
