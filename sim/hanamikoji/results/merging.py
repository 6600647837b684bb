"""Many shards of one experiment, played apart, as one dataset."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hanamikoji.errors import ResultsError, disk_error
from hanamikoji.files import open_plain, temporary_of, write_whole
from hanamikoji.results.dataset import Dataset, open_dataset
from hanamikoji.results.manifest import Manifest
from hanamikoji.results.ranges import covered
from hanamikoji.results.store import open_store

_SAME = {"identity": "another experiment", "games": "other games", "versions": "other versions"}


def merge(out: Path, folders: Sequence[Path], command: str) -> int:
    """Merge finished shards into the results folder ``out``; returns the games it then has.

    Files are linked where the file system can, else copied; the shards stay as they are. A merge
    that was interrupted continues when it is called again with the same folders.

    Raises `ResultsError` unless the shards are whole, of one experiment and of the same versions,
    and together have each deal once; `MachineError` when the disk is full.
    """
    shards = [open_dataset(folder) for folder in folders]
    _check(shards)
    whole = _merged([shard.manifest for shard in shards], command)
    with open_store(out, whole, resume=True, command=command) as store:
        there = {(record.cell, record.first, record.last) for record in store.records}
        try:
            for shard in shards:
                for record in shard.records:
                    if (record.cell, record.first, record.last) not in there:
                        for fact in record.files.values():
                            _bring(shard.folder / fact.path, out / fact.path)
                        store.add(record)
            store.check()
            store.close("finished", whole.seconds)
        except OSError as error:
            raise disk_error(error, out) from None
        return sum(record.games for record in store.records)


def _merged(manifests: Sequence[Manifest], command: str) -> Manifest:
    """The manifest of the whole, from those of the shards, as yet without chunks."""
    first = manifests[0]
    whole = {
        "command": command,
        "shard": "1/1",
        "cells": tuple(replace(cell, part=None) for cell in first.cells),
        "state": "running",
        "seconds": sum(manifest.seconds for manifest in manifests),
        "training_seconds": sum(manifest.training_seconds for manifest in manifests),
        "failures": (),
        "chunks": (),
    }
    return Manifest.model_validate(dict(first) | whole)


def _check(shards: Sequence[Dataset]) -> None:
    if not shards:
        raise ResultsError("there is nothing to merge; name the shards' folders")
    first = shards[0]
    for shard in shards:
        if not shard.finished:
            raise ResultsError(
                f"{shard.folder} isn't finished; resume it with: {shard.manifest.resume}"
            )
        for key, what in _SAME.items():
            if getattr(shard.manifest, key) != getattr(first.manifest, key):
                raise ResultsError(
                    f"{shard.folder} has {what} than {first.folder}; only shards of one experiment "
                    "can be merged"
                )
    _check_numbers(shards)
    _check_deals(shards)


def _check_numbers(shards: Sequence[Dataset]) -> None:
    """Each shard of the same division must be there once."""
    folders: dict[str, Path] = {}
    for shard in shards:
        name = shard.manifest.shard
        if name in folders:
            raise ResultsError(f"{folders[name]} and {shard.folder} both are shard {name}")
        folders[name] = shard.folder
    counts = {name.partition("/")[2] for name in folders}
    if len(counts) > 1:
        raise ResultsError(f"the shards are of different divisions: {', '.join(folders)}")
    count = int(counts.pop())
    absent = [f"{i}/{count}" for i in range(1, count + 1) if f"{i}/{count}" not in folders]
    if absent:
        named = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
        raise ResultsError(f"{len(absent)} of {count} shards are missing: {named}")


def _check_deals(shards: Sequence[Dataset]) -> None:
    records = sorted(
        (record for shard in shards for record in shard.records),
        key=lambda record: (record.cell, record.first),
    )
    ranges = covered(records)
    for cell in shards[0].manifest.cells:
        if ranges.get(cell.cell, [(0, 0)]) != [(0, cell.deals)]:
            raise ResultsError(
                f"the shards don't hold each deal of cell {cell.cell} once; run them again"
            )


def _bring(source: Path, target: Path) -> None:
    """Put a chunk file in place whole: as a link, or as a copy where there can be none."""
    temporary = temporary_of(target)
    try:
        os.link(source, temporary)
    except OSError:
        with open_plain(source) as file:
            write_whole(target, file.read())
        return
    temporary.replace(target)
