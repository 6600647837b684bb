"""From [sweep] to variants, agents and who meets whom in which variant.

A key of the rules makes variants; a key of an agent makes agents, each with a name of its own; a
key of the match-ups says who meets whom. A point's cells are its variants with its match-ups, and
what two points have in common is played once: an agent that a key doesn't touch isn't doubled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from hanamikoji.errors import ExperimentError, HanamikojiError
from hanamikoji.experiment.model import AgentUse, Experiment, Pair, SweepPoints, SweptAgent
from hanamikoji.experiment.settings import apply_settings
from hanamikoji.experiment.sweep.line_up import LineUp, line_ups
from hanamikoji.experiment.sweep.names import (
    Labels,
    all_different,
    join_names,
    numbered_if_long,
)
from hanamikoji.experiment.sweep.points import Path, Point, make_points, settings_of, token
from hanamikoji.experiment.variants import variant_loaders
from hanamikoji.rules import Rules
from hanamikoji.rules.sentences import complaint_of, show

_PLAYERS = ("agents", "matchups")
_LONGEST = 100  # characters of a variant's name


@dataclass
class _Variant:
    """A variant at some point of the sweep, before it has a name."""

    own: str
    """Its name in [variants]; empty without [variants]."""
    values: Point
    """The swept keys that touch it."""
    rules: Rules | None = None
    fault: str = ""
    pairs: dict[Pair, None] = field(default_factory=dict)
    """Who meets in it, in order."""


def expand(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `Experiment` that a sweep of the right shape makes of the raw tables.

    Raises `hanamikoji.errors.HanamikojiError` with one sentence, about an impossible point too
    unless the sweep has ``skip_invalid = true``.
    """
    plain = {key: value for key, value in raw.items() if key not in ("sweep", "baseline")}
    _check_rest(plain)
    sweep = raw["sweep"]
    seed = raw.get("seed", 1)
    points = make_points(sweep, seed)
    labels = Labels(points)
    players = line_ups(plain, [_part(point, players=True) for point in points], labels)
    variants = _Variants(plain, labels)
    for point, line_up in zip(points, players, strict=True):
        variants.add(_part(point, players=False), line_up)
    named = variants.named()
    skipped = _faults(players, named)
    if skipped and not sweep.get("skip_invalid"):
        raise ExperimentError(_impossible(skipped))
    playable = {name: each for name, each in named.items() if each.rules and each.pairs}
    if not playable:
        name, fault = next(iter(skipped.items()))
        raise ExperimentError(f"none of the sweep's points is possible; {name}: {fault}")
    return _fields(plain, raw.get("baseline"), playable, players, skipped)


def _fields(
    plain: Mapping[str, Any],
    baseline: str | None,
    variants: Mapping[str, _Variant],
    players: list[LineUp],
    skipped: Mapping[str, str],
) -> dict[str, Any]:
    rules = {name: each.rules for name, each in variants.items() if each.rules}
    pairs = {name: tuple(each.pairs) for name, each in variants.items()}
    pools = {pool: pool for pool in pairs.values()}  # one tuple for all variants that share it
    same = len(pools) == 1
    met = {name for pair in _union(pools) for name in pair}
    agents = {use.name: use for line_up in players for use in line_up.agents}
    return {
        "variants": rules,
        "agents": tuple(agents.values()),
        "matchups": _union(pools),
        "baseline": baseline if baseline is not None else _unswept(plain, rules),
        "points": SweepPoints(
            variants={name: _shown(each) for name, each in variants.items()},
            agents={name: swept for name, swept in _swept(players).items() if name in met},
            schedule=None if same else {name: pools[each] for name, each in pairs.items()},
            skipped=dict(skipped),
        ),
    }


def _swept(players: list[LineUp]) -> dict[str, SweptAgent]:
    """The agents that the sweep touches, but for those that are the same at different values."""
    found: dict[str, SweptAgent] = {}
    different = set()
    for line_up in {id(each): each for each in players}.values():
        for name, swept in line_up.swept.items():
            if found.setdefault(name, swept) != swept:
                different.add(name)
    return {name: swept for name, swept in found.items() if name not in different}


def _union(pools: Mapping[tuple[Pair, ...], Any]) -> tuple[Pair, ...]:
    """All match-ups, each once; two agents stand in the order in which they first met."""
    found: dict[frozenset[str], Pair] = {}
    for pool in pools:
        for pair in pool:
            found.setdefault(frozenset(pair), pair)
    return tuple(found.values())


def _part(point: Point, *, players: bool) -> Point:
    return {path: v for path, v in point.items() if (path[0] in _PLAYERS) == players}


def _shown(variant: _Variant) -> dict[str, Any]:
    """A variant's values for a table; which of [variants] it is of counts as one of them."""
    own = {"variants": variant.own} if variant.own else {}
    return own | {".".join(path): value for path, value in variant.values.items()}


def _check_rest(plain: Mapping[str, Any]) -> None:
    """See that what no point changes is right, so that no point is blamed for it."""
    swept = ("rules", "variants", "actions", *_PLAYERS)
    fields = {key: value for key, value in plain.items() if key not in swept}
    anybody = AgentUse(name="a", agent="a")
    try:
        Experiment(**fields, agents=(anybody,), variants={"any": Rules()})
    except ValidationError as error:
        raise ExperimentError(" ".join(complaint_of(error, Experiment))) from None


class _Variants:
    """All variants of the points so far, each once."""

    def __init__(self, plain: Mapping[str, Any], labels: Labels) -> None:
        self._plain = plain
        self._labels = labels
        self._found: dict[tuple[str, str], _Variant] = {}
        self._of_point: dict[str, list[_Variant]] = {}

    def add(self, values: Point, line_up: LineUp) -> None:
        """The variants of a point, with the match-ups that it has in them."""
        key = _token(values)
        if key not in self._of_point:
            self._of_point[key] = self._at(values)
        for variant in self._of_point[key]:
            variant.pairs.update(dict.fromkeys(line_up.pairs))

    def _at(self, values: Point) -> list[_Variant]:
        try:
            tables = apply_settings(self._plain, settings_of(values))
            loaders = variant_loaders(tables)
        except HanamikojiError as error:
            lost = _Variant("", values, None, str(error))
            return [self._found.setdefault(("", _token(values)), lost)]
        several = tables.get("variants") is not None
        found = []
        for name, load in loaders.items():
            own = name if several else ""
            touching = {p: v for p, v in values.items() if _touches(p, own)}
            key = own, _token(touching)
            if key not in self._found:
                self._found[key] = _loaded(_Variant(own, touching), load)
            found.append(self._found[key])
        return found

    def named(self) -> dict[str, _Variant]:
        """The variants by names that tell them apart, in the points' order."""
        by_own: dict[str, list[_Variant]] = {}
        for each in self._found.values():
            by_own.setdefault(each.own, []).append(each)
        name_of: dict[int, str] = {}
        for own, group in by_own.items():
            texts = [
                join_names(self._labels.of(path, value) for path, value in each.values.items())
                for each in group
            ]
            for each, text in zip(group, numbered_if_long(texts), strict=True):
                name_of[id(each)] = "_".join(part for part in (own, text) if part)
        found = list(self._found.values())
        whole = next(iter(_unswept_loaders(self._plain)), "rules")
        names = all_different([name_of[id(each)] or whole for each in found])
        if max(map(len, names)) > _LONGEST:
            raise ExperimentError(
                f"the sweep makes a variant called {show(max(names, key=len))}; such a name must "
                f"have at most {_LONGEST} characters: give the variants shorter ones"
            )
        return dict(zip(names, found, strict=True))


def _token(values: Point) -> str:
    return token([[".".join(path), value] for path, value in values.items()])


def _touches(path: Path, own: str) -> bool:
    """Whether a key of the rules is one of the variant called ``own``."""
    return path[0] != "variants" or len(path) == 1 or path[1] == own


def _loaded(variant: _Variant, load: Any) -> _Variant:
    try:
        variant.rules = load()
    except HanamikojiError as error:
        variant.fault = str(error)
    return variant


def _unswept_loaders(plain: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return variant_loaders(plain)
    except HanamikojiError:
        return {}


def _unswept(plain: Mapping[str, Any], variants: Mapping[str, Rules]) -> str:
    """The variant that the file describes without its sweep, else the first."""
    for load in list(_unswept_loaders(plain).values())[:1]:
        rules = _loaded(_Variant("", {}), load).rules
        for name, each in variants.items():
            if each == rules:
                return name
    return next(iter(variants))


def _faults(players: list[LineUp], variants: Mapping[str, _Variant]) -> dict[str, str]:
    """Impossible variants and line-ups by name, with their faults."""
    faults = {each.name: each.fault for each in players if each.fault}
    return faults | {name: each.fault for name, each in variants.items() if each.fault}


def _impossible(faults: Mapping[str, str]) -> str:
    name, fault = next(iter(faults.items()))
    them = f"all {len(faults):,} such points" if len(faults) > 1 else "it"
    return (
        f"the sweep's point {name} is impossible: {fault}; skip_invalid = true in [sweep] would "
        f"leave {them} out"
    )
