"""From a TOML file, or the same as a dict, to a frozen `Experiment`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.model import AgentUse, Experiment
from hanamikoji.experiment.settings import apply_settings, parse_setting
from hanamikoji.experiment.sweep import check_sweep
from hanamikoji.experiment.toml import check_plain, read_toml
from hanamikoji.experiment.variants import resolve_variants
from hanamikoji.rules import Rules
from hanamikoji.rules.loader import RULES_KEYS
from hanamikoji.rules.sentences import complaint_of, show, unknown_key

EXPERIMENT_KEYS = (
    *(key for key in Experiment.model_fields if key not in ("variants", "source")),
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
    """The experiment in a TOML file (or a dict of the same shape), with the command line's say.

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
    if "agents" in fields:
        fields["agents"] = _agent_uses(fields["agents"])
    if fields.get("sweep") is not None:
        check_sweep(fields["sweep"])
    fields["variants"] = resolve_variants(raw)
    try:
        return Experiment(**fields, source=dict(raw))
    except ValidationError as error:
        raise ExperimentError(" ".join(complaint_of(error, Experiment))) from None


def load_variants(path: Path, overrides: Iterable[str] = ()) -> dict[str, Rules]:
    """The variants of an experiment file, or the one of a file that has the keys of [rules] alone.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence.
    """
    raw = read_experiment(path, overrides)
    bare = set(raw) & set(RULES_KEYS) and not set(raw) & set(EXPERIMENT_KEYS) - {"actions"}
    if bare and not isinstance(raw.get("actions"), Mapping):
        check_plain(raw)
        return resolve_variants({"name": path.stem, "rules": raw})
    return build_experiment(raw).variants


def _agent_uses(agents: Any) -> tuple[AgentUse, ...]:
    if not isinstance(agents, list | tuple):
        raise ExperimentError(
            f'agents is {show(agents)}; it must be a list such as ["random", "greedy"]'
        )
    return tuple(_agent_use(f"agents.{i}", entry) for i, entry in enumerate(agents))


def _agent_use(key: str, entry: Any) -> AgentUse:
    if isinstance(entry, str):
        entry = {"agent": entry}
    if not isinstance(entry, Mapping):
        raise ExperimentError(
            f"{key} is {show(entry)}; it must be an agent's name or a table such as "
            '{ agent = "greedy" }'
        )
    if "agent" not in entry:
        raise ExperimentError(f"{key}.agent is missing; it must be the name of an agent")
    options = {k: v for k, v in entry.items() if k not in ("name", "agent")}
    try:
        return AgentUse(
            name=entry.get("name", entry["agent"]), agent=entry["agent"], options=options
        )
    except ValidationError as error:
        at, complaint = complaint_of(error, AgentUse)
        at = "agent" if at == "name" and "name" not in entry else at
        raise ExperimentError(f"{key}.{at} {complaint}") from None
