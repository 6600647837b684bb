"""Reading a results folder: its manifest, and its rows, lazily."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji.errors import ResultsError
from hanamikoji.results.convert import arrow_schema
from hanamikoji.results.manifest import Manifest
from hanamikoji.results.records import ChunkRecord
from hanamikoji.results.schema import TABLES
from hanamikoji.results.store import damages_of, find_run

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Dataset:
    """A results folder: its manifest and its chunks, in the order of cells and deals.

    Rows are read from the listed chunk files only.
    """

    folder: Path
    manifest: Manifest
    records: tuple[ChunkRecord, ...]

    @property
    def finished(self) -> bool:
        """Whether all games of the plan are there."""
        return self.manifest.state == "finished"

    def paths(self, table: str = "games") -> list[Path]:
        """The chunk files of a table in canonical order: by cell, then deal."""
        files = (
            [fact.path for name, fact in r.files.items() if name == table] for r in self.records
        )
        return [self.folder / path for paths in files for path in paths]

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
        if table != "games" and table not in self.manifest.record:
            raise ResultsError(
                f'{self.folder} has no {table}; put record = ["{table}"] in the experiment'
            )
        empty = pl.from_arrow(arrow_schema(table).empty_table())
        assert isinstance(empty, pl.DataFrame)
        return empty.lazy()


def open_dataset(folder: Path, *, thorough: bool = True) -> Dataset:
    """Open a finished or unfinished run for reading.

    ``thorough``: compare each file with its checksum (1.8 GB/s), not only its size.

    Raises `ResultsError` if there is no run, or a file is not as it was written.
    """
    standing = find_run(folder)
    manifest = standing.manifest
    if manifest is None:
        raise ResultsError(f"{standing.fault}; repair it with: {standing.header.resume}")
    for record in standing.records:
        damages = damages_of(folder, record, thorough=thorough)
        if damages:
            raise ResultsError(f"{damages[0]}; play its games again with: {manifest.resume}")
    return Dataset(folder, manifest, standing.records)
