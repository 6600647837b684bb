"""Determinizations, and the likelihood of decisions, asked for from Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import fixed, kernel, raw
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Context, Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.learning.network.weights import Weights
from hanamikoji.learning.search.agent import search_parameters
from hanamikoji.learning.search.belief import likely_choice
from hanamikoji.learning.search.determinization import World, determinize, prepare_world
from hanamikoji.learning.search.players import Opponent, guide_in
from hanamikoji.moves import index as ix

Array = npt.NDArray[Any]


@kernel
def _sample(view, tables, weights, numbers, lanes, memory, world, opponent, key):  # type: ignore[no-untyped-def]
    choices = np.int64(tables[ix.MOVES]) + tables[ix.RESPONSES]
    view_, tables_, scratch = raw(view), fixed(tables), raw(memory)
    guide = guide_in(weights, numbers, lanes, scratch, choices, opponent.belief > 0.0)
    world_ = World(raw(world.state), raw(world.keys), scratch)
    prepare_world(view_, tables_, world_.state)
    return determinize(view_, tables_, world_, guide, opponent, key)


@kernel
def _likely(state, tables, weights, numbers, lanes, memory, belief, kind, choice):  # type: ignore[no-untyped-def]
    choices = np.int64(tables[ix.MOVES]) + tables[ix.RESPONSES]
    guide = guide_in(weights, numbers, lanes, raw(memory), choices, True)
    return likely_choice(raw(state), fixed(tables), guide, belief, kind, choice)


class Determinizations:
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
        arrays = Context(game.tables, search_parameters(game, weights, 1, 1))
        self._arrays = (
            game.tables.copy(), arrays.weights, arrays.numbers, arrays.lanes, arrays.memory
        )  # fmt: skip
        self._opponent = Opponent(model, context, belief)

    def sample(self, view: Array, key: int) -> tuple[Array, Array] | None:
        """A state int32 (`st.SIZE`,) at the decision and its keys; None if this try failed."""
        memory = self._arrays[-1]
        world = World(np.zeros(st.SIZE, np.int32), np.zeros(st.KEYS, np.uint64), memory)
        found = _sample(
            np.array(view, np.int32), *self._arrays, world, self._opponent, np.uint64(key)
        )
        return (world.state, world.keys) if found else None

    def likely(
        self, single: SingleGame, kind: int, choice: int, belief: float
    ) -> tuple[int, float]:
        """See `likely_choice`: of the decider of a game."""
        found: tuple[int, float] = _likely(single.state.copy(), *self._arrays, belief, kind, choice)
        return found
