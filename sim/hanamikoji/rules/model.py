"""The rules of a variant: frozen, complete, checked; the defaults are the base game's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    field_validator,
    model_validator,
)

from hanamikoji.rules.action import Action
from hanamikoji.rules.action_sets import ACTION_SETS
from hanamikoji.rules.arithmetic import find_fault
from hanamikoji.rules.sentences import FaultError, KeyedRulesError, complaint_of

MOST_GEISHAS = 16
MOST_CHARM = 99
MOST_ITEMS = 15
MOST_CARDS_IN_GAME = 200
MOST_MARKERS = 8
MOST_ROUNDS = 10_000

TieBreak = Literal["geishas", "charm", "highest-geisha"]
NextStarter = Literal["alternate", "same", "winner", "loser", "random"]
MarkerOwner = Literal["starter", "second", "none"]


def _count_or_off(value: Any) -> int | Literal[False]:
    """A goal: a count of at least 1, or ``False`` for off."""
    if value is False or (type(value) is int and value >= 1):
        return value
    raise ValueError


def _cap(value: Any) -> int | None:
    """``max_rounds``: a count, or None; TOML has no null, so ``false`` means None."""
    if value is None or value is False:
        return None
    if type(value) is int and 1 <= value <= MOST_ROUNDS:
        return value
    raise ValueError


_GOAL = "a whole number of at least 1, or false for no goal"
_TO_99 = "a whole number from 0 to 99"

Goal = Annotated[int | Literal[False], PlainValidator(_count_or_off)]


def _check_charm_as_items(charms: Sequence[Any]) -> None:
    for i, charm in enumerate(charms):
        if type(charm) is int and (charm == 0 or MOST_ITEMS < charm <= MOST_CHARM):
            raise FaultError(
                "items",
                f"is missing; it may be left out only where every charm is from 1 to {MOST_ITEMS},"
                f" and charm.{i} is {charm}",
            )


class Goals(BaseModel):
    """What wins a game at the end of a round: enough charm, or enough geishas, or either."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    charm: Goal = Field(default=11, description=_GOAL)
    geishas: Goal = Field(default=4, description=_GOAL)
    prevails: Literal["charm", "geishas"] = Field(
        default="charm", description="charm or geishas: the goal that wins over the other"
    )


class Rules(BaseModel):
    """Everything that defines a variant; ``Rules()`` is the base game.

    ``charm``, ``items`` and ``markers`` have one entry per geisha. ``second_actions`` (none: the
    same as ``actions``) are the markers of whoever is second in a round, ``markers`` say who holds
    each victory marker when the game begins, by role in the game.

    Raises `hanamikoji.errors.RulesError` when such a game can't be played.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    charm: tuple[Annotated[int, Field(strict=True, ge=0, le=MOST_CHARM)], ...] = Field(
        default=(2, 2, 2, 3, 3, 4, 5),
        min_length=1,
        max_length=MOST_GEISHAS,
        description=f"a list of 1 to {MOST_GEISHAS} whole numbers from 0 to {MOST_CHARM}",
    )
    items: tuple[Annotated[int, Field(strict=True, ge=1, le=MOST_ITEMS)], ...] = Field(
        min_length=1,
        max_length=MOST_GEISHAS,
        description=f"a list with a whole number from 1 to {MOST_ITEMS} for each geisha",
    )
    hand: int = Field(default=6, strict=True, ge=0, le=99, description=_TO_99)
    removed: int = Field(default=1, strict=True, ge=0, le=99, description=_TO_99)
    draw: int = Field(default=1, strict=True, ge=0, le=99, description=_TO_99)
    actions: tuple[Action, ...] = Field(
        default=ACTION_SETS["base"],
        min_length=1,
        max_length=MOST_MARKERS,
        description=f"the name of an action set or a list of 1 to {MOST_MARKERS} actions",
    )
    second_actions: tuple[Action, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_MARKERS,
        description=(
            f"the name of an action set, a list of 1 to {MOST_MARKERS} actions, or false for the "
            "same as actions"
        ),
    )
    goals: Goals = Field(default=Goals(), description="a table with charm, geishas and prevails")
    max_rounds: Annotated[int | None, PlainValidator(_cap)] = Field(
        default=None, description=f"a whole number from 1 to {MOST_ROUNDS}, or false for no cap"
    )
    min_rounds: int = Field(
        default=1,
        strict=True,
        ge=1,
        le=MOST_ROUNDS,
        description=f"a whole number from 1 to {MOST_ROUNDS}",
    )
    cap_tiebreak: tuple[TieBreak, ...] = Field(
        default=("geishas", "charm"),
        max_length=3,
        description="a list out of geishas, charm and highest-geisha, each at most once",
    )
    next_starter: NextStarter = Field(
        default="alternate", description="alternate, same, winner, loser or random"
    )
    keep_markers: bool = Field(default=True, strict=True, description="true or false")
    markers: tuple[MarkerOwner, ...] = Field(
        min_length=1,
        max_length=MOST_GEISHAS,
        description="a list with starter, second or none for each geisha",
    )
    round_limit: int = Field(
        default=100,
        strict=True,
        ge=1,
        le=MOST_ROUNDS,
        description=f"a whole number from 1 to {MOST_ROUNDS}",
    )

    def __init__(self, /, **table: Any) -> None:
        try:
            super().__init__(**table)
        except ValidationError as error:
            raise KeyedRulesError(*complaint_of(error, type(self))) from None

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, table: dict[str, Any]) -> dict[str, Any]:
        filled = dict(table)
        charm = filled.get("charm", cls.model_fields["charm"].default)
        charms = charm if isinstance(charm, list | tuple) and charm else (1,)
        filled.setdefault("markers", ("none",) * min(len(charms), MOST_GEISHAS))
        if filled.setdefault("items", charms) is charms:
            _check_charm_as_items(charms)
        return filled

    @field_validator("second_actions", mode="before")
    @classmethod
    def _same_actions(cls, value: Any) -> Any:
        return None if value is False else value

    @model_validator(mode="after")
    def _playable(self) -> Rules:
        fault = find_fault(self)
        if fault is not None:
            raise FaultError(*fault)
        return self

    @property
    def kinds(self) -> tuple[Action, ...]:
        """The different actions, in order of first appearance in actions, then second_actions."""
        by_name = {action.name: action for action in (*self.actions, *(self.second_actions or ()))}
        return tuple(by_name.values())

    @property
    def marker_lists(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """For a round's starter and second, the kind of each marker in the order of the list."""
        index = {kind.name: i for i, kind in enumerate(self.kinds)}
        first = tuple(index[action.name] for action in self.actions)
        if self.second_actions is None:
            return first, first
        return first, tuple(index[action.name] for action in self.second_actions)

    @property
    def marker_counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """For a round's starter and second, how many markers there are of each kind."""
        kinds = range(len(self.kinds))
        first, second = self.marker_lists
        return tuple(first.count(k) for k in kinds), tuple(second.count(k) for k in kinds)

    @property
    def total_items(self) -> int:
        """Item cards in the game."""
        return sum(self.items)

    @property
    def deck_size(self) -> int:
        """Cards in the deck after the deal."""
        return self.total_items - self.removed - 2 * self.hand

    @property
    def hash(self) -> str:
        """16 hex digits that identify the variant by what can happen in it, names left out."""
        text = json.dumps(self._canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _canonical(self) -> dict[str, Any]:
        table = self.model_dump(mode="json", exclude={"actions", "second_actions"})
        table["kinds"] = [kind.model_dump(mode="json", exclude={"name"}) for kind in self.kinds]
        table["marker_lists"] = self.marker_lists
        return table
