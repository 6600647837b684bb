"""One form for the same games: canonical rows, their digest, and the same in terms of roles."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hanamikoji.results.convert import arrow_schema
from hanamikoji.results.dataset import Dataset

if TYPE_CHECKING:
    import polars as pl


def canonical_table(results: Dataset, table: str = "games") -> pa.Table:
    """All rows of a table sorted by cell, deal and seating, texts as plain strings."""
    parts = [_plain(pq.read_table(path, partitioning=None)) for path in results.paths(table)]
    return pa.concat_tables(parts) if parts else _plain(arrow_schema(table).empty_table())


def canonical_digest(results: Dataset, table: str = "games") -> str:
    """SHA-256 in hex of the canonical rows: the same bytes however they were cut into chunks.

    Reads one chunk at a time.
    """
    hashes = {name: hashlib.sha256() for name in arrow_schema(table).names}
    texts: dict[str, dict[str | None, int]] = {name: {} for name in hashes}
    for path in results.paths(table):
        chunk = pq.read_table(path, partitioning=None)
        for name, digest in hashes.items():
            column = chunk[name].combine_chunks()
            if pa.types.is_dictionary(column.type):
                digest.update(_numbered(column, texts[name]).tobytes())
            else:
                digest.update(column.to_numpy(zero_copy_only=False).tobytes())
    whole = hashlib.sha256()
    for name, digest in hashes.items():
        whole.update(repr((name, list(texts[name]))).encode() + digest.digest())
    return whole.hexdigest()


def _numbered(column: pa.DictionaryArray, known: dict[str | None, int]) -> np.ndarray[Any, Any]:
    """A text column as int32: texts numbered as they first appear in the canonical order."""
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    words = column.dictionary.to_pylist()
    distinct, first = np.unique(codes, return_index=True)
    numbers: np.ndarray[Any, Any] = np.zeros(len(words) + 1, np.int32)  # the last, at -1, is null's
    for code in distinct[np.argsort(first)]:
        word = None if code < 0 else words[code]
        numbers[code] = known.setdefault(word, len(known))
    in_order: np.ndarray[Any, Any] = numbers[codes]
    return in_order


def _plain(table: pa.Table) -> pa.Table:
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def role_terms(results: Dataset) -> pl.LazyFrame:
    """``games`` in terms of roles: what remains when cells, seats and their order don't matter.

    Sorted by rules hash, the starter's and the second's agent, and deal. Games of the same
    rules, deal and agents are the same rows in any experiment with the same seed.
    """
    import polars as pl

    hashes = {name: variant.hash for name, variant in results.manifest.variants.items()}
    seated = pl.col("starter").cast(pl.String) == "a"
    columns = [
        pl.col("variant").cast(pl.String).replace_strict(hashes).alias("rules_hash"),
        pl.col("deal"),
        *_by_role("agent", seated, pl.String),
        *(pl.col(name).cast(pl.String) for name in ("winner_role", "reason")),
        (pl.col("outcome").cast(pl.String) == "unfinished").alias("unfinished"),
        *(pl.col(name) for name in ("rounds", "lead_changes", "goal_conflict")),
        *(c for name in ("charm", "geishas", "favor") for c in _by_role(name, seated)),
        *_by_role("opening", seated, pl.String),
    ]
    key = ["rules_hash", "agent_starter", "agent_second", "deal"]
    return results.scan("games").select(columns).sort(key)


def _by_role(name: str, seated: pl.Expr, dtype: type[pl.DataType] | None = None) -> list[pl.Expr]:
    import polars as pl

    a, b = pl.col(f"{name}_a"), pl.col(f"{name}_b")
    if dtype is not None:
        a, b = a.cast(dtype), b.cast(dtype)
    return [
        pl.when(seated).then(a).otherwise(b).alias(f"{name}_starter"),
        pl.when(seated).then(b).otherwise(a).alias(f"{name}_second"),
    ]
