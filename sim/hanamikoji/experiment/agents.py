"""The agents of an experiment as its file names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.model import AgentUse
from hanamikoji.rules.sentences import complaint_of, show


def agent_uses(agents: Any) -> tuple[AgentUse, ...]:
    """The value of ``agents``, names or tables, as agents with their names and options.

    Raises `hanamikoji.errors.ExperimentError` with one sentence.
    """
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
