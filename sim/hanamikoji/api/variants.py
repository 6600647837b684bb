"""Rules by name, file or table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hanamikoji.errors import RulesError
from hanamikoji.experiment import load_variants
from hanamikoji.rules import PRESETS, Rules, load_rules

__all__ = ["PRESETS", "Rules", "RulesSource", "rules", "variants"]

RulesSource = str | Path | Mapping[str, Any] | Rules
"""What rules can be given as: a preset's name, a TOML file, a table, or loaded."""


def rules(source: RulesSource) -> Rules:
    """The rules of one variant.

    Args:
        source: A preset's name (see `PRESETS`), a TOML file with one variant, or a table with the
            keys of ``[rules]``.

    Raises:
        HanamikojiError: There are no such rules, or they can't be played; the sentence names the
            key, the value and what would be accepted.

    >>> import hanamikoji
    >>> hanamikoji.rules("three-round").max_rounds
    3
    >>> house = hanamikoji.rules({"preset": "base", "goals": {"charm": 10}})
    >>> house.goals.charm, house.hash == hanamikoji.PRESETS["base"].hash
    (10, False)
    """
    if isinstance(source, Rules):
        return source
    if isinstance(source, Mapping):
        return load_rules(source)
    found = variants(source)
    if len(found) > 1:
        raise RulesError(f"{source} has {len(found)} variants; it must have one")
    return next(iter(found.values()))


def variants(source: str | Path, overrides: Iterable[str] = ()) -> dict[str, Rules]:
    """The variants that a preset's name or a TOML file stands for, by name.

    Args:
        source: A preset's name, an experiment file, or a file with the keys of ``[rules]`` alone.
        overrides: ``key=value`` texts, as for ``--set``; for a file.

    Raises:
        HanamikojiError: There is no such preset or file, or its rules can't be played.

    >>> list(variants("base"))
    ['base']
    """
    return load_variants(source, overrides)
