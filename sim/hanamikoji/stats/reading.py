"""The columns of a part of a dataset as NumPy arrays, with texts as codes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hanamikoji.errors import ResultsError
from hanamikoji.stats.facts import Part, Rows

if TYPE_CHECKING:
    import pyarrow as pa

Codes = np.ndarray[Any, np.dtype[np.int32]]
Columns = dict[str, np.ndarray[Any, Any]]


def read_columns(
    part: Part, rows: Rows, numbers: Sequence[str], texts: Sequence[str]
) -> tuple[Columns, dict[str, list[str]]]:
    """Columns of a part's games or rounds, and the texts that the codes of text columns refer to.

    Numbers are int32, deals int64; a text is an index into the column's list, a null -1.

    Raises:
        ResultsError: A column is missing or has invalid values.
    """
    import polars as pl
    import pyarrow as pa

    try:
        table = _table(rows, [*numbers, *texts])
        columns = {name: _numbers(table[name], name) for name in numbers}
        coded = {name: _codes(table[name]) for name in texts}
    except (pl.exceptions.PolarsError, pa.ArrowException, KeyError, OSError) as error:
        raise unreadable(part, str(error).splitlines()[0]) from error
    columns |= {name: codes for name, (codes, _) in coded.items()}
    return columns, {name: values for name, (_, values) in coded.items()}


def unreadable(part: Part, reason: str) -> ResultsError:
    """An error that names the part."""
    where = f"cell {part.cell}, deals {part.first} to {part.last - 1}"
    return ResultsError(f"can't read the results of {where}: {reason}")


def _table(rows: Rows, names: list[str]) -> pa.Table:
    # Files are decoded by pyarrow, which returns the stored codes of texts: a third of the time
    # of a frame, whose texts are looked up one by one.
    if isinstance(rows, Path):
        import pyarrow.parquet as pq

        with pq.ParquetFile(rows) as file:
            return file.read(names, use_threads=False)
    return rows.select(names).collect().to_arrow()


def _numbers(column: pa.ChunkedArray, name: str) -> np.ndarray[Any, Any]:
    import pyarrow as pa

    if column.null_count:
        raise pa.ArrowInvalid(f"column {name} has nulls")
    return _array(column.cast(pa.int64() if name == "deal" else pa.int32()))


def _codes(column: pa.ChunkedArray) -> tuple[Codes, list[str]]:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # of no rows
        return np.zeros(0, np.int32), []
    codes = whole.indices.cast(pa.int32())
    if codes.null_count:
        codes = codes.fill_null(-1)
    return _array(codes), whole.dictionary.to_pylist()


def _array(column: pa.ChunkedArray | pa.Array) -> np.ndarray[Any, Any]:
    """Numbers without nulls; pyarrow's own conversion imports pandas where it is installed."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return np.from_dlpack(column) if len(column) else np.zeros(0, column.type.to_pandas_dtype())
