"""The published variants by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from hanamikoji.rules.action_sets import ACTION_SETS, ACTIONS
from hanamikoji.rules.model import Rules

__all__ = ["ACTIONS", "ACTION_SETS", "PRESETS", "PRESET_NOTES", "PRESET_TABLES"]


class _Preset(NamedTuple):
    note: str
    overrides: dict[str, Any]


_PRESETS = {
    "base": _Preset("the base game", {}),
    "three-round": _Preset("base, decided after round 3 at the latest", {"max_rounds": 3}),
    "three-round-full": _Preset(
        "base, always three rounds: no goal check before round 3",
        {"min_rounds": 3, "max_rounds": 3},
    ),
    "avoid-misfortune": _Preset(
        "the four Avoid Misfortune actions", {"actions": ACTION_SETS["avoid-misfortune"]}
    ),
    "health": _Preset("mini expansion: the Health actions", {"actions": ACTION_SETS["health"]}),
    "serendipity": _Preset(
        "mini expansion: the Serendipity actions", {"actions": ACTION_SETS["serendipity"]}
    ),
    "wealth": _Preset("mini expansion: the Wealth actions", {"actions": ACTION_SETS["wealth"]}),
}

PRESET_NOTES: Mapping[str, str] = MappingProxyType({k: v.note for k, v in _PRESETS.items()})
"""One line on each preset."""

PRESET_TABLES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {name: MappingProxyType(preset.overrides) for name, preset in _PRESETS.items()}
)
"""Where each preset differs from the base game's defaults, as a rules table."""

PRESETS: Mapping[str, Rules] = MappingProxyType(
    {name: Rules(**preset.overrides) for name, preset in _PRESETS.items()}
)
"""The rules of each preset."""
