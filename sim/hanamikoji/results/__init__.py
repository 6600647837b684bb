"""A run's results folder: schema, chunk files, manifest, and reading it all back."""

from hanamikoji.results.canonical import canonical_digest, canonical_table, role_terms
from hanamikoji.results.convert import CONVERTERS, CellLabel, arrow_schema
from hanamikoji.results.cutting import cut_short, winner_roles
from hanamikoji.results.dataset import Dataset, open_dataset
from hanamikoji.results.failures import FailureTally, add_up, kept_text
from hanamikoji.results.fields import storable
from hanamikoji.results.files import FileFact, chunk_path, write_chunk
from hanamikoji.results.lock import is_locked
from hanamikoji.results.manifest import Header, Manifest, resume_line
from hanamikoji.results.merging import merge
from hanamikoji.results.origins import (
    AgentRecord,
    CellRecord,
    SweepRecord,
    VariantRecord,
    WeightsRecord,
)
from hanamikoji.results.probes import PROBES, Probe, read_probe, write_probe
from hanamikoji.results.ranges import covered, missing
from hanamikoji.results.records import CellStop, ChunkRecord
from hanamikoji.results.schema import TABLES, Column, describe
from hanamikoji.results.store import (
    Standing,
    Store,
    damages_of,
    find_run,
    look,
    open_store,
    strays,
)

__all__ = [
    "CONVERTERS",
    "PROBES",
    "TABLES",
    "AgentRecord",
    "CellLabel",
    "CellRecord",
    "CellStop",
    "ChunkRecord",
    "Column",
    "Dataset",
    "FailureTally",
    "FileFact",
    "Header",
    "Manifest",
    "Probe",
    "Standing",
    "Store",
    "SweepRecord",
    "VariantRecord",
    "WeightsRecord",
    "add_up",
    "arrow_schema",
    "canonical_digest",
    "canonical_table",
    "chunk_path",
    "covered",
    "cut_short",
    "damages_of",
    "describe",
    "find_run",
    "is_locked",
    "kept_text",
    "look",
    "merge",
    "missing",
    "open_dataset",
    "open_store",
    "read_probe",
    "resume_line",
    "role_terms",
    "storable",
    "strays",
    "winner_roles",
    "write_chunk",
    "write_probe",
]
