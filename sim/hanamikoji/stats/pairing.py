"""Covariances of cells' scores over the deals they share, in bounded memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hanamikoji.stats.estimates import Interval, Mean, Unit
from hanamikoji.stats.facts import CellFacts, Part, RunFacts
from hanamikoji.stats.intervals import wilson_ends, z_of
from hanamikoji.stats.moments import Moments

Scores = np.ndarray[Any, np.dtype[np.uint8]]
MOST_PAIRED = 64
"""Cells of a sweep's match-up up to which the covariances of all pairs are kept."""


# 'Plus four' of :mod:`hanamikoji.stats.intervals` for two cells, uncorrelated: four pseudo-deals at
# the corners of [0, 1]^2 in quarters. So even equal cells stay short of a correlation of 1.
_PLUS_FOUR = Moments(4, 8, 8, 32, 16, 32)


def _regularised(sums: Moments) -> Moments:
    found = replace(sums)
    found.add(_PLUS_FOUR)
    return found


def score_covariance(sums: Moments) -> float:
    """Regularised covariance of two cells' unit scores, from sums over shared deals in quarters."""
    return _regularised(sums).covariance / 16


def score_correlation(sums: Moments) -> float:
    """Correlation of two cells' unit scores, regularised like the covariance."""
    var_x, var_y = _regularised(sums).variances
    return score_covariance(sums) / (math.sqrt(var_x * var_y) / 16)


def games_saved(sums: Moments, unit: Unit) -> Mean:
    """Games that unpaired cells would need for the same precision, over those of paired ones.

    (var x + var y) / var(x - y) = 1 / (1 - r) on the shared deals, where r is a correlation; below
    1 if the deals' effects are opposed. Its interval is that of fair coins which agree with
    probability (1 + r) / 2, Wilson's: no scores between 0 and 1 vary more.
    """
    value = 1 / (1 - _common_share(_regularised(sums)))
    agreement = (1 + _common_share(sums)) / 2
    low, high = (
        0.5 / (1 - end) if end < 1 else math.inf
        for end in wilson_ends(agreement, sums.n, z_of(0.95))
    )
    found = Interval(min(low, value), high, 0.95, "Wilson, as of coins that agree")
    return Mean(value, sums.n, unit, found)


def _common_share(sums: Moments) -> float:
    """Twice the covariance over the sum of the variances; 1 if both are constant."""
    spread = sum(sums.variances)
    return 2 * sums.covariance / spread if spread > 0 else 1.0


_Group = tuple[str, str, int]


def match_up(cell: CellFacts) -> tuple[str, str, int]:
    """What two cells must have in common to be compared deal by deal."""
    return cell.agent_a, cell.agent_b, cell.seed


@dataclass(frozen=True, slots=True)
class _Segment:
    cell: int
    first: int
    last: int
    scores: np.ndarray[Any, np.dtype[np.float64]]


class PairedScores:
    """Sums over shared deals for pairs of cells, collected while parts are added in :meth:`order`.

    Of a match-up's cells, the baseline's is paired with every other. In a sweep all are paired with
    each other unless there are too many; so are those of match-ups that differ only in the sweep
    points of their agents. Only segments that a later part may still overlap are held.
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
            if len(members) <= MOST_PAIRED:
                self._pair_up(members, members)
                self._group |= dict.fromkeys(members, group)
        self._held: dict[_Group, list[_Segment]] = {}
        self.sums: dict[tuple[int, int], Moments] = defaultdict(Moments)

    def _pair_up(self, hubs: Iterable[int], members: Iterable[int]) -> None:
        for hub in hubs:
            for other in members:
                if other != hub:
                    self._partners[hub].add(other)
                    self._partners[other].add(hub)

    def order(self, parts: Iterable[Part]) -> list[Part]:
        """Parts in the order in which to add them.

        Paired cells stay together, by deal, the baseline's first.
        """
        rank = {group: i for i, group in enumerate(dict.fromkeys(self._group.values()))}

        def place(part: Part) -> tuple[int, int, bool, int]:
            cell = part.cell
            return rank[self._group[cell]], part.first, cell not in self._hubs, cell

        return sorted(parts, key=place)

    def add(self, part: Part, quarters: Scores) -> None:
        """Pair a part's unit scores with those held of other cells on the same deals."""
        partners = self._partners.get(part.cell)
        if not partners:
            return
        group = self._group[part.cell]
        if group not in self._held:  # the previous group is complete
            self._held = {group: []}
        held = self._held[group]
        # Parts come by first deal: what ends before this one is complete.
        held[:] = [segment for segment in held if segment.last > part.first]
        mine = _Segment(part.cell, part.first, part.last, quarters.astype(np.float64))
        for other in held:
            if other.cell in partners:
                low, high = (mine, other) if mine.cell < other.cell else (other, mine)
                self.sums[low.cell, high.cell].add(_shared(low, high))
        if self._awaited(part, partners, held):
            held.append(mine)

    def _awaited(self, part: Part, partners: set[int], held: list[_Segment]) -> bool:
        """Whether a part that pairs with this one may still come.

        A variant's part waits only for its baseline's deals; those that are held already cover it
        when chunks are of one size, so a sweep of many variants holds one part, not one of each.
        """
        if part.cell in self._hubs or not partners <= self._hubs:
            return True
        covered = {s.cell: s.last for s in held if s.cell in partners}
        return any(covered.get(c, part.first) < part.last for c in partners)

    def between(self, one: int, two: int) -> Moments:
        """Sums over shared deals of two cells' scores in quarters; x is ``one``'s, y ``two``'s."""
        if one > two:
            return self.between(two, one).swapped()
        return self.sums.get((one, two), Moments())


def _shared(one: _Segment, two: _Segment) -> Moments:
    """Sums over the deals that two segments share."""
    first, last = max(one.first, two.first), min(one.last, two.last)
    if first >= last:
        return Moments()
    x = one.scores[first - one.first : last - one.first]
    y = two.scores[first - two.first : last - two.first]
    # Sums of products of small whole numbers: exact in float64, the only type that BLAS takes.
    products = (x @ x, x @ y, y @ y)
    return Moments(len(x), int(x.sum()), int(y.sum()), *map(int, products))
