"""Worlds made up from Python: for tests and tools."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import fixed, flat, kernel, raw
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import SCRATCH_LANES, scratch_memory
from hanamikoji.learning.network.plan import build_plan
from hanamikoji.learning.network.weights import Weights, pack
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.worlds import make_world, prepare_world

Array = npt.NDArray[Any]


@kernel
def _sample(
    view, tables, plan, weights, lanes, numbers, state, keys, memory, choices, key, model, context,
    belief,
):  # fmt: skip
    view_, t_, s_ = raw(view), fixed(tables), raw(state)
    prepare_world(view_, t_, s_)
    return make_world(
        view_, t_, raw(plan), flat(weights), flat(lanes), raw(numbers), s_, raw(keys), raw(memory),
        choices, key, model, context, belief,
    )  # fmt: skip


class Worlds:
    """Engine states that the player of a view can't tell from the one it is in.

    ``model``, ``context``: addresses of the compiled agent that the opponent is known to be. With
    ``weights`` and a ``belief`` the opponent is taken to play about as well as they do.
    """

    def __init__(
        self,
        game: Game,
        model: int = 0,
        context: int = 0,
        *,
        weights: Weights | None = None,
        belief: float = 0.0,
    ) -> None:
        plan = build_plan(game.rules)
        self._tables, self._plan = game.tables.copy(), plan.array.copy()
        self._weights, self._numbers = np.zeros((1, lay.LANES), np.int16), np.zeros(1)
        if weights is not None:
            self._weights, self._numbers = pack(weights, plan)
        self._lanes = np.zeros((SCRATCH_LANES, lay.LANES), np.int16)
        self._choices = game.moves + game.responses
        size = pl.scratch_size(self._choices, scratch_memory(plan.array))
        self._memory = np.zeros(size, np.int64)
        self._opponent = model, context, belief

    def sample(self, view: Array, key: int) -> tuple[Array, Array] | None:
        """A state int32 (`st.SIZE`,) at the decision and its keys; none: this try failed."""
        state, keys = np.zeros(st.SIZE, np.int32), np.zeros(st.KEYS, np.uint64)
        found = _sample(
            np.array(view, np.int32), self._tables, self._plan, self._weights, self._lanes,
            self._numbers, state, keys, self._memory, self._choices, np.uint64(key),
            *self._opponent,
        )  # fmt: skip
        return (state, keys) if found else None
