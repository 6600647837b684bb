"""Where compiled code is kept on disk, and for which code it is good.

Numba's own on-disk cache does not notice an edited callee in another file and then serves the old
result, so every kernel is cached in a folder keyed by a hash of all sources it may be compiled
from, Numba's version and the CPU. A folder that can't be written means a temporary cache for this
process and its children, never a crash.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.caching import CacheImpl, FunctionCache

_PACKAGE = Path(__file__).parents[1]


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


_FLOORS = ("moves", "engine", "agents", "learning")
"""Where compiled functions live, from the bottom up; each calls only its own floor and below."""


@functools.cache
def code_key(floor: str) -> str:
    """Hash of what a function of a floor may be compiled from, Numba's version and the CPU.

    That is every source of its own floor and of those below, this folder included.
    """
    from llvmlite import binding

    digest = hashlib.sha256(numba.__version__.encode())
    digest.update(str(binding.get_host_cpu_name()).encode())
    digest.update(str(binding.get_host_cpu_features().flatten()).encode())
    digest.update(str(config.BOUNDSCHECK).encode())
    sources = sorted(Path(__file__).parent.glob("*.py"))
    for below in _FLOORS[: _FLOORS.index(floor) + 1]:
        sources += sorted((_PACKAGE / below).rglob("*.py"))
    for source in sources:
        digest.update(str(source.relative_to(_PACKAGE)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:20]


def floor_of(function: Any) -> str:
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
        key = getattr(function, "__hanamikoji_key__", None) or code_key(floor_of(function))
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


class Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Impl
