"""Variants against the baseline: paired differences, and exploratory screens.

p-values are adjusted over all comparisons of the summary (Holm), and like the verdicts they hold at
all looks at the run together, see :mod:`hanamikoji.stats.looks`. Intervals are of single looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from hanamikoji.stats.cells import unit_of
from hanamikoji.stats.contrasts import Difference, Screen, ScreenRow
from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.estimates import Decision, Interval, Verdict
from hanamikoji.stats.facts import CellFacts, RunFacts
from hanamikoji.stats.intervals import (
    BoundedMean,
    benjamini_hochberg,
    bounded_score,
    difference_ends,
    difference_p,
    holm,
    z_of,
)
from hanamikoji.stats.judging import look_of
from hanamikoji.stats.looks import Look, critical_z, p_value
from hanamikoji.stats.moments import Moments
from hanamikoji.stats.pairing import PairedScores, games_saved, match_up, score_correlation
from hanamikoji.stats.scores import pentanomial
from hanamikoji.stats.shape import holder_score_of
from hanamikoji.stats.tables import games_in, ratio, share
from hanamikoji.stats.verdicts import NARROW, WIDE

ALPHA = 0.05
"""Family-wise error rate (Holm) and false discovery rate (Benjamini-Hochberg) of the flags."""

# Of two cells that were looked at differently, the comparison is as the stricter look.
_STRICTEST: tuple[Look, ...] = ("other", "any", "planned")
_HYBRID = "Newcombe's hybrid of scores"


def difference_interval(
    one: BoundedMean, two: BoundedMean, correlation: float = 0.0, level: float = WIDE
) -> Interval:
    """Interval of ``one - two``, given the correlation of the two averages."""
    low, high = difference_ends(one, two, correlation, z_of(level))
    method = f"{_HYBRID}, paired by deal" if correlation else _HYBRID
    return Interval(low, high, level, method)


def _baseline_of(cell: CellFacts, facts: RunFacts) -> CellFacts | None:
    """The baseline's cell with the same agents; of several, one that shares the cell's deals."""
    found = [
        c
        for c in facts.cells
        if c.variant == facts.baseline and (c.agent_a, c.agent_b) == (cell.agent_a, cell.agent_b)
    ]
    return min(found, key=lambda c: match_up(c) != match_up(cell), default=None)


def _comparisons(
    counts: Mapping[int, CellCounts], facts: RunFacts
) -> list[tuple[CellFacts, CellFacts]]:
    """(variant's cell, baseline's cell) for all cells that were played and have a baseline."""
    baselines: dict[tuple[str, str, int], CellFacts | None] = {}
    found = []
    for cell in facts.cells:
        if match_up(cell) not in baselines:
            baselines[match_up(cell)] = _baseline_of(cell, facts)
        base = baselines[match_up(cell)]
        if (
            base is not None
            and cell.variant != facts.baseline
            and {cell.cell, base.cell} <= set(counts)
        ):
            found.append((cell, base))
    return found


def differences(
    counts: Mapping[int, CellCounts],
    paired: PairedScores,
    verdicts: Mapping[int, Verdict],
    facts: RunFacts,
) -> tuple[Difference, ...]:
    """Each variant's starter edge minus the baseline's; Holm over all of them.

    Args:
        counts: Of the cells that were played.
        paired: Their scores on shared deals.
        verdicts: The cells' own.
        facts: The run's.
    """
    found = [
        _Comparison(cell, base, counts, paired.between(cell.cell, base.cell), facts)
        for cell, base in _comparisons(counts, facts)
    ]
    from_zero = holm([each.p(0.0) for each in found])
    beyond = holm([each.p(facts.margin) for each in found])
    return tuple(
        each.difference(
            p_zero,
            p_beyond,
            tells=all(verdicts[c.cell].withheld is None for c in (each.cell, each.base)),
        )
        for each, p_zero, p_beyond in zip(found, from_zero, beyond, strict=True)
    )


class _Comparison:
    """A variant's cell beside the baseline's."""

    def __init__(
        self,
        cell: CellFacts,
        base: CellFacts,
        counts: Mapping[int, CellCounts],
        shared: Moments,
        facts: RunFacts,
    ) -> None:
        self.cell, self.base, self.shared, self.facts = cell, base, shared, facts
        results = [counts[c.cell].tables["result"] for c in (cell, base)]
        self.one, self.two = (bounded_score(pentanomial(r, "starter")) for r in results)
        self.correlation = correlation_of_means(shared, self.one.n, self.two.n)
        self.error = self._interval(1.0, WIDE).half_width
        looks = {
            look_of(c, games_in(r), facts.stop) for c, r in zip((cell, base), results, strict=True)
        }
        self.look: Look = next(look for look in _STRICTEST if look in looks)

    def _interval(self, z: float, level: float) -> Interval:
        low, high = difference_ends(self.one, self.two, self.correlation, z)
        method = f"{_HYBRID}, paired by deal" if self.correlation else _HYBRID
        return Interval(low, high, level, method)

    def p(self, margin: float) -> float:
        """Two-sided p-value of the difference being at most ``margin`` to either side."""
        p = difference_p(self.one, self.two, self.correlation, margin)
        return p_value(-float(ndtri(p / 2)), p, self.look, self.error, self.facts.margin)

    def difference(self, p_holm: float, p_beyond: float, *, tells: bool) -> Difference:
        """The estimate, given adjusted p-values of no difference and of one within the margin.

        ``tells``: whether both cells have verdicts of their own.
        """
        margin = self.facts.margin
        narrow = self._interval(critical_z(NARROW, self.look, self.error, margin), NARROW)
        verdict: Decision = "undecided"
        if tells and -margin < narrow.low and narrow.high < margin:
            verdict = "balanced"
        elif p_beyond < ALPHA:
            verdict = "unbalanced"
        return Difference(
            variant=self.cell.variant,
            baseline=self.base.variant,
            agent_a=self.cell.agent_a,
            agent_b=self.cell.agent_b,
            cell=self.cell.cell,
            baseline_cell=self.base.cell,
            difference=self.one.value - self.two.value,
            interval=self._interval(z_of(WIDE), WIDE),
            n_variant=self.one.n,
            n_baseline=self.two.n,
            shared_deals=self.shared.n,
            unit=unit_of(self.cell),
            correlation=score_correlation(self.shared) if self.shared.n else None,
            saved=games_saved(self.shared, unit_of(self.cell)) if self.shared.n else None,
            p=self.p(0.0),
            p_holm=p_holm,
            p_beyond=p_beyond,
            significant=p_holm < ALPHA,
            verdict=verdict,
        )


def correlation_of_means(shared: Moments, n_one: int, n_two: int) -> float:
    """Correlation of two cells' average scores, of which only some deals may be shared.

    cov(mean x, mean y) = n_shared cov(x, y) / (n_x n_y), from which the correlation of the means is
    that of the units times n_shared / sqrt(n_x n_y).
    """
    if not shared.n:
        return 0.0
    return score_correlation(shared) * shared.n / math.sqrt(n_one * n_two)


@dataclass(frozen=True, slots=True)
class _Candidate:
    kind: str
    name: str
    measure: str
    one: BoundedMean
    two: BoundedMean


def screens(counts: Mapping[int, CellCounts], facts: RunFacts) -> tuple[Screen, ...]:
    """Per-geisha and per-action comparisons of each variant with the baseline; exploratory.

    Cells are treated as independent, which is conservative where they share deals of like effect.
    """
    found = [
        (cell, base, _candidates(counts[cell.cell], counts[base.cell], cell, base))
        for cell, base in _comparisons(counts, facts)
    ]
    p_values = [difference_p(c.one, c.two) for _, _, candidates in found for c in candidates]
    adjusted = zip(p_values, benjamini_hochberg(p_values), strict=True)
    return tuple(_screen(cell, base, candidates, adjusted) for cell, base, candidates in found)


def _candidates(
    mine: CellCounts, theirs: CellCounts, cell: CellFacts, base: CellFacts
) -> list[_Candidate]:
    found = _geishas(mine, theirs, cell, base) + _actions(mine, theirs, cell, base)
    return [c for c in found if c.one.n and c.two.n]


def _screen(
    cell: CellFacts,
    base: CellFacts,
    candidates: list[_Candidate],
    adjusted: Iterator[tuple[float, float]],
) -> Screen:
    """One variant's comparisons, which take their p- and q-values off ``adjusted``."""
    rows = [
        ScreenRow(
            kind="geisha" if c.kind == "geisha" else "action",
            name=c.name,
            measure=c.measure,
            value=c.one.value,
            baseline_value=c.two.value,
            difference=c.one.value - c.two.value,
            interval=difference_interval(c.one, c.two),
            n=c.one.n,
            n_baseline=c.two.n,
            unit="games",
            p=p,
            q=q,
            flagged=q < ALPHA,
        )
        for c, (p, q) in zip(candidates, adjusted, strict=False)
    ]
    return Screen(cell.variant, base.variant, cell.agent_a, cell.agent_b, tuple(rows))


def _geishas(
    mine: CellCounts, theirs: CellCounts, cell: CellFacts, base: CellFacts
) -> list[_Candidate]:
    """Seat bias of each geisha, and in mirrors the score that goes with her.

    Only where both variants have the same row.
    """
    if cell.charm != base.charm:
        return []
    holder = np.tile(np.arange(3), 3)
    held = (holder > 0).astype(float)
    found = []
    for geisha, charm in enumerate(cell.charm):
        name = f"geisha {geisha + 1} (charm {charm})"
        one, two = (c.tables[f"geisha {geisha}"] for c in (mine, theirs))
        seat = [ratio(t, (holder == 1).astype(float), held) for t in (one, two)]
        worth = [holder_score_of(t) for t in (one, two)]
        found.append(
            _Candidate(
                "geisha", name, "starter's share of the games where someone holds her", *seat
            )
        )
        if cell.mirror:  # of two agents, it would be a mixture of theirs
            found.append(
                _Candidate("geisha", name, "score of whoever holds her at the end", *worth)
            )
    return found


def _actions(
    mine: CellCounts, theirs: CellCounts, cell: CellFacts, base: CellFacts
) -> list[_Candidate]:
    """How often the starter opens with an action, and in mirrors what it scores then."""
    found = []
    for kind, name in enumerate(cell.kinds):
        if name not in base.kinds:
            continue
        used, scored = [], []
        for counts, index in ((mine, kind), (theirs, base.kinds.index(name))):
            table = counts.tables["opening starter"]
            member = np.zeros(len(table))
            member[3 * index : 3 * index + 3] = 1.0
            used.append(share(table, member))
            scored.append(ratio(table, member * np.tile([1.0, 0.0, 0.5], len(table) // 3), member))
        found.append(_Candidate("action", name, "how often the starter opens with it", *used))
        if cell.mirror:
            found.append(
                _Candidate("action", name, "starter's score after opening with it", *scored)
            )
    return found
