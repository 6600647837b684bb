"""Compiled code on disk: each file whole, or not there.

Numba loads whatever bytes are in its cache, and a flipped bit in machine code is another game
without a word. Every file here begins with the SHA-256 of the rest. A file that does not match is
deleted, and its content is compiled again. This guards against damage, not against an attacker
who can write to the cache: such a one could as well replace the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

from hanamikoji.files import write_whole

_DIGEST = hashlib.sha256().digest_size


def write_checked(path: Path, payload: bytes) -> None:
    """Write a file that is whole, synced and headed by its digest, or raise `OSError`."""
    write_whole(path, hashlib.sha256(payload).digest() + payload)


def read_checked(path: Path) -> bytes | None:
    """The payload of a file that `write_checked` wrote.

    Returns None if there is no such file, or if it is damaged; a damaged file is deleted.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, payload = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(payload).digest() == digest:
        return payload
    with contextlib.suppress(OSError):  # a read-only cache: compiled again each time
        path.unlink()
    return None


class CheckedCacheFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files of one kernel, read and written by the two functions above."""

    def _load_index(self) -> dict[Any, str]:
        payload = read_checked(Path(self._index_path))
        if payload is None:
            return {}
        stamp, overloads = pickle.loads(payload)
        return overloads if stamp == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        stamp = self._version, self._source_stamp
        write_checked(Path(self._index_path), self._dump((stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        payload = read_checked(Path(self._data_path(name)))
        return None if payload is None else pickle.loads(payload)

    def _save_data(self, name: str, data: Any) -> None:
        write_checked(Path(self._data_path(name)), self._dump(data))
