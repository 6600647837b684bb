"""Compile the engine in the parent, so that its workers only load it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hanamikoji.experiment import AgentUse
from hanamikoji.plan import Plan
from hanamikoji.rules import Rules
from hanamikoji.run.progress import note

if TYPE_CHECKING:
    from hanamikoji.agents import Batch, LoadedAgent
    from hanamikoji.engine.seat import Int64

_SOON = 1.5  # seconds; loading from the cache takes less, compiling more
_WHY = "compiling the engine; this takes half a minute, once after an install or update"


class _FirstLegal:
    """A seat that Python asks and that answers at once; ``offset`` makes its answers illegal."""

    def __init__(self, offset: int) -> None:
        self.name = "first legal"
        self._offset = offset

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """The first legal id of each decision."""
        return batch.ids[batch.offsets[:-1]] - self._offset, {}


def compile_kernels(plan: Plan, agents: Mapping[str, LoadedAgent], *, quiet: bool) -> None:
    """Compile, or load from the cache, all kernels that the plan's workers will need.

    No code of an agent runs here but its preparation, so that one that crashes does so in a worker.
    """
    slow = threading.Timer(_SOON, note, (_WHY,), {"quiet": quiet})
    slow.start()
    try:
        load_kernels()
        _seat_compiled_agents(plan, agents)
    finally:
        slow.cancel()


@functools.cache
def load_kernels() -> None:
    """Have the engine's kernels ready in this process: compiled, or loaded from the cache."""
    from hanamikoji.agents import Game, load_agent
    from hanamikoji.engine import Match

    game = Game.of(Rules())
    compiled = load_agent(AgentUse(name="random", agent="random")).seat(game)
    Match(game, (compiled, compiled), seed=0).play(0, 1)
    Match(game, (compiled, _FirstLegal(0)), seed=0).play(0, 1)
    Match(game, (compiled, _FirstLegal(10**6)), seed=0).play(0, 1, on_error="forfeit")


def _seat_compiled_agents(plan: Plan, agents: Mapping[str, LoadedAgent]) -> None:
    from hanamikoji.agents import Game

    game = Game.of(plan.cells[0].rules)
    for agent in agents.values():
        if agent.kind == "compiled":
            agent.seat(game)
