"""What training leaves behind: the average strategy of each information set; as a file, too."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.errors import PluginError
from hanamikoji.learning.archive import read_archive, write_archive
from hanamikoji.learning.table.book import Book
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Array = npt.NDArray[Any]

FORMAT = 1
"""Of the file."""

TRAINER = 1
"""Raised whenever training gives another table than before."""

WHOLE = 1 << 16
"""Chances are counted in parts of this."""

_LEAST = 1 / 256  # a choice's chance below which it is left out
_MOST_BYTES = 500_000_000
_ARRAYS = {"keys": np.int64, "ends": np.int32, "ids": np.int32, "chances": np.uint16}


@dataclass(frozen=True)
class TableOrigin:
    """Where a table comes from: the same origin, the same table."""

    rules: str
    """The rules' hash."""
    rounds: int
    seed: int
    trainer: int = TRAINER
    format: int = FORMAT
    model: str = "table"


@dataclass(frozen=True, eq=False)
class Strategy:
    """A mixed strategy by information set.

    ``keys`` int64 (N,), ascending, see `hanamikoji.learning.table.keys`. The choices of set n are
    those from ``ends[n - 1]`` to ``ends[n]``, int32 (N,), by their ``ids`` int32 (M,) and running
    ``chances`` uint16 (M,): the first that a random 16-bit number does not exceed is played, so
    each set's last is 65,535. Sets with one choice are left out, and those that the strategy itself
    never comes to.
    """

    keys: Array
    ends: Array
    ids: Array
    chances: Array
    origin: TableOrigin

    @property
    def hash(self) -> str:
        """16 hex digits of everything in it; what the manifest records."""
        digest = hashlib.sha256(json.dumps(asdict(self.origin), sort_keys=True).encode())
        for name in _ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()[:16]


def average_strategy(book: Book, origin: TableOrigin) -> Strategy:
    """The average of a book's strategies over training, without chances that hardly count."""
    slots = np.flatnonzero(book.count > 1)
    slots = slots[np.argsort(book.keys[slots])]
    counts = book.count[slots].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    owner = np.repeat(np.arange(len(slots)), counts)
    places = np.arange(counts.sum()) - starts[owner] + book.first[slots][owner]
    sums = book.sums[places]
    totals = np.bincount(owner, sums, len(slots))
    kept = sums > _LEAST * totals[owner]
    owner, sums, ids = owner[kept], sums[kept], book.ids[places[kept]]
    used, owner = np.unique(owner, return_inverse=True)
    ends = np.cumsum(np.bincount(owner, minlength=len(used)))
    return Strategy(
        book.keys[slots[used]], ends.astype(np.int32), ids, _running(sums, owner, ends), origin
    )


def _running(sums: Array, owner: Array, ends: Array) -> Array:
    """The running chances of each set's choices, uint16."""
    totals = np.bincount(owner, sums, len(ends))
    running = np.cumsum(sums / totals[owner])
    running -= np.concatenate([[0.0], running[ends[:-1] - 1]])[owner] if len(ends) else 0.0
    chances: Array = np.clip(np.floor(running * WHOLE + 0.5) - 1, 0, WHOLE - 1).astype(np.uint16)
    chances[ends - 1] = WHOLE - 1
    return chances


# --- files ---------------------------------------------------------------------------------------


def save_strategy(path: Path, strategy: Strategy) -> None:
    """Write an .npz without pickles, whole or not at all; the same table gives the same bytes."""
    arrays: dict[str, Array] = {name: getattr(strategy, name) for name in _ARRAYS}
    write_archive(path, arrays, asdict(strategy.origin), level=6)


def is_strategy(path: Path) -> bool:
    """Whether a file looks like a table rather than a network's weights."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "chances.npy" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def load_strategy(path: Path, rules: Rules) -> Strategy:
    """Read a table for these rules, and check it.

    Raises:
        PluginError: there is no such file, it is damaged, or is of other rules or another version.
    """
    try:
        facts, arrays = read_archive(path, _ARRAYS, _MOST_BYTES)
        origin = _origin(facts)
    except FileNotFoundError:
        raise PluginError(f"there is no weights file {str(path)!r}") from None
    except Exception:
        raise PluginError(
            f"weights file {str(path)!r} is damaged or not a weights file; write one with: "
            "hanamikoji train RULES --out FILE"
        ) from None
    if origin.format != FORMAT or origin.rules != rules.hash:
        raise PluginError(
            f"weights file {str(path)!r} is for the rules {origin.rules} (format {origin.format}), "
            f"not for {rules.hash} (format {FORMAT}); write one with: hanamikoji train RULES --out "
            "FILE"
        )
    strategy = Strategy(**arrays, origin=origin)
    if not _makes_sense(strategy, rules):
        raise PluginError(f"weights file {str(path)!r} is damaged: its table makes no sense")
    return strategy


def _origin(facts: dict[str, Any]) -> TableOrigin:
    texts = ("rules", "model")
    if any(
        type(facts[f.name]) is not (str if f.name in texts else int) for f in fields(TableOrigin)
    ):
        raise ValueError
    return TableOrigin(**facts)


def _makes_sense(strategy: Strategy, rules: Rules) -> bool:
    """Whether every set has choices, in order, with legal ids and chances that end at the whole."""
    for name, kind in _ARRAYS.items():
        array = getattr(strategy, name)
        if array.dtype != kind or array.ndim != 1:
            return False
    keys, ends, ids, chances = strategy.keys, strategy.ends, strategy.ids, strategy.chances
    tables = build_tables(rules)
    n = len(keys)
    if len(ends) != n or len(ids) != len(chances) or (ends[-1] if n else 0) != len(ids):
        return False
    inside = np.ones(len(ids), bool)  # a choice that is not a set's first
    inside[np.concatenate([[0], ends[:-1]])[: len(ends)]] = False
    return bool(
        (keys[1:] > keys[:-1]).all()
        and (np.diff(ends, prepend=0) > 0).all()
        and ((ids >= 0) & (ids < tables[ix.MOVES] + tables[ix.RESPONSES])).all()
        and (chances[ends - 1] == WHOLE - 1).all()
        and (np.diff(chances.astype(np.int64), prepend=-1)[inside] >= 0).all()
        and not (keys == 0).any()
    )
