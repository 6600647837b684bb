"""A run's results folder: schema, chunk files, manifest, and reading it all back."""

from hanamikoji.results.canonical import canonical_digest, canonical_table, role_terms
from hanamikoji.results.convert import CONVERTERS, CellLabel, arrow_schema
from hanamikoji.results.cutting import cut_short, winner_roles
from hanamikoji.results.dataset import Results, open_results
from hanamikoji.results.files import FileFact, chunk_path, write_chunk
from hanamikoji.results.journal import ChunkRecord
from hanamikoji.results.lock import is_locked
from hanamikoji.results.manifest import FORMAT
from hanamikoji.results.merging import merge
from hanamikoji.results.probes import PROBES, Probe, read_probe, write_probe
from hanamikoji.results.ranges import covered, missing
from hanamikoji.results.schema import TABLES, Column, describe
from hanamikoji.results.stops import CellStop, planned_games, stops_in
from hanamikoji.results.store import Store, damages_of, look, open_store, strays

__all__ = [
    "CONVERTERS",
    "FORMAT",
    "PROBES",
    "TABLES",
    "CellLabel",
    "CellStop",
    "ChunkRecord",
    "Column",
    "FileFact",
    "Probe",
    "Results",
    "Store",
    "arrow_schema",
    "canonical_digest",
    "canonical_table",
    "chunk_path",
    "covered",
    "cut_short",
    "damages_of",
    "describe",
    "is_locked",
    "look",
    "merge",
    "missing",
    "open_results",
    "open_store",
    "planned_games",
    "read_probe",
    "role_terms",
    "stops_in",
    "strays",
    "winner_roles",
    "write_chunk",
    "write_probe",
]
