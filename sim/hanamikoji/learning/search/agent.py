"""The agent's class and its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import address_of, address_of_agent, fixed, flat, i32_at, i64_at, raw
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import CompiledSeat
from hanamikoji.errors import PluginError
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.agent import Learned
from hanamikoji.learning.network.network import SCRATCH_LANES, scratch_memory
from hanamikoji.learning.network.plan import build_plan
from hanamikoji.learning.network.weights import Weights, pack
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.halving import search_choice
from hanamikoji.learning.search.values import unguided_values
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

GUIDES = ("learned", "none")
MOST_ROLLOUTS = 10_000_000
TRUST = 20.0
"""The network's own chance counts for so many rollouts."""

BELIEF = 0.5
"""How well the opponent is taken to play, see `belief`: the less, the better."""

_TRIES_PER_ROLLOUT, _FEWEST_TRIES = 10, 1000


def _search(view, tables, weights, numbers, lanes, memory, word):
    bytes_before = np.int64(numbers[lay.PLAN_ROW]) * (2 * lay.LANES)
    plan = i32_at(address_of(weights) + bytes_before, np.int64(numbers[lay.PLAN_SIZE]))
    scratch = address_of(memory)
    world = i32_at(scratch + 8 * pl.WORLD, st.SIZE)
    game = i32_at(scratch + 8 * pl.GAME, st.SIZE)
    keys = i64_at(scratch + 8 * pl.KEYS, st.KEYS).view(np.uint64)
    return search_choice(
        raw(view), fixed(tables), raw(plan), flat(weights), flat(lanes), raw(numbers),
        len(numbers) - pl.OPTIONS, raw(world), raw(game), raw(keys), raw(memory), word,
    )  # fmt: skip


class Search:
    """Tries moves in many worlds that agree with what it knows, played to the round's end.

    ``rollouts``: for each decision, all candidates together. ``guide``: "learned", whose network
    proposes the ``top`` candidates (0: all), judges how likely a world is by what the opponent did
    in it, and plays on; or "none", for all legal moves, random play and greedy answers.
    ``effort``, ``seed``, ``weights``: as of "learned".
    """

    kernel = staticmethod(_search)

    def __init__(
        self,
        rollouts: int = 200,
        top: int = 6,
        guide: str = "learned",
        effort: str | int | None = None,
        seed: int = 1,
        weights: str | None = None,
    ) -> None:
        _check_whole("rollouts", rollouts, 1, MOST_ROLLOUTS)
        _check_whole("top", top, 0, 200_000)
        if guide not in GUIDES:
            raise PluginError(f"guide is {guide!r}; it can be {' or '.join(GUIDES)}")
        if guide == "none" and (effort is not None or seed != 1 or weights is not None):
            raise PluginError("effort, seed and weights are the network's; guide is 'none'")
        self._rollouts, self._top = rollouts, top
        self._network = Learned(effort, seed, weights) if guide == "learned" else None

    def training(self, rules: Rules) -> int:
        """Rounds of self-play that the network needs before it can guide; 0 if none."""
        return self._network.training(rules) if self._network is not None else 0

    def facts(self, rules: Rules) -> dict[str, Any]:
        """What the manifest records: of the network that guides, if one does."""
        return self._network.facts(rules) if self._network is not None else {}

    def prepare(self, game: Game) -> Parameters:
        """Find the network's weights, or V for play without one."""
        if self._network is None:
            return search_parameters(game, None, self._rollouts, self._top)
        weights = self._network.weights(game.rules)
        return search_parameters(game, weights, self._rollouts, self._top)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise PluginError(f"{name} is {value!r}; it can be a whole number from {least} to {most:,}")


def search_parameters(
    game: Game,
    weights: Weights | None,
    rollouts: int,
    top: int,
    *,
    trust: float = TRUST,
    belief: float | None = None,
    model: int = 0,
    model_context: int = 0,
    tries: int | None = None,
) -> Parameters:
    """What the kernel is handed; without weights play is unguided.

    ``belief``: how well the opponent is taken to play, `BELIEF` if none is given; 0: anyhow.
    ``model``, ``model_context``: addresses of the compiled agent that the opponent is known to be,
    and of its arrays (see `hanamikoji._jit.agents.CONTEXT`), which must outlive the search; then at
    most so many ``tries`` for worlds in each decision.
    """
    plan = build_plan(game.rules)
    if weights is None:
        blob, numbers = _without_network(plan.array, unguided_values(game.rules))
    else:
        blob, numbers = pack(weights, plan)
    options = np.zeros(pl.OPTIONS)
    options[pl.ROLLOUTS], options[pl.TOP] = rollouts, top
    options[pl.GUIDED], options[pl.TRUST] = weights is not None, trust
    options[pl.MODEL], options[pl.MODEL_CONTEXT] = model, model_context
    believed = BELIEF if belief is None else belief
    options[pl.BELIEF] = 0.0 if model or weights is None else believed
    options[pl.TRIES] = tries or max(_FEWEST_TRIES, _TRIES_PER_ROLLOUT * rollouts)
    choices = game.moves + game.responses
    return Parameters(
        blob,
        np.concatenate([numbers, options]),
        SCRATCH_LANES,
        pl.scratch_size(choices, scratch_memory(plan.array)),
    )


def _without_network(
    plan: npt.NDArray[np.int32], values: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float64]]:
    """The plan in rows of int16 and V behind the header, as `pack` lays them out."""
    rows = np.zeros((-(-2 * len(plan) // lay.LANES), lay.LANES), np.int16)
    rows.ravel()[: 2 * len(plan)] = plan.view(np.int16)
    header = np.zeros(lay.NUMBERS_HEADER)
    header[lay.PLAN_SIZE], header[lay.VALUES_AT] = len(plan), lay.NUMBERS_HEADER
    return rows, np.concatenate([header, values])


def search_seat(parameters: Parameters, name: str = "search") -> CompiledSeat:
    """A search with these parameters, ready to play."""
    return CompiledSeat(name, address_of_agent(_search, "search", ix.VIEW_SIZE), parameters)
