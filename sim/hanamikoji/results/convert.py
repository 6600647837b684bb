"""From the engine's arrays, in terms of roles, to Arrow tables in terms of seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from hanamikoji.results.schema import TABLES, Column

Arrays = Mapping[str, np.ndarray[Any, Any]]

_NOBODY = np.int8(2)  # outcomes below are a winner's role, or seat
_ORDER_BITS = 5


@dataclass(frozen=True)
class CellLabel:
    """What the rows of a cell have in common; ``kinds`` are the names of its rules' actions."""

    cell: int
    variant: str
    agent_a: str
    agent_b: str
    kinds: tuple[str, ...]


@cache
def arrow_schema(table: str) -> pa.Schema:
    """Arrow schema of a table of the dataset; enums and texts are dictionaries."""
    return pa.schema(
        [pa.field(c.name, _arrow_type(c), nullable=c.nullable) for c in TABLES[table]],
    )


def _arrow_type(column: Column) -> pa.DataType:
    if column.kind == "enum":
        return pa.dictionary(pa.int8(), pa.string())
    if column.kind == "text":
        return pa.dictionary(pa.int32(), pa.string())
    return pa.bool_() if column.kind == "bool" else getattr(pa, column.kind)()


def games_table(label: CellLabel, games: Arrays) -> pa.Table:
    """One row a game from `hanamikoji.engine.Played.games`, in the same order."""
    seating = games["seating"]
    outcome = games["outcome"]
    columns = {
        "starter": seating,
        "outcome": outcome ^ (seating & (outcome < _NOBODY)),  # in seating 1 b is the starter
        "winner_role": np.minimum(outcome, _NOBODY),
        "reason": games["reason"],
        "rounds": games["rounds"],
        "lead_changes": games["lead_changes"],
        "goal_conflict": games["goal_conflict"],
    }
    for name in ("charm", "geishas", "favor"):
        columns |= _by_seat(games, name, seating)
    for name, codes in _by_seat(games, "opening", seating).items():
        columns[name] = _texts(codes, label.kinds)
    return _table("games", label, games, columns)


def rounds_table(label: CellLabel, rounds: Arrays) -> pa.Table:
    """One row a round from `hanamikoji.engine.Played.rounds`, in the same order."""
    seating = rounds["seating"]
    columns: dict[str, Any] = {
        "round": rounds["round"],
        "round_starter": rounds["round_starter"] ^ seating,
    }
    for name in ("favor", "decisions", "legal"):
        columns |= _by_seat(rounds, name, seating)
    for name, codes in _by_seat(rounds, "order", seating).items():
        distinct, index = np.unique(codes, return_inverse=True)
        texts = [_order_text(int(code), label.kinds) for code in distinct]
        columns[name] = _texts(index, texts)
    return _table("rounds", label, rounds, columns)


def moves_table(label: CellLabel, moves: Arrays) -> pa.Table:
    """One row a decision from `hanamikoji.engine.Played.moves`, in the same order."""
    columns = {name: moves[name] for name in ("round", "turn", "decision", "choice", "legal")}
    columns |= {"seat": moves["role"] ^ moves["seating"], "phase": moves["phase"]}
    return _table("moves", label, moves, columns)


CONVERTERS = {"games": games_table, "rounds": rounds_table, "moves": moves_table}
"""How the arrays of each table become Arrow."""


def _by_seat(arrays: Arrays, name: str, seating: np.ndarray[Any, Any]) -> dict[str, Any]:
    """``name_starter`` and ``name_second`` as ``name_a`` and ``name_b``: b starts in seating 1."""
    starter, second = arrays[f"{name}_starter"], arrays[f"{name}_second"]
    swapped = seating == 1
    if not swapped.any():
        return {f"{name}_a": starter, f"{name}_b": second}
    return {
        f"{name}_a": np.where(swapped, second, starter),
        f"{name}_b": np.where(swapped, starter, second),
    }


def _order_text(code: int, kinds: tuple[str, ...]) -> str:
    names = []
    while code:
        names.append(kinds[(code & (2**_ORDER_BITS - 1)) - 1])
        code >>= _ORDER_BITS
    return " > ".join(names)


def _texts(index: np.ndarray[Any, Any], texts: Sequence[str]) -> pa.Array:
    """Texts by number; a negative number is a null."""
    there = None
    if index.min(initial=0) < 0:
        there = pa.py_buffer(np.packbits(index >= 0, bitorder="little"))
    numbers = _numbers(index, pa.int32(), there)
    return pa.DictionaryArray.from_arrays(numbers, _strings(texts))


def _table(table: str, label: CellLabel, keys: Arrays, columns: Mapping[str, Any]) -> pa.Table:
    rows = len(keys["deal"])
    same = {"variant": label.variant, "agent_a": label.agent_a, "agent_b": label.agent_b}
    known = {
        **columns,
        "cell": np.full(rows, label.cell, np.int32),
        "deal": keys["deal"],
        "seating": keys["seating"],
        **{name: _texts(np.zeros(rows, np.int32), [text]) for name, text in same.items()},
    }
    schema = arrow_schema(table)
    arrays = [_array(c, known[c.name], schema.field(c.name).type) for c in TABLES[table]]
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(column: Column, values: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    if column.kind == "enum":
        return pa.DictionaryArray.from_arrays(_numbers(values, pa.int8()), _strings(column.values))
    if column.kind == "bool":
        bits = pa.py_buffer(np.packbits(values, bitorder="little"))
        return pa.Array.from_buffers(kind, len(values), [None, bits])
    return _numbers(values, kind)


# `pyarrow.array` would do for both, but imports pandas, half a second, wherever it is installed.


def _numbers(
    values: np.ndarray[Any, Any], kind: pa.DataType, there: pa.Buffer | None = None
) -> pa.Array:
    """A column of integers; ``there``: a bit for each that is no null."""
    plain = np.ascontiguousarray(values, kind.to_pandas_dtype())
    return pa.Array.from_buffers(kind, len(plain), [there, pa.py_buffer(plain)])


def _strings(texts: Sequence[str]) -> pa.Array:
    data = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, data)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(data), pa.py_buffer(ends), pa.py_buffer(b"".join(data)))
