"""Agents: what they are, how they are found and loaded. See `hanamikoji.agents.protocol`."""

from typing import TYPE_CHECKING, Any

from hanamikoji.agents.loading import AgentInfo, LoadedAgent, list_agents, load_agent

if TYPE_CHECKING:
    from hanamikoji.agents.observation import Move, Observation, Random64
    from hanamikoji.engine.seat import Batch, Game, Parameters

__all__ = [
    "AgentInfo",
    "Batch",
    "Game",
    "LoadedAgent",
    "Move",
    "Observation",
    "Parameters",
    "Random64",
    "list_agents",
    "load_agent",
]

_HOMES = {
    "Batch": "hanamikoji.engine.seat",
    "Game": "hanamikoji.engine.seat",
    "Parameters": "hanamikoji.engine.seat",
    "Move": "hanamikoji.agents.observation",
    "Observation": "hanamikoji.agents.observation",
    "Random64": "hanamikoji.agents.observation",
}


def __getattr__(name: str) -> Any:
    """Import what needs NumPy only when it is used: listing and loading agents does not."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
