"""Looking into a chunk that is written already, and cutting it short."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hanamikoji.results.convert import arrow_schema
from hanamikoji.results.failures import FailureTally
from hanamikoji.results.files import chunk_path, write_chunk
from hanamikoji.results.records import ChunkRecord
from hanamikoji.results.schema import WINNER_ROLES


def winner_roles(folder: Path, record: ChunkRecord) -> np.ndarray[Any, Any]:
    """Who won each game of a chunk, by deal and seating: (games,) indices into `WINNER_ROLES`.

    Raises `OSError`.
    """
    path = folder / record.files["games"].path
    column = pq.read_table(path, columns=["winner_role"], partitioning=None)[0].combine_chunks()
    words = column.dictionary.to_pylist()
    codes = np.array([WINNER_ROLES.index(word) for word in words], np.int8)
    roles: np.ndarray[Any, Any] = codes[column.indices.to_numpy()]
    return roles


def cut_short(folder: Path, record: ChunkRecord, last: int) -> ChunkRecord:
    """Write the deals before ``last`` of a chunk as a chunk of its own; returns its record.

    The longer chunk's files stay as they are. Raises `OSError`.
    """
    files = {}
    failures: tuple[FailureTally, ...] = ()
    for name, fact in record.files.items():
        table = pq.read_table(folder / fact.path, partitioning=None)
        rows = int(np.searchsorted(table["deal"].to_numpy(), last))
        table = _as_written(table.slice(0, rows), name)
        if name == "games":
            failures = _failures_in(table, record)
        path = chunk_path(name, record.cell, record.first, last)
        files[name] = write_chunk(folder, path, table)
    return ChunkRecord(record.cell, record.first, last, files, failures, record.at)


def _as_written(table: pa.Table, name: str) -> pa.Table:
    """A table that was read, with the types it had before: Parquet's dictionaries are wider."""
    schema = arrow_schema(name)
    arrays = []
    for field in schema:
        column = table[field.name].combine_chunks()
        if pa.types.is_dictionary(field.type):
            indices = column.indices.cast(field.type.index_type)
            column = pa.DictionaryArray.from_arrays(indices, column.dictionary)
        arrays.append(column)
    return pa.Table.from_arrays(arrays, schema=schema)


def _failures_in(games: pa.Table, record: ChunkRecord) -> tuple[FailureTally, ...]:
    """A chunk's failures as far as its first rows go: each forfeited one game."""
    if not record.failures:
        return ()
    names = ("reason", "outcome", "agent_a", "agent_b")
    lost = zip(*(games[name].cast(pa.string()).to_pylist() for name in names), strict=True)
    losers = [
        (agent_b if winner == "a" else agent_a, why) for why, winner, agent_a, agent_b in lost
    ]
    counted = (
        replace(tally, count=losers.count((tally.agent, tally.reason))) for tally in record.failures
    )
    return tuple(tally for tally in counted if tally.count)
