"""What happens in a run, for machines: one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Self

from hanamikoji.errors import ExperimentError, MachineError
from hanamikoji.results import ChunkRecord
from hanamikoji.run.work import Task


def check_log(target: str | None) -> None:
    """Check before a run begins, and without a trace, that its events can be written.

    Raises:
        ExperimentError: They can't.
    """
    if target is None or target == "-":
        return
    path = Path(target)
    there = path if path.is_file() else path.absolute().parent
    if path.is_dir() or not path.parent.is_dir() or not os.access(there, os.W_OK):
        raise ExperimentError(f"--log-json is {target}, which can't be written to")


class Events:
    """Appends events to a file; ``-`` is stderr, None nowhere.

    Every event has ``time`` (seconds since 1970) and ``event``:

    ======== ======================================================================================
    begin    ``name``, ``folder``, ``games`` (of the whole run), ``played`` (kept from before),
             ``cells``, ``workers``
    chunk    ``cell``, ``first``, ``last`` (deals, half open), ``games``, ``played`` (in all so
             far), ``failures`` (agents', as the manifest lists them)
    lost     ``cell``, ``first``, ``last``, ``why``: a worker died or was killed over these deals
    end      ``state`` (finished | interrupted | failed), ``error`` (a sentence, or null)
    ======== ======================================================================================

    Raises `MachineError` when the file can't be written.
    """

    def __init__(self, target: str | None) -> None:
        self._played = 0
        self._target = target
        self._file: IO[bytes] | None = None
        if target is not None and target != "-":
            try:  # unbuffered: what can't be written is told at its own line
                self._file = Path(target).open("ab", buffering=0)  # noqa: SIM115 - see __exit__
            except OSError as error:
                raise self._failure(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def begin(self, *, played: int, **facts: Any) -> None:
        """The run is about to play."""
        self._played = played
        self._write("begin", played=played, **facts)

    def chunk(self, record: ChunkRecord) -> None:
        """A chunk has been listed."""
        games = record.games
        self._played += games
        self._write(
            "chunk",
            cell=record.cell,
            first=record.first,
            last=record.last,
            games=games,
            played=self._played,
            failures=[asdict(tally) for tally in record.failures],
        )

    def lost(self, where: Task, why: str) -> None:
        """A worker is gone; its task is done again, or given up."""
        self._write("lost", cell=where.cell.index, first=where.first, last=where.last, why=why)

    def end(self, state: str, error: str | None = None) -> None:
        """The run is over; where it failed, its own error counts and not that of writing this."""
        with contextlib.nullcontext() if state == "finished" else contextlib.suppress(MachineError):
            self._write("end", state=state, error=error)

    def _write(self, event: str, **facts: Any) -> None:
        if self._target is None:
            return
        line = json.dumps({"time": round(time.time(), 3), "event": event, **facts})
        try:
            if self._file is None:
                print(line, file=sys.stderr, flush=True)
            else:
                self._file.write(f"{line}\n".encode())
        except OSError as error:
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> MachineError:
        return MachineError(f"--log-json {self._target} can't be written to: {error.strerror}")
