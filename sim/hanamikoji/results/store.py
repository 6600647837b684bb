"""A results folder that a run writes to: refused, resumed or begun; then chunk by chunk."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hanamikoji.errors import ResultsError
from hanamikoji.results.files import CHUNK_FILES, TEMPORARY, damage_of
from hanamikoji.results.journal import JOURNAL, ChunkRecord, Journal, read_journal, read_stops
from hanamikoji.results.lock import LOCK, locked
from hanamikoji.results.manifest import MANIFEST, differing_keys, read_manifest, write_manifest
from hanamikoji.results.probes import PROBES
from hanamikoji.results.ranges import disjoint
from hanamikoji.results.schema import TABLES
from hanamikoji.results.stops import CellStop, stops_in, within

_OURS = (MANIFEST, JOURNAL, LOCK, *TABLES)
_SETTLED = ("weights",)
"""Facts of the manifest that a resumed run must find as it left them, see `Store.settle`."""

_HEADER_KEYS = (
    "format",
    "identity",
    "name",
    "experiment",
    "games",
    "shard",
    "versions",
    "command",
)


@dataclass(frozen=True)
class Standing:
    """What a folder holds: ``empty``, a ``run`` (with its facts, which lack some keys when only
    the journal is whole, and its chunks), a ``damaged`` run, or ``foreign`` files."""

    kind: Literal["empty", "run", "damaged", "foreign"]
    facts: Mapping[str, Any]
    records: tuple[ChunkRecord, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return self.kind == "run" and self.facts.get("state") == "finished"


def look(folder: Path) -> Standing:
    """See what a folder holds, without touching it. Raises `ResultsError` if it can't be read."""
    try:
        names = {path.name for path in folder.iterdir()}
    except FileNotFoundError:
        return Standing("empty", {})
    except OSError as error:
        raise ResultsError(f"{folder} can't be read: {error.strerror}") from None
    manifest = read_manifest(folder)
    header, records = read_journal(folder)
    if manifest is None and header is None:
        if {MANIFEST, JOURNAL} & names:
            return Standing("damaged", {})
        ours = all(
            name in _OURS or name.endswith(TEMPORARY) or PROBES.fullmatch(name) for name in names
        )
        return Standing("empty" if ours and not _has_chunks(folder) else "foreign", {})
    facts = manifest or header or {}
    journal_fits = header is not None and header.get("identity") == facts["identity"]
    if not journal_fits or facts.get("state") == "finished":
        records = [ChunkRecord.from_json(row) for row in facts.get("chunks", ())]
    elif stopped := read_stops(folder):
        facts = {**facts, "stops": stopped}
    records = within(records, stops_in(facts.get("stops", ())))
    return Standing("run", facts, tuple(disjoint(records)))


def _has_chunks(folder: Path) -> bool:
    return any(any((folder / table).glob("*.parquet")) for table in TABLES)


def check_standing(
    folder: Path, standing: Standing, facts: Mapping[str, Any], resume: bool, command: str
) -> None:
    """Refuse a folder that a run of the experiment in ``facts`` may not write to.

    ``command`` resumes the run. Raises `ResultsError`.
    """
    if standing.kind == "foreign":
        raise ResultsError(f"{folder} holds files that are no run of ours; choose another --out")
    if standing.kind == "damaged":
        raise ResultsError(
            f"{folder / MANIFEST} and {JOURNAL} beside it are both damaged; delete the folder or "
            "choose another --out"
        )
    if standing.kind == "empty":
        return
    if standing.facts["identity"] != facts["identity"]:
        keys = differing_keys(facts["experiment"], standing.facts["experiment"])
        told = ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")
        raise ResultsError(
            f"{folder} holds another experiment (other {told}); choose another --out"
        )
    mine, theirs = facts.get("shard", "1/1"), standing.facts.get("shard", "1/1")
    if mine != theirs:
        raise ResultsError(f"{folder} holds shard {theirs}, not {mine}; choose another --out")
    there, asked = standing.facts["games"], facts["games"]
    if there > asked:
        raise ResultsError(
            f"{folder} holds a run of {there:,} games a cell, more than the {asked:,} asked for; "
            "choose another --out"
        )
    if not resume:
        held = f"a run of {there:,} games a cell" if there < asked else "an unfinished run"
        raise ResultsError(f"{folder} holds {held} of this experiment; go on with it by: {command}")
    now, then = facts["versions"], standing.facts["versions"]
    other = [f"{k} {then.get(k, 'none')}, not {v}" for k, v in now.items() if then.get(k) != v]
    if other:
        raise ResultsError(
            f"{folder} was begun with {'; '.join(other)}: resume with what it was begun with or "
            "choose another --out"
        )


class Store:
    """An open results folder: the chunks it holds, and how to add to them."""

    def __init__(self, folder: Path, facts: Mapping[str, Any], records: list[ChunkRecord]) -> None:
        self.folder = folder
        self._facts = dict(facts)
        self._records = records
        self._stops: dict[int, CellStop] = {}
        self._begun = time.monotonic()
        self._write_manifest("running", 0.0)
        header = {key: self._facts[key] for key in _HEADER_KEYS if key in self._facts}
        self.journal = Journal(folder, header, records)

    @property
    def records(self) -> tuple[ChunkRecord, ...]:
        """The chunks there are, in the order of cells and deals."""
        return tuple(disjoint(self._records))

    def add(self, record: ChunkRecord) -> None:
        """List a chunk whose files have been written. Raises `OSError`."""
        self.journal.append(record)
        self._records.append(record)

    def stop(self, stop: CellStop) -> None:
        """End a cell: no later deals of it are listed any more. Raises `OSError`."""
        self.journal.append_stop(stop.to_json())
        self._stops[stop.cell] = stop
        self._records = within(self._records, self._stops)

    def settle(self, key: str, value: Any) -> None:
        """Record a fact that is known only once the run is under way, the same in every resumption.

        Raises `OSError`, and `ResultsError` when the folder was begun with another value.
        """
        if self._facts.get(key, value) != value:
            raise ResultsError(
                f"{self.folder} was begun with other {key}; resume with those or choose another "
                "--out"
            )
        self._facts[key] = value
        self._write_manifest("running", 0.0)

    def close(self, state: str, extra: Mapping[str, Any] | None = None) -> None:
        """Write the manifest for good, with ``state`` and further facts. Raises `OSError`."""
        self._facts |= extra or {}
        self._records = disjoint(self._records)
        self.journal.sync()
        self._write_manifest(state, time.monotonic() - self._begun)
        _sweep(self.folder, self._records)

    def _write_manifest(self, state: str, seconds: float) -> None:
        seconds = round(self._facts.get("seconds", 0.0) + seconds, 3)
        self._facts |= {"state": state, "seconds": seconds}
        if self._stops:
            self._facts["stops"] = [stop.to_json() for _, stop in sorted(self._stops.items())]
        chunks = [record.to_json() for record in self._records]
        write_manifest(self.folder, self._facts | {"chunks": chunks})


@contextlib.contextmanager
def open_store(
    folder: Path, facts: Mapping[str, Any], *, resume: bool, command: str
) -> Iterator[Store]:
    """Open a results folder for the run that ``facts`` (the manifest's, without state and chunks)
    describe, under its lock; ``command`` resumes it. Chunk files that are not as they were
    written are no longer listed, and files that are not listed are deleted.

    Raises `ResultsError` when the folder may not be used or another run holds it, or nothing
    can be written there.
    """
    check_standing(folder, look(folder), facts, resume, command)
    try:
        for table in TABLES:
            if table == "games" or table in facts["record"]:
                (folder / table).mkdir(parents=True, exist_ok=True)
        lock = contextlib.ExitStack()
        lock.enter_context(locked(folder))
    except OSError as error:
        raise ResultsError(f"{folder} can't be written to: {error.strerror}") from None
    with lock:
        standing = look(folder)  # again: it may have changed before the lock was ours
        check_standing(folder, standing, facts, resume, command)
        whole = [r for r in standing.records if not damages_of(folder, r)]
        _sweep(folder, whole)
        kept = {key: standing.facts[key] for key in _SETTLED if key in standing.facts}
        facts = dict(facts) | {"seconds": standing.facts.get("seconds", 0.0)} | kept
        try:
            store = Store(folder, facts, whole)
        except OSError as error:
            raise ResultsError(f"{folder} can't be written to: {error.strerror}") from None
        try:
            yield store
        finally:
            store.journal.close()


def damages_of(folder: Path, record: ChunkRecord, *, thorough: bool = True) -> list[str]:
    """What is wrong with a chunk's files, a sentence each."""
    damages = ((fact, damage_of(folder, fact, thorough=thorough)) for fact in record.files.values())
    return [f"{folder / fact.path} {damage}" for fact, damage in damages if damage]


def strays(folder: Path, records: Iterable[ChunkRecord]) -> list[Path]:
    """Chunk files that no list names: half-written ones, and those that died before being listed.

    They are no data, but who reads all files of the folder would take them for such.
    """
    listed = {fact.path for record in records for fact in record.files.values()}
    return [
        path
        for table in TABLES
        for path in sorted((folder / table).glob("*"))
        if f"{table}/{path.name}" not in listed and path.suffix in (".parquet", TEMPORARY)
    ]


def _sweep(folder: Path, records: list[ChunkRecord]) -> None:
    """Delete what no list names, of files that a run writes."""
    ours = (path for path in strays(folder, records) if CHUNK_FILES.fullmatch(path.name))
    for path in (*ours, *folder.glob(f"*{TEMPORARY}")):
        path.unlink(missing_ok=True)
