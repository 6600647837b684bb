"""What a results folder lists: chunks that are finished, and cells that a stopping rule ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import TypeAdapter

from hanamikoji.results.failures import FailureTally
from hanamikoji.results.fields import STRICT, Count, Index, Name, Seconds
from hanamikoji.results.files import FileFact, chunk_path

Table = Literal["games", "rounds", "moves"]


@dataclass(frozen=True)
class ChunkRecord:
    """A finished chunk: the deals ``first`` to ``last - 1`` of a cell.

    With its files by table, its agents' failures, and when it was finished (seconds since 1970).

    Raises:
        ValueError: Files are not where a chunk's files belong.
    """

    __pydantic_config__ = STRICT

    cell: Index
    first: Index
    last: Index
    files: Mapping[str, FileFact]
    failures: tuple[FailureTally, ...] = ()
    at: Seconds = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        for table, fact in self.files.items():
            if table not in get_args(Table):
                raise ValueError("names a table that there is not")
            place = chunk_path(table, self.cell, self.first, self.last)
            if fact.path != place:
                raise ValueError(f"names another file than {place}")
        if "games" not in self.files:
            raise ValueError("names no file of games")

    @property
    def games(self) -> int:
        """Games in it."""
        return self.files["games"].rows

    @property
    def failed(self) -> int:
        """Failures of agents in it."""
        return sum(tally.count for tally in self.failures)


@dataclass(frozen=True)
class CellStop:
    """How a rule ended a cell: the deals 0 to ``units - 1`` count, and no others are listed.

    ``outcome`` is 'precision reached', 'verdict reached', 'accepted H0', 'accepted H1' or, where
    ``units`` are all that were asked for, 'games ran out'. It can always be worked out again from
    the games, so that nothing is lost with it.
    """

    __pydantic_config__ = STRICT

    cell: Index
    rule: Literal["precision", "verdict", "sprt"]
    outcome: Name
    units: Index
    games: Count


RECORDS = TypeAdapter(ChunkRecord)
STOPS = TypeAdapter(CellStop)


def within(records: Iterable[ChunkRecord], stops: Mapping[int, CellStop]) -> list[ChunkRecord]:
    """The records of chunks that end no later than their cell."""
    return [r for r in records if r.cell not in stops or r.last <= stops[r.cell].units]
