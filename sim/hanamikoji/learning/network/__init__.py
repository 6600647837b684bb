"""The learned agent: a small network that is trained by self-play on any rules.

``layout``, ``features``, ``local_states``, ``roles``: rules -> which rows of the network describe a
position. ``rows``: the kernel that finds them from scratch. ``network``: the kernels that score
every legal choice incrementally, for play and for rollouts. ``values``: V, the chance to win before
a round. ``weights``, ``packing``, ``store``: files, the kernels' arrays, cache and shipped weights.
Import from the module; this page stays free of Numba.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanamikoji.learning.network.agent import Learned

__all__ = ["Learned"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from hanamikoji.learning.network import agent

        return getattr(agent, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
