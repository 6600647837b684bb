"""Where compiled code is kept on disk, and for which code it is good.

Numba's own on-disk cache does not notice an edited callee in another file and then serves the old
result, so every kernel is cached in a folder keyed by a hash of all sources it may be compiled
from, Numba's version and the CPU. A folder that can't be written means a temporary cache for this
process and its children, never a crash.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.caching import CacheImpl, FunctionCache

from hanamikoji._jit.cache_files import CheckedCacheFile

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
        _trouble.append(f"{folder} can't be written")
        folder = Path(_temporary())
        os.environ["HANAMIKOJI_CACHE"] = str(folder)
    return folder


_FLOORS = ("moves", "engine", "agents", "learning", "solve")
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
    """Numba's cache of one function, in our folder and with files that are checked.

    Where the folder turns out to be full or can't be written any more, what was compiled goes to a
    temporary one, for this process and its children; `cache_trouble` is the reason.
    """

    _impl_class = _Impl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = self._file_in(self._cache_path)

    def _file_in(self, folder: str) -> CheckedCacheFile:
        stamp = self._impl.locator.get_source_stamp()
        return CheckedCacheFile(folder, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if need be in a temporary folder, if need be not at all."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            # What is compiled is in memory: if all else fails, the next process compiles it again.
            with contextlib.suppress(OSError):
                folder = use_temporary_cache(error) / "compiled" / Path(self._cache_path).name
                folder.mkdir(parents=True, exist_ok=True)
                self._cache_file = self._file_in(str(folder))
                super().save_overload(sig, data)


_trouble: list[str] = []


def cache_trouble() -> str | None:
    """Why what is compiled and trained is kept in a temporary folder, for this process only.

    Returns None if it is kept as it should be.
    """
    return _trouble[0] if _trouble else None


def use_temporary_cache(error: OSError) -> Path:
    """Move the cache of this process, and of its children, to a temporary folder.

    That is where it can't be written to any more; what it holds can still be read. Returns the
    folder.
    """
    if not _trouble:
        before = cache_folder()
        _trouble.append(f"{before}: {error.strerror or error}")
        os.environ["HANAMIKOJI_CACHE"] = _temporary()
        cache_folder.cache_clear()
        _link(before, cache_folder())
    return cache_folder()


def _link(source: Path, target: Path) -> None:
    """Have links in ``target`` to all files in ``source``."""
    for path in source.rglob("*"):
        link = target / path.relative_to(source)
        with contextlib.suppress(OSError):  # without it the file is made anew
            if path.is_file():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(path.absolute())


def _temporary() -> str:
    """A temporary folder that is removed when this process ends."""
    folder = tempfile.mkdtemp(prefix="hanamikoji-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
