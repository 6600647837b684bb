"""Arithmetic on rows of `LANES` int16, each row one vector: whole registers at a time.

Numba widens the products of int16 to int64, which no processor multiplies well; as vectors of the
types at hand they become the machine's own int16 instructions, of whatever width it has. Sums wrap
around. A row is named by the array (see `hanamikoji._jit.raw`) and the place of its first item;
``lanes`` is written to, ``weights`` only read.

Under ``NUMBA_BOUNDSCHECK=1``, so that every access is checked, and ``NUMBA_DISABLE_JIT=1`` the same
functions are plain loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from hanamikoji._jit.compiling import inline

LANES = 64
"""Items of a row."""


# --- as loops -------------------------------------------------------------------------------------


@inline
def _wrapped(x):  # type: ignore[no-untyped-def]
    """The int16 that a small integer wraps around to."""
    return np.int16(np.int32(x))


@inline
def clear_row_by_loop(lanes, to):  # type: ignore[no-untyped-def]
    """lanes[to] = 0."""
    for h in range(LANES):
        lanes[to + h] = 0


@inline
def copy_row_by_loop(lanes, to, source):  # type: ignore[no-untyped-def]
    """lanes[to] = lanes[source]."""
    for h in range(LANES):
        lanes[to + h] = lanes[source + h]


@inline
def add_row_by_loop(lanes, to, source, weights, row):  # type: ignore[no-untyped-def]
    """lanes[to] = lanes[source] + weights[row]."""
    for h in range(LANES):
        lanes[to + h] = _wrapped(np.int32(lanes[source + h]) + weights[row + h])


@inline
def change_row_by_loop(lanes, to, source, weights, old, new):  # type: ignore[no-untyped-def]
    """lanes[to] = lanes[source] - weights[old] + weights[new]."""
    for h in range(LANES):
        change = np.int32(weights[new + h]) - weights[old + h]
        lanes[to + h] = _wrapped(lanes[source + h] + change)


@inline
def output_by_loop(lanes, at, weights, head):  # type: ignore[no-untyped-def]
    """The int32 dot product of ReLU(lanes[at]) and weights[head]."""
    total = np.int32(0)
    for h in range(LANES):
        total += np.int32(np.int32(max(lanes[at + h], 0)) * np.int32(weights[head + h]))
    return np.int32(total)


@inline
def changed_output_by_loop(lanes, at, weights, old, new, head):  # type: ignore[no-untyped-def]
    """The output of lanes[at] - weights[old] + weights[new], which are not kept."""
    total = np.int32(0)
    for h in range(LANES):
        x = _wrapped(np.int32(lanes[at + h]) - weights[old + h] + weights[new + h])
        total += np.int32(np.int32(max(x, 0)) * np.int32(weights[head + h]))
    return np.int32(total)


@inline
def offered_output_by_loop(lanes, at, weights, old, new, more, head):  # type: ignore[no-untyped-def]
    """The output of lanes[at] - weights[old] + weights[new] + weights[more]."""
    total = np.int32(0)
    for h in range(LANES):
        x = np.int32(lanes[at + h]) - weights[old + h] + weights[new + h]
        x = _wrapped(x + weights[more + h])
        total += np.int32(np.int32(max(x, 0)) * np.int32(weights[head + h]))
    return np.int32(total)


@inline
def prefetch_nothing(weights, row):  # type: ignore[no-untyped-def]
    """Nothing: loops are slow anyway."""


if config.DISABLE_JIT or config.BOUNDSCHECK:
    clear_row, copy_row = clear_row_by_loop, copy_row_by_loop
    add_row, change_row = add_row_by_loop, change_row_by_loop
    output, changed_output = output_by_loop, changed_output_by_loop
    offered_output, prefetch_row = offered_output_by_loop, prefetch_nothing
else:
    # --- as vectors -------------------------------------------------------------------------------
    _INT8, _INT16, _INT32 = ir.IntType(8), ir.IntType(16), ir.IntType(32)
    _ROW, _WIDE_ROW = ir.VectorType(_INT16, LANES), ir.VectorType(_INT32, LANES)
    _CACHE_LINE = 64  # bytes; where it is longer a fetch is wasted, no more
    _PREFETCH = _INT32(0), _INT32(3), _INT32(1)  # to read, to keep in all caches, data

    def _row_pointer(builder: Any, array: Any, at: Any) -> Any:
        return builder.bitcast(builder.gep(array, [at]), _ROW.as_pointer())

    def _load(builder: Any, array: Any, at: Any) -> Any:
        return builder.load(_row_pointer(builder, array, at), align=2)

    def _store(builder: Any, row: Any, array: Any, at: Any) -> None:
        builder.store(row, _row_pointer(builder, array, at), align=2)

    def _declared(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
        """One of LLVM's own functions, declared once in the module at hand."""
        known = builder.module.globals.get(name)
        return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)

    def _changed(builder: Any, lanes: Any, at: Any, weights: Any, old: Any, new: Any) -> Any:
        row = builder.sub(_load(builder, lanes, at), _load(builder, weights, old))
        return builder.add(row, _load(builder, weights, new))

    def _output(builder: Any, row: Any, weights: Any, head: Any) -> Any:
        zero = ir.Constant(_ROW, None)
        row = builder.select(builder.icmp_signed(">", row, zero), row, zero)
        factor = builder.sext(_load(builder, weights, head), _WIDE_ROW)
        products = builder.mul(builder.sext(row, _WIDE_ROW), factor)
        name = f"llvm.vector.reduce.add.v{LANES}i32"
        return builder.call(_declared(builder, name, _INT32, [_WIDE_ROW]), [products])

    @intrinsic  # type: ignore[untyped-decorator]
    def clear_row(typing_context, lanes, to):  # type: ignore[no-untyped-def]
        """As `clear_row_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, to = arguments
            _store(builder, ir.Constant(_ROW, None), lanes, to)
            return context.get_dummy_value()

        return types.void(lanes, types.intp), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def copy_row(typing_context, lanes, to, source):  # type: ignore[no-untyped-def]
        """As `copy_row_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, to, source = arguments
            _store(builder, _load(builder, lanes, source), lanes, to)
            return context.get_dummy_value()

        return types.void(lanes, types.intp, types.intp), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def add_row(typing_context, lanes, to, source, weights, row):  # type: ignore[no-untyped-def]
        """As `add_row_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, to, source, weights, row = arguments
            total = builder.add(_load(builder, lanes, source), _load(builder, weights, row))
            _store(builder, total, lanes, to)
            return context.get_dummy_value()

        return types.void(lanes, types.intp, types.intp, weights, types.intp), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def change_row(typing_context, lanes, to, source, weights, old, new):  # type: ignore[no-untyped-def]
        """As `change_row_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, to, source, weights, old, new = arguments
            _store(builder, _changed(builder, lanes, source, weights, old, new), lanes, to)
            return context.get_dummy_value()

        return types.void(lanes, *[types.intp] * 2, weights, *[types.intp] * 2), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def output(typing_context, lanes, at, weights, head):  # type: ignore[no-untyped-def]
        """As `output_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, at, weights, head = arguments
            return _output(builder, _load(builder, lanes, at), weights, head)

        return types.int32(lanes, types.intp, weights, types.intp), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def changed_output(typing_context, lanes, at, weights, old, new, head):  # type: ignore[no-untyped-def]
        """As `changed_output_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, at, weights, old, new, head = arguments
            return _output(builder, _changed(builder, lanes, at, weights, old, new), weights, head)

        return types.int32(lanes, types.intp, weights, *[types.intp] * 3), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def offered_output(typing_context, lanes, at, weights, old, new, more, head):  # type: ignore[no-untyped-def]
        """As `offered_output_by_loop`."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            lanes, at, weights, old, new, more, head = arguments
            row = _changed(builder, lanes, at, weights, old, new)
            row = builder.add(row, _load(builder, weights, more))
            return _output(builder, row, weights, head)

        return types.int32(lanes, types.intp, weights, *[types.intp] * 4), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch_row(typing_context, weights, row):  # type: ignore[no-untyped-def]
        """Ask the caches for weights[row], which will be read soon."""

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            weights, row = arguments
            pointer = _INT8.as_pointer()
            first = builder.bitcast(builder.gep(weights, [row]), pointer)
            prefetch = _declared(
                builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *[_INT32] * 3]
            )
            for line in range(0, 2 * LANES, _CACHE_LINE):
                here = builder.gep(first, [_INT32(line)])
                builder.call(prefetch, [here, *_PREFETCH])
            return context.get_dummy_value()

        return types.void(weights, types.intp), codegen
