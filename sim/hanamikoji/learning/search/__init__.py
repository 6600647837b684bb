"""The search agent: plays each candidate move to the round's end in many worlds that may be.

``worlds``: the kernel that makes up an engine state which the player can't tell from the real one.
``rollout``: who plays on in it, and what the end is worth. ``halving``: which candidate gets how
many worlds. ``values``: V under random rollouts, where no network guides. ``agent``: the class.
Nothing here knows the rules: worlds are dealt, replayed and played on by the engine's own kernels.
Import from the module; this page stays free of Numba.
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
