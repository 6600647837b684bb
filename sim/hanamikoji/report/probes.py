"""The probes in a run's folder: those of its agents and rules, and why others are left out."""

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
    """Lower bound (95 %) of the score reached against it; 1/2 if no attack beats it."""
    probe: Probe


@dataclass(frozen=True, slots=True)
class FoundProbes:
    """All probes in a folder."""

    quoted: tuple[QuotedProbe, ...] = ()
    left_out: tuple[str, ...] = ()
    """A sentence for each probe that is not used."""

    def bounds(self) -> dict[tuple[str, str], float]:
        """Lower bounds of the score reached against each agent in each variant."""
        found: dict[tuple[str, str], float] = {}
        for quote in self.quoted:
            for key in itertools.product(quote.agents, quote.variants):
                found[key] = max(quote.bound, found.get(key, 0.0))
        return found

    def renamed(self, variants: Mapping[str, str]) -> FoundProbes:
        """The same with the run's variants renamed; variants without a new name are dropped."""
        quoted = (
            replace(q, variants=tuple(variants[name] for name in q.variants if name in variants))
            for q in self.quoted
        )
        return replace(self, quoted=tuple(q for q in quoted if q.variants))


def find_probes(
    folder: Path, facts: RunFacts, weights: Mapping[tuple[str, str], str]
) -> FoundProbes:
    """Read a folder's probes; an unreadable one is reported, not raised.

    ``weights`` maps agent and variant to the hash of the weights that played the run.
    """
    quoted, left_out = [], []
    for path in sorted(path for path in folder.iterdir() if PROBES.fullmatch(path.name)):
        try:
            probe = read_probe(path)
        except ResultsError as error:
            left_out.append(f"{error}; not used.")
            continue
        seats = list(_seats(probe, facts, weights))
        if seats:
            agents, variants = (tuple(dict.fromkeys(names)) for names in zip(*seats, strict=True))
            quoted.append(QuotedProbe(path.name, agents, variants, probe.bound, probe))
        else:
            left_out.append(_why_left_out(path.name, probe, facts))
    return FoundProbes(tuple(quoted), tuple(left_out))


def _why_left_out(name: str, probe: Probe, facts: RunFacts) -> str:
    """Any agent bounds the value of its rules, but only the run's own are quoted."""
    if all(cell.rules_hash != probe.rules for cell in facts.cells):
        return f"{name} is not used: nothing is played by its rules in this run."
    return (
        f"{name} counts for the band alone: its agent (with this version, options and weights) "
        "does not play its rules in this run."
    )


def _seats(
    probe: Probe, facts: RunFacts, weights: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str]]:
    """The run's names for the agent and for the rules, in each cell where they meet."""
    attacked = (probe.agent, probe.version, probe.options)
    same = {a.name for a in facts.agents if (a.agent, a.version, a.options) == attacked}
    for cell in facts.cells:
        if cell.rules_hash == probe.rules:
            for agent in (cell.agent_a, cell.agent_b):
                if agent in same and weights.get((agent, cell.variant), "") == probe.weights:
                    yield agent, cell.variant
