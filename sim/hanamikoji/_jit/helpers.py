"""Helpers: functions that only other compiled functions call, compiled once, with their callers.

Numba optimises every function and turns it into machine code on its own, although a helper's code
is only ever used inside the kernels that call it: three quarters of the time to compile `search`
were spent on code that nothing ran. A helper here is typed and lowered to LLVM's intermediate
code and left at that; whoever links it optimises it in its place. It has no machine address of its
own, so a helper that Python calls (tests do) is compiled a second time, as an ordinary function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numba
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import CPUDispatcher

_numbers = itertools.count()


class _NoEnvironment:
    """The code generator, for a library without machine code to put an environment into."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: only machine code reads an environment, and helpers use no objects."""


class HelperLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library of intermediate code that is linked into others and never finalised alone."""

    @property
    def codegen(self) -> Any:
        """See `_NoEnvironment`."""
        return _NoEnvironment(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No address: there is no machine code."""
        self._ensure_finalized()
        return 0


class ApartLibrary(HelperLibrary):
    """A library whose functions are called, never inlined, so that each stands once in a kernel."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Mark the module's functions, but for those that Numba itself must inline."""
        for function in ir_module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class HelperCompiler(compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler, with a library that is not finalised alone."""

    library_class = HelperLibrary

    def __init__(
        self,
        typingctx: Any,
        targetctx: Any,
        library: Any,
        args: Any,
        return_type: Any,
        flags: Any,
        locals: Any,
    ) -> None:
        library = library or self.library_class(targetctx.codegen(), f"helper{next(_numbers)}")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class ApartCompiler(HelperCompiler):
    """The same for helpers that are not to be inlined."""

    library_class = ApartLibrary


class HelperDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A helper as other compiled functions see it; Python calls an ordinary version of it."""

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], pipeline: Any
    ) -> None:
        super().__init__(
            function, targetoptions=options | {"nopython": True}, pipeline_class=pipeline
        )
        self._options = {name: options[name] for name in ("nogil", "error_model", "_nrt")}
        self._callable: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Compile an ordinary version of the function when Python first calls it."""
        if self._callable is None:
            self._callable = numba.njit(**self._options)(self.py_func)
        return self._callable(*arguments)
