"""The stage of a run that works out what its verdicts rest on."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji.errors import ResultsError
from hanamikoji.plan import Plan
from hanamikoji.results import (
    Assurance,
    ExactValue,
    Trainings,
    assurance_name,
    read_assurance,
    write_assurance,
    write_probe,
)
from hanamikoji.rules import Rules
from hanamikoji.run.progress import Progress

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent


@dataclass(frozen=True, slots=True)
class Subject:
    """Rules under which trained agents meet themselves."""

    variant: str
    """The first one with these rules."""
    rules: Rules
    agents: tuple[LoadedAgent, ...]
    """The trained agents, each once."""


def subjects(plan: Plan, agents: Mapping[str, LoadedAgent]) -> tuple[Subject, ...]:
    """What is to be worked out for a plan; nothing under ``attack = "none"``."""
    if plan.experiment.attack == "none":
        return ()
    from hanamikoji.run.assurance.targets import same_play, trained_agent

    found: dict[str, Subject] = {}
    for cell in plan.cells:
        trained = trained_agent(agents[cell.agent_a.name])
        if cell.agent_a.name != cell.agent_b.name or trained is None:
            continue
        known = found.setdefault(cell.rules.hash, Subject(cell.variant, cell.rules, ()))
        if not any(same_play(trained, other, cell.rules) for other in known.agents):
            mine = (*known.agents, trained)
            found[cell.rules.hash] = Subject(known.variant, known.rules, mine)
    return tuple(found.values())


def assure(plan: Plan, agents: Mapping[str, LoadedAgent], folder: Path, progress: Progress) -> None:
    """Work out what a plan's verdicts rest on, unless the folder has it, and keep it there.

    Raises:
        PluginError: An agent can't be attacked.
        ResultsError: The folder can't be written to.
    """
    wanted = subjects(plan, agents)
    for number, subject in enumerate(wanted, 1):
        where = f"{subject.variant} ({number} of {len(wanted)})"
        exact = _settle_value(subject, folder, progress, where)
        if not isinstance(exact, ExactValue):
            _attack(subject, folder, progress, where)


def _settle_value(
    subject: Subject, folder: Path, progress: Progress, where: str
) -> ExactValue | None:
    """Solve the rules and compare trainings; returns the exact value, None if there is none."""
    from hanamikoji.run.assurance.exact import exact_value
    from hanamikoji.run.assurance.targets import second_training
    from hanamikoji.run.assurance.trainings import compare_trainings

    with contextlib.suppress(ResultsError):  # it isn't there, or is damaged: written anew
        kept = read_assurance(folder / assurance_name(subject.rules.hash))
        if _is_of(kept, subject):
            return kept.exact
    solved = exact_value(subject.rules)
    exact, unsolved = (solved, "") if isinstance(solved, ExactValue) else (None, solved)
    trainings: list[Trainings] = []
    for agent in subject.agents:
        second = second_training(agent, subject.rules)
        if second is not None:
            progress.note(f"{where}: a second training of {agent.name}")
            trainings.append(compare_trainings(agent, second, subject.rules, progress.train))
    write_assurance(folder, Assurance(subject.rules.hash, exact, unsolved, tuple(trainings)))
    return exact


def _is_of(kept: Assurance, subject: Subject) -> bool:
    """Whether it compares the trainings of all agents of the subject."""
    from hanamikoji.run.assurance.targets import second_training

    there = {each.first.weights for each in kept.trainings}
    needed = {
        agent.facts(subject.rules)["weights"]
        for agent in subject.agents
        if second_training(agent, subject.rules) is not None
    }
    return kept.rules == subject.rules.hash and needed <= there


def _attack(subject: Subject, folder: Path, progress: Progress, where: str) -> None:
    from hanamikoji.run.assurance.attacks import attack_quickly

    for agent in subject.agents:
        progress.note(f"{where}: attacks on {agent.name}")
        write_probe(folder, attack_quickly(agent, subject.rules, folder))
