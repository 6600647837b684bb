"""A results folder as the report needs it: the statistics' facts and parts, and its origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hanamikoji.report.probes import FoundProbes, find_probes
from hanamikoji.results import Results, open_results, stops_in
from hanamikoji.stats import AgentFacts, CellFacts, Part, RunFacts
from hanamikoji.stats.stopping import stop_facts


@dataclass(frozen=True, slots=True)
class Failure:
    """An agent's failures of one kind in one cell, with the first of them."""

    cell: int
    agent: str
    reason: str
    """forfeit-error | forfeit-illegal | forfeit-stall."""
    count: int
    deal: int
    """Of the first failure, like the rest."""
    seating: int
    round: int
    decision: int
    message: str


_FAILURE_KEYS = tuple(each.name for each in fields(Failure))


@dataclass(frozen=True, slots=True)
class VariantOrigin:
    """A variant's rules: their hash and, as JSON, the rules themselves."""

    name: str
    rules_hash: str
    rules: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AgentOrigin:
    """An agent's code and settings."""

    name: str
    agent: str
    kind: str
    distribution: str
    version: str
    options: Mapping[str, Any]


_AGENT_KEYS = tuple(each.name for each in fields(AgentOrigin))


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
    versions: Mapping[str, str]
    platform: Mapping[str, str]
    record: tuple[str, ...]
    variants: tuple[VariantOrigin, ...]
    agents: tuple[AgentOrigin, ...]
    failures: tuple[Failure, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    """A sweep's impossible points that were left out, and why."""
    probes: FoundProbes = field(default_factory=FoundProbes)
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
    results = open_results(folder, thorough=thorough)
    facts = run_facts(results.manifest)
    origin = replace(origin_of(results), probes=find_probes(folder, facts, weights_of(results)))
    return Source(facts, parts_of(results), origin)


def run_facts(manifest: Mapping[str, Any]) -> RunFacts:
    """What the statistics need to know, from the manifest."""
    variants = manifest["variants"]
    sweep = manifest.get("sweep") or {"variants": None, "agents": {}}
    seed = manifest["seed"]
    stop = stop_facts(manifest["experiment"].get("stop"))
    ended = {cell: each.outcome for cell, each in stops_in(manifest.get("stops", ())).items()}
    return RunFacts(
        name=manifest["name"],
        seed=seed,
        margin=manifest["margin"],
        baseline=manifest["baseline"] or next(iter(variants)),
        cells=tuple(
            replace(
                _cell_facts(cell, variants[cell["variant"]], seed),
                stopped=None if stop.rule == "fixed" else ended.get(cell["cell"], "still open"),
            )
            for cell in manifest["cells"]
        ),
        agents=tuple(_agent_facts(agent, sweep["agents"]) for agent in manifest["agents"]),
        stop=stop,
        versions=manifest["versions"],
        sweep=sweep["variants"],
    )


def _agent_facts(agent: Mapping[str, Any], swept: Mapping[str, Any]) -> AgentFacts:
    facts = AgentFacts(agent["name"], agent["agent"], agent["version"], agent["options"])
    here = swept.get(agent["name"])
    return replace(facts, **here) if here else facts


def _cell_facts(cell: Mapping[str, Any], variant: Mapping[str, Any], seed: int) -> CellFacts:
    rules = variant["rules"]
    lead = {"starter": 1, "second": -1, "none": 0}
    charm = tuple(rules["charm"])
    return CellFacts(
        cell=cell["cell"],
        variant=cell["variant"],
        agent_a=cell["agent_a"],
        agent_b=cell["agent_b"],
        rules_hash=variant["hash"],
        charm=charm,
        kinds=tuple(variant["kinds"]),
        seed=seed,
        start_lead=sum(
            lead[who] * value for who, value in zip(rules["markers"], charm, strict=True)
        ),
        keep_markers=rules["keep_markers"],
    )


def parts_of(results: Results, first_cell: int = 0) -> tuple[Part, ...]:
    """One part a chunk file; cells are numbered from ``first_cell``."""
    parts = []
    for record in results.records:
        files = {table: results.folder / fact.path for table, fact in record.files.items()}
        cell = record.cell + first_cell
        parts.append(Part(cell, record.first, record.last, files["games"], files.get("rounds")))
    return tuple(parts)


def weights_of(results: Results) -> dict[tuple[str, str], str]:
    """The hash of the weights that each agent played each variant by, of those that have any."""
    rows = results.manifest.get("weights", ())
    return {(row["agent"], row["variant"]): str(row.get("weights", "")) for row in rows}


def origin_of(results: Results) -> Origin:
    """Where a run's figures come from."""
    manifest = results.manifest
    return Origin(
        folder=str(results.folder),
        name=manifest["name"],
        state=manifest["state"],
        command=manifest["command"],
        identity=manifest["identity"],
        seed=manifest["seed"],
        games=sum(cell["games"] for cell in manifest["cells"]),
        seconds=manifest.get("seconds", 0.0),
        versions=manifest["versions"],
        platform=manifest["platform"],
        record=tuple(manifest["record"]),
        variants=tuple(
            VariantOrigin(name, variant["hash"], variant["rules"])
            for name, variant in manifest["variants"].items()
        ),
        agents=tuple(
            AgentOrigin(**{key: agent[key] for key in _AGENT_KEYS}) for agent in manifest["agents"]
        ),
        failures=tuple(
            Failure(**{key: row[key] for key in _FAILURE_KEYS})
            for row in manifest.get("failures", ())
        ),
        skipped=(manifest.get("sweep") or {}).get("skipped", {}),
    )
