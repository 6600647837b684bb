"""Each knob of the rules alters some game: the same agents, seed and deals, one setting changed."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from engine.drive import any_kind, followed
from engine.seats import AskedBy
from hanamikoji.engine import Match
from hanamikoji.engine.seat import Batch
from hanamikoji.rules import Action, Goals, Rules, load_rules
from modes import sized

Table = dict[str, Any]

BLIND = {"name": "own", "cards": 3, "face": "down", "chooser": "chance", "chosen_to": "out"}
OFFER = {"name": "own", "cards": 3, "face": "up", "chooser": "opponent", "chosen_to": "opponent"}
PLAIN = {"name": "own", "cards": 1, "face": "down"}


def with_own(row: Table) -> Table:
    """Base rules with an action of one's own for the first marker."""
    return {"actions": [row, "base/trade-off", "base/gift", "base/secret"]}


KNOBS: dict[str, tuple[Table, Table]] = {
    "charm": ({}, {"charm": [5, 4, 3, 3, 2, 2, 2], "items": [2, 2, 2, 3, 3, 4, 5]}),
    "items": ({}, {"items": [3, 3, 3, 3, 3, 3, 3]}),
    "hand": ({"removed": 0}, {"removed": 0, "hand": 5, "actions": ["base/secret", "base/gift"]}),
    "removed": ({}, {"removed": 0}),
    "draw": (
        {"actions": ["base/secret", "base/gift"]},
        {"actions": ["base/secret", "base/gift"], "draw": 2},
    ),
    "actions": ({}, {"actions": "avoid-misfortune"}),
    "second_actions": ({}, {"second_actions": "wealth"}),
    "goals": ({}, {"goals": {"charm": 13}}),
    "goals.charm": ({}, {"goals": {"charm": False}}),
    "goals.geishas": ({}, {"goals": {"geishas": 5}}),
    "goals.prevails": ({}, {"goals": {"prevails": "geishas"}}),
    "max_rounds": ({}, {"max_rounds": 2}),
    "min_rounds": ({}, {"min_rounds": 2}),
    "cap_tiebreak": ({"max_rounds": 1}, {"max_rounds": 1, "cap_tiebreak": ["charm"]}),
    "cap_tiebreak highest-geisha": (
        {"max_rounds": 1}, {"max_rounds": 1, "cap_tiebreak": ["highest-geisha"]},
    ),
    "cap_tiebreak order": (
        {"max_rounds": 1}, {"max_rounds": 1, "cap_tiebreak": ["charm", "geishas"]},
    ),
    "next_starter same": ({}, {"next_starter": "same"}),
    "next_starter winner": ({}, {"next_starter": "winner"}),
    "next_starter loser": ({"next_starter": "winner"}, {"next_starter": "loser"}),
    "next_starter": ({}, {"next_starter": "random"}),
    "keep_markers": ({}, {"keep_markers": False}),
    "markers": ({}, {"markers": ["starter", "second", *["none"] * 5]}),
    "round_limit": ({}, {"round_limit": 2}),
    "action.cards": (
        with_own(PLAIN | {"rest_to": "out"}), with_own(PLAIN | {"cards": 2, "rest_to": "out"}),
    ),
    "action.face": (with_own(PLAIN), with_own(PLAIN | {"face": "up"})),
    "action.groups": (with_own(OFFER), with_own(OFFER | {"groups": [1, 2]})),
    "action.chooser": (with_own(OFFER), with_own(OFFER | {"chooser": "chance"})),
    "action.choose": (with_own(OFFER), with_own(OFFER | {"choose": 2})),
    "action.chosen_to": (with_own(OFFER), with_own(OFFER | {"chosen_to": "out"})),
    "action.rest_to": (with_own(OFFER), with_own(OFFER | {"rest_to": "out"})),
    "action.actor_sees": (with_own(BLIND), with_own(BLIND | {"actor_sees": True})),
    "action.exchange": (with_own(PLAIN), with_own(PLAIN | {"exchange": True})),
}  # fmt: skip


def by_sight(batch: Batch) -> np.ndarray:
    """A legal id that depends on all that is seen: what differs to the eye alters the game."""
    sights = [zlib.crc32(view.tobytes()) for view in batch.views]
    counts = np.diff(batch.offsets)
    return batch.ids[batch.offsets[:-1] + np.array(sights) % counts]


def by_luck(batch: Batch) -> np.ndarray:
    """A legal id that depends on the random word and on how many there are."""
    counts = np.diff(batch.offsets)
    picks = (batch.words % counts.astype(np.uint64)).astype(np.int64)
    return batch.ids[batch.offsets[:-1] + picks]


def games(table: Table, choose: Any) -> list[bytes]:
    seat = AskedBy("x", choose)
    played = Match(load_rules({"preset": "base", **table}), (seat, seat), 1).play(
        0, sized(300, 15), record=["moves"]
    )
    return [column.tobytes() for part in (played.games, played.moves) for column in part.values()]


@pytest.mark.parametrize("knob", KNOBS)
def test_knob__alters_some_game(knob: str) -> None:
    """What only informs (a face, what the actor sees) alters the games of those who look."""
    before, after = KNOBS[knob]
    choose = by_sight if knob in ("action.face", "action.actor_sees") else by_luck
    assert games(before, choose) != games(after, choose)


@pytest.mark.parametrize("knob", KNOBS)
def test_knob__as_the_referee_has_it(knob: str) -> None:
    for deal in range(sized(6, 1)):
        followed(load_rules({"preset": "base", **KNOBS[knob][1]}), deal, any_kind)


def test_knobs__all_are_in_the_table() -> None:
    fields = {
        *Rules.model_fields,
        *(f"goals.{name}" for name in Goals.model_fields),
        *(f"action.{name}" for name in Action.model_fields if name != "name"),
    }
    assert {knob.split()[0] for knob in KNOBS} == fields
