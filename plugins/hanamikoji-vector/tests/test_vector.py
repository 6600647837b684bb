"""The agent's own tests."""

from __future__ import annotations

import numpy as np
import pytest
from hanamikoji_vector import WHOLE, Vector

from hanamikoji.agents import Game, load_agent
from hanamikoji.engine import Match
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import load_rules
from hanamikoji.testing import check_agent


def test_vector__passes_the_check() -> None:
    assert check_agent("vector", deals=5).agent.kind == "batched"


@pytest.mark.parametrize("rules", ["base", "avoid-misfortune", "serendipity"])
def test_vector__beats_random(rules: str) -> None:
    game = Game.of(load_rules(rules))
    seats = [
        load_agent(AgentUse(name=agent, agent=agent)).seat(game) for agent in ("vector", "random")
    ]
    games = Match(game, (seats[0], seats[1]), seed=1).play(0, 500).games
    wins = games["outcome"] == games["seating"]  # 0: the starter won; a starts in seating 0
    assert np.mean(wins) > 0.55


def test_effect__of_base_moves() -> None:
    """A secret counts one for oneself; of a gift's three one goes over, so each counts a third."""
    game = Game.of(load_rules("base"))
    vector = Vector()
    vector.prepare(game)
    totals = vector.effect.sum(axis=1) / WHOLE
    assert sorted(set(totals.tolist())) == [0, 1]  # trade-off and competition; secret and gift
