"""The agent's own tests; ``check_agent`` is the one that every agent should have."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji.agents import Game, load_agent
from hanamikoji.engine import Match
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import load_rules
from hanamikoji.testing import check_agent


def use(agent: str, **options: object) -> AgentUse:
    return AgentUse(name=agent, agent=agent, options=options)


@pytest.mark.parametrize("options", [{}, {"thrift": 0.9}])
def test_thrifty__passes_the_check(options: dict[str, float]) -> None:
    report = check_agent("thrifty", options, deals=5)
    assert report.agent.kind == "plain"


@pytest.mark.parametrize("thrift", [-0.1, 1.1])
def test_thrift__must_be_a_share(thrift: float) -> None:
    with pytest.raises(PluginError, match="it must be from 0 to 1"):
        load_agent(use("thrifty", thrift=thrift))


@pytest.mark.parametrize("rules", ["base", "avoid-misfortune", "health"])
def test_thrifty__beats_random(rules: str) -> None:
    game = Game.of(load_rules(rules))
    seats = load_agent(use("thrifty")).seat(game), load_agent(use("random")).seat(game)
    games = Match(game, seats, seed=1).play(0, 150).games
    wins = games["outcome"] == games["seating"]  # 0: the starter won; a starts in seating 0
    assert np.mean(wins) > 0.55
