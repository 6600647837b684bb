"""The only place that talks to Numba: decorators, cache policy, calls through addresses.

Cache policy. Numba's own on-disk cache does not notice an edited callee in another file and then
serves the old result, so every kernel is cached in a folder keyed by a hash of all sources it may
be compiled from, Numba's version and the CPU. A folder that can't be written means a temporary
cache for this process and its children, never a crash.

Agents are called through plain C function pointers, so that one compiled kernel serves them all
and stays cacheable (a specialisation per agent would be recompiled for every match-up). The
pointer's type, as C sees it::

    int32_t act(const int32_t *view, const int64_t *context, uint64_t word);

where ``context`` holds the address and sizes of each array of `Parameters` (see `CONTEXT`).

Under ``NUMBA_DISABLE_JIT=1`` everything here has a pure Python twin: addresses of agents become
handles in a dictionary, arrays are rebuilt through ctypes.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import operator
import os
import tempfile
import types as pytypes
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import cgutils, config
from numba.core.caching import CacheImpl, FunctionCache
from numba.core.datamodel import models
from numba.core.errors import TypingError
from numba.extending import intrinsic, lower_builtin, register_model
from numba.np.arrayobj import populate_array

__all__ = [
    "RAISED",
    "address_of",
    "address_of_agent",
    "address_of_c",
    "cache_folder",
    "call_agent",
    "f64_at",
    "fixed",
    "flat",
    "i16_at",
    "i32_at",
    "i64_at",
    "inline",
    "kernel",
    "multiply",
    "njit",
    "raw",
    "shifted",
]

F = TypeVar("F", bound=Callable[..., Any])

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

_DISABLED = bool(config.DISABLE_JIT)
_CHECKED = bool(config.BOUNDSCHECK)
_PACKAGE = Path(__file__).parent


# --- cache ---------------------------------------------------------------------------------------


@functools.cache
def cache_folder() -> Path:
    """The writable folder for compiled code and trained weights; made if need be.

    ``HANAMIKOJI_CACHE`` if set, else ``$XDG_CACHE_HOME/hanamikoji``, else ``~/.cache/hanamikoji``;
    a temporary one, shared with child processes, where that can't be written.
    """
    wanted = os.environ.get("HANAMIKOJI_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (
        Path(wanted)
        if wanted
        else (Path(base) if base else Path("~/.cache").expanduser()) / "hanamikoji"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):
        folder = Path(tempfile.mkdtemp(prefix="hanamikoji-"))
        os.environ["HANAMIKOJI_CACHE"] = str(folder)
    return folder


_FLOORS = ("moves", "engine", "agents", "train")
"""Where compiled functions live, from the bottom up; each calls only its own floor and below."""


@functools.cache
def _code_key(floor: str) -> str:
    """Hash of what a function of a floor may be compiled from, Numba's version and the CPU.

    That is every source of its own floor and of those below, this file included.
    """
    from llvmlite import binding

    digest = hashlib.sha256(numba.__version__.encode())
    digest.update(str(binding.get_host_cpu_name()).encode())
    digest.update(str(binding.get_host_cpu_features().flatten()).encode())
    digest.update(str(config.BOUNDSCHECK).encode())
    sources = [Path(__file__)]
    for below in _FLOORS[: _FLOORS.index(floor) + 1]:
        sources += sorted((_PACKAGE / below).rglob("*.py"))
    for source in sources:
        digest.update(str(source.relative_to(_PACKAGE)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:20]


def _floor_of(function: Any) -> str:
    """The floor of a function by its module; the agents' for functions from elsewhere."""
    package, _, rest = function.__module__.partition(".")
    floor = rest.partition(".")[0]
    return floor if package == "hanamikoji" and floor in _FLOORS else "agents"


class _Locator:
    """Numba's cache locator for our functions: a folder per code key, no time stamps."""

    def __init__(self, folder: Path, line: int) -> None:
        self._folder = folder
        self._line = line

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Any, _file: str) -> _Locator:
        key = getattr(function, "__hanamikoji_key__", None) or _code_key(_floor_of(function))
        return cls(cache_folder() / "compiled" / key, function.__code__.co_firstlineno)


class _Impl(FunctionCache._impl_class):  # type: ignore[misc,name-defined]
    _locator_classes = (_Locator,)

    def __init__(self, function: Any) -> None:
        # CacheImpl prefers NUMBA_CACHE_LOCATOR_CLASSES over _locator_classes: ours are not theirs.
        chosen, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, ""
        try:
            CacheImpl.__init__(self, function)
        finally:
            config.CACHE_LOCATOR_CLASSES = chosen


class _OurCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Impl


# --- decorators ----------------------------------------------------------------------------------

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
# Nobody takes a helper's address, so it needs no entry for C: less to compile.
_HELPER = _OPTIONS | {"no_cfunc_wrapper": True}


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
    compiled = numba.njit(**_OPTIONS)(function)
    if not _DISABLED:
        compiled._cache = _OurCache(function)
    return compiled  # type: ignore[no-any-return]


# --- arrays and agents by address ----------------------------------------------------------------

if _DISABLED:
    _handles: dict[int, Callable[..., int]] = {}

    def call_agent(address: int, view: int, context: int, word: int) -> int:
        """Call the agent behind a handle."""
        return _handles[int(address)](view, context, word)

    def raw(array: Any) -> Any:
        """The array itself."""
        return array

    fixed = raw

    def flat(array: Any) -> Any:
        """The items of an array of rows, one after the other."""
        return array.reshape(array.size)

    def shifted(array: Any, n: int) -> Any:
        """The array from its n-th item on."""
        return array[n:]

    def multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
        """The upper and the lower 64 bits of a product."""
        product = int(a) * int(b)
        return np.uint64(product >> 64), np.uint64(product & (2**64 - 1))

    def address_of(array: Any) -> int:
        """The machine address of an array's first item."""
        return int(array.ctypes.data)

    def _rebuild(ctype: Any) -> Callable[..., Any]:
        def at(address: int, *shape: int) -> Any:
            if 0 in shape:
                return np.empty(shape, np.dtype(ctype))
            pointer = ctypes.cast(int(address), ctypes.POINTER(ctype))
            return np.ctypeslib.as_array(pointer, tuple(int(n) for n in shape))

        return at

    def as_integer(choice: Any) -> int:
        """An agent's answer as int64, if it is an integer."""
        if isinstance(choice, bool | np.bool_):
            raise TypeError(f"it returns {choice}, which is no integer")
        return operator.index(choice)

    i32_at, i64_at = _rebuild(ctypes.c_int32), _rebuild(ctypes.c_int64)
    i16_at, f64_at = _rebuild(ctypes.c_int16), _rebuild(ctypes.c_double)
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

    @intrinsic  # type: ignore[untyped-decorator]
    def raw(typing_context, array):  # type: ignore[no-untyped-def]
        """The bare pointer to a C-contiguous array's items, which indexes like the array.

        Arrays passed between helpers cost reference counts (40 % of an engine that did so), seven
        words each, and a test for negative indices; a pointer costs one word. Under
        ``NUMBA_BOUNDSCHECK=1`` it is the array itself, so that every access is checked.
        """
        if isinstance(array, types.CPointer) or _CHECKED:
            return array(array), lambda context, builder, signature, arguments: arguments[0]

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return context.make_array(array)(context, builder, arguments[0]).data

        return types.CPointer(array.dtype)(array), codegen

    class _Fixed(types.CPointer):  # type: ignore[misc]
        """A pointer to items that nothing writes to while a kernel runs."""

        def __init__(self, item: Any) -> None:
            super().__init__(item)
            self.name = f"Fixed({item})"

    register_model(_Fixed)(models.PointerModel)

    @lower_builtin(operator.getitem, _Fixed, types.Integer)  # type: ignore[untyped-decorator]
    def _get_fixed(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        value = builder.load(builder.gep(arguments[0], [arguments[1]]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    @intrinsic  # type: ignore[untyped-decorator]
    def fixed(typing_context, array):  # type: ignore[no-untyped-def]
        """As `raw`, for an array that nothing writes to while the kernel runs.

        What was read of it once need not be read again after every write to something else.
        """
        if _CHECKED:
            return array(array), lambda context, builder, signature, arguments: arguments[0]

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return context.make_array(array)(context, builder, arguments[0]).data

        return _Fixed(array.dtype)(array), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def multiply(typing_context, a, b):  # type: ignore[no-untyped-def]
        """The upper and the lower 64 bits of a product: one instruction."""
        pair = types.UniTuple(types.uint64, 2)

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            from llvmlite import ir

            word, wide = ir.IntType(64), ir.IntType(128)
            product = builder.mul(*[builder.zext(value, wide) for value in arguments])
            upper = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
            return context.make_tuple(builder, pair, [upper, builder.trunc(product, word)])

        return pair(types.uint64, types.uint64), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def flat(typing_context, array):  # type: ignore[no-untyped-def]
        """The bare pointer to the items of an array of rows, one after the other: see `raw`."""
        row = types.Array(array.dtype, 1, "C")

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            rows = context.make_array(array)(context, builder, arguments[0])
            if not _CHECKED:
                return rows.data
            items = context.make_array(row)(context, builder)
            populate_array(
                items,
                data=rows.data,
                shape=[rows.nitems],
                strides=[rows.itemsize],
                itemsize=rows.itemsize,
                meminfo=None,
            )
            return items._getvalue()

        return (row if _CHECKED else types.CPointer(array.dtype))(array), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def shifted(typing_context, array, n):  # type: ignore[no-untyped-def]
        """What `raw` made of an array, from its n-th item on."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            whole, n = arguments
            if not _CHECKED:
                return builder.gep(whole, [n])
            items = context.make_array(array)(context, builder, whole)
            rest = context.make_array(array)(context, builder)
            populate_array(
                rest,
                data=builder.gep(items.data, [n]),
                shape=[builder.sub(items.nitems, n)],
                strides=[items.itemsize],
                itemsize=items.itemsize,
                meminfo=None,
            )
            return rest._getvalue()

        return array(array, types.intp), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def address_of(typing_context, array):  # type: ignore[no-untyped-def]
        """The machine address of the first item of an array, or of what `raw` made of it."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            value = arguments[0]
            if not isinstance(array, types.CPointer):
                value = context.make_array(array)(context, builder, value).data
            return builder.ptrtoint(value, context.get_value_type(types.intp))

        return types.intp(array), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def as_integer(typing_context, choice):  # type: ignore[no-untyped-def]
        """An agent's answer as int64, if it is an integer: Numba would round a float in silence."""
        if not isinstance(choice, types.Integer):
            raise TypingError(f"it returns {choice}, which is no integer")

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return context.cast(builder, arguments[0], choice, types.int64)

        return types.int64(choice), codegen

    def _array_maker(item: Any, dimensions: int) -> Any:
        @intrinsic  # type: ignore[untyped-decorator]
        def array_at(typing_context, address, *shape):  # type: ignore[no-untyped-def]
            """A C-contiguous array, which it does not own, at a machine address."""
            array_type = types.Array(item, dimensions, "C")
            integers = [types.intp] * dimensions
            signature = array_type(types.intp, types.StarArgTuple.from_types(integers))

            def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
                width = context.get_abi_sizeof(context.get_data_type(item))
                shape = cgutils.unpack_tuple(builder, arguments[1], dimensions)
                stride = context.get_constant(types.intp, width)
                strides = [stride] if dimensions == 1 else [builder.mul(stride, shape[1]), stride]
                array = context.make_array(array_type)(context, builder)
                populate_array(
                    array,
                    data=builder.inttoptr(arguments[0], context.get_value_type(item).as_pointer()),
                    shape=shape,
                    strides=strides,
                    itemsize=stride,
                    meminfo=None,
                )
                return array._getvalue()

            return signature, codegen

        return array_at

    i32_at, i64_at = _array_maker(types.int32, 1), _array_maker(types.int64, 1)
    i16_at, f64_at = _array_maker(types.int16, 2), _array_maker(types.float64, 1)


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
    if _DISABLED:
        handle = len(_handles) + 1
        _handles[handle] = entry
        return handle
    entry.__hanamikoji_key__ = f"{_code_key(_floor_of(function))}-{key}"  # type: ignore[attr-defined]
    return _compile_entry(entry)


def address_of_c(function: Any) -> int:
    """The address of a C function of the type above, loaded by ctypes."""
    if not _DISABLED:
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
        entry, (signature.args, signature.return_type), {}, _OPTIONS | {"nopython": True}
    )
    compiled._cache = _OurCache(entry)  # type: ignore[attr-defined]
    compiled.compile()
    _alive.append(compiled)
    return int(compiled.address)  # type: ignore[arg-type]
