"""An action marker as a row of data: what leaves the hand, who chooses, and where the cards go."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hanamikoji.rules.sentences import FaultError, KeyedRulesError, complaint_of, show

MOST_CARDS = 8
"""Cards that one action may take from the hand."""

Face = Literal["up", "down"]
Chooser = Literal["nobody", "opponent", "chance"]
Place = Literal["actor", "opponent", "out"]

_PLACES = "actor, opponent or out"
_SIZE = Field(strict=True, ge=1, le=MOST_CARDS)


class Action(BaseModel):
    """One kind of action marker.

    The actor takes ``cards`` from the hand and divides them into ``groups`` (sizes; groups of equal
    size are interchangeable). With a chooser, ``choose`` of the groups go to ``chosen_to`` and the
    others to ``rest_to``; with ``nobody``, all cards are one group that goes to ``rest_to``.
    Face-down cards that land on a side count at scoring; ``out`` is out of the round.

    Raises `hanamikoji.errors.RulesError` when the row contradicts itself.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(
        min_length=1,
        max_length=100,
        description="the action's name, 1 to 100 characters of printable text",
    )
    cards: int = Field(
        strict=True,
        ge=1,
        le=MOST_CARDS,
        description=f"a whole number from 1 to {MOST_CARDS}: how many cards leave the hand",
    )
    face: Face = Field(description="up or down")
    groups: tuple[Annotated[int, _SIZE], ...] = Field(
        description="a list of group sizes that add up to cards, such as [1, 2]"
    )
    chooser: Chooser = Field(default="nobody", description="nobody, opponent or chance")
    choose: int = Field(
        strict=True,
        ge=0,
        le=MOST_CARDS,
        description="how many groups are chosen: at least 1, fewer than there are groups",
    )
    chosen_to: Place | None = Field(description=f"{_PLACES}: where the chosen groups go")
    rest_to: Place = Field(default="actor", description=f"{_PLACES}: where the other cards go")
    actor_sees: bool = Field(
        default=False,
        strict=True,
        description="true or false: whether the actor learns a face-down choice",
    )
    exchange: bool = Field(
        default=False,
        strict=True,
        description="true or false: whether the card goes under the deck for the top one",
    )

    def __init__(self, /, **row: Any) -> None:
        try:
            super().__init__(**row)
        except ValidationError as error:
            raise KeyedRulesError(*complaint_of(error, type(self))) from None

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, row: dict[str, Any]) -> dict[str, Any]:
        filled = dict(row)
        cards = filled.get("cards")
        sizes = (1,) * cards if type(cards) is int and 1 <= cards <= MOST_CARDS else ()
        if filled.get("chooser", "nobody") == "nobody":
            filled.setdefault("choose", 0)
            filled.setdefault("chosen_to", None)
            filled.setdefault("groups", (sum(sizes),) if sizes else ())
        else:
            filled.setdefault("choose", 1)
            filled.setdefault("groups", sizes)
        groups = filled["groups"]
        if isinstance(groups, list | tuple) and all(type(size) is int for size in groups):
            filled["groups"] = tuple(sorted(groups))
        return filled

    @model_validator(mode="after")
    def _agree(self) -> Action:
        if not self.name.isprintable() or self.name != self.name.strip():
            raise FaultError("name", f"is {show(self.name)}; it must be printable text, not padded")
        if self.chooser == "nobody":
            self._check_unchosen()
        else:
            self._check_chosen()
        if self.actor_sees and (self.face == "up" or self.chooser == "nobody"):
            raise FaultError(
                "actor_sees", "is true; only a face-down action with a chooser can have it so"
            )
        if self.exchange and (self.cards != 1 or self.chooser != "nobody"):
            raise FaultError(
                "exchange", "is true; only an action of 1 card and no chooser can have it so"
            )
        return self

    def _check_unchosen(self) -> None:
        unchosen = "it may stand only where chooser is opponent or chance"
        if self.groups != (self.cards,):
            raise FaultError("groups", f"is {show(self.groups)}; {unchosen}")
        if self.choose != 0:
            raise FaultError("choose", f"is {self.choose}; {unchosen}")
        if self.chosen_to is not None:
            raise FaultError("chosen_to", f"is {show(self.chosen_to)}; {unchosen}")

    def _check_chosen(self) -> None:
        if sum(self.groups) != self.cards:
            raise FaultError(
                "groups",
                f"is {show(self.groups)}; its sizes must add up to cards, which is {self.cards}",
            )
        if len(self.groups) < 2:
            raise FaultError(
                "groups",
                f"is {show(self.groups)}; a chooser needs at least 2 groups to choose from",
            )
        if not 1 <= self.choose < len(self.groups):
            raise FaultError(
                "choose",
                f"is {self.choose}; with {len(self.groups)} groups it must be from 1 to "
                f"{len(self.groups) - 1}",
            )
        if self.chosen_to is None:
            raise FaultError("chosen_to", f"is missing; it must be {_PLACES}")
