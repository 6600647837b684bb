"""Who plays at the points of a sweep: agents under names of their own, and their match-ups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from hanamikoji.errors import ExperimentError, HanamikojiError
from hanamikoji.experiment.agents import agent_uses
from hanamikoji.experiment.model import AgentUse, Experiment, Pair, SweptAgent
from hanamikoji.experiment.settings import apply_settings
from hanamikoji.experiment.sweep.names import Labels, join_names, numbered_if_long
from hanamikoji.experiment.sweep.points import Path, Point, settings_of, token
from hanamikoji.rules import Rules
from hanamikoji.rules.sentences import complaint_of, show

_WHOLE = 2  # parts of a path to an entry of agents; longer ones lead to its keys
_LONGEST = 100  # characters of an agent's name


@dataclass(frozen=True)
class LineUp:
    """The agents and match-ups of a point, or why there are none."""

    name: str
    agents: tuple[AgentUse, ...] = ()
    pairs: tuple[Pair, ...] = ()
    swept: Mapping[str, SweptAgent] = field(default_factory=dict)
    """The agents that the sweep touches, by name."""
    fault: str = ""


def line_ups(plain: Mapping[str, Any], parts: Sequence[Point], labels: Labels) -> list[LineUp]:
    """For each point's keys of agents and match-ups, who plays; equal ones are one object.

    An agent that is not the same at all points gets the values that its own keys have after its
    name: ``search budget=100``.

    Raises `hanamikoji.errors.ExperimentError` when two agents would have one name.
    """
    different = {token(_pairs_of(part)): part for part in parts}
    texts = [join_names(labels.of(*entry) for entry in part.items()) for part in different.values()]
    names = numbered_if_long([text or "agents" for text in texts])
    found = {
        key: _line_up(plain, name, part)
        for name, (key, part) in zip(names, different.items(), strict=True)
    }
    made = _with_own_names(found, different, labels)
    return [made[token(_pairs_of(part))] for part in parts]


def _pairs_of(part: Point) -> list[list[Any]]:
    return [[".".join(path), value] for path, value in part.items()]


def _line_up(plain: Mapping[str, Any], name: str, part: Point) -> LineUp:
    """The line-up at a point, its agents named as the file does."""
    try:
        tables = apply_settings(plain, settings_of(part))
        keys = ("name", "games", "matchups")
        fields = {key: tables[key] for key in keys if key in tables}
        if "agents" in tables:
            fields["agents"] = agent_uses(tables["agents"])
        experiment = Experiment(**fields, variants={"any": Rules()})
    except ValidationError as error:
        fault = " ".join(complaint_of(error, Experiment))
    except HanamikojiError as error:
        fault = str(error)
    else:
        return LineUp(name, experiment.agents, experiment.pairs)
    if not part:  # no point is to blame
        raise ExperimentError(fault)
    return LineUp(name, fault=fault)


def _with_own_names(
    found: Mapping[str, LineUp], parts: Mapping[str, Point], labels: Labels
) -> dict[str, LineUp]:
    contents: dict[str, set[str]] = {}
    names: dict[int, set[str]] = {}
    for line_up in found.values():
        for i, use in enumerate(line_up.agents):
            contents.setdefault(use.name, set()).add(token([use.agent, use.options]))
            names.setdefault(i, set()).add(use.name)
    ambiguous = {name for name, each in contents.items() if len(each) > 1}
    families = {i: f"agents.{i}" for i, each in names.items() if len(each) > 1}
    made = {
        key: _renamed(line_up, parts[key], ambiguous, families, labels)
        for key, line_up in found.items()
    }
    _check_names(made.values())
    return made


def _renamed(
    line_up: LineUp,
    part: Point,
    ambiguous: Collection[str],
    families: Mapping[int, str],
    labels: Labels,
) -> LineUp:
    names: dict[str, str] = {}
    swept: dict[str, SweptAgent] = {}
    for i, use in enumerate(line_up.agents):
        own = {path: value for path, value in part.items() if _touches(path, i)}
        phrases = [labels.phrase(*entry) for entry in own.items() if len(entry[0]) > _WHOLE]
        names[use.name] = " ".join([use.name, *phrases]) if use.name in ambiguous else use.name
        if own:
            values = {".".join(path): value for path, value in own.items()}
            swept[names[use.name]] = SweptAgent(family=families.get(i, use.name), values=values)
    agents = tuple(use.model_copy(update={"name": names[use.name]}) for use in line_up.agents)
    pairs = tuple((names[a], names[b]) for a, b in line_up.pairs)
    return LineUp(line_up.name, agents, pairs, swept, line_up.fault)


def _touches(path: Path, agent: int) -> bool:
    return path[0] == "agents" and (len(path) == 1 or path[1] == str(agent))


def _check_names(line_ups: Iterable[LineUp]) -> None:
    seen: dict[str, AgentUse] = {}
    for line_up in line_ups:
        for use in line_up.agents:
            if len(use.name) > _LONGEST:
                raise ExperimentError(
                    f"the sweep makes an agent called {show(use.name)}; such a name must have at "
                    f"most {_LONGEST} characters: give the agent a shorter one, or name it at each "
                    'point by the key "agents.N.name"'
                )
            if seen.setdefault(use.name, use) != use:
                raise ExperimentError(
                    f"the sweep has two agents called {show(use.name)} with different options; "
                    "each must have a name of its own"
                )
