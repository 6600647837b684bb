"""Decorators of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

from hanamikoji._jit.cache import Cache

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
# Nobody takes a helper's address, so it needs no entry for C: less to compile.
_HELPER = OPTIONS | {"no_cfunc_wrapper": True}


def njit(function: F) -> F:
    """Compile a helper that only other compiled functions call."""
    return numba.njit(**_HELPER)(function)  # type: ignore[no-any-return]


def inline(function: F) -> F:
    """Compile a small hot helper and force it into its callers (gains 1.5-1.8 x)."""
    return numba.njit(forceinline=True, **_HELPER)(function)  # type: ignore[no-any-return]


def kernel(function: F) -> F:
    """Compile an entry point that Python calls: compiled at its first call, cached on disk.

    Callers pass C-contiguous, writable arrays of fixed types and plain ints, so that there is one
    version of each kernel.
    """
    compiled = numba.njit(**OPTIONS)(function)
    if not config.DISABLE_JIT:
        compiled._cache = Cache(function)
    return compiled  # type: ignore[no-any-return]


def is_compiled(kernel: Any) -> bool:
    """Whether the machine's cache has this kernel already, so that loading it takes no time."""
    return bool(config.DISABLE_JIT) or Path(kernel._cache._cache_file._index_path).exists()
