"""A run's results folder: schema, chunk files, manifest, and reading it all back."""

from hanamikoji.results.assurances import (
    ASSURANCES,
    Assurance,
    ExactValue,
    TrainedMirror,
    Trainings,
    assurance_name,
    read_assurance,
    write_assurance,
)
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
from hanamikoji.results.probes import (
    PROBES,
    Attack,
    Probe,
    SeatScore,
    probe_path,
    read_probe,
    write_probe,
)
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
    "ASSURANCES",
    "CONVERTERS",
    "PROBES",
    "TABLES",
    "AgentRecord",
    "Assurance",
    "Attack",
    "CellLabel",
    "CellRecord",
    "CellStop",
    "ChunkRecord",
    "Column",
    "Dataset",
    "ExactValue",
    "FailureTally",
    "FileFact",
    "Header",
    "Manifest",
    "Probe",
    "SeatScore",
    "Standing",
    "Store",
    "SweepRecord",
    "TrainedMirror",
    "Trainings",
    "VariantRecord",
    "WeightsRecord",
    "add_up",
    "arrow_schema",
    "assurance_name",
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
    "probe_path",
    "read_assurance",
    "read_probe",
    "resume_line",
    "role_terms",
    "storable",
    "strays",
    "winner_roles",
    "write_assurance",
    "write_chunk",
    "write_probe",
]
