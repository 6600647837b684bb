"""Files that are whole or absent when written, and nothing but plain files when read."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from io import BufferedReader
from pathlib import Path

TEMPORARY = ".part"
"""Ending of a file that is being written; such a file is never data."""

_READ_ONLY = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would block
    | getattr(os, "O_BINARY", 0)
)


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Write a file under a temporary name, sync it to the disk, and rename it to ``path``.

    At any moment ``path`` is what it was before or the whole of ``data``.

    Raises:
        OSError: It can't be written, for example because the disk is full; nothing is left behind.
    """
    temporary = temporary_of(path)
    try:
        with temporary.open("xb", buffering=0) as file:
            rest = memoryview(data)
            while rest.nbytes:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def temporary_of(path: Path) -> Path:
    """A new name beside ``path`` for a file that will be renamed to it."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}{TEMPORARY}")


def open_plain(path: Path) -> BufferedReader:
    """Open a plain file for reading.

    Raises:
        OSError: It can't be opened, or is a link, a device, a pipe or a folder.
    """
    if path.is_symlink():  # O_NOFOLLOW, where there is it, closes the gap until it is opened
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    handle = os.open(path, _READ_ONLY)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    return os.fdopen(handle, "rb")


def read_plain(path: Path, most: int) -> bytes:
    """The bytes of a plain file.

    Raises:
        OSError: As for `open_plain`, or there are more than ``most`` bytes.
    """
    with open_plain(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
    return data


def sync_folder(folder: Path) -> None:
    """Make the renames in a folder survive a loss of power, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows opens no folders
    try:
        os.fsync(handle)
    except OSError:
        pass  # some network file systems have no such thing
    finally:
        os.close(handle)
