"""The list of finished chunks: one line each, appended as they finish, whatever dies when.

Each line is a CRC-32 in hex, a space and a JSON object. The first says which experiment the folder
belongs to. A line that was cut or altered fails its CRC and is dropped: its chunk is then played
again. Appending costs the same for the first chunk and the ten-thousandth. A line ``{"stop": ...}``
says that a rule ended a cell, see `hanamikoji.results.stops`.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hanamikoji.results.files import FileFact, sync_folder, write_atomically

JOURNAL = "journal.jsonl"
_SYNC_EVERY = 1.0  # seconds of work that a loss of power may cost beside the chunks in hand


@dataclass(frozen=True)
class ChunkRecord:
    """A finished chunk: the deals ``first`` to ``last - 1`` of a cell, its files by table, its
    agents' failures (see `hanamikoji.run`), and when it was finished (seconds since 1970)."""

    cell: int
    first: int
    last: int
    files: Mapping[str, FileFact]
    failures: tuple[Mapping[str, Any], ...] = ()
    at: float = field(default=0.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object."""
        return asdict(self) | {"failures": list(self.failures)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> ChunkRecord:
        """The record that `to_json` made. Raises `KeyError` or `TypeError` for anything else."""
        files = {table: FileFact(**fact) for table, fact in row["files"].items()}
        return cls(row["cell"], row["first"], row["last"], files, tuple(row["failures"]), row["at"])


class Journal:
    """The open journal of a folder, to be appended to; made anew from what is known so far.

    Raises `OSError` when it can't be written.
    """

    def __init__(
        self, folder: Path, header: Mapping[str, Any], records: Iterable[ChunkRecord]
    ) -> None:
        self._folder = folder
        lines = [_line(header), *(_line(record.to_json()) for record in records)]
        write_atomically(folder / JOURNAL, b"".join(lines))
        self._file = (folder / JOURNAL).open("ab", buffering=0)
        self._synced = time.monotonic()
        self._unsynced: set[Path] = {folder}

    def append(self, record: ChunkRecord) -> None:
        """Add a chunk whose files are in place. Raises `OSError` when the disk is full."""
        self._unsynced |= {(self._folder / fact.path).parent for fact in record.files.values()}
        self._write(record.to_json())

    def append_stop(self, stop: Mapping[str, Any]) -> None:
        """Add that a cell was stopped; its last chunk must be in. Raises `OSError`."""
        self._write({"stop": stop})

    def _write(self, row: Mapping[str, Any]) -> None:
        line = _line(row)
        written = self._file.write(line)
        if written != len(line):
            raise OSError(28, os.strerror(28))  # a short write: the disk is full
        if time.monotonic() - self._synced > _SYNC_EVERY:
            self.sync()

    def sync(self) -> None:
        """Make everything so far survive a loss of power."""
        for folder in self._unsynced:
            sync_folder(folder)
        os.fsync(self._file.fileno())
        self._unsynced.clear()
        self._synced = time.monotonic()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_journal(folder: Path) -> tuple[dict[str, Any] | None, list[ChunkRecord]]:
    """The header (none: missing or damaged) and the intact records, in the order of finishing."""
    try:
        data = (folder / JOURNAL).read_bytes()
    except OSError:
        return None, []
    rows = [_row(line) for line in data.split(b"\n")]
    records = []
    for row in rows[1:]:
        if row is not None:
            try:
                records.append(ChunkRecord.from_json(row))
            except (KeyError, TypeError, AttributeError):
                continue
    return rows[0], records


def read_stops(folder: Path) -> list[dict[str, Any]]:
    """The intact lines about stopped cells, in their order."""
    try:
        data = (folder / JOURNAL).read_bytes()
    except OSError:
        return []
    rows = (_row(line) for line in data.split(b"\n") if line[8:].startswith(b' {"stop":'))
    return [row["stop"] for row in rows if row is not None]


def _line(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def _row(line: bytes) -> dict[str, Any] | None:
    crc, _, text = line.partition(b" ")
    try:
        if int(crc, 16) != zlib.crc32(text):
            return None
        row = json.loads(text)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
