"""The compiled cache: damage is noticed and mended, a full or read-only folder is no failure."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hanamikoji
from hanamikoji._jit import cache, cache_files, cache_trouble, kernel

pytestmark = pytest.mark.jit


def _twice(x):  # type: ignore[no-untyped-def]
    return 2 * x


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own."""
    monkeypatch.setenv("HANAMIKOJI_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_trouble", [])
    cache.cache_folder.cache_clear()
    yield tmp_path
    cache.cache_folder.cache_clear()


def _load() -> Any:
    """The kernel as a new process would find it, called once."""
    compiled: Any = kernel(_twice)
    assert compiled(21) == 42
    return compiled


def _files(folder: Path, suffix: str) -> list[Path]:
    return list(folder.rglob(f"*{suffix}"))


def test_cache__serves_what_was_compiled(folder: Path) -> None:
    assert sum(_load().stats.cache_misses.values()) == 1
    assert sum(_load().stats.cache_hits.values()) == 1
    assert not _files(folder, ".tmp")


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: b"\0" * 1000,
        *(
            lambda content, at=at: (
                content[: int(at * len(content))]
                + bytes([content[int(at * len(content))] ^ 4])
                + content[int(at * len(content)) + 1 :]
            )
            for at in (0, 0.01, 0.3, 0.5, 0.7, 0.999)
        ),
    ],
)
def test_damage__is_noticed_and_compiled_again(
    folder: Path, suffix: str, damage: Callable[[bytes], bytes]
) -> None:
    _load()
    [path] = _files(folder, suffix)
    path.write_bytes(damage(path.read_bytes()))
    assert sum(_load().stats.cache_hits.values()) == 0
    assert sum(_load().stats.cache_hits.values()) == 1, "the damaged file was not replaced"
    assert cache_trouble() is None


def test_floors__are_all_that_have_kernels() -> None:
    """A kernel on a floor that the cache's key leaves out would be served from old sources."""
    package = Path(hanamikoji.__file__).parent
    kernels = [path for path in package.rglob("*.py") if "\n@kernel\n" in path.read_text()]
    floors = {path.relative_to(package).parts[0] for path in kernels}
    assert floors and floors <= set(cache._FLOORS)


def test_full_disk__means_a_temporary_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = cache_files.write_checked

    def full(path: Path, payload: bytes) -> None:
        if path.is_relative_to(folder):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, payload)

    monkeypatch.setattr(cache_files, "write_checked", full)
    _load()
    assert cache_trouble() == f"{folder}: No space left on device"
    assert cache.cache_folder() != folder
    assert _files(cache.cache_folder(), ".nbc")
    assert not _files(folder, ".nbc")


def test_use_temporary_cache__still_reads_what_the_full_one_holds(folder: Path) -> None:
    (folder / "learned").mkdir()
    (folder / "learned" / "w.npz").write_bytes(b"weights")
    temporary = cache.use_temporary_cache(OSError(errno.ENOSPC, "No space left on device"))
    assert cache.cache_folder() == temporary != folder
    assert (temporary / "learned" / "w.npz").read_bytes() == b"weights"
    cache_files.write_checked(temporary / "learned" / "w.npz", b"others")
    assert (folder / "learned" / "w.npz").read_bytes() == b"weights"


def test_write__that_fails_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    (folder / "file").write_bytes(b"before")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        cache_files.write_checked(folder / "file", b"after")
    assert [path.name for path in folder.iterdir()] == ["file"]
    assert (folder / "file").read_bytes() == b"before"
