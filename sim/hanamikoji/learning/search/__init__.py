"""The search agent: rolls each candidate move out to the round's end in many determinizations.

``decks``, ``determinization``: the kernels that make up an engine state of the player's information
set. ``players``, ``belief``: what is taken for granted of the opponent. ``rollout``: who plays on,
and what the end is worth. ``halving``: which candidate gets how many determinizations. ``values``:
V under random rollouts, where no network guides. ``agent``: the class. Nothing here knows the
rules: states are dealt, replayed and played on by the engine's own kernels. Import from the module;
this page stays free of Numba.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanamikoji.learning.search.agent import Search

__all__ = ["Search"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from hanamikoji.learning.search import agent

        return getattr(agent, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
