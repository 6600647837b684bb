"""Arrays as bare pointers between compiled functions, and arrays at an address.

Under ``NUMBA_BOUNDSCHECK=1`` pointers are the arrays themselves, so that every access is checked;
under ``NUMBA_DISABLE_JIT=1`` everything here has a pure Python twin.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils, config
from numba.core.datamodel import models
from numba.extending import intrinsic, lower_builtin, register_model
from numba.np.arrayobj import populate_array

_CHECKED = bool(config.BOUNDSCHECK)

if config.DISABLE_JIT:

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

    i32_at, i64_at = _rebuild(ctypes.c_int32), _rebuild(ctypes.c_int64)
    i16_at, f64_at = _rebuild(ctypes.c_int16), _rebuild(ctypes.c_double)
else:

    def _lend(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        """The array without its owner, so that no references to it are counted."""
        lent = context.make_array(signature.return_type)(context, builder, arguments[0])
        lent.meminfo = context.get_constant_null(types.MemInfoPointer(signature.return_type.dtype))
        return lent._getvalue()

    @intrinsic  # type: ignore[untyped-decorator]
    def raw(typing_context, array):  # type: ignore[no-untyped-def]
        """The bare pointer to a C-contiguous array's items, which indexes like the array.

        Arrays passed between helpers cost reference counts (40 % of an engine that did so), seven
        words each, and a test for negative indices; a pointer costs one word. Under
        ``NUMBA_BOUNDSCHECK=1`` it is the array itself, so that every access is checked.
        """
        if isinstance(array, types.CPointer):
            return array(array), lambda context, builder, signature, arguments: arguments[0]
        if _CHECKED:
            return array(array), _lend

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
            return array(array), _lend

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return context.make_array(array)(context, builder, arguments[0]).data

        return _Fixed(array.dtype)(array), codegen

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
