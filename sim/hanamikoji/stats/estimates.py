"""What the statistics hand to the report: frozen, typed estimates, each with its denominator.

Scores lie in [0, 1]: a win 1, a shared win or an unfinished game 1/2. An *edge* is a score minus
1/2. A *unit* is what is independent and therefore counted: the pair (one deal, both seatings), or
the single game of a mirror match-up. Intervals are 95 % unless they say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["pairs", "games", "rounds", "decisions", "deals"]
Decision = Literal["balanced", "unbalanced", "undecided"]
Role = Literal["starter", "second"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range that holds the true value with probability ``level``; never of zero width."""

    low: float
    high: float
    level: float
    method: str
    """Which formula, in words for the report's footnote."""

    @property
    def half_width(self) -> float:
        """Half the distance from end to end."""
        return (self.high - self.low) / 2

    def shifted(self, by: float) -> Interval:
        """The same range moved by ``by``."""
        return Interval(self.low + by, self.high + by, self.level, self.method)


@dataclass(frozen=True, slots=True)
class Proportion:
    """``count`` of ``n`` things of the kind ``unit``."""

    value: float
    count: int
    n: int
    unit: Unit
    interval: Interval


@dataclass(frozen=True, slots=True)
class Mean:
    """An average over ``n`` things of the kind ``unit``, in a scale of its own (rounds, score)."""

    value: float
    n: int
    unit: Unit
    interval: Interval


@dataclass(frozen=True, slots=True)
class Score:
    """An average score in [0, 1] over units, with what it was made of."""

    value: float
    n: int
    """Number of units."""
    unit: Unit
    games: int
    variance: float
    """Of one unit's score, regularised: never zero."""
    interval: Interval
    wins: int
    """Games; wins + draws + losses = games."""
    draws: int
    """Shared wins and unfinished games."""
    losses: int
    pentanomial: tuple[int, int, int, int, int]
    """Units with a score of 0, 1/4, 1/2, 3/4, 1; they add up to n."""

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
    """90 %, of the edge: inside the margin means balanced."""
    wide: Interval
    """95 %, of the edge: wholly outside means unbalanced."""
    favours: Role | None
    """Whom an unbalanced cell favours."""
    further_games: int | None
    """Games beyond those played that would decide with 80 % power, were the edge the one seen;
    0 if decided, None if the edge sits so near the margin that no affordable number would."""
    n: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Stopping:
    """How a cell's sample came to its size."""

    rule: Literal["fixed", "precision", "sprt"]
    outcome: str
    """'fixed size', 'precision reached', 'accepted H0', 'accepted H1', 'games ran out'; 'still
    open' in a run that isn't finished."""
    optionally_stopped: bool
    """True if the intervals quoted are fixed-size ones of a sample that a test ended."""
    llr: float | None = None
    """The log likelihood ratio at the end; SPRT only."""


@dataclass(frozen=True, slots=True)
class Forfeits:
    """Games that an agent forfeited, by reason (``forfeit-error`` ...)."""

    agent: str
    reason: str
    games: Proportion


@dataclass(frozen=True, slots=True)
class Luck:
    """Skill against luck, from both seatings of each deal: shares of a game score's variance."""

    stronger: str
    """The agent with the higher pair score."""
    stronger_wins: Proportion
    """How often it wins, of all games."""
    deal_share: Mean
    """Correlation of the starter's scores in the two seatings of a deal: the part of the variance
    that the cards alone explain; may come out slightly negative."""
    skill_share: Mean
    """The part that who plays which seat explains."""
    rest: float
    """1 - deal - skill: decisions' chance and how the two interact."""


@dataclass(frozen=True, slots=True)
class LengthBin:
    """How many games ended in round ``rounds``."""

    rounds: int
    share: Proportion


@dataclass(frozen=True, slots=True)
class Route:
    """How games ended: a reason of the games table, or ``goal-conflict`` (11 over 4 decided)."""

    reason: str
    share: Proportion
    starter_score: Mean | None
    """The starter's score in those games; None if there were none."""


@dataclass(frozen=True, slots=True)
class LeadBin:
    """How many games saw ``changes`` changes of the charm lead (the last bin: or more)."""

    changes: int
    share: Proportion


@dataclass(frozen=True, slots=True)
class GeishaShape:
    """One geisha (index into the charm row): who ends up with her, and what she is worth."""

    geisha: int
    charm: int
    starter: Proportion
    """Games in which the starter holds her at the end."""
    second: Proportion
    nobody: Proportion
    score_if_held: Mean | None
    """Score of a player who holds her at the end, over players who do."""
    score_if_held_after_round_1: Mean | None
    """Score of a player who holds her after round 1; needs rounds/."""


@dataclass(frozen=True, slots=True)
class ActionShape:
    """One action as a player's ``turn``-th of round 1 (turn 1 = opening)."""

    role: Role
    turn: int
    action: str
    share: Proportion
    score: Mean | None
    """The game score of the player who did so; None if nobody did."""


@dataclass(frozen=True, slots=True)
class OrderShape:
    """One whole order of actions in round 1."""

    role: Role
    order: tuple[str, ...]
    share: Proportion
    score: Mean


@dataclass(frozen=True, slots=True)
class Swing:
    """By how much a round moves the charm lead (absolute difference), over games that reach it."""

    round: int
    swing: Mean
    last: bool
    """True if the row pools this round and all later ones."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a cell's games. What needs rounds/ is None or empty when it was not recorded."""

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
    """What could not be shown and what to record for it, a sentence each."""


@dataclass(frozen=True, slots=True)
class CellSummary:
    """Everything about one cell: rules x match-up."""

    cell: int
    variant: str
    rules_hash: str
    agent_a: str
    agent_b: str
    mirror: bool
    deals: int
    games: int
    starter: Score
    """The cell's estimand is this score's edge."""
    agent: Score | None
    """Agent a's score over both seatings: its strength against b; None for a mirror."""
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
    no such games to leave out (or nothing is left)."""
    clean_verdict: Verdict | None
    luck: Luck | None
    shape: Shape
