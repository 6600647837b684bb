"""Agents by name, ready to play, and what they played."""

from __future__ import annotations

from typing import Any

import numpy as np

from hanamikoji.agents import load_agent
from hanamikoji.engine import Match, Played
from hanamikoji.engine.seat import Game, Seat
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import load_rules

BASE = Game.of(load_rules("base"))


def use(agent: str, name: str = "", **options: Any) -> AgentUse:
    return AgentUse(name=name or agent, agent=agent, options=options)


def seat(agent: str, name: str = "", game: Game = BASE, **options: Any) -> Seat:
    return load_agent(use(agent, name, **options)).seat(game)


def mirror(one: Seat, deals: int, game: Game = BASE, **options: Any) -> Played:
    return Match(game, (one, one), seed=1).play(0, deals, record=("moves",), **options)


def score(agent: str, against: str, deals: int, game: Game = BASE) -> float:
    """Wins and half the shared wins of an agent, in both seatings of each deal."""
    seats = seat(agent, "a", game), seat(against, "b", game)
    games = Match(game, seats, seed=1).play(0, deals).games
    won = np.where(games["outcome"] > 1, 0.5, games["outcome"] == games["seating"])
    return float(won.mean())
