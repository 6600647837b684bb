"""Rules as plain arrays: every distinct move of a variant, and where an observation keeps what."""

from hanamikoji.moves.kinds import KindTable, count_moves, kind_table
from hanamikoji.moves.tables import build_tables

__all__ = [
    "KindTable",
    "build_tables",
    "count_moves",
    "kind_table",
]
