"""Reading a results folder: what it says of itself, and its rows, lazily."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanamikoji.errors import ResultsError
from hanamikoji.results.convert import arrow_schema
from hanamikoji.results.journal import ChunkRecord
from hanamikoji.results.manifest import MANIFEST
from hanamikoji.results.schema import TABLES
from hanamikoji.results.store import damages_of, look

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Results:
    """A results folder: its manifest (see `hanamikoji.results.manifest`) and its chunks, in the
    order of cells and deals. Rows are read from the listed chunk files only."""

    folder: Path
    manifest: Mapping[str, Any]
    records: tuple[ChunkRecord, ...]

    @property
    def finished(self) -> bool:
        """Whether all games of the plan are there."""
        return bool(self.manifest["state"] == "finished")

    def paths(self, table: str = "games") -> list[Path]:
        """The chunk files of a table in canonical order: by cell, then deal."""
        return [self.folder / r.files[table].path for r in self.records if table in r.files]

    def scan(self, table: str = "games") -> pl.LazyFrame:
        """The rows of ``games``, ``rounds`` or ``moves``, in canonical order.

        Raises `ResultsError` when the table was not recorded.
        """
        import polars as pl

        if table not in TABLES:
            raise ResultsError(f"there is no table {table}; there are: {', '.join(TABLES)}")
        paths = self.paths(table)
        if paths:
            return pl.scan_parquet(paths, glob=False)
        if table != "games" and table not in self.manifest["record"]:
            raise ResultsError(
                f'{self.folder} has no {table}; put record = ["{table}"] in the experiment'
            )
        empty = pl.from_arrow(arrow_schema(table).empty_table())
        assert isinstance(empty, pl.DataFrame)
        return empty.lazy()


def open_results(folder: Path, *, thorough: bool = True) -> Results:
    """Open a finished or unfinished run for reading.

    ``thorough``: compare each file with its checksum (1.8 GB/s), not only its size.

    Raises `ResultsError` when there is no run, or a file is not as it was written.
    """
    standing = look(folder)
    if standing.kind in ("empty", "foreign"):
        raise ResultsError(f"{folder} holds no run of ours: there is no {MANIFEST}")
    if standing.kind == "damaged" or "state" not in standing.facts:
        command = standing.facts.get("command")
        mend = f"mend it with: {command} --resume" if command else "run the experiment anew"
        raise ResultsError(f"{folder / MANIFEST} is damaged; {mend}")
    for record in standing.records:
        damages = damages_of(folder, record, thorough=thorough)
        if damages:
            raise ResultsError(
                f"{damages[0]}; play its games again with: {standing.facts['command']} --resume"
            )
    return Results(folder, standing.facts, standing.records)
