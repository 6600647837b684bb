"""probe-*.json: how far an agent can be exploited, kept beside the games that it played.

Keys: ``format`` (of this file), the fields of `Probe`, and for people ``bound`` and ``text``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from hanamikoji.errors import ResultsError
from hanamikoji.files import read_plain, write_whole

PROBES = re.compile(r"probe(-.+)?\.json", re.DOTALL)
"""Names of such files in a results folder."""

FORMAT = 2
_MOST_BYTES = 1_000_000

How = Literal["fresh network", "warm-started network", "search that knows the agent"]
FRESH, WARM, SEARCH = get_args(How)

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=10**12)]
Seconds = Annotated[float, Field(ge=0, le=10**9, allow_inf_nan=False)]


@dataclass(frozen=True)
class SeatScore:
    """What an attacker scored from one seat, in half of the games, with its interval."""

    score: Share
    low: Share
    high: Share


@dataclass(frozen=True)
class Attack:
    """What one attacker scored against the agent, in both seatings and from each seat.

    The intervals of an agent's attacks hold jointly at 95 %, those of each kind by themselves.
    """

    how: How
    games: Count
    score: Share
    low: Share
    high: Share
    as_starter: SeatScore
    """The agent was second."""
    as_second: SeatScore
    """The agent started."""


@dataclass(frozen=True)
class Probe:
    """Lower bounds of an agent's exploitability under some rules."""

    agent: str
    """The entry point it was loaded by."""
    version: str
    """Of the distribution that brings it."""
    options: Mapping[str, Any]
    rules: str
    """The rules' hash."""
    rounds: Count
    """Of training, for each network."""
    rollouts: Count
    """Of the search, for each decision."""
    seed: int
    """Of the training."""
    attacks: Annotated[tuple[Attack, ...], Field(min_length=1)]
    weights: str = ""
    """The hash of the weights that the agent played by; empty: it has none."""
    seconds: Seconds = 0.0
    """That all attacks took."""

    @property
    def best(self) -> Attack:
        """The attack that shows most."""
        return max(self.attacks, key=lambda attack: attack.low)

    @property
    def from_starter(self) -> SeatScore:
        """The best attacker's score as starter, the agent being second."""
        return max((attack.as_starter for attack in self.attacks), key=lambda seat: seat.low)

    @property
    def from_second(self) -> SeatScore:
        """The best attacker's score as second, the agent being starter."""
        return max((attack.as_second for attack in self.attacks), key=lambda seat: seat.low)

    @property
    def bound(self) -> float:
        """The agent is beaten with at least this score (95 % for the best of all attacks)."""
        return max(0.5, self.best.low)

    def sentence(self) -> str:
        """The finding in words."""
        best = self.best
        reached = f"{best.score:.1%} ({best.low:.1%} to {best.high:.1%})"
        if self.bound <= 0.5:
            return f"nothing tried beats {self.agent}: the best, a {best.how}, scores {reached}"
        return (
            f"{self.agent} can be beaten with a score of at least {self.bound:.1%}: a {best.how} "
            f"reaches {reached}"
        )


def write_probe(folder: Path, found: Probe) -> Path:
    """Write a probe into a folder and return the file's path.

    It replaces a probe of the same agent, options and rules.

    Raises:
        ResultsError: It can't be written.
    """
    path = probe_path(folder, found.agent, found.options, found.rules)
    table = {"format": FORMAT, **asdict(found), "bound": found.bound, "text": found.sentence()}
    text = json.dumps(table, indent=1, ensure_ascii=False, default=str)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{text}\n".encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ResultsError(f"{path} can't be written: {error.strerror}") from None
    return path


def probe_path(folder: Path, agent: str, options: Mapping[str, Any], rules: str) -> Path:
    """Where a folder keeps the probe of an agent with these options under the rules of a hash."""
    target = json.dumps([agent, dict(options), rules], sort_keys=True, default=str)
    digest = hashlib.sha256(target.encode()).hexdigest()[:8]
    return folder / f"probe-{re.sub(r'[^A-Za-z0-9._-]', '-', agent)}-{digest}.json"


def read_probe(path: Path) -> Probe:
    """Read what `write_probe` wrote.

    Raises:
        ResultsError: It can't be read, is damaged, or is something else.
    """
    try:
        table = json.loads(read_plain(path, _MOST_BYTES))
        if table["format"] != FORMAT:
            raise ValueError
        found = TypeAdapter(Probe).validate_python(table)
        scores = [(a, a.as_starter, a.as_second) for a in found.attacks]
        if any(each.low > each.high for attack in scores for each in attack):
            raise ValueError
    except OSError as error:
        raise ResultsError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ResultsError(f"{path} is damaged, or was not written by hanamikoji probe") from None
    return found
