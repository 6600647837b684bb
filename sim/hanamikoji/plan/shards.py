"""A shard: the part of an experiment that one of many jobs plays, to be merged later."""

from __future__ import annotations

from dataclasses import dataclass

from hanamikoji.errors import ExperimentError
from hanamikoji.plan.cells import Cell
from hanamikoji.text import two_numbers

_MOST_SHARDS = 100_000


@dataclass(frozen=True)
class Shard:
    """Shard ``number`` (from 1) of ``count``: its share of every cell's deals."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def part(self, cell: Cell) -> tuple[int, int]:
        """The deals of a cell, first and last but one, that are this shard's."""
        before, upto = self.number - 1, self.number
        return cell.deals * before // self.count, cell.deals * upto // self.count


WHOLE = Shard(1, 1)
"""All of an experiment."""


def parse_shard(text: str) -> Shard:
    """A shard as it is typed: ``2/8``. Raises `ExperimentError`."""
    shard = Shard(*(two_numbers(text, "/") or (0, 0)))
    if not 1 <= shard.number <= shard.count <= _MOST_SHARDS:
        raise ExperimentError(f"--shard is {text!r}; it must be NUMBER/COUNT such as 2/8")
    return shard
