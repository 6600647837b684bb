"""The game's one engine: compiled kernels, and the match that drives them.

Import `Match` from `hanamikoji.engine.match`; this page itself stays free of Numba, so that
`hanamikoji.engine.codes` costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanamikoji.engine.match import Failure, Match, Played

__all__ = ["Failure", "Match", "Played"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from hanamikoji.engine import match

        return getattr(match, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
