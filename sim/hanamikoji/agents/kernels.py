"""What the kernels of compiled agents may call, besides NumPy and their own `njit` functions.

``index`` names the places in views and tables; ``below`` and ``mix`` draw from the random word.
"""

from __future__ import annotations

from hanamikoji._jit import fixed, njit, raw
from hanamikoji.engine.rng import below, mix
from hanamikoji.engine.turns import legal_moves as _legal_moves

__all__ = ["below", "legal_moves", "mix", "njit"]


@njit
def legal_moves(view, tables, ids):
    """Write the legal ids, ascending, into ``ids`` (int64) as far as they fit; returns how many."""
    return _legal_moves(raw(view), fixed(tables), raw(ids), len(ids))
