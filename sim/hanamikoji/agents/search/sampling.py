"""Worlds made up from Python: for tests and tools."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import fixed, kernel, raw
from hanamikoji.agents.search import places as pl
from hanamikoji.agents.search.worlds import make_world, prepare_world
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game

Array = npt.NDArray[Any]


@kernel
def _sample(view, tables, state, keys, memory, key, model, context):
    view_, t_, s_ = raw(view), fixed(tables), raw(state)
    prepare_world(view_, t_, s_)
    return make_world(view_, t_, s_, raw(keys), raw(memory), key, model, context)


class Worlds:
    """Engine states that the player of a view can't tell from the one it is in."""

    def __init__(self, game: Game, model: int = 0, context: int = 0) -> None:
        self._tables = game.tables.copy()
        self._memory = np.zeros(pl.IDS, np.int64)
        self._model = model, context

    def sample(self, view: Array, key: int) -> tuple[Array, Array] | None:
        """A state int32 (`st.SIZE`,) at the decision and its keys; none: this try failed."""
        state, keys = np.zeros(st.SIZE, np.int32), np.zeros(st.KEYS, np.uint64)
        found = _sample(
            np.array(view, np.int32), self._tables, state, keys, self._memory, np.uint64(key),
            *self._model,
        )  # fmt: skip
        return (state, keys) if found else None
