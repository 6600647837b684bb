"""The probes in a run's folder that are about its agents and rules, and why the others are not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hanamikoji.errors import ResultsError
from hanamikoji.results import PROBES, Probe, read_probe
from hanamikoji.stats import RunFacts


@dataclass(frozen=True, slots=True)
class QuotedProbe:
    """How far an agent of this run can be exploited under rules of this run."""

    file: str
    agents: tuple[str, ...]
    """What the run calls the agent that was attacked."""
    variants: tuple[str, ...]
    """What the run calls the rules."""
    bound: float
    """Score that is reached against it at least (95 %); 1/2: nothing tried beats it."""
    probe: Probe


@dataclass(frozen=True, slots=True)
class FoundProbes:
    """All probes in a folder."""

    quoted: tuple[QuotedProbe, ...] = ()
    left_out: tuple[str, ...] = ()
    """A sentence for each file that is not quoted."""

    def bounds(self) -> dict[tuple[str, str], float]:
        """By agent and variant, the score that is reached against it at least."""
        found: dict[tuple[str, str], float] = {}
        for quote in self.quoted:
            for key in itertools.product(quote.agents, quote.variants):
                found[key] = max(quote.bound, found.get(key, 0.0))
        return found

    def renamed(self, variants: Mapping[str, str]) -> FoundProbes:
        """The same with other names for the run's variants; without those that have none."""
        quoted = (
            replace(q, variants=tuple(variants[name] for name in q.variants if name in variants))
            for q in self.quoted
        )
        return replace(self, quoted=tuple(q for q in quoted if q.variants))


def find_probes(
    folder: Path, facts: RunFacts, weights: Mapping[tuple[str, str], str]
) -> FoundProbes:
    """Read a folder's probes; one that can't be read is no reason to go without a report.

    ``weights``: by agent and variant, the hash of those that the run was played by.
    """
    quoted, left_out = [], []
    for path in sorted(path for path in folder.iterdir() if PROBES.fullmatch(path.name)):
        try:
            probe = read_probe(path)
        except ResultsError as error:
            left_out.append(f"{error}; it is not quoted.")
            continue
        seats = list(_seats(probe, facts, weights))
        if seats:
            agents, variants = (tuple(dict.fromkeys(names)) for names in zip(*seats, strict=True))
            quoted.append(QuotedProbe(path.name, agents, variants, probe.bound, probe))
        else:
            left_out.append(
                f"{path.name} is not quoted: it is of an agent (with its version, options and "
                "weights) and rules that do not meet in this run."
            )
    return FoundProbes(tuple(quoted), tuple(left_out))


def _seats(
    probe: Probe, facts: RunFacts, weights: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str]]:
    """Where the run has the agent play the rules: its names for both."""
    attacked = (probe.agent, probe.version, probe.options)
    same = {a.name for a in facts.agents if (a.agent, a.version, a.options) == attacked}
    for cell in facts.cells:
        if cell.rules_hash == probe.rules:
            for agent in (cell.agent_a, cell.agent_b):
                if agent in same and weights.get((agent, cell.variant), "") == probe.weights:
                    yield agent, cell.variant
