"""The manifest of a run before its first chunk."""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji import _version
from hanamikoji.experiment import Experiment
from hanamikoji.plan import WHOLE, Cell, Plan, Shard
from hanamikoji.results import (
    AgentRecord,
    CellRecord,
    Manifest,
    SweepRecord,
    VariantRecord,
    storable,
)

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent

PACKAGE = "hanamikoji-sim"
_LIBRARIES = ("numba", "numpy", "polars", "pyarrow", "scipy")


def manifest_of(
    plan: Plan, agents: Mapping[str, LoadedAgent], command: str, shard: Shard = WHOLE
) -> Manifest:
    """What is known of a run when it begins.

    ``versions`` must be the same when the run is resumed, ``platform`` is for the record only.
    """
    experiment = plan.experiment
    return Manifest(
        identity=experiment.digest,
        name=experiment.name,
        games=experiment.games,
        seed=experiment.seed,
        record=experiment.record,
        margin=experiment.margin,
        baseline=experiment.baseline,
        command=storable(command),
        experiment=experiment.source,
        versions=versions_of(agents),
        platform={
            "python": platform.python_version(),
            "machine": platform.machine(),
            "system": platform.system(),
            **{library: version(library) for library in _LIBRARIES},
        },
        agents=tuple(_agent_record(name, agent) for name, agent in agents.items()),
        variants={
            name: VariantRecord(
                hash=rules.hash,
                kinds=tuple(kind.name for kind in rules.kinds),
                rules=rules.model_dump(mode="json"),
            )
            for name, rules in experiment.variants.items()
        },
        shard=str(shard),
        cells=tuple(_cell_record(cell, shard) for cell in plan.cells),
        sweep=_sweep_record(experiment),
    )


def _sweep_record(experiment: Experiment) -> SweepRecord | None:
    """What a sweep made: variants and agents with the values that they stand for, and what not."""
    points = experiment.points
    if points is None:
        return None
    return SweepRecord(points.variants, points.agents, points.skipped)


def versions_of(agents: Mapping[str, LoadedAgent]) -> dict[str, str]:
    """The distributions whose code decides what happens in a game, with their versions."""
    return {PACKAGE: _version.__version__} | {
        agent.distribution: agent.version for agent in agents.values() if not agent.shipped
    }


@functools.cache
def source_hash() -> str:
    """Hash of the package's sources, to distinguish two installs of one version."""
    digest = hashlib.sha256()
    package = Path(_version.__file__).parent
    for source in sorted(package.rglob("*.py")):
        digest.update(f"{source.relative_to(package).as_posix()}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cell_record(cell: Cell, shard: Shard) -> CellRecord:
    return CellRecord(
        cell=cell.index,
        variant=cell.variant,
        agent_a=cell.agent_a.name,
        agent_b=cell.agent_b.name,
        games=cell.games,
        deals=cell.deals,
        part=None if shard == WHOLE else shard.part(cell),
    )


def _agent_record(name: str, agent: LoadedAgent) -> AgentRecord:
    return AgentRecord(
        name=name,
        agent=agent.agent,
        kind=agent.kind,
        distribution=agent.distribution,
        version=agent.version,
        options=dict(agent.options),
    )
