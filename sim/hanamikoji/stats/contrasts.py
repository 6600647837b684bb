"""Estimates that compare cells: differences, ratings, ladders, sweeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hanamikoji.stats.estimates import (
    CellSummary,
    Decision,
    Interval,
    Mean,
    Proportion,
    Score,
    Unit,
    Verdict,
)
from hanamikoji.stats.facts import RunFacts


@dataclass(frozen=True, slots=True)
class Difference:
    """A variant's starter edge minus the baseline's, same match-up, paired on shared deals."""

    variant: str
    baseline: str
    agent_a: str
    agent_b: str
    cell: int
    baseline_cell: int
    difference: float
    interval: Interval
    n_variant: int
    """Units."""
    n_baseline: int
    shared_deals: int
    unit: Unit
    correlation: float | None
    """Between the two cells' unit scores on shared deals; None without shared deals."""
    saved: Mean | None
    """Factor by which pairing reduces the games needed: unpaired over paired variance."""
    p: float
    """Two-sided p-value for a difference of 0, valid at all looks at the run together."""
    p_holm: float
    """Holm-adjusted over all differences of the summary."""
    p_beyond: float
    """The same for a difference within the margin."""
    significant: bool
    """p_holm below 0.05."""
    verdict: Decision
    """``balanced``: the same as the baseline within the margin, by a 90 % interval of its own;
    ``unbalanced``: different by more, `p_beyond` below 0.05."""


@dataclass(frozen=True, slots=True)
class ScreenRow:
    """One exploratory comparison of a variant with the baseline."""

    kind: Literal["geisha", "action"]
    name: str
    """The geisha as 'geisha I (charm C)', or the action."""
    measure: str
    """What is compared, in a phrase."""
    value: float
    baseline_value: float
    difference: float
    interval: Interval
    n: int
    n_baseline: int
    unit: Unit
    p: float
    q: float
    """Benjamini-Hochberg adjusted over all screens of the summary."""
    flagged: bool
    """q below 0.05."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Exploratory comparisons of one variant; of all flagged ones, 5 % are false discoveries."""

    variant: str
    baseline: str
    agent_a: str
    agent_b: str
    rows: tuple[ScreenRow, ...]
    label: str = "exploratory"


@dataclass(frozen=True, slots=True)
class Rating:
    """An agent's strength in Elo points above the anchor."""

    agent: str
    elo: float
    interval: Interval | None
    """None for the anchor, which is 0 by definition. Infinite on a side where no game bounds it, as
    for a perfect record, and then one-sided."""
    games: int
    score: float
    """Mean over its games."""


@dataclass(frozen=True, slots=True)
class RatingFit:
    """Observed and predicted score of a match-up."""

    agent_a: str
    agent_b: str
    observed: float
    predicted: float
    n: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Davidson-Bradley-Terry ratings of one variant's agents, strongest first."""

    variant: str
    anchor: str
    ratings: tuple[Rating, ...]
    starter_elo: Mean | None
    """Value of starting, in Elo points; None if there is a problem."""
    ties: float
    """Davidson's nu: 0 without ties."""
    fits: tuple[RatingFit, ...]
    cycles: tuple[tuple[str, ...], ...]
    """(x, y, z): x beats y beats z beats x, each beyond its 95 % interval."""
    replicates: int
    problem: str | None = None
    """Why there are no ratings, as a clause: ``no match-up connects {a, b} and {c, d}``."""


@dataclass(frozen=True, slots=True)
class Rung:
    """The starter's edge at one level of play."""

    agent: str
    elo: float | None
    cell: int
    starter: Score
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Ladder:
    """One variant under agents of increasing strength (mirror cells), weakest first."""

    variant: str
    rungs: tuple[Rung, ...]
    ordered_by: Literal["rating", "experiment"]
    change: Mean
    """Edge at the top minus edge at the bottom."""
    trend: Literal["grows", "vanishes", "turns", "steady", "unclear"]
    """Of the edge's size, weakest to strongest; ``steady``: change within the margin;
    ``turns``: both ends significant with opposite signs."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one value, or a combination of two, of a grid's keys on the starter's edge.

    Of a key with two values only the second is listed: the first's effect is its negative.
    """

    agent_a: str
    agent_b: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    difference: Mean
    """Main effect: mean edge at this value minus the grand mean. Interaction: what remains
    after both main effects. ``n`` is the smallest number of units of a cell."""
    rounds: Mean
    """The same contrast of the mean number of rounds."""
    p: float
    p_holm: float
    """Over the match-up's main effects, or over its interactions."""


@dataclass(frozen=True, slots=True)
class ResponsePoint:
    """One point of a response curve."""

    x: float
    edge: Mean
    mean_rounds: Mean


@dataclass(frozen=True, slots=True)
class ResponseCurve:
    """The starter's edge along a numeric key.

    Averaged over those settings of the other keys that all its values were played with.
    """

    agent_a: str
    agent_b: str
    key: str
    points: tuple[ResponsePoint, ...]
    together: tuple[str, ...] = ()
    """Confounded keys: those that change together with it."""
    settings: int = 1
    """Number of settings of the other keys that are averaged over."""
    left_out: int = 0
    """Number of settings not played with all of its values."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """A variant's row of the sweep's table."""

    variant: str
    agent_a: str
    agent_b: str
    cell: int
    values: tuple[tuple[str, str], ...]
    """The sweep's keys and this variant's values, as text."""
    starter: Score
    verdict: Verdict
    difference: Difference | None
    """None for the baseline."""
    mean_rounds: Mean
    charm_wins: Proportion
    geisha_wins: Proportion
    cap_wins: Proportion
    shared: Proportion
    charm_margin: Mean
    turned: Proportion


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep's table, its response curves and, for a grid, its effects."""

    rows: tuple[SweepRow, ...]
    """The baseline's first, then the largest difference from it first."""
    curves: tuple[ResponseCurve, ...]
    main: tuple[Effect, ...]
    interactions: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Probability of each verdict for a number of games and a true edge."""

    games: int
    edge: float
    balanced: float
    unbalanced: float
    undecided: float


@dataclass(frozen=True, slots=True)
class PowerTable:
    """The power of fixed numbers of games for a margin."""

    margin: float
    unit: Unit
    unit_deviation: float
    """Assumed standard deviation of a unit's score."""
    rows: tuple[PowerRow, ...]
    needed: tuple[tuple[float, int | None], ...]
    """(true edge, games for an 80 % chance of the right verdict); None at the margin itself."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All estimates of a run."""

    facts: RunFacts
    cells: tuple[CellSummary, ...]
    differences: tuple[Difference, ...]
    screens: tuple[Screen, ...]
    ratings: tuple[RatingTable, ...]
    ladders: tuple[Ladder, ...]
    sweep: Sweep | None
