"""The published action sets as rows: the base game, Avoid Misfortune and three mini expansions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hanamikoji.rules.action import Action

_OFFER: dict[str, Any] = {"face": "up", "chooser": "opponent"}

# Marker k of every set takes k cards, so that markers of different sets can replace each other.
_ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "base": (
        {"name": "secret", "cards": 1, "face": "down"},
        {"name": "trade-off", "cards": 2, "face": "down", "rest_to": "out"},
        {"name": "gift", "cards": 3, **_OFFER, "chosen_to": "opponent"},
        {"name": "competition", "cards": 4, **_OFFER, "groups": (2, 2), "chosen_to": "opponent"},
    ),
    "avoid-misfortune": (
        {"name": "concede", "cards": 1, "face": "down", "rest_to": "opponent"},
        {"name": "gift", "cards": 2, **_OFFER, "chosen_to": "opponent"},
        {"name": "reveal", "cards": 3, "face": "up"},
        # The opponent discards 3 unseen: chance decides, not the opponent.
        {
            "name": "transmission",
            "cards": 4,
            "face": "down",
            "chooser": "chance",
            "choose": 3,
            "chosen_to": "out",
        },
    ),
    "health": (
        {"name": "giveaway", "cards": 1, "face": "down", "rest_to": "opponent"},
        {"name": "reveal", "cards": 2, "face": "up"},
        {"name": "gift", "cards": 3, **_OFFER, "choose": 2, "chosen_to": "opponent"},
        {"name": "intercept", "cards": 4, **_OFFER, "choose": 2, "chosen_to": "out"},
    ),
    "serendipity": (
        {"name": "referral", "cards": 1, "face": "down", "exchange": True},
        {"name": "discard", "cards": 2, "face": "down", "rest_to": "out"},
        {"name": "competition", "cards": 3, **_OFFER, "groups": (1, 2), "chosen_to": "opponent"},
        {"name": "gift", "cards": 4, **_OFFER, "chosen_to": "opponent"},
    ),
    "wealth": (
        {"name": "secret", "cards": 1, "face": "down"},
        {"name": "gift", "cards": 2, **_OFFER, "chosen_to": "opponent"},
        {"name": "discard", "cards": 3, "face": "down", "rest_to": "out"},
        {"name": "competition", "cards": 4, **_OFFER, "groups": (2, 2), "chosen_to": "opponent"},
    ),
}

ACTION_SETS: Mapping[str, tuple[Action, ...]] = MappingProxyType(
    {
        name: tuple(Action(**{**row, "name": f"{name}/{row['name']}"}) for row in rows)
        for name, rows in _ROWS.items()
    }
)
"""The four markers of each set, in the order of their cards."""

ACTIONS: Mapping[str, Action] = MappingProxyType(
    {action.name: action for actions in ACTION_SETS.values() for action in actions}
)
"""Every published marker by its name ``set/marker``."""
