"""Several finished runs as one, paired where they share deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hanamikoji.errors import ResultsError
from hanamikoji.report.assurances import renamed
from hanamikoji.report.source import Origin, Source
from hanamikoji.results import AgentRecord
from hanamikoji.stats import AgentFacts, CellFacts, Part, RunFacts
from hanamikoji.text import escape_terminal


@dataclass(frozen=True, slots=True)
class Merged:
    """Several runs as the statistics need them."""

    facts: RunFacts
    parts: tuple[Part, ...]
    origins: tuple[Origin, ...]


def merge(sources: Sequence[Source], margin: float | None = None) -> Merged:
    """Combine several runs into one.

    Cells are renumbered, repeated cells counted once, and variants of the same name distinguished
    by their run.

    Raises:
        ResultsError: They can't be compared, with the reason.
    """
    _check_finished(sources)
    _check_agents(sources)
    _check_match_ups(sources)
    sources = _without_repeats(sources)
    _common((s.facts.stop for s in sources), "were stopped by different rules")
    if margin is None:
        margins = [s.facts.margin for s in sources]
        listed = " and ".join(f"{m:g}" for m in dict.fromkeys(margins))
        margin = _common(margins, f"have the margins {listed}; choose one with --margin")
    names = _variant_names(sources)
    cells: list[CellFacts] = []
    parts: list[Part] = []
    for i, source in enumerate(sources):
        first = len(cells)
        cells += [
            replace(c, cell=first + n, variant=names[i][c.variant])
            for n, c in enumerate(source.facts.cells)
        ]
        number = {c.cell: first + n for n, c in enumerate(source.facts.cells)}
        parts += [replace(p, cell=number[p.cell]) for p in source.parts]
    head = sources[0].facts
    facts = replace(
        head,
        name=" and ".join(dict.fromkeys(s.facts.name for s in sources)),
        margin=margin,
        baseline=names[0][head.baseline],
        cells=tuple(cells),
        agents=_agents(sources),
        versions={k: v for s in sources for k, v in s.facts.versions.items()},
        sweep=_sweep(sources, names),
    )
    origins = tuple(
        replace(
            s.origin,
            probes=s.origin.probes.renamed(mine),
            assurances=renamed(s.origin.assurances, mine),
        )
        for s, mine in zip(sources, names, strict=True)
    )
    return Merged(facts, tuple(parts), origins)


def _common(values: Iterable[Any], complaint: str) -> Any:
    """The one value, or a `ResultsError`: these runs ``complaint``."""
    first, *others = values
    if any(other != first for other in others):
        raise ResultsError(f"the runs can't be compared: they {complaint}")
    return first


def _check_finished(sources: Sequence[Source]) -> None:
    for source in sources:
        if source.origin.state != "finished":
            raise ResultsError(
                f"{source.origin.folder} is not finished; finish it with: "
                f"{source.origin.command} --resume"
            )


def _check_agents(sources: Sequence[Source]) -> None:
    """A name must denote the same agent in all runs."""
    seen: dict[str, tuple[AgentRecord, str]] = {}
    for source in sources:
        for agent in source.origin.agents:
            known, folder = seen.setdefault(agent.name, (agent, source.origin.folder))
            if known != agent:
                raise ResultsError(
                    f"the runs can't be compared: {escape_terminal(agent.name)} is "
                    f"{_agent_text(known)} in {folder} and {_agent_text(agent)} in "
                    f"{source.origin.folder}"
                )


def _agent_text(agent: AgentRecord) -> str:
    options = ", ".join(f"{k} = {v!r}" for k, v in agent.options.items())
    with_options = f" with {options}" if options else ""
    return escape_terminal(f"{agent.agent} of {agent.distribution} {agent.version}{with_options}")


def _without_repeats(sources: Sequence[Source]) -> list[Source]:
    """The runs without the cells (rules, agents and deals) of earlier runs, to count games once."""
    first: dict[tuple[object, ...], int] = {}  # the run that has them
    found = []
    for i, source in enumerate(sources):
        cells = [c for c in source.facts.cells if first.setdefault(_deals_of(c), i) == i]
        if not cells:
            raise ResultsError(
                f"the runs can't be compared: {source.origin.folder} has only cells and deals of "
                "the runs before it, which would be counted twice"
            )
        kept = {cell.cell for cell in cells}
        found.append(
            replace(
                source,
                facts=replace(source.facts, cells=tuple(cells)),
                parts=tuple(part for part in source.parts if part.cell in kept),
                origin=replace(source.origin, repeats=len(source.facts.cells) - len(cells)),
            )
        )
    return found


def _deals_of(cell: CellFacts) -> tuple[object, ...]:
    return cell.rules_hash, tuple(sorted((cell.agent_a, cell.agent_b))), cell.seed


def _check_match_ups(sources: Sequence[Source]) -> None:
    """The runs must have a match-up in common."""
    common = set.intersection(*(_match_ups(s) for s in sources))
    if not common:
        listed = "; ".join(
            f"{s.origin.folder} has {', '.join(' vs '.join(m) for m in sorted(_match_ups(s))[:3])}"
            for s in sources
        )
        raise ResultsError(f"the runs have no match-up in common: {escape_terminal(listed)}")


def _match_ups(source: Source) -> set[tuple[str, str]]:
    return {(c.agent_a, c.agent_b) for c in source.facts.cells}


def _variant_names(sources: Sequence[Source]) -> list[dict[str, str]]:
    """New names for each run's variants: with the run's name where several runs have one."""
    variants = [list(dict.fromkeys(c.variant for c in s.facts.cells)) for s in sources]
    runs = [s.facts.name for s in sources]
    if len(set(runs)) < len(runs):
        runs = [s.origin.folder for s in sources]
    everywhere = [name for mine in variants for name in mine]
    return [
        {name: f"{name} ({run})" if everywhere.count(name) > 1 else name for name in mine}
        for mine, run in zip(variants, runs, strict=True)
    ]


def _agents(sources: Sequence[Source]) -> tuple[AgentFacts, ...]:
    found: dict[str, AgentFacts] = {}
    for source in sources:
        for agent in source.facts.agents:
            found.setdefault(agent.name, agent)
    return tuple(found.values())


def _sweep(sources: Sequence[Source], names: list[dict[str, str]]) -> Any:
    """The sweeps of all runs as one; returns None if a run has no sweep."""
    sweeps = [s.facts.sweep for s in sources]
    merged: dict[str, Any] = {}
    for sweep, mine in zip(sweeps, names, strict=True):
        if sweep is None:
            return None
        merged |= {mine[name]: values for name, values in sweep.items() if name in mine}
    return merged
