"""Many shards of one experiment, played apart, as one dataset."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hanamikoji.errors import MachineError, ResultsError
from hanamikoji.results.dataset import Results, open_results
from hanamikoji.results.files import TEMPORARY
from hanamikoji.results.ranges import covered
from hanamikoji.results.store import Store, open_store

_SAME = ("identity", "games", "versions")


def merge(out: Path, folders: Sequence[Path], command: str) -> int:
    """Join finished shards into the results folder ``out``; returns the games it holds then.

    Files are linked where the file system can, else copied; the shards stay as they are. A merge
    that was interrupted goes on when it is called again with the same folders.

    Raises `ResultsError` unless the shards are whole, of one experiment and of the same versions,
    and together hold each deal once; `MachineError` when the disk is full.
    """
    shards = [open_results(folder) for folder in folders]
    _check(shards)
    facts = _facts(shards, command)
    with open_store(out, facts, resume=True, command=command) as store:
        there = {(record.cell, record.first, record.last) for record in store.records}
        try:
            for shard in shards:
                for record in shard.records:
                    if (record.cell, record.first, record.last) not in there:
                        for fact in record.files.values():
                            _bring(shard.folder / fact.path, out / fact.path)
                        store.add(record)
            store.close("finished", {"failures": facts["failures"], "seconds": facts["seconds"]})
        except OSError as error:
            raise MachineError(f"{out} can't be written to: {error.strerror}") from None
        return _games(store)


def _games(store: Store) -> int:
    return sum(record.files["games"].rows for record in store.records)


def _check(shards: Sequence[Results]) -> None:
    if not shards:
        raise ResultsError("there is nothing to merge; name the shards' folders")
    first = shards[0]
    for shard in shards:
        if not shard.finished:
            raise ResultsError(
                f"{shard.folder} isn't finished; go on with: {shard.manifest['command']} --resume"
            )
        for key in _SAME:
            if shard.manifest[key] != first.manifest[key]:
                what = {"identity": "another experiment"}.get(key, f"other {key}")
                raise ResultsError(
                    f"{shard.folder} has {what} than {first.folder}; only shards of one experiment "
                    "can be merged"
                )
    _check_numbers(shards)
    _check_deals(shards)


def _check_numbers(shards: Sequence[Results]) -> None:
    """Each shard of the same division must be there once."""
    folders: dict[str, Path] = {}
    for shard in shards:
        name = shard.manifest.get("shard", "1/1")
        if name in folders:
            raise ResultsError(f"{folders[name]} and {shard.folder} both are shard {name}")
        folders[name] = shard.folder
    counts = {name.partition("/")[2] for name in folders}
    if len(counts) > 1:
        raise ResultsError(f"the shards are of different divisions: {', '.join(folders)}")
    count = int(counts.pop())
    absent = [f"{i}/{count}" for i in range(1, count + 1) if f"{i}/{count}" not in folders]
    if absent:
        told = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
        raise ResultsError(f"{len(absent)} of {count} shards are missing: {told}")


def _check_deals(shards: Sequence[Results]) -> None:
    records = sorted(
        (record for shard in shards for record in shard.records),
        key=lambda record: (record.cell, record.first),
    )
    ranges = covered(records)
    for cell in shards[0].manifest["cells"]:
        if ranges.get(cell["cell"], [(0, 0)]) != [(0, cell["deals"])]:
            raise ResultsError(
                f"the shards don't hold each deal of cell {cell['cell']} once; run them again"
            )


def _facts(shards: Sequence[Results], command: str) -> dict[str, Any]:
    """The merged manifest's facts: those of the first shard, and sums."""
    manifests = [shard.manifest for shard in shards]
    left_out = ("state", "chunks", "shard")
    facts = {key: value for key, value in manifests[0].items() if key not in left_out}
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for manifest in manifests:
        for failure in manifest["failures"]:
            _count(rows, failure)
    seconds = round(sum(manifest["seconds"] for manifest in manifests), 3)
    return facts | {"command": command, "failures": list(rows.values()), "seconds": seconds}


def _count(rows: dict[tuple[Any, ...], dict[str, Any]], failure: Mapping[str, Any]) -> None:
    key = (failure["cell"], failure["agent"], failure["reason"])
    if key in rows:
        rows[key]["count"] += failure["count"]
    else:
        rows[key] = dict(failure)


def _bring(source: Path, target: Path) -> None:
    """Put a file in place whole: as a link, or as a copy where there can be none."""
    temporary = target.with_name(target.name + TEMPORARY)
    temporary.unlink(missing_ok=True)
    try:
        os.link(source, temporary)
    except OSError:
        try:
            shutil.copyfile(source, temporary)
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    temporary.replace(target)
