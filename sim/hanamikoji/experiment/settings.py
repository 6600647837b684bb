"""Overrides of single keys, for ``--set`` and for the points of a sweep.

A setting is a path into the raw tables of an experiment and a value. The tables are never changed
in place: only those along the path are copied, so that ten thousand points share what they have in
common.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.toml import MOST_BYTES, MOST_DEPTH, check_nesting
from hanamikoji.rules import ACTION_SETS, PRESETS
from hanamikoji.rules.loader import merge_tables
from hanamikoji.rules.sentences import bare_key, show


class Setting(NamedTuple):
    """One key of an experiment and what it shall be."""

    path: tuple[str, ...]
    value: Any

    @property
    def key(self) -> str:
        """The dotted key, as a message shows it."""
        return _dotted(self.path)


def _dotted(path: Iterable[str]) -> str:
    return ".".join(map(bare_key, path))


def parse_setting(text: str) -> Setting:
    """``key=value`` from the command line.

    The key is dotted as in TOML; a number names an entry of a list, the first is 0. The value is
    read as TOML, and as text where it isn't TOML: ``--set games=1000 --set rules.preset=base``.

    Raises `hanamikoji.errors.ExperimentError` with one sentence.
    """
    if len(text) > MOST_BYTES:
        raise ExperimentError(f"--set {show(text)} is longer than {MOST_BYTES:,} characters")
    key, equals, value = text.partition("=")
    if not equals:
        raise ExperimentError(f"--set {show(text)} has no =; it must be key=value")
    return Setting(parse_key(key), _parse_value(value.strip()))


def parse_key(key: str) -> tuple[str, ...]:
    """The parts of a dotted key; a part with a dot or blanks in it is quoted.

    Raises `hanamikoji.errors.ExperimentError` with one sentence.
    """
    parts: list[str] = []
    try:
        check_nesting(key, "the key")
        table: Any = tomllib.loads(f"{key.strip()} = 0")
    except (ValueError, RecursionError, ExperimentError):
        table = None
    while isinstance(table, dict) and len(table) == 1:
        part, table = next(iter(table.items()))
        parts.append(part)
    if table != 0 or not 1 <= len(parts) <= MOST_DEPTH:
        raise ExperimentError(
            f"{show(key)} isn't a key; it must be dotted, such as rules.goals.charm or "
            "agents.1.agent, with quotes around a part that has other characters"
        )
    return tuple(parts)


def _parse_value(text: str) -> Any:
    try:
        check_nesting(text, "the value")
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError, ExperimentError):
        return text
    return table["value"] if len(table) == 1 else text


def apply_settings(raw: Mapping[str, Any], settings: Iterable[Setting]) -> dict[str, Any]:
    """The raw tables with each setting in place.

    Settings apply in their order, but a key after the keys that contain it: ``rules.actions``
    before ``rules.actions.0``. An entry of a list of rules that the tables leave to the preset is
    set in the preset's list.

    Raises `hanamikoji.errors.ExperimentError` when a path leads nowhere.
    """
    tables = dict(raw)
    for setting in sorted(settings, key=lambda setting: len(setting.path)):
        tables = _with(tables, tables, setting, 0)
    return tables


def _with(node: Any, root: Mapping[str, Any], setting: Setting, at: int) -> Any:
    """``node``, which stands at the first ``at`` parts of the path, with the value in place."""
    if at == len(setting.path):
        return setting.value
    part = setting.path[at]
    here = setting.path[:at]
    if _is_rules_list(here) and not isinstance(node, list | tuple) and part.isdecimal():
        node = _list_from_preset(root, here, node)
    elif isinstance(node, str):
        node = _string_as_table(here, node)
    elif node is None:
        node = {}
    if isinstance(node, list | tuple):
        index = _index(here, node, part)
        return [
            _with(item, root, setting, at + 1) if i == index else item
            for i, item in enumerate(node)
        ]
    if isinstance(node, Mapping):
        return {**node, part: _with(node.get(part), root, setting, at + 1)}
    raise ExperimentError(
        f"{setting.key} can't be set: {_dotted(here)} is {show(node)}, which has no keys"
    )


def _index(here: Sequence[str], node: Sequence[Any], part: str) -> int:
    if not part.isdecimal() or len(part) > 9 or int(part) >= len(node):
        last = f", from 0 to {len(node) - 1}" if node else ", which is empty"
        at, parent = _dotted((*here, part)), _dotted(here)
        raise ExperimentError(f"{at} can't be set: it must name an entry of {parent}{last}")
    return int(part)


def _string_as_table(here: Sequence[str], node: str) -> Any:
    if _is_rules_table(here):
        return {"preset": node}
    if len(here) == 2 and here[0] == "agents":
        return {"agent": node}
    return node


def _is_rules_table(here: Sequence[str]) -> bool:
    return tuple(here) == ("rules",) or (len(here) == 2 and here[0] == "variants")


def _is_rules_list(here: Sequence[str]) -> bool:
    return len(here) > 1 and _is_rules_table(here[:-1]) and here[-1] in _LISTS


_LISTS = ("actions", "second_actions", "charm", "items", "markers", "cap_tiebreak")


def _list_from_preset(root: Mapping[str, Any], here: Sequence[str], node: Any) -> Any:
    """The list that a rules key stands for while the tables don't spell it out."""
    key = here[-1]
    table = rules_table(root.get("rules"))
    if here[0] == "variants":
        variants = root.get("variants")
        own = variants.get(here[1]) if isinstance(variants, Mapping) else None
        table = merge_tables(table, rules_table(own))
    if node is None:
        node = table.get(key)
    preset = PRESETS.get(str(table.get("preset", "base")), PRESETS["base"])
    if node in (None, False) and key == "second_actions":
        key, node = "actions", table.get("actions")
    if isinstance(node, str) and node in ACTION_SETS:
        return [action.name for action in ACTION_SETS[node]]
    if node not in (None, False):
        return node
    if key == "actions":
        return [action.name for action in preset.actions]
    charm = table.get("charm", preset.charm)
    if key == "items":
        return charm
    if key == "markers" and isinstance(charm, list | tuple):
        return ["none"] * len(charm)
    return list(getattr(preset, key))


def rules_table(rules: Any) -> dict[str, Any]:
    """A rules table from what stands for it: a table, a preset's name, or nothing (base)."""
    if isinstance(rules, str):
        return {"preset": rules}
    return dict(rules) if isinstance(rules, Mapping) else {}
