"""assurance-*.json: what is known of a variant beside its games, kept in a run's folder.

Its exact value, if it could be solved, and how far independently trained agents agree. Keys:
``format`` (of this file), and the fields of `Assurance`.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from hanamikoji.errors import ResultsError
from hanamikoji.files import read_plain, write_whole
from hanamikoji.results.fields import Line, Name
from hanamikoji.results.probes import Count, SeatScore, Seconds, Share

ASSURANCES = re.compile(r"assurance-.+\.json", re.DOTALL)
"""Names of such files in a results folder."""

FORMAT = 1
_MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class ExactValue:
    """The starter's score when both play perfectly: it lies between the bounds."""

    low: Share
    high: Share
    seconds: Seconds
    """That solving took."""

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class TrainedMirror:
    """The starter's score, with its 95 % interval, where one trained agent plays both seats."""

    seed: Annotated[int, Field(ge=0, lt=2**63)]
    """Of the training."""
    weights: Name
    """Their hash."""
    games: Count
    score: SeatScore


@dataclass(frozen=True)
class Trainings:
    """Two agents trained for the same rules from different seeds, and nothing else different."""

    agent: Name
    """The run's name for the first."""
    first: TrainedMirror
    second: TrainedMirror
    seconds: Seconds
    """That the second training and both mirrors took."""


@dataclass(frozen=True)
class Assurance:
    """What is known of some rules beside their games."""

    rules: Name
    """Their hash."""
    exact: ExactValue | None
    unsolved: Line
    """Why there is no exact value; empty if there is one."""
    trainings: tuple[Trainings, ...] = ()


def write_assurance(folder: Path, found: Assurance) -> Path:
    """Keep it in a folder, whole or not at all; it replaces one of the same rules.

    Raises:
        ResultsError: It can't be written.
    """
    path = folder / assurance_name(found.rules)
    text = json.dumps({"format": FORMAT, **asdict(found)}, indent=1, ensure_ascii=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{text}\n".encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ResultsError(f"{path} can't be written: {error.strerror}") from None
    return path


def assurance_name(rules: str) -> str:
    """The name of the file that is about the rules with this hash."""
    return f"assurance-{rules}.json"


def read_assurance(path: Path) -> Assurance:
    """Read what `write_assurance` wrote.

    Raises:
        ResultsError: It can't be read, is damaged, or is something else.
    """
    try:
        table = json.loads(read_plain(path, _MOST_BYTES))
        if table.pop("format") != FORMAT:
            raise ValueError
        found = TypeAdapter(Assurance).validate_python(table)
        mirrors = [m for each in found.trainings for m in (each.first, each.second)]
        ranges = [mirror.score for mirror in mirrors] + ([found.exact] if found.exact else [])
        if any(each.low > each.high for each in ranges):
            raise ValueError
    except OSError as error:
        raise ResultsError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ResultsError(f"{path} is damaged, or was not written by hanamikoji run") from None
    return found
