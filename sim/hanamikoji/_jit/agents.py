"""Compiled agents behind plain C function pointers.

So one compiled kernel serves them all and stays cacheable: a specialisation per agent would be
recompiled for every match-up. The pointer's type, as C sees it::

    int32_t act(const int32_t *view, const int64_t *context, uint64_t word);

where ``context`` is the address and sizes of each array of `Parameters` (see `CONTEXT`). Under
``NUMBA_DISABLE_JIT=1`` addresses are handles in a dictionary.
"""

from __future__ import annotations

import ctypes
import types as pytypes
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import config
from numba.extending import intrinsic

from hanamikoji._jit.arithmetic import as_integer
from hanamikoji._jit.cache import Cache, code_key, floor_of
from hanamikoji._jit.compiling import OPTIONS, inline
from hanamikoji._jit.pointers import f64_at, i16_at, i32_at, i64_at

RAISED = -(2**31)
"""What a compiled agent's entry returns when the agent raised an exception."""

CONTEXT = (
    "tables", "tables_size",
    "weights", "weights_rows", "weights_columns",
    "numbers", "numbers_size",
    "lanes", "lanes_rows", "lanes_columns",
    "memory", "memory_size",
)  # fmt: skip
"""What each of the 12 int64 in a context is: addresses, and sizes in items."""

if config.DISABLE_JIT:
    _handles: dict[int, Callable[..., int]] = {}

    def call_agent(address: int, view: int, context: int, word: int) -> int:
        """Call the agent behind a handle."""
        return _handles[int(address)](view, context, word)

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def call_agent(typing_context, address, view, context, word):  # type: ignore[no-untyped-def]
        """Call ``int32 act(view, context, word)`` at a machine address."""
        signature = types.int32(types.intp, types.intp, types.intp, types.uint64)

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            values = [
                context.cast(builder, value, given, wanted)
                for value, given, wanted in zip(
                    arguments, signature.args, signature.args, strict=True
                )
            ]
            word = context.get_value_type(types.uint64)
            result = context.get_value_type(types.int32)
            from llvmlite import ir

            function = ir.FunctionType(result, [word, word, word])
            pointer = builder.inttoptr(values[0], function.as_pointer())
            return builder.call(pointer, values[1:])

        return signature, codegen


def _entry(view_address, context_address, word):  # type: ignore[no-untyped-def]
    """What every compiled agent's address points at: rebuild the arrays, call the agent.

    Ids are int32; an answer that fits none, or looks like one of the engine's signs, becomes -1.
    """
    context = i64_at(context_address, 12)
    tables = i32_at(context[0], context[1])
    try:
        choice = as_integer(
            _act(  # type: ignore[name-defined]  # noqa: F821 - given by address_of_agent
                i32_at(view_address, _VIEW_SIZE),  # type: ignore[name-defined]  # noqa: F821
                tables,
                i16_at(context[2], context[3], context[4]),
                f64_at(context[5], context[6]),
                i16_at(context[7], context[8], context[9]),
                i64_at(context[10], context[11]),
                word,
            )
        )
    except Exception:
        return RAISED
    return choice if RAISED + 1 < choice < 2147483648 else -1


def address_of_agent(function: Callable[..., Any], key: str, view_size: int) -> int:
    """Compile a plain agent function and return the address the engine calls it at.

    ``function(view, tables, weights, numbers, lanes, memory, word) -> int`` gets int32 (F,),
    int32 (T,), int16 (R, C), float64 (N,), int16 (L, C), int64 (M,) arrays and a uint64. ``key``
    names its source (a hash): the compiled code is cached under it.

    Done once for each function: a run of many cells seats the same agent again and again, and what
    is compiled stays in memory. Raises whatever Numba raises when it can't be compiled.
    """
    known = function, key, view_size
    if known not in _addresses:
        _addresses[known] = _new_address_of_agent(function, key, view_size)
    return _addresses[known]


_addresses: dict[tuple[Callable[..., Any], str, int], int] = {}


def _new_address_of_agent(function: Callable[..., Any], key: str, view_size: int) -> int:
    entry = pytypes.FunctionType(
        _entry.__code__,
        {**globals(), "_act": inline(function), "_VIEW_SIZE": view_size},
        f"agent_{key}",
    )
    entry.__qualname__ = entry.__name__
    if config.DISABLE_JIT:
        handle = len(_handles) + 1
        _handles[handle] = entry
        return handle
    entry.__hanamikoji_key__ = f"{code_key(floor_of(function))}-{key}"  # type: ignore[attr-defined]
    return _compile_entry(entry)


def address_of_c(function: Any) -> int:
    """The address of a C function of the type above, loaded by ctypes."""
    if not config.DISABLE_JIT:
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
    function.restype = ctypes.c_int32
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
    handle = len(_handles) + 1
    _handles[handle] = lambda view, context, word: function(int(view), int(context), int(word))
    return handle


_alive: list[Any] = []  # compiled entries must outlive every kernel that holds their address


def _compile_entry(entry: Callable[..., Any]) -> int:
    from numba.core.ccallback import CFunc

    signature = types.int32(types.intp, types.intp, types.uint64)
    compiled = CFunc(
        entry, (signature.args, signature.return_type), {}, OPTIONS | {"nopython": True}
    )
    compiled._cache = Cache(entry)  # type: ignore[attr-defined]
    compiled.compile()
    _alive.append(compiled)
    return int(compiled.address)  # type: ignore[arg-type]
