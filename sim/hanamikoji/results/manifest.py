"""manifest.json: what a results folder contains, where it came from, and its list of chunks.

A folder may come from anybody, so the file is data and never trusted: `read_manifest` is the one
place where it becomes a `Manifest`, whose types, ranges and file names have been checked and whose
parts agree with one another. Beside the fields of `Manifest` the file has ``checksum``, the SHA-256
of everything else in it.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from hanamikoji.errors import ResultsError
from hanamikoji.experiment.model import MOST_GAMES, MOST_SEED, NAME_PATTERN, Stop
from hanamikoji.files import read_plain, write_whole
from hanamikoji.results.failures import FailureTally
from hanamikoji.results.fields import STRICT, Name, Seconds
from hanamikoji.results.origins import (
    AgentRecord,
    CellRecord,
    SweepRecord,
    VariantRecord,
    WeightsRecord,
)
from hanamikoji.results.records import CellStop, ChunkRecord, Table
from hanamikoji.rules.sentences import bare_key, show
from hanamikoji.text import shell_line

MANIFEST = "manifest.json"
MOST_BYTES = 2**30
"""Bytes of a manifest or journal; a larger file is not one."""

_GAMELESS_KEYS = ("name", "games", "margin", "baseline", "stall", "attack")  # see Experiment.digest


class Header(BaseModel):
    """What the first line of the journal keeps of the manifest: whose folder it is."""

    model_config = ConfigDict(**STRICT, frozen=True)

    format: Literal[1] = 1
    identity: Name
    """`Experiment.digest`: equal when deal N of cell C is the same game."""
    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    experiment: dict[str, Any]
    """Its raw tables."""
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    """Asked for in each cell."""
    looks: tuple[Annotated[int, Field(ge=1, le=MOST_GAMES)], ...] = ()
    """Games that were asked for in each cell before each extension of the run, in rising order: at
    each of these sizes a verdict may have been taken."""
    shard: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}/[1-9][0-9]{0,5}$")] = "1/1"
    versions: dict[Name, Name]
    """Of the distributions whose code decides what happens in a game."""
    command: Annotated[str, Field(max_length=100_000)]
    """The command line that began the run, as a POSIX shell reads it."""

    @field_validator("command")
    @classmethod
    def _one_command(cls, command: str) -> str:
        words = shlex.split(command)
        if words[:1] != ["hanamikoji"] or shlex.join(words) != command:
            raise ValueError("it is no command of hanamikoji, quoted as by a POSIX shell")
        return command

    @field_validator("looks")
    @classmethod
    def _rising(cls, looks: tuple[int, ...]) -> tuple[int, ...]:
        if list(looks) != sorted(set(looks)):
            raise ValueError("the sizes that a run was looked at must rise")
        return looks

    @property
    def resume(self) -> str:
        """The command line that resumes the run, safe to print."""
        return resume_line(self.command)


class Manifest(Header):
    """All that a results folder knows of its run; ``cells``, ``chunks`` and so on are in order."""

    seed: Annotated[int, Field(ge=0, le=MOST_SEED)]
    record: tuple[Table, ...]
    margin: Annotated[float, Field(gt=0, lt=0.5)]
    baseline: Name | None
    platform: dict[Name, Name]
    """For the record only."""
    agents: tuple[AgentRecord, ...]
    variants: dict[Name, VariantRecord]
    cells: tuple[CellRecord, ...]
    sweep: SweepRecord | None = None
    weights: tuple[WeightsRecord, ...] = ()
    failures: tuple[FailureTally, ...] = ()
    stops: tuple[CellStop, ...] = ()
    state: Literal["running", "interrupted", "failed", "finished"] = "running"
    seconds: Seconds = 0.0
    """Spent in all."""
    training_seconds: Seconds = 0.0
    """Of them, on training agents before the first game."""
    chunks: tuple[ChunkRecord, ...] = ()

    @property
    def stop(self) -> Stop | None:
        """The experiment's rule that ends cells."""
        table = self.experiment.get("stop")
        return Stop.model_validate(table) if table else None

    @property
    def stopped(self) -> dict[int, CellStop]:
        """The stops by cell; the last of a cell counts."""
        return {stop.cell: stop for stop in self.stops}

    @property
    def planned_games(self) -> int:
        """Games of the run when it is finished.

        A stopped cell counts the games it has; any other counts those planned for its part.
        """
        stopped = self.stopped
        return sum(
            stopped[cell.cell].games if cell.cell in stopped else cell.part_games
            for cell in self.cells
        )

    def holds(self, record: ChunkRecord) -> bool:
        """Whether a chunk can be one of this run: of a cell's deals, with a row a game."""
        if record.cell >= len(self.cells):
            return False
        cell = self.cells[record.cell]
        begin, end = cell.part or (0, cell.deals)
        inside = begin <= record.first < record.last <= end
        whole = record.games == (record.last - record.first) * cell.seatings
        return inside and whole and set(record.files) == {"games", *self.record}

    @model_validator(mode="after")
    def _agree(self) -> Manifest:
        names = {agent.name for agent in self.agents}
        for number, cell in enumerate(self.cells):
            where = f"cells.{number}"
            if cell.cell != number:
                raise ValueError(f"{where}.cell is {cell.cell}; cells are numbered from 0")
            if cell.variant not in self.variants:
                raise ValueError(f"{where}.variant is {show(cell.variant)}, which is not a variant")
            if not {cell.agent_a, cell.agent_b} <= names:
                raise ValueError(f"{where} names an agent that is not in the list of agents")
        if self.looks and self.looks[-1] >= self.games:
            raise ValueError(f"looks has {self.looks[-1]} games, no fewer than the {self.games}")
        for number, record in enumerate(self.chunks):
            if not self.holds(record):
                raise ValueError(f"chunks.{number} is no chunk of the cells there are")
        for stop in self.stops:
            if stop.cell >= len(self.cells) or stop.units > self.cells[stop.cell].deals:
                raise ValueError(f"stops has cell {stop.cell} and {stop.units} deals, too many")
        if any(tally.cell >= len(self.cells) for tally in self.failures):
            raise ValueError("failures names a cell that is not in the list of cells")
        if self.baseline is not None and self.baseline not in self.variants:
            raise ValueError(f"baseline is {show(self.baseline)}, which is not a variant")
        _ = self.stop  # raises, if it is none
        return self


def resume_line(command: str) -> str:
    """A run's command line with ``--resume``, safe to print."""
    return shell_line([*shlex.split(command), "--resume"])


def differing_keys(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Dotted keys, sorted, in which two experiments' tables are different games."""
    flat_mine, flat_theirs = _flat(mine), _flat(theirs)
    missing = object()
    return sorted(
        bare_key(key)
        for key in {*flat_mine, *flat_theirs}
        if key not in _GAMELESS_KEYS
        and flat_mine.get(key, missing) != flat_theirs.get(key, missing)
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write manifest.json, whole or not at all. Raises `OSError`."""
    body = manifest.model_dump(mode="json")
    whole = body | {"checksum": _checksum(body)}
    lines = (f"{json.dumps(key)}: {_lines(value)}" for key, value in whole.items())
    write_whole(folder / MANIFEST, ("{\n " + ",\n ".join(lines) + "\n}\n").encode())


def _lines(value: Any) -> str:
    """JSON with one entry per line, one level deep.

    People can read it, and ten thousand cells take no time (`json.dumps` with an indent is a
    hundred times slower).
    """
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
    if isinstance(value, dict) and value:
        rows = (f"{json.dumps(key)}: {json.dumps(row)}" for key, row in value.items())
        return "{\n  " + ",\n  ".join(rows) + "\n }"
    return json.dumps(value)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a results folder.

    Raises:
        ResultsError: It is missing, cut or altered, or describes what no run can be.
    """
    path = folder / MANIFEST
    try:
        body = json.loads(read_plain(path, MOST_BYTES))
        checksum = body.pop("checksum")
        if checksum != _checksum(body):
            raise ResultsError(f"{path} is damaged")
        return Manifest.model_validate_json(json.dumps(body))
    except OSError as error:
        raise ResultsError(f"{path} can't be read: {error.strerror}") from None
    except ValidationError as error:
        raise ResultsError(f"{path} is damaged: {_fault(error)}") from None
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise ResultsError(f"{path} is damaged") from None


def _fault(error: ValidationError) -> str:
    """The first fault that was found, in a sentence on one line."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    own = first.get("ctx", {}).get("error")
    complaint = str(own) if own else first["msg"][0].lower() + first["msg"][1:]
    return f"{bare_key(key)} is {show(first['input'])}; {complaint}" if key else complaint


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(body)).hexdigest()


def _canonical(table: Mapping[str, Any]) -> bytes:
    return json.dumps(table, sort_keys=True, separators=(",", ":")).encode()


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
