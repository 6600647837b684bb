"""A sweep as one experiment: its table, response curves, main effects and interactions.

Cells of a match-up share deals, so averages and contrasts of cells are taken with the covariances
that this gives them (up to 64 cells a match-up; beyond, only those with the baseline are known).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from hanamikoji.stats.cells import pentanomial
from hanamikoji.stats.contrasts import Curve, CurvePoint, Difference, Effect, Sweep, SweepRow
from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.crossing import Crossings
from hanamikoji.stats.estimates import CellSummary, Interval, Mean, Unit
from hanamikoji.stats.facts import RunFacts
from hanamikoji.stats.intervals import FloatArray, holm, regularised_variance, two_sided_p, z_of
from hanamikoji.stats.shape import route_share

_Settings = Mapping[str, Mapping[str, object]]
_CAP_REASONS = ("cap-geishas", "cap-charm", "cap-highest-geisha")


def sweep_summary(
    cells: Sequence[CellSummary],
    counts: Mapping[int, CellCounts],
    crossings: Crossings,
    differences: Sequence[Difference],
    facts: RunFacts,
) -> Sweep | None:
    """The sweep's part of the summary; None if the run is no sweep."""
    if facts.sweep is None:
        return None
    settings = facts.sweep
    swept = [c for c in cells if c.variant in settings]
    curves: list[Curve] = []
    main: list[Effect] = []
    interactions: list[Effect] = []
    for names in dict.fromkeys((c.agent_a, c.agent_b) for c in swept):
        group = _Group([c for c in swept if (c.agent_a, c.agent_b) == names], counts, crossings)
        curves += group.curves(settings)
        main += _adjusted(group.main_effects(settings))
        interactions += _adjusted(group.interactions(settings))
    rows = _rows(swept, counts, differences, settings)
    return Sweep(rows, tuple(curves), tuple(main), tuple(interactions))


def _rows(
    cells: Sequence[CellSummary],
    counts: Mapping[int, CellCounts],
    differences: Sequence[Difference],
    settings: _Settings,
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
                values=tuple((k, text_of(v)) for k, v in settings[c.variant].items()),
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
        return -math.inf if row.difference is None else abs(row.difference.difference)

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
    """The swept cells of one match-up, with the covariance of their average scores."""

    def __init__(
        self,
        cells: Sequence[CellSummary],
        counts: Mapping[int, CellCounts],
        crossings: Crossings,
    ) -> None:
        self.cells = cells
        self.unit: Unit = cells[0].starter.unit
        self.edges = np.array([c.starter.edge for c in cells])
        self.fewest = min(c.starter.n for c in cells)
        self.covariance = np.zeros((len(cells), len(cells)))
        for i, one in enumerate(cells):
            tally = pentanomial(counts[one.cell].tables["result"], "starter")
            self.covariance[i, i] = regularised_variance(tally) / one.starter.n
            for j in range(i):
                two = cells[j]
                cross = crossings.between(one.cell, two.cell)
                if cross.n:
                    both = cross.covariance() * cross.n / (one.starter.n * two.starter.n)
                    self.covariance[i, j] = self.covariance[j, i] = both

    def contrast(self, weights: FloatArray) -> tuple[Mean, float]:
        """A weighted sum of the cells' edges, and its two-sided p of being 0."""
        value = float(weights @ self.edges)
        error = math.sqrt(max(float(weights @ self.covariance @ weights), 1e-300))
        half = z_of(0.95) * error
        found = Interval(value - half, value + half, 0.95, "normal, paired by deal")
        return Mean(value, self.fewest, self.unit, found), two_sided_p(value / error)

    def _levels(self, settings: _Settings) -> dict[str, list[str]]:
        """Keys with more than one value among the cells, and the values in order."""
        levels: dict[str, dict[str, None]] = {}
        for cell in self.cells:
            for key, value in settings[cell.variant].items():
                levels.setdefault(key, {})[text_of(value)] = None
        return {key: list(values) for key, values in levels.items() if len(values) > 1}

    def _grid(self, settings: _Settings) -> dict[str, list[str]] | None:
        """The levels, if the cells are a full grid of them, each point once; else None."""
        levels = self._levels(settings)
        points = {tuple(self._at(i, key, settings) for key in levels) for i in self._numbers()}
        size = math.prod(len(values) for values in levels.values())
        whole = bool(levels) and len(points) == len(self.cells) == size
        return levels if whole else None

    def _numbers(self) -> range:
        return range(len(self.cells))

    def _at(self, number: int, key: str, settings: _Settings) -> str:
        return text_of(settings[self.cells[number].variant].get(key))

    def _mean_where(self, settings: _Settings, chosen: Mapping[str, str]) -> FloatArray:
        """Weights of the average over the cells with the chosen values."""
        here = np.array(
            [
                all(self._at(i, key, settings) == value for key, value in chosen.items())
                for i in self._numbers()
            ],
            dtype=float,
        )
        return np.asarray(here / here.sum())

    def _effect(
        self, weights: FloatArray, keys: tuple[str, ...], values: tuple[str, ...]
    ) -> Effect:
        difference, p = self.contrast(weights)
        names = self.cells[0].agent_a, self.cells[0].agent_b
        return Effect(*names, keys, values, difference, p, p)

    def main_effects(self, settings: _Settings) -> list[Effect]:
        """Mean at each value of each key minus the grand mean (Box, Hunter & Hunter 2005, 5)."""
        grand = self._mean_where(settings, {})
        return [
            self._effect(self._mean_where(settings, {key: value}) - grand, (key,), (value,))
            for key, values in (self._grid(settings) or {}).items()
            for value in _listed(values)
        ]

    def interactions(self, settings: _Settings) -> list[Effect]:
        """What is left at each pair of values after the grand mean and both main effects."""
        grand = self._mean_where(settings, {})
        effects = []
        for one, two in combinations((self._grid(settings) or {}).items(), 2):
            for x, y in _pairs(_listed(one[1]), _listed(two[1])):
                weights = (
                    self._mean_where(settings, {one[0]: x, two[0]: y})
                    - self._mean_where(settings, {one[0]: x})
                    - self._mean_where(settings, {two[0]: y})
                    + grand
                )
                effects.append(self._effect(weights, (one[0], two[0]), (x, y)))
        return effects

    def curves(self, settings: _Settings) -> list[Curve]:
        """Average edge and length along each numeric key."""
        curves = []
        for key, values in self._levels(settings).items():
            raw = {
                text_of(v): v for c in self.cells if (v := settings[c.variant].get(key)) is not None
            }
            numbers = {
                text: float(v)
                for text, v in raw.items()
                if isinstance(v, int | float) and not isinstance(v, bool)
            }
            if len(numbers) < len(values):
                continue
            points = [
                CurvePoint(numbers[text], *self._point(self._mean_where(settings, {key: text})))
                for text in sorted(values, key=lambda text: numbers[text])
            ]
            names = self.cells[0].agent_a, self.cells[0].agent_b
            curves.append(Curve(*names, key, tuple(points)))
        return curves

    def _point(self, weights: FloatArray) -> tuple[Mean, Mean]:
        """Average edge and number of rounds; lengths as if independent between cells."""
        lengths = [c.shape.mean_rounds for c in self.cells]
        value = float(weights @ [m.value for m in lengths])
        halves = np.array([m.interval.half_width for m in lengths])
        half = float(np.sqrt(((weights * halves) ** 2).sum()))
        found = Interval(value - half, value + half, 0.95, "normal")
        rounds = Mean(value, min(m.n for m in lengths), "games", found)
        return self.contrast(weights)[0], rounds


def _listed(values: list[str]) -> list[str]:
    """Values whose effects are told: of two, the second says it all."""
    return values[1:] if len(values) == 2 else values


def _pairs(one: list[str], two: list[str]) -> Iterator[tuple[str, str]]:
    return ((x, y) for x in one for y in two)
