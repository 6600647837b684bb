"""Variants against the baseline: paired differences, and exploratory screens.

Intervals are those of a fixed size. A precision stop hardly touches them, for it looks at the width
and not at the value; after an SPRT they are optionally stopped, as the cell's summary says.
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
from hanamikoji.stats.crossing import Cross, Crossings, match_up
from hanamikoji.stats.estimates import Interval
from hanamikoji.stats.facts import CellFacts, RunFacts
from hanamikoji.stats.intervals import (
    Bounded,
    benjamini_hochberg,
    bounded_score,
    difference_ends,
    difference_p,
    holm,
    z_of,
)
from hanamikoji.stats.shape import holder_score_of
from hanamikoji.stats.tables import ratio, share
from hanamikoji.stats.verdicts import NARROW, WIDE, decide

ALARM = 0.05
"""Family-wise error (Holm) and false discovery rate (Benjamini-Hochberg) that the flags keep."""

_HYBRID = "Newcombe's hybrid of scores"


def difference_interval(
    one: Bounded, two: Bounded, correlation: float = 0.0, level: float = WIDE
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
    counts: Mapping[int, CellCounts], crossings: Crossings, facts: RunFacts
) -> tuple[Difference, ...]:
    """Each variant's starter edge minus the baseline's; Holm over the variants of a match-up."""
    families: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    for cell, base in _comparisons(counts, facts):
        families[cell.agent_a, cell.agent_b].append(
            _difference(counts, crossings.between(cell.cell, base.cell), (cell, base), facts)
        )
    adjusted = []
    for family in families.values():
        for one, p in zip(family, holm([d.p for d in family]), strict=True):
            clear = one.verdict != "unbalanced" or p < ALARM
            adjusted.append(
                replace(
                    one,
                    p_holm=p,
                    significant=p < ALARM,
                    verdict=one.verdict if clear else "undecided",
                )
            )
    return tuple(sorted(adjusted, key=lambda d: d.cell))


def _difference(
    counts: Mapping[int, CellCounts],
    cross: Cross,
    cells: tuple[CellFacts, CellFacts],
    facts: RunFacts,
) -> Difference:
    one, two = (
        bounded_score(pentanomial(counts[c.cell].tables["result"], "starter")) for c in cells
    )
    correlation = correlation_of_means(cross, one.n, two.n)
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
        shared_deals=cross.n,
        unit=unit_of(cell),
        correlation=cross.correlation() if cross.n else None,
        saved=factor_saved(cross) if cross.n else None,
        p=p,
        p_holm=p,
        significant=p < ALARM,
        verdict=decide(narrow, wide, facts.margin),
    )


def correlation_of_means(cross: Cross, n_one: int, n_two: int) -> float:
    """Correlation of two cells' average scores, of which only some deals may be shared.

    cov(mean x, mean y) = n_shared cov(x, y) / (n_x n_y), from which the correlation of the means is
    that of the units times n_shared / sqrt(n_x n_y).
    """
    if not cross.n:
        return 0.0
    return cross.correlation() * cross.n / math.sqrt(n_one * n_two)


def factor_saved(cross: Cross) -> float:
    """Games that unpaired cells would need for the same precision, over those of paired ones.

    (var x + var y) / var(x - y) on the shared deals; below 1 if the deals' effects are opposed.
    """
    n = cross.n + 4
    var_x = (cross.xx + 32) / n - ((cross.x + 8) / n) ** 2
    var_y = (cross.yy + 32) / n - ((cross.y + 8) / n) ** 2
    apart = (var_x + var_y) / 16
    return apart / (apart - 2 * cross.covariance())


@dataclass(frozen=True, slots=True)
class _Candidate:
    kind: str
    name: str
    measure: str
    one: Bounded
    two: Bounded


def screens(counts: Mapping[int, CellCounts], facts: RunFacts) -> tuple[Screen, ...]:
    """Per-geisha and per-action comparisons of each variant with the baseline; exploratory.

    Cells are compared as if independent, which is on the safe side where deals are shared and
    their effects alike.
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
            flagged=q < ALARM,
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
