"""What verdicts rest on beside the games: exact values, bands, and how far trainings agree."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from hanamikoji.errors import ResultsError
from hanamikoji.results import (
    ASSURANCES,
    PROBES,
    ExactValue,
    Probe,
    TrainedMirror,
    Trainings,
    read_assurance,
    read_probe,
)
from hanamikoji.stats import RunFacts, Summary, Verdict
from hanamikoji.stats.bands import (
    SHORTFALL,
    Band,
    Reached,
    Spread,
    disagree,
    spread,
    value_band,
)
from hanamikoji.stats.estimates import Interval

T = TypeVar("T")

DISAGREE = "trained agents disagree"


@dataclass(frozen=True, slots=True)
class TrainingSpread:
    """Two independent trainings of one agent, by the starter's score in its mirror."""

    agent: str
    first: TrainedMirror
    second: TrainedMirror
    spread: Spread


@dataclass(frozen=True, slots=True)
class VariantAssurance:
    """What is known of a variant beside its games."""

    variant: str
    exact: ExactValue | None
    """The starter's score when both play perfectly."""
    band: Band | None
    """Where that score lies, estimated by attacks; None without attacks."""
    attacked: tuple[str, ...]
    """The agents that were attacked."""
    attacks: int
    attack_seconds: float
    trainings: tuple[TrainingSpread, ...]


def find_assurances(folder: Path, facts: RunFacts) -> tuple[VariantAssurance, ...]:
    """What a run's folder holds about its variants; files that can't be read are left out.

    Every agent bounds the value of the rules, so probes count of agents that do not play here, too.
    """
    probes = [probe for path in _named(folder, PROBES) if (probe := _or_none(read_probe, path))]
    kept = {
        found.rules: found
        for path in _named(folder, ASSURANCES)
        if (found := _or_none(read_assurance, path))
    }
    hashes = {cell.variant: cell.rules_hash for cell in facts.cells}
    assurances = []
    for variant, rules in hashes.items():
        mine = [probe for probe in probes if probe.rules == rules]
        about = kept.get(rules)
        if mine or about is not None:
            trainings = about.trainings if about is not None else ()
            exact = about.exact if about is not None else None
            assurances.append(_assurance(variant, exact, mine, trainings))
    return tuple(assurances)


def _named(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    return sorted(path for path in folder.iterdir() if pattern.fullmatch(path.name))


def _or_none(read: Callable[[Path], T], path: Path) -> T | None:
    with contextlib.suppress(ResultsError):
        return read(path)
    return None


def _assurance(
    variant: str, exact: ExactValue | None, probes: list[Probe], trainings: Sequence[Trainings]
) -> VariantAssurance:
    reached = [Reached(probe.from_starter.high, probe.from_second.high) for probe in probes]
    return VariantAssurance(
        variant=variant,
        exact=exact,
        band=value_band(reached, SHORTFALL) if reached else None,
        attacked=tuple(dict.fromkeys(probe.agent for probe in probes)),
        attacks=sum(len(probe.attacks) for probe in probes),
        attack_seconds=sum(probe.seconds for probe in probes),
        trainings=tuple(
            TrainingSpread(
                each.agent, each.first, each.second, spread(_score(each.first), _score(each.second))
            )
            for each in trainings
        ),
    )


def _score(mirror: TrainedMirror) -> Interval:
    return Interval(mirror.score.low, mirror.score.high, 0.95, "Wilson")


def renamed(
    found: tuple[VariantAssurance, ...], variants: Mapping[str, str]
) -> tuple[VariantAssurance, ...]:
    """The same with the run's variants renamed; variants without a new name are dropped."""
    return tuple(
        replace(each, variant=variants[each.variant]) for each in found if each.variant in variants
    )


def assured(summary: Summary, found: Sequence[VariantAssurance]) -> Summary:
    """The summary without the verdicts on which independently trained agents disagree."""
    margin = summary.facts.margin
    networks = {agent.name for agent in summary.facts.agents if agent.agent == "learned"}
    trainings = {
        (each.variant, training.agent): training for each in found for training in each.trainings
    }
    verdicts: dict[int, Verdict] = {}
    for cell in summary.cells:
        training = trainings.get((cell.variant, cell.agent_a))
        if training is None or not cell.mirror:
            continue
        # The run's own games, of which there may be many more, are the first training's, too.
        own = [cell.starter.interval] if cell.agent_a in networks else []
        first, second = _score(training.first), _score(training.second)
        if any(disagree(mirror, second, margin) for mirror in (first, *own)):
            verdicts[cell.cell] = withheld(cell.verdict, DISAGREE)
    return _with_verdicts(summary, verdicts) if verdicts else summary


def withheld(verdict: Verdict, reason: str) -> Verdict:
    """The verdict taken back."""
    return replace(verdict, decision="undecided", favours=None, further_games=None, withheld=reason)


def _with_verdicts(summary: Summary, verdicts: Mapping[int, Verdict]) -> Summary:
    """The summary with other verdicts on some cells, wherever they stand."""

    def changed(rows: Any) -> Any:
        return tuple(
            replace(row, verdict=verdicts[row.cell]) if row.cell in verdicts else row
            for row in rows
        )

    sweep = summary.sweep
    return replace(
        summary,
        cells=changed(summary.cells),
        ladders=tuple(replace(each, rungs=changed(each.rungs)) for each in summary.ladders),
        sweep=None if sweep is None else replace(sweep, rows=changed(sweep.rows)),
    )
