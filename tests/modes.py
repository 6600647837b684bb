"""How the tests run: compiled, compiled with checked bounds, or as plain Python."""

from __future__ import annotations

from numba.core import config

JITTED = not config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``: kernels run as Python, a few hundred times slower."""


def sized(compiled: int, python: int) -> int:
    """The size of a test's sample: as compiled, or as plain Python."""
    return compiled if JITTED else python
