"""A sweep as one experiment: its table, response curves, main effects and interactions.

Cells of a match-up share deals, so averages and contrasts of cells are taken with the covariances
that this gives them: pair by pair up to 64 cells a match-up, beyond that from batches of deals. For
effects, the agents that a sweep derives from one agent count as one, each at its own points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hanamikoji.stats.contrast_errors import length_errors, score_errors
from hanamikoji.stats.contrasts import (
    Difference,
    Effect,
    ResponseCurve,
    ResponsePoint,
    Sweep,
    SweepRow,
)
from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.estimates import CellSummary, Interval, Mean, Unit
from hanamikoji.stats.facts import RunFacts
from hanamikoji.stats.intervals import FloatArray, holm
from hanamikoji.stats.pairing import PairedScores
from hanamikoji.stats.shape import route_share

_Settings = Mapping[str, object]
_CAP_REASONS = ("cap-geishas", "cap-charm", "cap-highest-geisha")


def sweep_summary(
    cells: Sequence[CellSummary],
    counts: Mapping[int, CellCounts],
    paired: PairedScores,
    differences: Sequence[Difference],
    facts: RunFacts,
) -> Sweep | None:
    """The sweep's part of the summary; returns None if the run is not a sweep."""
    if facts.sweep is None:
        return None
    settings = _settings(cells, facts)
    families = facts.families()
    of_agents = {key for agent in facts.agents for key in agent.values}

    def groups(of: Callable[[str], str]) -> Iterator[_Group]:
        found: dict[tuple[str, str], list[CellSummary]] = {}
        for cell in cells:
            found.setdefault((of(cell.agent_a), of(cell.agent_b)), []).append(cell)
        for names, members in found.items():
            yield _Group(names, members, [settings[c.cell] for c in members], counts, paired)

    # Rules have a curve for each level of play; along an agent's key there is only one.
    curves = [c for group in groups(str) for c in group.curves() if c.key not in of_agents]
    main: list[Effect] = []
    interactions: list[Effect] = []
    for group in groups(families.__getitem__):
        curves += [c for c in group.curves() if c.key in of_agents]
        main += _adjusted(group.main_effects())
        interactions += _adjusted(group.interactions())
    rows = _rows(cells, counts, differences, settings)
    return Sweep(rows, tuple(curves), tuple(main), tuple(interactions))


def _settings(cells: Sequence[CellSummary], facts: RunFacts) -> dict[int, _Settings]:
    """The sweep's keys that affect each cell, through its variant or agents, and their values."""
    variants = facts.sweep or {}
    agents = {agent.name: agent.values for agent in facts.agents}
    return {
        c.cell: {**variants.get(c.variant, {}), **agents[c.agent_a], **agents[c.agent_b]}
        for c in cells
    }


def _rows(
    cells: Sequence[CellSummary],
    counts: Mapping[int, CellCounts],
    differences: Sequence[Difference],
    settings: Mapping[int, _Settings],
) -> tuple[SweepRow, ...]:
    by_cell = {d.cell: d for d in differences}
    rows = []
    for c in cells:
        routes = counts[c.cell].tables["route"]
        rows.append(
            SweepRow(
                variant=c.variant,
                agent_a=c.agent_a,
                agent_b=c.agent_b,
                cell=c.cell,
                values=tuple((k, text_of(v)) for k, v in settings[c.cell].items()),
                starter=c.starter,
                verdict=c.verdict,
                difference=by_cell.get(c.cell),
                mean_rounds=c.shape.mean_rounds,
                charm_wins=route_share(routes, ("charm",)),
                geisha_wins=route_share(routes, ("geishas",)),
                cap_wins=route_share(routes, _CAP_REASONS),
                shared=route_share(routes, ("shared",)),
                charm_margin=c.shape.charm_margin,
                turned=c.shape.turned,
            )
        )

    def size(row: SweepRow) -> float:
        return math.inf if row.difference is None else abs(row.difference.difference)

    return tuple(sorted(rows, key=lambda row: (-size(row), row.cell)))


def text_of(value: object) -> str:
    """A setting's value as text."""
    if isinstance(value, list | tuple):
        return ", ".join(text_of(v) for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _adjusted(effects: list[Effect]) -> list[Effect]:
    adjusted = holm([e.p for e in effects])
    return [replace(e, p_holm=p) for e, p in zip(effects, adjusted, strict=True)]


class _Group:
    """A sweep's cells of one match-up: contrasts of their average scores along the swept keys."""

    def __init__(
        self,
        names: tuple[str, str],
        cells: Sequence[CellSummary],
        settings: Sequence[_Settings],
        counts: Mapping[int, CellCounts],
        paired: PairedScores,
    ) -> None:
        self.names = names
        self.cells = cells
        self.unit: Unit = cells[0].starter.unit
        self.edges = np.array([c.starter.edge for c in cells])
        self.n = np.array([c.starter.n for c in cells])
        self.errors = score_errors(cells, counts, paired)
        self.lengths = np.array([c.shape.mean_rounds.value for c in cells])
        self.length_errors = length_errors(cells, counts)
        self._values = {
            key: [each.get(key) for each in settings]
            for key in dict.fromkeys(key for each in settings for key in each)
        }
        self._texts = {
            key: np.array([text_of(value) for value in values])
            for key, values in self._values.items()
        }

    def contrast(self, weights: FloatArray) -> tuple[Mean, float]:
        """A weighted sum of the cells' edges, and its two-sided p of being 0."""
        value = float(weights @ self.edges)
        half, p = self.errors.of(weights, value)
        found = Interval(value - half, value + half, 0.95, self.errors.method)
        return Mean(value, int(self.n.min()), self.unit, found), p

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """Keys with more than one value among the cells, and the values in order."""
        levels = {
            key: list(dict.fromkeys(texts[[v is not None for v in self._values[key]]].tolist()))
            for key, texts in self._texts.items()
        }
        return {key: values for key, values in levels.items() if len(values) > 1}

    @cached_property
    def grid(self) -> dict[str, list[str]]:
        """The levels, if the cells are a full grid of them, each point once; otherwise empty."""
        points = set(zip(*(self._texts[key].tolist() for key in self.levels), strict=True))
        size = math.prod(len(values) for values in self.levels.values())
        return self.levels if len(points) == len(self.cells) == size else {}

    def _mean_where(self, chosen: Mapping[str, str]) -> FloatArray:
        """Weights of the average over the cells with the chosen values."""
        here = np.ones(len(self.cells))
        for key, value in chosen.items():
            here *= self._texts[key] == value
        return np.asarray(here / here.sum())

    def _effect(
        self, weights: FloatArray, keys: tuple[str, ...], values: tuple[str, ...]
    ) -> Effect:
        difference, p = self.contrast(weights)
        return Effect(*self.names, keys, values, difference, self._rounds(weights), p, p)

    def main_effects(self) -> list[Effect]:
        """Mean at each value of each key minus the grand mean (Box, Hunter & Hunter 2005, 5)."""
        grand = self._mean_where({})
        return [
            self._effect(self._mean_where({key: value}) - grand, (key,), (value,))
            for key, values in self.grid.items()
            for value in _listed(values)
        ]

    def interactions(self) -> list[Effect]:
        """What remains at each pair of values after the grand mean and both main effects."""
        grand = self._mean_where({})
        effects = []
        for one, two in combinations(self.grid.items(), 2):
            for x, y in _pairs(_listed(one[1]), _listed(two[1])):
                weights = (
                    self._mean_where({one[0]: x, two[0]: y})
                    - self._mean_where({one[0]: x})
                    - self._mean_where({two[0]: y})
                    + grand
                )
                effects.append(self._effect(weights, (one[0], two[0]), (x, y)))
        return effects

    def curves(self) -> list[ResponseCurve]:
        """Average edge and length along each numeric key, all else being equal.

        Settings of the other keys that only some of its values were played with are left out; keys
        that always change together have one curve, that of the first.
        """
        curves: list[ResponseCurve] = []
        for key, values in self.levels.items():
            numbers = self._numbers(key)
            if len(numbers) < len(values) or any(key in curve.together for curve in curves):
                continue
            together = self._together(key)
            others = self._settings_beside({key, *together})
            here = self._texts[key]
            played = [set(others[here == value]) for value in values]
            shared = set.intersection(*played)
            if not shared:
                continue
            alike = np.array([other in shared for other in others])
            points = []
            for value in sorted(values, key=lambda text: numbers[text]):
                chosen = (here == value) & alike
                points.append(ResponsePoint(numbers[value], *self._point(chosen / chosen.sum())))
            left_out = len(set.union(*played)) - len(shared)
            curves.append(
                ResponseCurve(*self.names, key, tuple(points), together, len(shared), left_out)
            )
        return curves

    def _numbers(self, key: str) -> dict[str, float]:
        """The numbers among a key's values, by their texts."""
        raw = zip(self._texts[key].tolist(), self._values[key], strict=True)
        return {
            text: float(v)
            for text, v in raw
            if isinstance(v, int | float) and not isinstance(v, bool)
        }

    def _together(self, key: str) -> tuple[str, ...]:
        """The other keys that have one value with each of its values, and the other way round."""
        found = []
        for other in self.levels:
            pairs = set(zip(self._texts[key].tolist(), self._texts[other].tolist(), strict=True))
            sizes = {len(pairs), *(len(set(values)) for values in zip(*pairs, strict=True))}
            if other != key and len(sizes) == 1:
                found.append(other)
        return tuple(found)

    def _settings_beside(self, keys: set[str]) -> np.ndarray[Any, Any]:
        """Each cell's values of all keys but these, as one text."""
        rest = [texts.tolist() for key, texts in self._texts.items() if key not in keys]
        return np.array([repr([texts[i] for texts in rest]) for i in range(len(self.cells))])

    def _point(self, weights: FloatArray) -> tuple[Mean, Mean]:
        """Average edge and number of rounds."""
        return self.contrast(weights)[0], self._rounds(weights)

    def _rounds(self, weights: FloatArray) -> Mean:
        """A weighted sum of the cells' mean numbers of rounds."""
        value = float(weights @ self.lengths)
        half, _ = self.length_errors.of(weights, value)
        found = Interval(value - half, value + half, 0.95, self.length_errors.method)
        return Mean(value, min(c.shape.mean_rounds.n for c in self.cells), "games", found)


def _listed(values: list[str]) -> list[str]:
    """Values whose effects are listed; of two, only the second."""
    return values[1:] if len(values) == 2 else values


def _pairs(one: list[str], two: list[str]) -> Iterator[tuple[str, str]]:
    return ((x, y) for x in one for y in two)
