"""Rules from a preset's name or from a table as TOML gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hanamikoji.errors import RulesError
from hanamikoji.rules.action import Action
from hanamikoji.rules.action_sets import ACTION_SETS, ACTIONS
from hanamikoji.rules.model import MOST_MARKERS, Goals, Rules
from hanamikoji.rules.presets import PRESET_TABLES, PRESETS
from hanamikoji.rules.sentences import KeyedRulesError, bare_key, nearest, show, unknown_key

RULES_KEYS = ("preset", *Rules.model_fields)
"""Keys of a rules table."""

ACTION_KEYS = tuple(key for key in Action.model_fields if key != "name")
"""Keys of an action's table."""


def load_rules(
    name_or_table: str | Mapping[str, Any],
    custom_actions: Mapping[str, Action] | None = None,
    *,
    name_key: Callable[[str], str] = lambda key: key,
) -> Rules:
    """The rules that a preset's name or a table of rules stands for.

    A table may name a ``preset`` (default: base), which its other keys override one by one, inside
    ``goals`` too. ``actions`` and ``second_actions`` are the name of an action set or a list of
    names, ``set/marker`` or one of ``custom_actions``. ``items`` follow ``charm`` unless given.
    ``name_key`` turns a dotted key of the table into what a message calls it.

    Raises `hanamikoji.errors.RulesError` with one sentence.
    """
    table = {"preset": name_or_table} if isinstance(name_or_table, str) else name_or_table
    try:
        return _rules_of(table, custom_actions or {})
    except KeyedRulesError as error:
        raise RulesError(f"{name_key(error.key)} {error.complaint}") from None


def load_action(name: str, row: object, *, key: str) -> Action:
    """A designer's own action from its table; ``key`` is what a message calls the table.

    Raises `hanamikoji.errors.RulesError` with one sentence.
    """
    if not isinstance(row, Mapping):
        raise RulesError(f"{key} is {show(row)}; it must be a table such as {{ cards = 2, ... }}")
    if "/" in name:
        raise RulesError(f"{key} has a slash in its name; only published actions (set/marker) have")
    unknown = unknown_key(row, ACTION_KEYS)
    if unknown:
        raise RulesError(f"{key}.{bare_key(unknown[0])} {unknown[1]}")
    try:
        return Action(**{**row, "name": name})
    except KeyedRulesError as error:
        at = f"{key}'s name" if error.key == "name" else f"{key}.{error.key}"
        raise RulesError(f"{at} {error.complaint}") from None


def _rules_of(table: Mapping[str, Any], custom: Mapping[str, Action]) -> Rules:
    unknown = unknown_key(table, RULES_KEYS)
    if unknown:
        raise KeyedRulesError(bare_key(unknown[0]), unknown[1])
    preset = table.get("preset", "base")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise KeyedRulesError("preset", f"is {show(preset)}; {nearest(preset, PRESETS)}")
    merged = {**PRESET_TABLES[preset], **{k: v for k, v in table.items() if k != "preset"}}
    for key in ("actions", "second_actions"):
        if key in merged and merged[key] is not False and merged[key] is not None:
            merged[key] = _actions_of(key, merged[key], custom)
    return Rules(**merged)


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
    if isinstance(entry, str) and entry in custom:
        return custom[entry]
    if isinstance(entry, str) and entry in ACTIONS:
        return ACTIONS[entry]
    raise KeyedRulesError(
        key, f"is {show(entry)}, not a known action; {nearest(entry, [*custom, *ACTIONS])}"
    )


__all__ = ["ACTION_KEYS", "RULES_KEYS", "Goals", "load_action", "load_rules"]
