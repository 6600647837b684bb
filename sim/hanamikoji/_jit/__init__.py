"""The only place that talks to Numba: decorators, the cache, pointers, calls through addresses."""

from hanamikoji._jit.agents import RAISED, address_of_agent, address_of_c, call_agent
from hanamikoji._jit.arithmetic import multiply
from hanamikoji._jit.cache import cache_folder, cache_trouble, use_temporary_cache
from hanamikoji._jit.cache_files import read_checked, write_checked
from hanamikoji._jit.compiling import apart, inline, is_compiled, kernel, njit, tell_compiling
from hanamikoji._jit.pointers import (
    address_of,
    f64_at,
    fixed,
    flat,
    i16_at,
    i32_at,
    i64_at,
    raw,
    shifted,
)

__all__ = [
    "RAISED",
    "address_of",
    "address_of_agent",
    "address_of_c",
    "apart",
    "cache_folder",
    "cache_trouble",
    "call_agent",
    "f64_at",
    "fixed",
    "flat",
    "i16_at",
    "i32_at",
    "i64_at",
    "inline",
    "is_compiled",
    "kernel",
    "multiply",
    "njit",
    "raw",
    "read_checked",
    "shifted",
    "tell_compiling",
    "use_temporary_cache",
    "write_checked",
]
