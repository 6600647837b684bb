"""What compiled code needs beyond Numba's own arithmetic."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.core import config
from numba.core.errors import TypingError
from numba.extending import intrinsic

if config.DISABLE_JIT:

    def multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
        """The upper and the lower 64 bits of a product."""
        product = int(a) * int(b)
        return np.uint64(product >> 64), np.uint64(product & (2**64 - 1))

    def as_integer(choice: Any) -> int:
        """An agent's answer as int64, if it is an integer."""
        if isinstance(choice, bool | np.bool_):
            raise TypeError(f"it returns {choice}, which is no integer")
        return operator.index(choice)

else:

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
    def as_integer(typing_context, choice):  # type: ignore[no-untyped-def]
        """An agent's answer as int64, if it is an integer: Numba would round a float in silence."""
        if not isinstance(choice, types.Integer):
            raise TypingError(f"it returns {choice}, which is no integer")

        def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return context.cast(builder, arguments[0], choice, types.int64)

        return types.int64(choice), codegen
