"""Rules from a preset's name or from a table as TOML gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanamikoji.errors import RulesError
from hanamikoji.rules.action import Action
from hanamikoji.rules.action_sets import ACTION_SETS, ACTIONS
from hanamikoji.rules.model import MOST_MARKERS, Rules
from hanamikoji.rules.presets import PRESET_TABLES, PRESETS
from hanamikoji.rules.sentences import (
    LONGEST_SHOWN,
    KeyedRulesError,
    bare_key,
    nearest,
    show,
    unknown_key,
)

RULES_KEYS = ("preset", *Rules.model_fields)
"""Keys of a rules table."""

ACTION_KEYS = tuple(key for key in Action.model_fields if key != "name")
"""Keys of an action's table."""


def load_rules(
    name_or_table: str | Mapping[str, Any],
    custom_actions: Mapping[str, Action] | None = None,
) -> Rules:
    """The rules that a preset's name or a table of rules describes.

    A table may name a ``preset`` (default: base), which its other keys override one by one, inside
    ``goals`` too. ``actions`` and ``second_actions`` are the name of an action set or a list of
    names, ``set/marker`` or one of ``custom_actions``; full rows may be in the list too.
    ``items`` follow ``charm`` unless given.

    Raises `hanamikoji.errors.RulesError` with one sentence that begins with the key at fault.
    """
    table = {"preset": name_or_table} if isinstance(name_or_table, str) else name_or_table
    unknown = unknown_key(table, RULES_KEYS)
    if unknown:
        raise KeyedRulesError(*unknown)
    preset = table.get("preset", "base")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise KeyedRulesError("preset", f"is {show(preset)}; {nearest(preset, PRESETS)}")
    merged = merge_tables(PRESET_TABLES[preset], {k: v for k, v in table.items() if k != "preset"})
    for key in ("actions", "second_actions"):
        if merged.get(key) not in (None, False):
            merged[key] = _actions_of(key, merged[key], custom_actions or {})
    return Rules(**merged)


def load_action(name: str, row: object) -> Action:
    """A designer's own action from its name and its table.

    Raises `hanamikoji.errors.RulesError` with one sentence that begins with ``actions.NAME``.
    """
    key = f"actions.{bare_key(name)}"
    if not isinstance(row, Mapping):
        raise RulesError(f"{key} is {show(row)}; it must be a table with cards, face and so on")
    if not 1 <= len(name) <= LONGEST_SHOWN or not name.isprintable() or name != name.strip():
        raise RulesError(
            f"{key} has a name that can't be used; it must be 1 to {LONGEST_SHOWN} characters of "
            "printable text, not padded"
        )
    if "/" in name or name in ACTION_SETS:
        raise RulesError(f"{key} has the name of a published action or set; it must be a new one")
    unknown = unknown_key(row, ACTION_KEYS)
    if unknown:
        raise RulesError(f"{key}.{unknown[0]} {unknown[1]}")
    try:
        return Action(**{**row, "name": name})
    except KeyedRulesError as error:
        raise RulesError(f"{key}.{error.key} {error.complaint}") from None


def merge_tables(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """``lower`` with the keys of ``upper`` over it, key by key inside tables, lists as a whole."""
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[key] = merge_tables(below, value)
        else:
            merged[key] = value
    return merged


def _actions_of(key: str, value: Any, custom: Mapping[str, Action]) -> tuple[Action, ...]:
    if isinstance(value, str):
        if value not in ACTION_SETS:
            raise KeyedRulesError(key, f"is {show(value)}; {nearest(value, ACTION_SETS)}")
        return ACTION_SETS[value]
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST_MARKERS:
        expected = Rules.model_fields[key].description
        raise KeyedRulesError(key, f"is {show(value)}; it must be {expected}")
    return tuple(_action_of(f"{key}.{i}", entry, custom) for i, entry in enumerate(value))


def _action_of(key: str, entry: Any, custom: Mapping[str, Action]) -> Action:
    if isinstance(entry, Action):
        return entry
    if isinstance(entry, str):
        known = {**ACTIONS, **custom}
        if entry in known:
            return known[entry]
        raise KeyedRulesError(key, f"is {show(entry)}; {nearest(entry, [*custom, *ACTIONS])}")
    if not isinstance(entry, Mapping):
        raise KeyedRulesError(key, f"is {show(entry)}; it must be the name of an action")
    try:
        return Action(**entry)
    except KeyedRulesError as error:
        raise KeyedRulesError(f"{key}.{error.key}", error.complaint) from None
