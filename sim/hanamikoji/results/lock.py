"""One run at a time per folder: a lock that the operating system drops when its holder dies."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from hanamikoji.errors import ResultsError

LOCK = ".lock"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the file stays behind, unlocked.

    Raises `ResultsError` when another process holds it, `OSError` when it can't be made.
    """
    with open(folder / LOCK, "a+", encoding="utf-8", opener=_open) as file:
        if not _take(file):
            file.seek(0)
            holder = file.read(200).strip()
            by = f" ({holder})" if holder.isprintable() and holder else ""
            raise ResultsError(
                f"another run{by} is writing to {folder}; wait for it or choose another --out"
            )
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def is_locked(folder: Path) -> bool:
    """Whether a living process is writing to the folder just now."""
    try:
        with open(folder / LOCK, "r+", encoding="utf-8", opener=_open) as file:
            return not _take(file)
    except OSError:
        return False


def _open(path: str, flags: int) -> int:
    """Open the file itself: a link would have a file elsewhere overwritten."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _take(file: IO[str]) -> bool:
    """Try to lock an open file until it is closed or this process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
