"""One run at a time per folder: a lock that the operating system drops when its holder dies.

Some cluster file systems have no such locks. There a second file, which only one process can
create, says who writes; one that a dead process left behind is taken over.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import psutil

from hanamikoji.errors import ResultsError
from hanamikoji.files import read_plain, temporary_of

LOCK = ".lock"
HOLDER = ".lock-holder"

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)
_MOST_BYTES = 400


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; ``.lock`` stays behind, unlocked.

    Raises `ResultsError` when another process holds it, `OSError` when it can't be made.
    """
    with open(folder / LOCK, "a+", encoding="utf-8", opener=_open) as file:
        taken = _take(file)
        if taken is False:
            file.seek(0)
            raise _refusal(folder, file.read(_MOST_BYTES).strip())
        with _held_by_file(folder) if taken is None else contextlib.nullcontext():
            file.seek(0)
            file.truncate()
            file.write(_me())
            file.flush()
            yield


def is_locked(folder: Path) -> bool:
    """Whether a living process is writing to the folder just now.

    Where the file system has no locks, one on another machine is taken to be alive.
    """
    try:
        with open(folder / LOCK, "r+", encoding="utf-8", opener=_open) as file:
            taken = _take(file)
    except OSError:
        return False
    if taken is not None:
        return not taken
    holder = _holder(folder)
    return holder is not None and _lives(holder)


def _refusal(folder: Path, holder: str, hint: str = "") -> ResultsError:
    by = f" ({holder})" if holder.isprintable() and holder else ""
    return ResultsError(
        f"another run{by} is writing to {folder}; wait for it{hint} or choose another --out"
    )


def _open(path: str, flags: int) -> int:
    """Open the file itself: a link would have a file elsewhere overwritten."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _take(file: IO[str]) -> bool | None:
    """Try to lock an open file until it is closed or this process ends.

    Returns None if the file system has no locks. Raises `OSError` when it fails otherwise.
    """
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        if error.errno in _HELD:
            return False
        raise
    return True


# --- without locks -------------------------------------------------------------------------------


@contextlib.contextmanager
def _held_by_file(folder: Path) -> Iterator[None]:
    """Hold the folder by a file that says who does."""
    path = folder / HOLDER
    found = _holder(folder)
    if found is not None:
        if _lives(found):
            raise _refusal(folder, found, f", delete {path} if it has ended,")
        _clear(folder, found)
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise _refusal(folder, _holder(folder) or "") from None
    try:
        with file:
            file.write(_me())
        yield
    finally:
        path.unlink(missing_ok=True)


def _clear(folder: Path, dead: str) -> None:
    """Take a dead process's file away, unless another process has done so and holds the folder."""
    aside = temporary_of(folder / HOLDER)
    try:
        (folder / HOLDER).replace(aside)
    except FileNotFoundError:
        return
    found = read_plain(aside, _MOST_BYTES).decode("utf-8", "replace")
    if found != dead:
        aside.replace(folder / HOLDER)
        raise _refusal(folder, found)
    aside.unlink()


def _me() -> str:
    """This process, told from an earlier one of the same number by when it began."""
    began = psutil.Process().create_time()
    return f"process {os.getpid()} on {socket.gethostname()} since {began:.2f}"


def _holder(folder: Path) -> str | None:
    """Who the file says holds the folder. Returns None if there is no file."""
    try:
        return read_plain(folder / HOLDER, _MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def _lives(holder: str) -> bool:
    """Whether a holder may still be alive: only a process of this machine is known not to be."""
    words = holder.split()
    if len(words) != 6 or words[3] != socket.gethostname() or not words[1].isdecimal():
        return True
    try:
        began = psutil.Process(int(words[1])).create_time()
    except (psutil.Error, OverflowError):
        return False
    return f"{began:.2f}" == words[5]
