"""Decorators of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config, event

from hanamikoji._jit.cache import Cache
from hanamikoji._jit.helpers import ApartCompiler, HelperCompiler, HelperDispatcher

F = TypeVar("F", bound=Callable[..., Any])

# Without reference counts Numba lets no function return an array, which checked pointers are.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": bool(config.BOUNDSCHECK),
}
# Nobody takes a helper's address, so it needs no entry for C nor for Python. forceinline is said
# either way: Numba hands it down to whatever is first compiled under an inlined function.
_HELPER = OPTIONS | {"no_cfunc_wrapper": True, "no_cpython_wrapper": True, "forceinline": False}


def _helper(function: F, pipeline: Any, **options: Any) -> F:
    if config.DISABLE_JIT:
        return function
    return HelperDispatcher(function, _HELPER | options, pipeline)  # type: ignore[return-value]


def njit(function: F) -> F:
    """Compile a helper that only other compiled functions call."""
    return _helper(function, HelperCompiler)


def apart(function: F) -> F:
    """Compile a large helper that is called and never inlined: it stands once in each kernel."""
    return _helper(function, ApartCompiler)


def inline(function: F) -> F:
    """Compile a small hot helper and force it into its callers (gains 1.5-1.8 x)."""
    return _helper(function, HelperCompiler, forceinline=True)


def kernel(function: F) -> F:
    """Compile an entry point that Python calls: compiled at its first call, cached on disk.

    Callers pass C-contiguous, writable arrays of fixed types and plain ints, so that there is one
    version of each kernel.
    """
    compiled = numba.njit(**OPTIONS)(function)
    if not config.DISABLE_JIT:
        compiled._cache = Cache(function)
    return compiled  # type: ignore[no-any-return]


class _Listener(event.Listener):  # type: ignore[misc]
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def on_start(self, _event: event.Event) -> None:
        self._tell()

    def on_end(self, _event: event.Event) -> None:
        """Nothing."""


def tell_compiling(tell: Callable[[], None]) -> AbstractContextManager[Any]:
    """Call ``tell`` whenever something begins to be compiled because no cache has it."""
    return event.install_listener("numba:compile", _Listener(tell))  # type: ignore[no-any-return]


def is_compiled(kernel: Any) -> bool:
    """Whether the machine's cache has this kernel already, so that loading it takes no time."""
    return bool(config.DISABLE_JIT) or Path(kernel._cache._cache_file._index_path).exists()
