"""A results folder that a run writes to: refused, resumed or begun; then chunk by chunk."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hanamikoji.errors import MachineError, ResultsError
from hanamikoji.files import TEMPORARY
from hanamikoji.results.assurances import ASSURANCES
from hanamikoji.results.failures import add_up
from hanamikoji.results.files import CHUNK_FILES, damage_of
from hanamikoji.results.journal import JOURNAL, Journal, read_journal
from hanamikoji.results.lock import HOLDER, LOCK, locked
from hanamikoji.results.manifest import (
    MANIFEST,
    Header,
    Manifest,
    differing_keys,
    read_manifest,
    write_manifest,
)
from hanamikoji.results.origins import WeightsRecord
from hanamikoji.results.probes import PROBES
from hanamikoji.results.ranges import disjoint
from hanamikoji.results.records import CellStop, ChunkRecord, within
from hanamikoji.results.schema import TABLES

_OURS = (MANIFEST, JOURNAL, LOCK, HOLDER, *TABLES)


@dataclass(frozen=True)
class Standing:
    """What a folder holds: nothing (``empty``), a ``run``, a ``damaged`` run, or ``foreign`` files.

    ``fault`` says what is wrong with the manifest; a run that has one is known by its journal.
    """

    kind: Literal["empty", "run", "damaged", "foreign"]
    found: Header | None = field(default=None, repr=False)
    records: tuple[ChunkRecord, ...] = ()
    fault: str = ""

    @property
    def header(self) -> Header:
        """Whose folder it is; only a run has one."""
        assert self.found is not None
        return self.found

    @property
    def manifest(self) -> Manifest | None:
        """All that is known of the run. Returns None if only the journal is whole."""
        return self.found if isinstance(self.found, Manifest) else None

    @property
    def state(self) -> str:
        """The run's state as it was written down last."""
        return self.manifest.state if self.manifest else "running"

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return self.kind == "run" and self.state == "finished"

    @property
    def played(self) -> int:
        """Games that are there."""
        return sum(record.games for record in self.records)


def look(folder: Path) -> Standing:
    """See what a folder holds, without touching it.

    Raises:
        ResultsError: It can't be read, or its tables are links to folders elsewhere.
    """
    try:
        names = {path.name for path in folder.iterdir()}
    except FileNotFoundError:
        return Standing("empty")
    except OSError as error:
        raise ResultsError(f"{folder} can't be read: {error.strerror}") from None
    for table in TABLES:
        if (folder / table).is_symlink():
            raise ResultsError(
                f"{folder / table} is a link; a results folder's files must not be links"
            )
    header, records, stops = read_journal(folder)
    manifest, fault = None, ""
    try:
        manifest = read_manifest(folder)
    except ResultsError as error:
        fault = str(error)
    if manifest is None:
        if header is not None:
            return Standing("run", header, _listed(records, stops), fault)
        if {MANIFEST, JOURNAL} & names:
            return Standing("damaged", fault=fault)
        ours = all(
            name in _OURS
            or name.endswith(TEMPORARY)
            or PROBES.fullmatch(name)
            or ASSURANCES.fullmatch(name)
            for name in names
        )
        return Standing("empty" if ours and not _has_chunks(folder) else "foreign")
    going_on = header is not None and header.identity == manifest.identity
    if not going_on or manifest.state == "finished":
        return Standing("run", manifest, _listed(manifest.chunks, manifest.stopped))
    if stops:
        ordered = tuple(stop for _, stop in sorted(stops.items()))
        manifest = manifest.model_copy(update={"stops": ordered})
    mine = (record for record in records if manifest.holds(record))
    return Standing("run", manifest, _listed(mine, manifest.stopped))


def find_run(folder: Path) -> Standing:
    """What a folder holds, which must be a run.

    Raises:
        ResultsError: It holds none, or none that can be read.
    """
    standing = look(folder)
    if standing.kind == "damaged":
        raise ResultsError(f"{standing.fault}; run the experiment anew")
    if standing.kind != "run":
        raise ResultsError(f"{folder} is not a results folder: there is no {MANIFEST}")
    return standing


def _listed(records: Iterable[ChunkRecord], stops: dict[int, CellStop]) -> tuple[ChunkRecord, ...]:
    return tuple(disjoint(within(records, stops)))


def _has_chunks(folder: Path) -> bool:
    return any(any((folder / table).glob("*.parquet")) for table in TABLES)


def check_standing(
    folder: Path, standing: Standing, mine: Manifest, resume: bool, command: str
) -> None:
    """Refuse a folder that the run which ``mine`` describes may not write to.

    ``command`` resumes the run. Raises `ResultsError`.
    """
    if standing.kind == "foreign":
        raise ResultsError(f"{folder} is not a results folder; choose another --out")
    if standing.kind == "damaged":
        raise ResultsError(
            f"{folder / MANIFEST} and {JOURNAL} beside it are both damaged; delete the folder or "
            "choose another --out"
        )
    if standing.kind == "empty":
        return
    theirs = standing.header
    if theirs.identity != mine.identity:
        keys = differing_keys(mine.experiment, theirs.experiment)
        named = ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")
        raise ResultsError(f"{folder} has another experiment (other {named}); choose another --out")
    if mine.shard != theirs.shard:
        raise ResultsError(
            f"{folder} holds shard {theirs.shard}, not {mine.shard}; choose another --out"
        )
    if theirs.games > mine.games:
        raise ResultsError(
            f"{folder} holds a run of {theirs.games:,} games a cell, more than the {mine.games:,} "
            "asked for; choose another --out"
        )
    if not resume:
        more = theirs.games < mine.games
        held = f"a run of {theirs.games:,} games a cell" if more else "an unfinished run"
        raise ResultsError(f"{folder} holds {held} of this experiment; resume it with: {command}")
    other = [
        f"{name} {theirs.versions.get(name, 'none')}, not {version}"
        for name, version in mine.versions.items()
        if theirs.versions.get(name) != version
    ]
    if other:
        raise ResultsError(
            f"{folder} was begun with {'; '.join(other)}: resume with what it was begun with or "
            "choose another --out"
        )


class Store:
    """An open results folder: the chunks it holds, and how to add to them."""

    def __init__(self, folder: Path, manifest: Manifest, records: list[ChunkRecord]) -> None:
        self.folder = folder
        self._manifest = manifest
        self._records = records
        self._stops: dict[int, CellStop] = {}
        self._begun = time.monotonic()
        self._write_manifest("running", self._manifest.seconds)
        self.journal = Journal(folder, manifest, records)

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
        self.journal.append_stop(stop)
        self._stops[stop.cell] = stop
        self._records = within(self._records, self._stops)

    def settle(self, weights: tuple[WeightsRecord, ...], training_seconds: float = 0.0) -> None:
        """Record the weights that agents play by, which are the same in every resumption.

        ``training_seconds`` were spent on them just now. Raises `OSError`, and `ResultsError` when
        the folder was begun with others.
        """
        if self._manifest.weights not in ((), weights):
            raise ResultsError(
                f"{self.folder} was begun with other weights; resume with those or choose another "
                "--out"
            )
        training_seconds = round(self._manifest.training_seconds + training_seconds, 3)
        self._manifest = self._manifest.model_copy(
            update={"weights": weights, "training_seconds": training_seconds}
        )
        self._write_manifest("running", self._manifest.seconds)

    def check(self) -> None:
        """See that all that is listed is on the disk, as what is called finished must be.

        Raises `MachineError` if a file is missing or has another size.
        """
        for record in self.records:
            for damage in damages_of(self.folder, record, thorough=False):
                raise MachineError(f"{damage}, though it was written; something changed the folder")

    def close(self, state: str, seconds: float | None = None) -> None:
        """Write the final manifest.

        Args:
            state: What became of the run: one of the manifest's states.
            seconds: Time the run took in all; by default the time recorded before and that since
                the folder was opened.

        Raises:
            OSError: It can't be written.
        """
        self._records = disjoint(self._records)
        self.journal.sync()
        if seconds is None:
            seconds = self._manifest.seconds + time.monotonic() - self._begun
        self._write_manifest(state, seconds)
        _sweep(self.folder, self._records)

    def _write_manifest(self, state: str, seconds: float) -> None:
        changes = {
            "state": state,
            "seconds": round(seconds, 3),
            "stops": tuple(stop for _, stop in sorted(self._stops.items())),
            "failures": add_up(tally for record in self.records for tally in record.failures),
            "chunks": tuple(self._records),
        }
        self._manifest = self._manifest.model_copy(update=changes)
        write_manifest(self.folder, self._manifest)


@contextlib.contextmanager
def open_store(folder: Path, manifest: Manifest, *, resume: bool, command: str) -> Iterator[Store]:
    """Open and lock a results folder for the run that ``manifest`` describes.

    ``manifest`` has neither state nor chunks; ``command`` resumes the run. Chunk files that are not
    as they were written are no longer listed, and files that are not listed are deleted.

    Raises `ResultsError` when the folder may not be used or another run holds it, or nothing
    can be written there.
    """
    check_standing(folder, look(folder), manifest, resume, command)
    try:
        for table in ("games", *manifest.record):
            (folder / table).mkdir(parents=True, exist_ok=True)
        lock = contextlib.ExitStack()
        lock.enter_context(locked(folder))
    except OSError as error:
        raise ResultsError(f"{folder} can't be written to: {error.strerror}") from None
    with lock:
        standing = look(folder)  # again: it may have changed before the lock was ours
        check_standing(folder, standing, manifest, resume, command)
        mine = (record for record in standing.records if manifest.holds(record))
        whole = [record for record in mine if not damages_of(folder, record)]
        _sweep(folder, whole)
        if standing.found is not None:
            manifest = manifest.model_copy(update={"looks": _looks(standing.found, manifest)})
        if (there := standing.manifest) is not None:
            kept = {
                "seconds": there.seconds,
                "training_seconds": there.training_seconds,
                "weights": there.weights,
            }
            manifest = manifest.model_copy(update=kept)
        try:
            store = Store(folder, manifest, whole)
        except OSError as error:
            raise ResultsError(f"{folder} can't be written to: {error.strerror}") from None
        try:
            yield store
        finally:
            store.journal.close()


def _looks(there: Header, mine: Manifest) -> tuple[int, ...]:
    """The sizes at which a verdict may have been taken before a run is gone on with."""
    sizes = {*mine.looks, *there.looks, there.games}
    return tuple(sorted(size for size in sizes if size < mine.games))


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
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
