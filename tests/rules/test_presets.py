from __future__ import annotations

import pytest

from hanamikoji.rules import ACTION_SETS, ACTIONS, PRESETS
from hanamikoji.rules.presets import PRESET_NOTES

# cards, face, groups, chooser, choose, chosen_to, rest_to: read off the tables of the rule texts.
ROWS = {
    "base/secret": (1, "down", (1,), "nobody", 0, None, "actor"),
    "base/trade-off": (2, "down", (2,), "nobody", 0, None, "out"),
    "base/gift": (3, "up", (1, 1, 1), "opponent", 1, "opponent", "actor"),
    "base/competition": (4, "up", (2, 2), "opponent", 1, "opponent", "actor"),
    "avoid-misfortune/concede": (1, "down", (1,), "nobody", 0, None, "opponent"),
    "avoid-misfortune/gift": (2, "up", (1, 1), "opponent", 1, "opponent", "actor"),
    "avoid-misfortune/reveal": (3, "up", (3,), "nobody", 0, None, "actor"),
    "avoid-misfortune/transmission": (4, "down", (1, 1, 1, 1), "chance", 3, "out", "actor"),
    "health/giveaway": (1, "down", (1,), "nobody", 0, None, "opponent"),
    "health/reveal": (2, "up", (2,), "nobody", 0, None, "actor"),
    "health/gift": (3, "up", (1, 1, 1), "opponent", 2, "opponent", "actor"),
    "health/intercept": (4, "up", (1, 1, 1, 1), "opponent", 2, "out", "actor"),
    "serendipity/referral": (1, "down", (1,), "nobody", 0, None, "actor"),
    "serendipity/discard": (2, "down", (2,), "nobody", 0, None, "out"),
    "serendipity/competition": (3, "up", (1, 2), "opponent", 1, "opponent", "actor"),
    "serendipity/gift": (4, "up", (1, 1, 1, 1), "opponent", 1, "opponent", "actor"),
    "wealth/secret": (1, "down", (1,), "nobody", 0, None, "actor"),
    "wealth/gift": (2, "up", (1, 1), "opponent", 1, "opponent", "actor"),
    "wealth/discard": (3, "down", (3,), "nobody", 0, None, "out"),
    "wealth/competition": (4, "up", (2, 2), "opponent", 1, "opponent", "actor"),
}

# A hash names a variant in caches and in published results: it may change only on purpose.
HASHES = {
    "base": "041c4f01ddd5c80c",
    "three-round": "0938764466c2ee7f",
    "three-round-full": "5064c08452612753",
    "avoid-misfortune": "058ff5930feb93a2",
    "health": "0a882381fd6d7704",
    "serendipity": "83813360a2cb8e05",
    "wealth": "fe0f83c5cef9da7d",
}


def test_actions__are_the_published_rows() -> None:
    found = {
        a.name: (a.cards, a.face, a.groups, a.chooser, a.choose, a.chosen_to, a.rest_to)
        for a in ACTIONS.values()
    }
    assert found == ROWS
    assert [a.name for a in ACTIONS.values() if a.exchange] == ["serendipity/referral"]
    assert not any(a.actor_sees for a in ACTIONS.values())


@pytest.mark.parametrize("name", ACTION_SETS)
def test_action_sets__marker_k_takes_k_cards(name: str) -> None:
    assert [action.cards for action in ACTION_SETS[name]] == [1, 2, 3, 4]


def test_presets__are_the_published_variants() -> None:
    assert {name: rules.hash for name, rules in PRESETS.items()} == HASHES
    assert set(PRESET_NOTES) == set(PRESETS)
    base = PRESETS["base"]
    assert base.charm == base.items == (2, 2, 2, 3, 3, 4, 5)
    assert (base.hand, base.removed, base.draw, base.deck_size) == (6, 1, 1, 8)
    assert (base.goals.charm, base.goals.geishas, base.goals.prevails) == (11, 4, "charm")
    assert (base.max_rounds, base.min_rounds, base.round_limit) == (None, 1, 100)
    assert (base.next_starter, base.keep_markers) == ("alternate", True)
    assert (base.cap_tiebreak, base.markers) == (("geishas", "charm"), ("none",) * 7)
    assert PRESETS["three-round"] == base.model_copy(update={"max_rounds": 3})
    full = {"min_rounds": 3, "max_rounds": 3}
    assert PRESETS["three-round-full"] == base.model_copy(update=full)
    for name in ("avoid-misfortune", "health", "serendipity", "wealth"):
        assert PRESETS[name] == base.model_copy(update={"actions": ACTION_SETS[name]})
