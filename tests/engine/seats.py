"""Seats for tests: the shipped random agents, and asked ones made of a function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hanamikoji.agents import load_agent
from hanamikoji.engine.seat import Batch, CompiledSeat, Game
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import Rules


def shipped(rules: Rules, agent: str = "random", name: str = "") -> CompiledSeat:
    """A shipped compiled agent under a name of its own."""
    seat = load_agent(AgentUse(name=name or agent, agent=agent)).seat(Game.of(rules))
    assert isinstance(seat, CompiledSeat)
    return seat


class AskedBy:
    """An asked seat: ``choose`` maps a batch to ids."""

    def __init__(self, name: str, choose: Callable[[Batch], np.ndarray]) -> None:
        self.name = name
        self._choose = choose

    def choose(self, batch: Batch) -> tuple[np.ndarray, dict[int, str]]:
        return np.asarray(self._choose(batch), np.int64), {}


def uniform(batch: Batch) -> np.ndarray:
    """The legal id that the word says, all alike."""
    counts = np.diff(batch.offsets).astype(np.uint64)
    return batch.ids[batch.offsets[:-1] + (batch.words % counts).astype(np.int64)]
