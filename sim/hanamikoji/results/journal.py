"""The list of finished chunks: one line each, appended as they finish, whatever dies when.

Each line is a CRC-32 in hex, a space and a JSON object. The first says which experiment the folder
belongs to. A line that was cut or altered fails its CRC and is dropped: its chunk is then played
again. Appending costs the same for the first chunk and the ten-thousandth. A line ``{"stop": ...}``
means that a rule ended a cell, see `hanamikoji.results.records.CellStop`.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hanamikoji.files import read_plain, sync_folder, write_whole
from hanamikoji.results.manifest import MOST_BYTES, Header
from hanamikoji.results.records import RECORDS, STOPS, CellStop, ChunkRecord

JOURNAL = "journal.jsonl"
_SYNC_EVERY = 1.0  # seconds of work that a loss of power may cost beside the chunks in hand


class Journal:
    """The open journal of a folder, to be appended to; rewritten from what is known so far.

    Raises `OSError` when it can't be written.
    """

    def __init__(self, folder: Path, header: Header, records: Iterable[ChunkRecord]) -> None:
        self._folder = folder
        first = header.model_dump(mode="json", include=set(Header.model_fields))
        lines = [_line(first), *(_line(RECORDS.dump_python(each)) for each in records)]
        write_whole(folder / JOURNAL, b"".join(lines))
        self._file = (folder / JOURNAL).open("ab", buffering=0)
        self._synced = time.monotonic()
        self._unsynced: set[Path] = {folder}

    def append(self, record: ChunkRecord) -> None:
        """Add a chunk whose files are in place. Raises `OSError` when the disk is full."""
        self._unsynced |= {(self._folder / fact.path).parent for fact in record.files.values()}
        self._write(RECORDS.dump_python(record))

    def append_stop(self, stop: CellStop) -> None:
        """Add that a cell was stopped; its last chunk must be in. Raises `OSError`."""
        self._write({"stop": STOPS.dump_python(stop)})

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


def read_journal(folder: Path) -> tuple[Header | None, list[ChunkRecord], dict[int, CellStop]]:
    """The header (None if missing or damaged), and the intact records and stops, in their order.

    The last stop of a cell counts.
    """
    try:
        first, *rest = read_plain(folder / JOURNAL, MOST_BYTES).split(b"\n")
    except OSError:
        return None, [], {}
    try:
        header = Header.model_validate_json(_text(first))
    except ValidationError:
        header = None
    records, stops = [], {}
    for text in _texts(rest):
        try:
            if text.startswith(_STOP):
                stop = STOPS.validate_json(text[len(_STOP) : -1])
                stops[stop.cell] = stop
            else:
                records.append(RECORDS.validate_json(text))
        except ValidationError:
            continue
    return header, records, stops


_STOP = b'{"stop":'


def _line(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def _texts(lines: Iterable[bytes]) -> Iterator[bytes]:
    return (text for line in lines if (text := _text(line)))


def _text(line: bytes) -> bytes:
    """A line without its CRC; nothing if it is another's."""
    crc, _, text = line.partition(b" ")
    try:
        return text if int(crc, 16) == zlib.crc32(text) else b""
    except ValueError:
        return b""
