from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from hanamikoji.errors import RulesError
from hanamikoji.rules import Action
from hanamikoji.rules.loader import load_action
from strategies import action_rows

OFFER = {"cards": 3, "face": "up", "chooser": "opponent", "chosen_to": "opponent"}


def test_action__defaults_without_a_chooser() -> None:
    action = Action(name="x", cards=3, face="up")
    assert (action.groups, action.chooser, action.choose) == ((3,), "nobody", 0)
    assert (action.chosen_to, action.rest_to) == (None, "actor")


def test_action__defaults_with_a_chooser() -> None:
    action = Action(name="x", **OFFER)
    assert (action.groups, action.choose, action.rest_to) == ((1, 1, 1), 1, "actor")


def test_action__sorts_its_groups() -> None:
    assert Action(name="x", **OFFER, groups=[2, 1]) == Action(name="x", **OFFER, groups=[1, 2])


@given(action_rows())
def test_action__survives_being_written_down(row: dict[str, Any]) -> None:
    action = Action(name="x", **row)
    assert Action(**action.model_dump(mode="json")) == action


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"face": "up"}, "cards is missing; it must be a whole number from 1 to 8"),
        ({"cards": 9, "face": "up"}, "cards is 9; it must be a whole number from 1 to 8"),
        ({"cards": True, "face": "up"}, "cards is true; it must be a whole number"),
        ({"cards": 10**9, "face": "up", "chooser": "chance"}, "cards is 1000000000; it must be"),
        ({"cards": 2}, "face is missing; it must be up or down"),
        ({"cards": 2, "face": "sideways"}, "face is 'sideways'; it must be up or down"),
        ({"cards": 2, "face": "up", "groups": [1, 1]}, "groups is [1, 1]; it may stand only where"),
        ({"cards": 2, "face": "up", "choose": 1}, "choose is 1; it may stand only where"),
        ({"cards": 2, "face": "up", "chosen_to": "out"}, "chosen_to is 'out'; it may stand only"),
        ({**OFFER, "groups": [1, 1]}, "groups is [1, 1]; its sizes must add up to cards, which is"),
        ({**OFFER, "groups": [3]}, "groups is [3]; a chooser needs at least 2 groups"),
        ({**OFFER, "groups": [0, 3]}, "groups.0 is 0; groups must be a list of group sizes"),
        ({**OFFER, "choose": 3}, "choose is 3; with 3 groups it must be from 1 to 2"),
        ({**OFFER, "choose": 0}, "choose is 0; with 3 groups it must be from 1 to 2"),
        ({**OFFER, "chosen_to": None}, "chosen_to is missing; it must be actor, opponent or out"),
        ({**OFFER, "actor_sees": True}, "actor_sees is true; only a face-down action"),
        ({"cards": 2, "face": "up", "exchange": True}, "exchange is true; only an action of 1"),
        ({**OFFER, "exchange": True}, "exchange is true; only an action of 1"),
        ({"cards": 2, "face": "up", "facing": 1}, "facing is not a known key; did you mean face?"),
    ],
)
def test_action__refuses_a_row_that_contradicts_itself(row: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as error:
        Action(name="x", **row)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["", " x", "a\nb", "base/new", "base", "x" * 61])
def test_load_action__refuses_names_that_mislead(name: str) -> None:
    with pytest.raises(RulesError, match=r"^actions\..*name"):
        load_action(name, {"cards": 1, "face": "up"})


def test_load_action__names_the_key_of_a_table() -> None:
    with pytest.raises(RulesError, match=r"^actions\.bribe\.face is 'left'; it must be up or down"):
        load_action("bribe", {"cards": 1, "face": "left"})
    with pytest.raises(RulesError, match=r"^actions\.bribe is 5; it must be a table"):
        load_action("bribe", 5)
    with pytest.raises(RulesError, match=r"^actions\.bribe\.name is not a known key"):
        load_action("bribe", {"cards": 1, "face": "up", "name": "other"})
