"""No agent's choice changes with what its player can't know.

Each agent gets the address of its view in the engine's state, as in a match: what the opponent
holds, the deck and the removed cards lie right beside it, and an agent that read them would be seen
to choose otherwise in another world.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.worlds import decisions
from hanamikoji._jit import call_agent, kernel
from hanamikoji.agents.loading import load_agent
from hanamikoji.engine.seat import CompiledSeat, Context, Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.weights import WeightsOrigin
from hanamikoji.learning.search.agent import search_parameters, search_seat
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS
from learning.network.test_network import random_weights
from modes import sized

AGENTS = ("greedy", "learned", "search", "search without a network")


@kernel
def _ask(agent, view, context, word):  # type: ignore[no-untyped-def]
    return call_agent(agent, view, context, word)


def seat_of(agent: str, game: Game) -> CompiledSeat:
    if agent == "greedy":
        seat = load_agent(AgentUse(name=agent, agent=agent)).seat(game)
        assert isinstance(seat, CompiledSeat)
        return seat
    features = build_features(game.rules)
    origin = WeightsOrigin(game.rules.hash, features.signature, 1, 1)
    weights = dataclasses.replace(random_weights(features), origin=origin)
    if agent == "learned":
        return learned_seat(weights, game)
    guide = weights if agent == "search" else None
    return search_seat(search_parameters(game, guide, rollouts=sized(24, 6), top=4))


class Asker:
    """An agent asked in the middle of a game's state."""

    def __init__(self, seat: CompiledSeat, game: Game) -> None:
        self.seat, self.context = seat, Context(game.tables, seat.parameters)

    def __call__(self, single: SingleGame) -> int:
        view = single.view_of(single.decider).ctypes.data
        word = np.uint64(single.word)
        return int(_ask(self.seat.address, view, self.context.address, word))


@pytest.mark.parametrize("name", ["base", "avoid-misfortune", "serendipity"])
@pytest.mark.parametrize("agent", AGENTS)
def test_choice__does_not_change_with_what_is_hidden(agent: str, name: str) -> None:
    rules = PRESETS[name]
    game = Game.of(rules)
    ask = Asker(seat_of(agent, game), game)
    different = {ix.ACT: 0, ix.RESPOND: 0}
    for deal in range(sized(5, 1)):
        for single, world in decisions(rules, deal, sized(3, 1)):
            assert ask(world) == ask(single)
            other = 1 - single.decider
            hidden = not np.array_equal(single.view_of(other), world.view_of(other))
            different[int(single.view[ix.PHASE])] += hidden
    assert min(different.values()) >= sized(20, 1)
