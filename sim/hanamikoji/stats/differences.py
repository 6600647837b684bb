"""Variants against the baseline: paired differences, and exploratory screens.

Intervals assume a fixed sample size. A precision stop hardly affects them, since it depends on the
width and not on the value; after an SPRT they are optionally stopped, as the cell's summary states.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hanamikoji.stats.cells import pentanomial, unit_of
from hanamikoji.stats.contrasts import Difference, Screen, ScreenRow
from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.estimates import Interval
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
from hanamikoji.stats.moments import Moments
from hanamikoji.stats.pairing import PairedScores, games_saved, match_up, score_correlation
from hanamikoji.stats.shape import holder_score_of
from hanamikoji.stats.tables import ratio, share
from hanamikoji.stats.verdicts import NARROW, WIDE, decide

ALPHA = 0.05
"""Family-wise error rate (Holm) and false discovery rate (Benjamini-Hochberg) of the flags."""

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
    counts: Mapping[int, CellCounts], paired: PairedScores, facts: RunFacts
) -> tuple[Difference, ...]:
    """Each variant's starter edge minus the baseline's; Holm over the variants of a match-up."""
    families: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    for cell, base in _comparisons(counts, facts):
        families[cell.agent_a, cell.agent_b].append(
            _difference(counts, paired.between(cell.cell, base.cell), (cell, base), facts)
        )
    adjusted = []
    for family in families.values():
        for one, p in zip(family, holm([d.p for d in family]), strict=True):
            clear = one.verdict != "unbalanced" or p < ALPHA
            adjusted.append(
                replace(
                    one,
                    p_holm=p,
                    significant=p < ALPHA,
                    verdict=one.verdict if clear else "undecided",
                )
            )
    return tuple(sorted(adjusted, key=lambda d: d.cell))


def _difference(
    counts: Mapping[int, CellCounts],
    shared: Moments,
    cells: tuple[CellFacts, CellFacts],
    facts: RunFacts,
) -> Difference:
    one, two = (
        bounded_score(pentanomial(counts[c.cell].tables["result"], "starter")) for c in cells
    )
    correlation = correlation_of_means(shared, one.n, two.n)
    narrow = difference_interval(one, two, correlation, NARROW)
    wide = difference_interval(one, two, correlation, WIDE)
    p = difference_p(one, two, correlation)
    cell, base = cells
    return Difference(
        variant=cell.variant,
        baseline=base.variant,
        agent_a=cell.agent_a,
        agent_b=cell.agent_b,
        cell=cell.cell,
        baseline_cell=base.cell,
        difference=one.value - two.value,
        interval=wide,
        n_variant=one.n,
        n_baseline=two.n,
        shared_deals=shared.n,
        unit=unit_of(cell),
        correlation=score_correlation(shared) if shared.n else None,
        saved=games_saved(shared) if shared.n else None,
        p=p,
        p_holm=p,
        significant=p < ALPHA,
        verdict=decide(narrow, wide, facts.margin),
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
    return tuple(
        _screen(counts[cell.cell], counts[base.cell], cell, base)
        for cell, base in _comparisons(counts, facts)
    )


def _screen(mine: CellCounts, theirs: CellCounts, cell: CellFacts, base: CellFacts) -> Screen:
    candidates = _geishas(mine, theirs, cell, base) + _actions(mine, theirs, cell, base)
    candidates = [c for c in candidates if c.one.n and c.two.n]
    p_values = [difference_p(c.one, c.two) for c in candidates]
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
        for c, p, q in zip(candidates, p_values, benjamini_hochberg(p_values), strict=True)
    ]
    return Screen(cell.variant, base.variant, cell.agent_a, cell.agent_b, tuple(rows))


def _geishas(
    mine: CellCounts, theirs: CellCounts, cell: CellFacts, base: CellFacts
) -> list[_Candidate]:
    """Seat bias and worth of each geisha; only where both variants have the same row."""
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
        found += [
            _Candidate(
                "geisha", name, "starter's share of the games where someone holds her", *seat
            ),
            _Candidate("geisha", name, "score of whoever holds her at the end", *worth),
        ]
    return found


def _actions(
    mine: CellCounts, theirs: CellCounts, cell: CellFacts, base: CellFacts
) -> list[_Candidate]:
    """How often the starter opens with an action, and what it scores then."""
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
        found += [
            _Candidate("action", name, "how often the starter opens with it", *used),
            _Candidate("action", name, "starter's score after opening with it", *scored),
        ]
    return found
