"""From a TOML file, or the same as a dict, to a frozen `Experiment`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.agents import agent_uses
from hanamikoji.experiment.model import Experiment
from hanamikoji.experiment.settings import apply_settings, parse_setting
from hanamikoji.experiment.sweep import check_sweep, expand
from hanamikoji.experiment.toml import check_plain, read_toml
from hanamikoji.experiment.variants import resolve_variants
from hanamikoji.rules import PRESETS, Rules, load_rules
from hanamikoji.rules.loader import RULES_KEYS
from hanamikoji.rules.sentences import complaint_of, unknown_key

_MADE = ("variants", "points", "source")  # fields that are made of the file, not read from it

EXPERIMENT_KEYS = (
    *(key for key in Experiment.model_fields if key not in _MADE),
    "rules",
    "actions",
    "variants",
)
"""Keys at the top of an experiment file."""


def load_experiment(
    origin: Path | str | Mapping[str, Any],
    overrides: Iterable[str] = (),
    games: int | None = None,
    seed: int | None = None,
) -> Experiment:
    """The experiment in a TOML file (or a dict of the same shape), with overrides.

    ``overrides`` are texts ``key=value`` as for ``--set``; ``games`` and ``seed`` override even
    those.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    return build_experiment(read_experiment(origin, overrides, games, seed))


def read_experiment(
    origin: Path | str | Mapping[str, Any],
    overrides: Iterable[str] = (),
    games: int | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """The raw tables of an experiment with overrides applied, not yet checked."""
    raw = dict(origin) if isinstance(origin, Mapping) else read_toml(Path(origin))
    raw = apply_settings(raw, [parse_setting(text) for text in overrides])
    given = {"games": games, "seed": seed}
    return raw | {key: value for key, value in given.items() if value is not None}


def build_experiment(raw: Mapping[str, Any]) -> Experiment:
    """The experiment that raw tables describe.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    unknown = unknown_key(raw, EXPERIMENT_KEYS)
    if unknown:
        raise ExperimentError(" ".join(unknown))
    check_plain(dict(raw))
    fields = {key: value for key, value in raw.items() if key not in ("rules", "actions")}
    if fields.get("sweep") is None:
        if "agents" in fields:
            fields["agents"] = agent_uses(fields["agents"])
        fields["variants"] = resolve_variants(raw)
    else:
        check_sweep(fields["sweep"])
        fields |= expand(raw)
    try:
        return Experiment(**fields, source=dict(raw))
    except ValidationError as error:
        raise ExperimentError(" ".join(complaint_of(error, Experiment))) from None


def load_variants(source: str | Path, overrides: Iterable[str] = ()) -> dict[str, Rules]:
    """The variants, by name, that `read_variants` finds.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    raw = read_variants(source, overrides)
    if set(raw) == {"name", "rules"}:
        return resolve_variants(raw)
    return build_experiment(raw).variants


def read_variants(source: str | Path, overrides: Iterable[str] = ()) -> dict[str, Any]:
    """The raw tables of an experiment file.

    For a preset's name or a file with the keys of [rules] alone they are a ``name`` and ``rules``.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    path, overrides = Path(source), list(overrides)
    is_file = isinstance(source, Path) or path.suffix == ".toml" or path.exists()
    if not overrides and (source in PRESETS or not is_file):
        load_rules(str(source))  # refuses an unknown name
        return {"name": str(source), "rules": str(source)}
    raw = read_experiment(path, overrides)
    bare = set(raw) & set(RULES_KEYS) and not set(raw) & set(EXPERIMENT_KEYS) - {"actions"}
    if bare and not isinstance(raw.get("actions"), Mapping):
        check_plain(raw)
        return {"name": path.stem, "rules": raw}
    return raw
