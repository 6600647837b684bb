"""The estimates of a cell: frozen and typed, each with its denominator.

Scores lie in [0, 1]: a win 1, a shared win or an unfinished game 1/2. An *edge* is a score minus
1/2. A *unit* is the independent observation: the pair (one deal, both seatings), or the single game
of a mirror match-up. Intervals are 95 % unless they say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["pairs", "games", "rounds", "decisions", "deals"]
Decision = Literal["balanced", "unbalanced", "undecided"]
Role = Literal["starter", "second"]
StopRule = Literal["fixed", "precision", "verdict", "sprt"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that contains the true value with probability ``level``; never of zero width.

    An end is infinite where the games do not bound it.
    """

    low: float
    high: float
    level: float
    method: str
    """Name of the formula, for the report's methods."""

    @property
    def half_width(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2

    def shifted(self, by: float) -> Interval:
        """The same range moved by ``by``."""
        return Interval(self.low + by, self.high + by, self.level, self.method)


@dataclass(frozen=True, slots=True)
class Proportion:
    """``count`` out of ``n`` of the kind ``unit``."""

    value: float
    count: int
    n: int
    unit: Unit
    interval: Interval


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over ``n`` of the kind ``unit``, in its own scale (rounds, score)."""

    value: float
    n: int
    unit: Unit
    interval: Interval


@dataclass(frozen=True, slots=True)
class Score:
    """A mean score in [0, 1] over units, with the counts behind it."""

    value: float
    n: int
    """Number of units."""
    unit: Unit
    games: int
    variance: float
    """Of one unit's score, regularised: never zero."""
    interval: Interval
    wins: int
    """Games; wins + losses + shared + unfinished = games."""
    losses: int
    shared: int
    unfinished: int
    pentanomial: tuple[int, int, int, int, int]
    """Units with a score of 0, 1/4, 1/2, 3/4, 1; their sum is n."""

    @property
    def edge(self) -> float:
        """The score minus 1/2."""
        return self.value - 0.5

    @property
    def edge_interval(self) -> Interval:
        """The interval of the edge."""
        return self.interval.shifted(-0.5)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is the starter's edge within the margin? An equivalence test, not a test for zero."""

    decision: Decision
    margin: float
    edge: float
    narrow: Interval
    """90 % interval of the edge, at all looks together: balanced if inside the margin."""
    wide: Interval
    """95 % interval of the edge, at all looks together: unbalanced if entirely outside."""
    favours: Role | None
    """The role that an unbalanced cell favours."""
    further_games: int | None
    """Further games for a decision with 80 % power if the true edge is the estimate; 0 if decided,
    None if the edge is too close to the margin for any feasible number."""
    n: int
    unit: Unit
    look: int = 1
    """Which look at the run this is: 1 plus the earlier sizes at which the cell was looked at."""
    withheld: str | None = None
    """Why there is no verdict, as a clause: the games could not support one however many."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """How a cell's sample reached its size."""

    rule: StopRule
    outcome: str
    """'fixed size', 'precision reached', 'verdict reached', 'accepted H0', 'accepted H1', 'games
    ran out'; 'still open' in an unfinished run."""
    optionally_stopped: bool
    """True if intervals that assume a fixed size are too narrow, since a test ended the sample. The
    verdict's own hold at any look."""
    llr: float | None = None
    """Final log likelihood ratio; SPRT only."""
    estimate: Mean | None = None
    """Of the score that an SPRT is about (the first agent's; in a mirror the starter's), median-
    unbiased whatever ended the sample; None without an SPRT, or while it is open."""


@dataclass(frozen=True, slots=True)
class Forfeits:
    """Games that an agent forfeited, by reason (``forfeit-error`` ...)."""

    agent: str
    reason: str
    games: Proportion


@dataclass(frozen=True, slots=True)
class Luck:
    """Skill and luck: shares of a game score's variance, from both seatings of each deal."""

    stronger: str
    """The agent with the higher pair score."""
    stronger_wins: Proportion
    """Games that it wins."""
    deal_share: Mean
    """Correlation of the starter's scores in the two seatings of a deal: the share of the variance
    explained by the cards alone; the estimate may be slightly negative."""
    skill_share: Mean
    """The share explained by which agent plays which seat."""
    rest: float
    """1 - deal - skill: chance in play, and interactions."""


@dataclass(frozen=True, slots=True)
class LengthBin:
    """Games that ended in round ``rounds``."""

    rounds: int
    share: Proportion


@dataclass(frozen=True, slots=True)
class Route:
    """A way in which games ended: a reason of the games table."""

    reason: str
    share: Proportion
    starter_score: Mean | None
    """The starter's score in those games; None if there were none."""


@dataclass(frozen=True, slots=True)
class LeadBin:
    """Games with ``changes`` changes of the charm lead (in the last bin, or more)."""

    changes: int
    share: Proportion


@dataclass(frozen=True, slots=True)
class GeishaShape:
    """One geisha (index into the charm row): who holds her at the end, and the holders' scores."""

    geisha: int
    charm: int
    starter: Proportion
    """Games in which the starter holds her at the end."""
    second: Proportion
    nobody: Proportion
    held: tuple[HolderScore, ...]
    """The scores that go with holding her, by agent."""


@dataclass(frozen=True, slots=True)
class HolderScore:
    """An agent's score in the games in which it holds a geisha, both seats weighed alike.

    None if it never holds her from one of them.
    """

    agent: str
    at_end: Mean | None
    after_round_1: Mean | None
    """Needs rounds/."""


@dataclass(frozen=True, slots=True)
class ActionShape:
    """One action as an agent's ``turn``-th of round 1 (turn 1 = opening), from one seat."""

    agent: str
    role: Role
    turn: int
    action: str
    share: Proportion
    score: Mean | None
    """The agent's game score; None if the action was never played then."""


@dataclass(frozen=True, slots=True)
class OrderShape:
    """One whole order of an agent's actions in round 1, from one seat."""

    agent: str
    role: Role
    order: tuple[str, ...]
    share: Proportion
    score: Mean


@dataclass(frozen=True, slots=True)
class Swing:
    """Absolute change of the charm lead in a round, over games that reach it."""

    round: int
    swing: Mean
    last: bool
    """True if the row pools this round and all later ones."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a cell's games. What needs rounds/ is None or empty if it was not recorded."""

    mean_rounds: Mean
    length: tuple[LengthBin, ...]
    routes: tuple[Route, ...]
    goal_conflict: Proportion
    lead_changes: tuple[LeadBin, ...]
    mean_lead_changes: Mean
    turned: Proportion
    """Games of two rounds or more in which the charm lead changed hands."""
    comebacks: Proportion | None
    """Of decided games where one player led in charm after round 1 and the game went on: those won
    by the other; needs rounds/."""
    late_comebacks: Proportion | None
    """The same of who led after the last round but one."""
    charm_margin: Mean
    """Absolute difference of charm at the end: decisiveness."""
    starter_charm_lead: Mean
    geishas: tuple[GeishaShape, ...]
    openings: tuple[ActionShape, ...]
    actions: tuple[ActionShape, ...]
    """Action x turn in round 1; needs rounds/."""
    orders: tuple[OrderShape, ...]
    """The most frequent orders in round 1; needs rounds/."""
    swings: tuple[Swing, ...]
    legal_moves: Mean | None
    """Legal moves per decision; needs rounds/."""
    missing: tuple[str, ...]
    """What is missing and what to record for it, in one sentence each."""


@dataclass(frozen=True, slots=True)
class CellSummary:
    """All estimates of one cell: rules x match-up."""

    cell: int
    variant: str
    rules_hash: str
    agent_a: str
    agent_b: str
    mirror: bool
    deals: int
    games: int
    starter: Score
    """Its edge is the cell's estimand."""
    agent: Score | None
    """Agent a's score over both seatings; None for a mirror."""
    agent_as_starter: Score | None
    """Agent a's score in the games it starts (unit: game, one a deal)."""
    agent_as_second: Score | None
    starter_wins: Proportion
    second_wins: Proportion
    shared: Proportion
    unfinished: Proportion
    verdict: Verdict
    stopping: Stopping
    forfeits: tuple[Forfeits, ...]
    clean_starter: Score | None
    """The starter's score over units with no unfinished and no forfeited game; None if there are
    no such games, or no others."""
    clean_verdict: Verdict | None
    lopsided: bool
    """The agents are so unequal that the starter's edge shrinks: see `starter_elo`."""
    starter_elo: Mean | None
    """Value of starting in Elo points, on which scale it does not shrink; None for a mirror."""
    luck: Luck | None
    shape: Shape
