"""Cells that a stopping rule ended: what is known of each, and what that leaves of the dataset.

A stop is a fact of the manifest (``stops``) and, until that is written for good, a line of the
journal. It can always be worked out again from the games, so that nothing is lost with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hanamikoji.results.journal import ChunkRecord


@dataclass(frozen=True)
class CellStop:
    """How a rule ended a cell: the deals 0 to ``units - 1`` count, and no others are listed.

    ``rule`` is precision or sprt; ``outcome`` is 'precision reached', 'accepted H0', 'accepted H1'
    or, where ``units`` are all that were asked for, 'games ran out'.
    """

    cell: int
    rule: str
    outcome: str
    units: int
    games: int

    def to_json(self) -> dict[str, Any]:
        """The stop as a JSON object."""
        return asdict(self)


def stops_in(rows: Iterable[Mapping[str, Any]]) -> dict[int, CellStop]:
    """Stops by cell, from their JSON objects; the last of a cell counts."""
    return {row["cell"]: CellStop(**row) for row in rows}


def within(records: Iterable[ChunkRecord], stops: Mapping[int, CellStop]) -> list[ChunkRecord]:
    """The records of chunks that end no later than their cell."""
    return [r for r in records if r.cell not in stops or r.last <= stops[r.cell].units]


def planned_games(facts: Mapping[str, Any]) -> int:
    """Games of a finished run as far as its manifest's ``facts`` tell: a stopped cell's are those
    it has, another's at most those that were asked for; 0 when the cells aren't known."""
    stops = stops_in(facts.get("stops", ()))
    cells: Sequence[Mapping[str, Any]] = facts.get("cells", ())
    return sum(
        stops[cell["cell"]].games if cell["cell"] in stops else _asked_of(cell) for cell in cells
    )


def _asked_of(cell: Mapping[str, Any]) -> int:
    """The games asked for of a cell, or of the part of it that a shard plays."""
    if "part" not in cell:
        return int(cell["games"])
    first, last = cell["part"]
    return int((last - first) * cell["games"] // cell["deals"])
