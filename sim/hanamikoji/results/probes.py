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

FORMAT = 1
_MOST_BYTES = 1_000_000

How = Literal["fresh network", "warm-started network", "search that knows the agent"]
FRESH, WARM, SEARCH = get_args(How)

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=10**12)]


@dataclass(frozen=True)
class Attack:
    """What one attacker scored against the agent, in both seatings, with a 95 % interval."""

    how: How
    games: Count
    score: Share
    low: Share
    high: Share


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

    @property
    def best(self) -> Attack:
        """The attack that shows most."""
        return max(self.attacks, key=lambda attack: attack.low)

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
    target = json.dumps([found.agent, found.options, found.rules], sort_keys=True, default=str)
    digest = hashlib.sha256(target.encode()).hexdigest()[:8]
    path = folder / f"probe-{re.sub(r'[^A-Za-z0-9._-]', '-', found.agent)}-{digest}.json"
    table = {"format": FORMAT, **asdict(found), "bound": found.bound, "text": found.sentence()}
    text = json.dumps(table, indent=1, ensure_ascii=False, default=str)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{text}\n".encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ResultsError(f"{path} can't be written: {error.strerror}") from None
    return path


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
        if any(attack.low > attack.high for attack in found.attacks):
            raise ValueError
    except OSError as error:
        raise ResultsError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ResultsError(f"{path} is damaged, or was not written by hanamikoji probe") from None
    return found
