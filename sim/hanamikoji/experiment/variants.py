"""The variants of an experiment: [rules], overridden by each [variants.NAME] key by key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hanamikoji.errors import ExperimentError, RulesError
from hanamikoji.experiment.model import NAME_PATTERN
from hanamikoji.experiment.settings import rules_table
from hanamikoji.rules import Action, Rules, load_rules
from hanamikoji.rules.loader import load_action, merge_tables
from hanamikoji.rules.sentences import KeyedRulesError, show


def resolve_variants(raw: Mapping[str, Any]) -> dict[str, Rules]:
    """The rules of each variant in raw tables, by name and in their order.

    A variant's keys override those of [rules], inside ``goals`` too. The preset is one of these
    keys: a variant's own replaces that of [rules], and what else [rules] says still stands over it.
    Without [variants] there is one variant, named by its preset if [rules] says nothing else, and
    by the experiment if it does.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    return {name: load() for name, load in variant_loaders(raw).items()}


def variant_loaders(raw: Mapping[str, Any]) -> dict[str, Callable[[], Rules]]:
    """As `resolve_variants`, with a function that loads each variant, so that one may fail alone.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    custom = _custom_actions(raw.get("actions"))
    base = _checked_table("rules", raw.get("rules"))
    if raw.get("variants") is None:
        return {_only_name(raw, base): partial(_load, "", base, base, custom)}
    variants = raw["variants"]
    if not isinstance(variants, Mapping) or not variants:
        raise ExperimentError(
            f"variants is {show(variants) if variants else 'empty'}; it must have a table of rules "
            "for each variant"
        )
    loaders: dict[str, Callable[[], Rules]] = {}
    for name, table in variants.items():
        if not re.fullmatch(NAME_PATTERN, name) or name.endswith("\n"):
            raise ExperimentError(
                f"variants has {show(name)}; a variant's name must be 1 to 100 of the characters "
                "A-Z a-z 0-9 . _ -, and may not begin with a dot"
            )
        own = _checked_table(f"variants.{name}", table)
        loaders[name] = partial(_load, name, merge_tables(base, own), own, custom)
    return loaders


def _only_name(raw: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    if set(base) <= {"preset"}:
        return str(base.get("preset", "base"))
    return str(raw.get("name", "rules"))


def _custom_actions(table: Any) -> dict[str, Action]:
    if table is None:
        return {}
    if not isinstance(table, Mapping):
        raise ExperimentError(
            f"actions is {show(table)}; it must have a table for each action of your own "
            "([actions.NAME]), and rules.actions lists those that are played"
        )
    return {name: load_action(name, row) for name, row in table.items()}


def _checked_table(key: str, table: Any) -> dict[str, Any]:
    if table is not None and not isinstance(table, str | Mapping):
        raise ExperimentError(
            f"{key} is {show(table)}; it must be a table of rules or the name of a preset"
        )
    return rules_table(table)


def _load(
    name: str, table: Mapping[str, Any], own: Mapping[str, Any], custom: Mapping[str, Action]
) -> Rules:
    try:
        return load_rules(table, custom)
    except KeyedRulesError as error:
        parts = error.key.split(".")
        if not name:
            where, of = "rules", ""
        elif _stands_in(own, parts) or not _stands_in(table, parts):
            where, of = f"variants.{name}", ""
        else:
            where, of = "rules", f" (in variant {name})"
        raise RulesError(f"{where}.{error.key}{of} {error.complaint}") from None


def _stands_in(table: Any, parts: list[str]) -> bool:
    """Whether ``table`` has the key, down to the entry of a list."""
    for part in parts:
        if not isinstance(table, Mapping):
            return True
        if part not in table:
            return False
        table = table[part]
    return True
