"""A results folder as the report needs it: the statistics' facts and parts, and its origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hanamikoji.report.assurances import VariantAssurance, find_assurances
from hanamikoji.report.probes import FoundProbes, find_probes
from hanamikoji.results import (
    AgentRecord,
    CellRecord,
    Dataset,
    FailureTally,
    Manifest,
    SweepRecord,
    VariantRecord,
    open_dataset,
)
from hanamikoji.stats import AgentFacts, CellFacts, Part, RunFacts
from hanamikoji.stats.stopping import stop_facts


@dataclass(frozen=True, slots=True)
class VariantOrigin:
    """A variant's rules: their hash and, as JSON, the rules themselves."""

    name: str
    rules_hash: str
    rules: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the figures come from, and how to get them again."""

    folder: str
    name: str
    state: str
    """finished | running | interrupted | failed."""
    command: str
    identity: str
    """The experiment's digest."""
    seed: int
    games: int
    """Asked for, over all cells."""
    seconds: float
    training_seconds: float
    """Of them, on training agents before the first game."""
    versions: Mapping[str, str]
    platform: Mapping[str, str]
    record: tuple[str, ...]
    variants: tuple[VariantOrigin, ...]
    agents: tuple[AgentRecord, ...]
    failures: tuple[FailureTally, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    """A sweep's impossible points that were left out, and why."""
    probes: FoundProbes = field(default_factory=FoundProbes)
    assurances: tuple[VariantAssurance, ...] = ()
    """What is known of the variants beside their games."""
    repeats: int = 0
    """In a comparison, cells that a run before it has too; they are left out here."""


@dataclass(frozen=True, slots=True)
class Source:
    """A run to be reported on."""

    facts: RunFacts
    parts: tuple[Part, ...]
    origin: Origin


def read_source(folder: Path, *, thorough: bool = True) -> Source:
    """Open a run's folder; a run that is still going is reported as far as it has come.

    Args:
        folder: A results folder.
        thorough: Compare each file with its checksum, not only its size.

    Raises:
        ResultsError: There is no run, or a file is not as it was written.
    """
    results = open_dataset(folder, thorough=thorough)
    facts = run_facts(results.manifest)
    origin = replace(
        origin_of(results),
        probes=find_probes(folder, facts, weights_of(results)),
        assurances=find_assurances(folder, facts),
    )
    return Source(facts, parts_of(results), origin)


def run_facts(manifest: Manifest) -> RunFacts:
    """What the statistics need to know, from the manifest."""
    rule = manifest.stop
    stop = stop_facts(rule.model_dump() if rule else None, manifest.margin)
    ended = {cell: each.outcome for cell, each in manifest.stopped.items()}
    sweep = manifest.sweep
    return RunFacts(
        name=manifest.name,
        seed=manifest.seed,
        margin=manifest.margin,
        baseline=manifest.baseline or next(iter(manifest.variants)),
        cells=tuple(
            replace(
                _cell_facts(cell, manifest.variants[cell.variant], manifest.seed),
                stopped=None if stop.rule == "fixed" else ended.get(cell.cell, "still open"),
                asked=cell.games,
                looks=manifest.looks,
            )
            for cell in manifest.cells
        ),
        agents=tuple(_agent_facts(agent, sweep) for agent in manifest.agents),
        stop=stop,
        versions=manifest.versions,
        sweep=sweep.variants if sweep else None,
    )


def _agent_facts(agent: AgentRecord, sweep: SweepRecord | None) -> AgentFacts:
    facts = AgentFacts(agent.name, agent.agent, agent.version, agent.options)
    here = sweep.agents.get(agent.name) if sweep else None
    return replace(facts, family=here.family, values=here.values) if here else facts


def _cell_facts(cell: CellRecord, variant: VariantRecord, seed: int) -> CellFacts:
    rules = variant.rules
    lead = {"starter": 1, "second": -1, "none": 0}
    charm = tuple(rules["charm"])
    return CellFacts(
        cell=cell.cell,
        variant=cell.variant,
        agent_a=cell.agent_a,
        agent_b=cell.agent_b,
        rules_hash=variant.hash,
        charm=charm,
        kinds=variant.kinds,
        seed=seed,
        start_lead=sum(
            lead[who] * value for who, value in zip(rules["markers"], charm, strict=True)
        ),
        keep_markers=rules["keep_markers"],
    )


def parts_of(results: Dataset, first_cell: int = 0) -> tuple[Part, ...]:
    """One part a chunk file; cells are numbered from ``first_cell``."""
    parts = []
    for record in results.records:
        files = {str(table): results.folder / fact.path for table, fact in record.files.items()}
        cell = record.cell + first_cell
        parts.append(Part(cell, record.first, record.last, files["games"], files.get("rounds")))
    return tuple(parts)


def weights_of(results: Dataset) -> dict[tuple[str, str], str]:
    """The hash of the weights that each agent played each variant by, of those that have any."""
    return {(row.agent, row.variant): row.weights for row in results.manifest.weights}


def origin_of(results: Dataset) -> Origin:
    """Where a run's figures come from."""
    manifest = results.manifest
    return Origin(
        folder=str(results.folder),
        name=manifest.name,
        state=manifest.state,
        command=manifest.command,
        identity=manifest.identity,
        seed=manifest.seed,
        games=sum(cell.games for cell in manifest.cells),
        seconds=manifest.seconds,
        training_seconds=manifest.training_seconds,
        versions=manifest.versions,
        platform=manifest.platform,
        record=manifest.record,
        variants=tuple(
            VariantOrigin(name, variant.hash, variant.rules)
            for name, variant in manifest.variants.items()
        ),
        agents=manifest.agents,
        failures=manifest.failures,
        skipped=manifest.sweep.skipped if manifest.sweep else {},
    )
