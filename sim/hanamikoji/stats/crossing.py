"""How the scores of two cells go together on the deals they share, in bounded memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hanamikoji.stats.facts import CellFacts, Part, RunFacts

Scores = np.ndarray[Any, np.dtype[np.uint8]]
MOST_CROSSED = 64
"""Cells of a sweep's match-up up to which all pairs are crossed for its effects."""


@dataclass(slots=True)
class Cross:
    """Sums over the deals that two cells share, of unit scores x, y in quarters (0 to 4)."""

    n: int = 0
    x: int = 0
    y: int = 0
    xx: int = 0
    xy: int = 0
    yy: int = 0

    def covariance(self) -> float:
        """Covariance of the two unit scores, with four pseudo-deals at the corners of [0, 1]^2.

        They are the 'plus four' of :mod:`hanamikoji.stats.intervals`, two of 0 and two of 1 for
        each cell, uncorrelated: so even equal cells stay short of a correlation of 1.
        """
        n = self.n + 4
        x, y, xy = self.x + 8, self.y + 8, self.xy + 16
        return (xy / n - (x / n) * (y / n)) / 16

    def correlation(self) -> float:
        """Correlation of the two unit scores, regularised like the covariance."""
        n = self.n + 4
        x, y, xx, yy = self.x + 8, self.y + 8, self.xx + 32, self.yy + 32
        spread = math.sqrt((xx / n - (x / n) ** 2) * (yy / n - (y / n) ** 2)) / 16
        return self.covariance() / spread


_Group = tuple[str, str, int]


def match_up(cell: CellFacts) -> tuple[str, str, int]:
    """Cells that agree in it can be compared deal by deal."""
    return cell.agent_a, cell.agent_b, cell.seed


@dataclass(frozen=True, slots=True)
class _Segment:
    cell: int
    first: int
    last: int
    scores: np.ndarray[Any, np.dtype[np.float64]]


class Crossings:
    """Collects :class:`Cross` sums while parts go by in :meth:`order`.

    Of a match-up's cells the baseline's are crossed with every other's. In a sweep all are, unless
    they are too many; so are those of match-ups that are one but for the points of their agents.
    Only segments that a later part may still overlap are held.
    """

    def __init__(self, facts: RunFacts) -> None:
        families = facts.families()
        pairs: dict[_Group, list[int]] = defaultdict(list)
        wholes: dict[_Group, list[int]] = defaultdict(list)
        for c in facts.cells:
            pairs[match_up(c)].append(c.cell)
            wholes[families[c.agent_a], families[c.agent_b], c.seed].append(c.cell)
        self._group = {cell: group for group, members in pairs.items() for cell in members}
        self._hubs = {c.cell for c in facts.cells if c.variant == facts.baseline}
        self._partners: dict[int, set[int]] = defaultdict(set)
        for members in pairs.values():
            self._pair_up(self._hubs.intersection(members), members)
        for group, members in (*pairs.items(), *wholes.items()) if facts.sweep is not None else ():
            if len(members) <= MOST_CROSSED:
                self._pair_up(members, members)
                self._group |= dict.fromkeys(members, group)
        self._held: dict[_Group, list[_Segment]] = {}
        self.sums: dict[tuple[int, int], Cross] = defaultdict(Cross)

    def _pair_up(self, hubs: Iterable[int], members: Iterable[int]) -> None:
        for hub in hubs:
            for other in members:
                if other != hub:
                    self._partners[hub].add(other)
                    self._partners[other].add(hub)

    def order(self, parts: Iterable[Part]) -> list[Part]:
        """Parts in the order in which to add them: those that are crossed one after the other, by
        deal, the baseline's first."""
        rank = {group: i for i, group in enumerate(dict.fromkeys(self._group.values()))}

        def place(part: Part) -> tuple[int, int, bool, int]:
            cell = part.cell
            return rank[self._group[cell]], part.first, cell not in self._hubs, cell

        return sorted(parts, key=place)

    def add(self, part: Part, quarters: Scores) -> None:
        """Cross a part's unit scores with those held of other cells on the same deals."""
        partners = self._partners.get(part.cell)
        if not partners:
            return
        group = self._group[part.cell]
        if group not in self._held:  # the group before it is done with
            self._held = {group: []}
        held = self._held[group]
        # Parts come by first deal: what ends before this one is done with.
        held[:] = [segment for segment in held if segment.last > part.first]
        mine = _Segment(part.cell, part.first, part.last, quarters.astype(np.float64))
        for other in held:
            if other.cell in partners:
                low, high = (mine, other) if mine.cell < other.cell else (other, mine)
                _cross(self.sums[low.cell, high.cell], low, high)
        if self._awaited(part, partners, held):
            held.append(mine)

    def _awaited(self, part: Part, partners: set[int], held: list[_Segment]) -> bool:
        """Whether a part may still come that has to be crossed with this one.

        A variant's part waits only for its baseline's deals; those that are held already cover it
        when chunks are of one size, so a sweep of many variants holds one part, not one of each.
        """
        if part.cell in self._hubs or not partners <= self._hubs:
            return True
        covered = {s.cell: s.last for s in held if s.cell in partners}
        return any(covered.get(c, part.first) < part.last for c in partners)

    def between(self, one: int, two: int) -> Cross:
        """The sums of two cells, x being ``one``'s; empty if they share no deals."""
        if one <= two:
            return self.sums.get((one, two), Cross())
        cross = self.sums.get((two, one), Cross())
        return Cross(cross.n, cross.y, cross.x, cross.yy, cross.xy, cross.xx)


def _cross(sums: Cross, one: _Segment, two: _Segment) -> None:
    first, last = max(one.first, two.first), min(one.last, two.last)
    if first >= last:
        return
    x = one.scores[first - one.first : last - one.first]
    y = two.scores[first - two.first : last - two.first]
    # Sums of products of small whole numbers: exact in float64, and BLAS takes only those.
    sums.n += len(x)
    sums.x += int(x.sum())
    sums.y += int(y.sum())
    sums.xx += int(x @ x)
    sums.xy += int(x @ y)
    sums.yy += int(y @ y)
