"""The agent's class and its kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hanamikoji._jit import (
    address_of,
    address_of_agent,
    fixed,
    i32_at,
    i64_at,
    raw,
    shifted,
)
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import CompiledSeat
from hanamikoji.errors import PluginError
from hanamikoji.learning.network.agent import Learned
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.network import SCRATCH_LANES, scratch_size
from hanamikoji.learning.network.packing import pack, pack_values
from hanamikoji.learning.network.weights import Weights
from hanamikoji.learning.search import places as pl
from hanamikoji.learning.search.determinization import World
from hanamikoji.learning.search.halving import Race, search_choice
from hanamikoji.learning.search.players import Opponent, guide_in
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
    choices = np.int64(tables[ix.MOVES]) + tables[ix.RESPONSES]
    options = shifted(raw(numbers), len(numbers) - pl.OPTIONS)
    scratch = raw(memory)
    guide = guide_in(weights, numbers, lanes, scratch, choices, options[pl.GUIDED] != 0.0)
    opponent = Opponent(
        np.int64(options[pl.MODEL]), np.int64(options[pl.MODEL_CONTEXT]), options[pl.BELIEF]
    )
    address = address_of(memory)
    keys = i64_at(address + 8 * pl.KEYS, st.KEYS).view(np.uint64)
    world = World(raw(i32_at(address + 8 * pl.WORLD, st.SIZE)), raw(keys), scratch)
    race = Race(
        shifted(scratch, pl.IDS), shifted(scratch, pl.IDS + choices), world,
        raw(i32_at(address + 8 * pl.GAME, st.SIZE)), guide, opponent, options,
    )  # fmt: skip
    return search_choice(raw(view), fixed(tables), race, word)


class Search:
    """Rolls candidate moves out to the round's end in many determinizations of what it knows.

    ``rollouts``: for each decision, all candidates together. ``guide``: "learned", whose network
    proposes the ``top`` candidates (0: all), judges by what the opponent did how likely a
    determinization is, and plays on; or "none", for all legal moves, random play and greedy
    answers.
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
            raise PluginError(
                "without a guide there is no network; leave out effort, seed, weights"
            )
        self._rollouts, self._top = rollouts, top
        self._network = Learned(effort, seed, weights, "network") if guide == "learned" else None

    def training(self, rules: Rules) -> int:
        """Rounds of self-play that the network needs before it can guide; 0 if none."""
        return self._network.training(rules) if self._network is not None else 0

    def train(self, rules: Rules, tell: Callable[[int], None] | None = None) -> None:
        """Train the network for them; see `Learned.train`."""
        if self._network is not None:
            self._network.train(rules, tell)

    def facts(self, rules: Rules) -> dict[str, Any]:
        """What the manifest records: of the network that guides, if one does."""
        return self._network.facts(rules) if self._network is not None else {}

    def prepare(self, game: Game) -> Parameters:
        """Find the network's weights, or V for play without one."""
        if self._network is None:
            return search_parameters(game, None, self._rollouts, self._top)
        weights = self._network.network(game.rules)
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
    most so many ``tries`` at determinizations in each decision.
    """
    features = build_features(game.rules)
    if weights is None:
        rows, numbers = pack_values(features, unguided_values(game.rules))
    else:
        rows, numbers = pack(features, weights)
    options = np.zeros(pl.OPTIONS)
    options[pl.ROLLOUTS], options[pl.TOP] = rollouts, top
    options[pl.GUIDED], options[pl.TRUST] = weights is not None, trust
    options[pl.MODEL], options[pl.MODEL_CONTEXT] = model, model_context
    believed = BELIEF if belief is None else belief
    options[pl.BELIEF] = 0.0 if model or weights is None else believed
    options[pl.TRIES] = tries or max(_FEWEST_TRIES, _TRIES_PER_ROLLOUT * rollouts)
    choices = game.moves + game.responses
    return Parameters(
        rows,
        np.concatenate([numbers, options]),
        SCRATCH_LANES,
        pl.memory_size(choices, scratch_size(features.array)),
    )


def search_seat(parameters: Parameters, name: str = "search") -> CompiledSeat:
    """A search with these parameters, ready to play."""
    return CompiledSeat(name, address_of_agent(_search, "search", ix.VIEW_SIZE), parameters)
