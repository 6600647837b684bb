"""The experiment as the rest of the program sees it: frozen and checked."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PlainValidator, model_validator

from hanamikoji.rules import Rules
from hanamikoji.rules.sentences import FaultError, nearest, show

MOST_GAMES = 10**12
MOST_AGENTS = 100_000
MOST_SEED = 2**63 - 1
MOST_STALL = 7 * 24 * 3600.0
NAME_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$"

MATCHUPS = ("mirror", "round-robin", "gauntlet")

_STALL_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_NAME = "1 to 100 of the characters A-Z a-z 0-9 . _ -, and may not begin with a dot"


def _seconds(value: Any) -> float | None:
    """``stall`` in seconds, from a number or from a text such as ``60s`` or ``2m``."""
    if value is None or value is False:
        return None
    if isinstance(value, str):
        digits = value.rstrip("hms")
        unit = _STALL_UNITS.get(value[len(digits) :])
        if unit is None or not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", digits):
            raise ValueError
        value = float(digits) * unit
    if value is True or not isinstance(value, int | float) or not 0.001 <= value <= MOST_STALL:
        raise ValueError
    return float(value)


Pair = tuple[str, str]
"""The names of two agents that meet."""


def _matchups(value: Any) -> str | tuple[Pair, ...]:
    """A way to pair agents by name, or pairs of agents' names."""
    if isinstance(value, str) and value in MATCHUPS:
        return value
    if not isinstance(value, list | tuple):
        raise ValueError
    for i, pair in enumerate(value):
        named = isinstance(pair, list | tuple) and all(isinstance(name, str) for name in pair)
        if not named or len(pair) != 2:
            raise FaultError(str(i), f"is {show(pair)}; it must be a pair of agents' names")
    return tuple((pair[0], pair[1]) for pair in value)


_BELOW_HALF = "a number above 0 and below 0.5"
_ELO = "a number from -2000 to 2000"
_SCORE = "a number above 0 and below 1"

BelowHalf = Annotated[float, Field(strict=True, gt=0, lt=0.5, allow_inf_nan=False)]
Elo = Annotated[float, Field(strict=True, ge=-2000, le=2000, allow_inf_nan=False)]
Score = Annotated[float, Field(strict=True, gt=0, lt=1, allow_inf_nan=False)]


class AgentUse(BaseModel):
    """An agent as an experiment uses it: its name there, the agent it is, and its options."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(
        min_length=1, max_length=100, description="1 to 100 characters of printable text"
    )
    agent: str = Field(
        min_length=1, max_length=100, description="the name of an agent, such as random"
    )
    options: dict[str, Any] = Field(default={}, description="a table of the agent's options")

    @model_validator(mode="after")
    def _printable(self) -> AgentUse:
        for key, text in (("name", self.name), ("agent", self.agent)):
            if not text.isprintable() or text != text.strip():
                raise FaultError(key, f"is {show(text)}; it must be printable text, not padded")
        return self


class Sprt(BaseModel):
    """A sequential test between two hypotheses on the score, in Elo or in score terms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    elo0: Elo | None = Field(default=None, description=_ELO)
    elo1: Elo | None = Field(default=None, description=_ELO)
    score0: Score | None = Field(default=None, description=_SCORE)
    score1: Score | None = Field(default=None, description=_SCORE)
    alpha: BelowHalf = Field(default=0.05, description=_BELOW_HALF)
    beta: BelowHalf = Field(default=0.05, description=_BELOW_HALF)

    @model_validator(mode="after")
    def _ordered(self) -> Sprt:
        elo = (self.elo0, self.elo1)
        score = (self.score0, self.score1)
        given = [pair for pair in (elo, score) if pair != (None, None)]
        if len(given) != 1 or None in given[0]:
            raise FaultError("", "must have elo0 and elo1, or score0 and score1, and not both")
        low, high = given[0]
        if low is None or high is None or low >= high:
            kind = "elo" if given[0] is elo else "score"
            raise FaultError(f"{kind}0", f"is {low}; it must be less than {kind}1, which is {high}")
        return self


class UntilVerdict(BaseModel):
    """Play until the verdict at the experiment's margin is reached: an empty table."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stop(BaseModel):
    """When a cell may end before its games are played.

    At a verdict, at a precision of the starter's score, or by a sequential test of strength.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: UntilVerdict | None = Field(default=None, description="an empty table: {}")
    precision: BelowHalf | None = Field(default=None, description=_BELOW_HALF)
    sequence: bool = Field(default=False, strict=True, description="true or false")
    sprt: Sprt | None = Field(default=None, description="a table such as { elo0 = 0, elo1 = 10 }")

    @model_validator(mode="after")
    def _one(self) -> Stop:
        rules = (self.verdict, self.precision, self.sprt)
        if sum(rule is not None for rule in rules) != 1:
            raise FaultError("", "must have exactly one of verdict, precision and sprt")
        if self.sequence and self.precision is None:
            raise FaultError("sequence", "is true; it must go with precision")
        return self


class SweptAgent(BaseModel):
    """An agent of a sweep: who it is at other points, and what it is at its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str
    """A name that it shares with what it is at other points."""
    values: dict[str, Any]
    """The swept keys that touch it, and their values."""


class SweepPoints(BaseModel):
    """What a sweep made of an experiment's tables."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variants: dict[str, dict[str, Any]]
    """For each variant the swept keys that touch it, and their values."""
    agents: dict[str, SweptAgent]
    """The agents that the sweep touches, by name."""
    schedule: dict[str, tuple[Pair, ...]] | None
    """For each variant who meets in it; None: the same in all."""
    skipped: dict[str, str]
    """Impossible points by name, with their faults, that were left out as the file says."""


class Experiment(BaseModel):
    """An experiment: which variants, which agents against which, how many games, from which seed.

    ``games`` is per cell; ``variants`` are complete rules in the file's order; ``margin`` is how
    far the starter's score may be from 1/2 in a balanced variant; ``stall`` is in seconds;
    ``points`` describe what a sweep generated: variants, agents and match-ups are those of all
    points; ``source`` is the merged raw tables, from which `build_experiment` makes it again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=NAME_PATTERN, description=_NAME)
    seed: int = Field(
        default=1,
        strict=True,
        ge=0,
        le=MOST_SEED,
        description="a whole number from 0 to 9223372036854775807 (2^63 - 1)",
    )
    games: int = Field(
        default=100_000,
        strict=True,
        ge=1,
        le=MOST_GAMES,
        description=f"a whole number from 1 to {MOST_GAMES}",
    )
    agents: tuple[AgentUse, ...] = Field(
        min_length=1, max_length=MOST_AGENTS, description="a list of at least one agent"
    )
    matchups: Annotated[str | tuple[Pair, ...], PlainValidator(_matchups)] = Field(
        default="mirror",
        description='mirror, round-robin, gauntlet, or a list of pairs such as [["a", "b"]]',
    )
    record: tuple[Literal["rounds", "moves"], ...] = Field(
        default=(), max_length=2, description="a list out of rounds and moves"
    )
    on_error: Literal["stop", "forfeit"] = Field(default="stop", description="stop or forfeit")
    margin: BelowHalf = Field(default=0.01, description=_BELOW_HALF)
    baseline: str | None = Field(default=None, description="the name of a variant")
    stop: Stop | None = Field(default=None, description="a table with verdict, precision or sprt")
    attack: Literal["quick", "none"] = Field(default="quick", description="quick or none")
    stall: Annotated[float | None, PlainValidator(_seconds)] = Field(
        default=None,
        description='a time from 0.001 s to 7 days such as "60s", "2m", "1h" or 60 (seconds)',
    )
    sweep: dict[str, Any] | None = Field(default=None, description="a table")
    # Rules are checked when they are made; as instances they aren't checked a second time.
    variants: dict[str, InstanceOf[Rules]] = Field(description="a table of variants")
    points: SweepPoints | None = Field(default=None, description="the points of a sweep")
    source: dict[str, Any] = Field(default={}, description="the raw tables")

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All match-ups as pairs of agents' names; a mirror has the same name twice."""
        names = [use.name for use in self.agents]
        if self.matchups == "mirror":
            return tuple((name, name) for name in names)
        if self.matchups == "round-robin":
            return tuple(itertools.combinations(names, 2))
        if self.matchups == "gauntlet":
            return tuple((names[0], other) for other in names[1:])
        return () if isinstance(self.matchups, str) else self.matchups

    def pairs_of(self, variant: str) -> tuple[Pair, ...]:
        """The match-ups that are played in a variant: all, unless a sweep says otherwise."""
        if self.points is None or self.points.schedule is None:
            return self.pairs
        return self.points.schedule[variant]

    @property
    def digest(self) -> str:
        """64 hex digits of what determines the results, so that equal digests may share a folder.

        Left out are the name, which is the folder's; ``games``, so that a run can be extended;
        what only the report or the clock depends on: margin (unless its verdict ends cells),
        baseline, attack and stall; and how a sweep says which variants and agents there are.
        """
        kept = {"seed", "agents", "record", "on_error", "stop", "variants"}
        if self.stop is not None and self.stop.verdict is not None:
            kept.add("margin")
        table = self.model_dump(mode="json", include=kept)
        table["record"] = sorted(table["record"])
        table["variants"] = list(table["variants"].items())
        table["pairs"] = self.pairs
        if self.points is not None and self.points.schedule is not None:
            table["schedule"] = list(self.points.schedule.items())
        text = json.dumps(table, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @model_validator(mode="after")
    def _agree(self) -> Experiment:
        self._check_agents()
        self._check_pairs()
        if len(set(self.record)) < len(self.record):
            raise FaultError("record", "names a table twice; rounds and moves may each appear once")
        if self.baseline is not None and self.baseline not in self.variants:
            raise FaultError(
                "baseline",
                f"is {show(self.baseline)}, which is not a variant; "
                f"{nearest(self.baseline, self.variants)}",
            )
        return self

    def _check_agents(self) -> None:
        seen: set[str] = set()
        for i, use in enumerate(self.agents):
            if use.name in seen:
                raise FaultError(
                    f"agents.{i}.name",
                    f"is {show(use.name)}, which another agent has; each must have its own",
                )
            seen.add(use.name)

    def _check_pairs(self) -> None:
        names = [use.name for use in self.agents]
        if self.matchups in ("round-robin", "gauntlet") and len(names) < 2:
            raise FaultError(
                "matchups", f"is {show(self.matchups)} with one agent; it takes at least 2 agents"
            )
        known = set(names)
        seen: set[frozenset[str]] = set()
        for i, pair in enumerate(self.pairs):
            for name in pair:
                if name not in known:
                    raise FaultError(
                        f"matchups.{i}",
                        f"names {show(name)}, which is not an agent here; {nearest(name, names)}",
                    )
            if frozenset(pair) in seen:
                raise FaultError(
                    f"matchups.{i}",
                    f"is {show(pair)}, which is already listed; the order of the two doesn't "
                    "matter",
                )
            seen.add(frozenset(pair))
            if pair[0] != pair[1] and self.games % 2:
                raise FaultError(
                    "games",
                    f"is {self.games}; it must be even where two different agents meet, since "
                    "each deal is played in both seatings",
                )
        if not self.pairs:
            raise FaultError("matchups", "is an empty list; it must have at least one pair")
