"""Solve a variant: an equilibrium by counterfactual regret, with bounds by best responses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from hanamikoji.engine.seat import Float64, Game, Int32, Int64
from hanamikoji.errors import SolveError
from hanamikoji.rules import Rules
from hanamikoji.solve import regret
from hanamikoji.solve.chain import Chain, build_chain
from hanamikoji.solve.tree import RoundTree, Size, build_tree, estimate_size

MOST_NODES = 20_000_000
GAP = 1e-5
_BATCH = 50
_MOST_ITERATIONS = 20_000

Plans = list[tuple[Float64, Float64]]
"""At each position a realization plan of the round's starter and of its second."""


class Model:
    """A variant as a chain of rounds over one tree: what plans are worth against each other."""

    def __init__(self, tree: RoundTree, chain: Chain) -> None:
        self.game, self.tree, self.chain = tree.game, tree, chain
        self.sets = tuple(regret.Sets(p.parent, p.first, p.choices) for p in tree.players)
        self._order = np.argsort(tree.sequences[:, 1], kind="stable")
        sizes = [player.sequences for player in tree.players]
        self._starts = [_starts(tree.sequences[:, p], sizes[p]) for p in range(2)]
        self._others = [
            np.ascontiguousarray(tree.sequences[:, 1]),
            np.ascontiguousarray(tree.sequences[self._order, 0]),
        ]
        self._worth = [np.zeros(n) for n in sizes]

    def payoffs(self, position: int, values: Float64) -> tuple[regret.Payoffs, regret.Payoffs]:
        """A round's expected gains from each player's side, given what the positions are worth."""
        scores = self.chain.payoffs(position, values)
        gains = self.tree.weights * scores[self.tree.results]
        return (
            regret.Payoffs(self._starts[0], self._others[0], gains),
            regret.Payoffs(self._starts[1], self._others[1], gains[self._order]),
        )

    def plan(self, player: int, strategy: Float64) -> Float64:
        """The realization plan of a strategy over a player's sequences."""
        plan = np.zeros(len(strategy))
        regret.realize(self.sets[player], strategy, plan)
        return plan

    def worth(self, one_round: Callable[[int, Float64], float]) -> float:
        """The starter's score from the first position on.

        ``one_round(position, values)`` is that of a position, given those of all that may follow.
        Positions that repeat are gone over once for each round that may still be played.
        """
        chain = self.chain
        values = np.full(len(chain.positions), 0.5)
        for group in self.by_round():
            repeats = chain.positions[group[0]].round == chain.repeats
            for _ in range(chain.horizon - chain.repeats + 1 if repeats else 1):
                new = np.array([one_round(n, values) for n in group])
                still = bool(np.abs(new - values[group]).max() < 1e-12)
                values[group] = new
                if still:
                    break
        return float(values[0])

    def by_round(self) -> list[list[int]]:
        """The positions' numbers in groups of one round, the last round first."""
        rounds = [position.round for position in self.chain.positions]
        return [
            [n for n, number in enumerate(rounds) if number == wanted]
            for wanted in sorted(set(rounds), reverse=True)
        ]

    def score(self, starter: Plans, second: Plans) -> float:
        """What the game's starter scores when each role follows its plans."""

        def one_round(n: int, values: Float64) -> float:
            first = self.chain.positions[n].starter
            plans = (starter, second) if first == 0 else (second, starter)
            got = float(regret.expected(self.payoffs(n, values)[0], plans[0][n][0], plans[1][n][1]))
            return 1.0 - got if first else got

        return self.worth(one_round)

    def best_against(self, plans: Plans, role: int) -> float:
        """What the game's starter scores when ``role`` best responds to the other's plans."""

        def one_round(n: int, values: Float64) -> float:
            first = self.chain.positions[n].starter
            got = self.respond(role ^ first, self.payoffs(n, values), plans[n])
            return 1.0 - got if first else got

        return self.worth(one_round)

    def respond(
        self,
        player: int,
        payoffs: tuple[regret.Payoffs, regret.Payoffs],
        plans: tuple[Float64, Float64],
    ) -> float:
        """What a round's starter scores when a player best responds to the other's plan."""
        sign = -1.0 if player else 1.0
        return sign * float(
            regret.best_response(
                self.sets[player], payoffs[player], plans[1 - player], sign, self._worth[player]
            )
        )


def _starts(rows: Int32, n: int) -> Int64:
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])


@dataclass(frozen=True)
class Solution:
    """A solved variant.

    The starter's score in equilibrium lies between ``low``, which the starter's plans guarantee,
    and ``high``, which the second's plans allow at most; both are exact best responses.
    """

    rules: Rules
    size: Size
    model: Model = field(repr=False)
    plans: Plans = field(repr=False)
    low: float
    high: float
    gap: float
    """How far apart the bounds were asked to be at most."""

    @property
    def status(self) -> Literal["solved", "stopped early"]:
        """Whether the bounds came as near to each other as asked before iterations ran out."""
        return "solved" if self.high - self.low <= self.gap else "stopped early"

    @property
    def value(self) -> float:
        """The starter's score in equilibrium, 0..1."""
        return (self.low + self.high) / 2

    def strategy(self, position: int, player: int) -> Float64:
        """The equilibrium's probability of each sequence of a player at its information set."""
        sets, plan = self.model.sets[player], self.plans[position][player]
        strategy = np.zeros(len(plan))
        for parent, first, n in zip(sets.parent, sets.first, sets.choices, strict=True):
            reached = plan[parent]
            strategy[first : first + n] = plan[first : first + n] / reached if reached else 1 / n
        return strategy


def build_model(
    rules: Rules, limit: int = MOST_NODES, tell: Callable[[Size], None] | None = None
) -> tuple[Model, Size]:
    """The tree and the chain of a variant; ``tell`` gets the estimated size before either.

    Raises `SolveError` with one sentence when a round's tree is likely to pass ``limit`` nodes
    (decisions and leaves), before it is built, or does.
    """
    game = Game.of(rules)
    size = estimate_size(game)
    if tell is not None:
        tell(size)
    nodes = size.decisions + size.leaves
    if max(nodes, size.deals) > limit:
        raise SolveError(
            f"a round has about {max(nodes, size.deals):.1e} nodes; at most {limit:,} are accepted"
        )
    tree = build_tree(game, limit)
    return Model(tree, build_chain(game, tree.signs)), size


def solve(
    rules: Rules,
    gap: float = GAP,
    limit: int = MOST_NODES,
    tell: Callable[[Size], None] | None = None,
) -> Solution:
    """Solve a variant until the bounds of its value are within ``gap`` of each other.

    They may stay further apart where that takes too many iterations, see `Solution.status`.
    ``tell`` gets the estimated size before the work begins.
    Raises `SolveError` when the variant is too large.
    """
    model, size = build_model(rules, limit, tell)
    learners = [_Learning(model) for _ in model.chain.positions]
    tolerance = gap / 2
    while True:
        plans = _equilibrium(model, learners, tolerance)
        low, high = model.best_against(plans, 1), model.best_against(plans, 0)
        if high - low <= gap or any(learning.spent for learning in learners):
            return Solution(rules, size, model, plans, low, high, gap)
        tolerance /= 4


class _Learning:
    """Both players of the round at one position."""

    def __init__(self, model: Model) -> None:
        self._model, self._players = model, []
        self.spent = False
        for player in range(2):
            sets, n = model.sets[player], model.tree.players[player].sequences
            strategy = np.zeros(n)
            strategy[1:] = np.repeat(1 / sets.choices, sets.choices)
            zeros = [np.zeros(n) for _ in range(4)]
            self._players.append(
                regret.RegretPlayer(strategy, model.plan(player, strategy), *zeros)
            )

    @property
    def plans(self) -> tuple[Float64, Float64]:
        """The averages so far."""
        mine, theirs = (player.average / player.average[0] for player in self._players)
        return mine, theirs

    def settle(self, payoffs: tuple[regret.Payoffs, regret.Payoffs], tolerance: float) -> float:
        """Learn until neither player can gain more than the tolerance; returns the value."""
        for player in self._players:
            player.average[:] = 0.0
        done, batch = 0, _BATCH
        while True:
            regret.iterate(
                self._model.sets, payoffs, tuple(self._players), done + 1, done + batch + 1
            )
            done += batch
            batch = max(_BATCH, done // 4)
            low = self._model.respond(1, payoffs, self.plans)
            high = self._model.respond(0, payoffs, self.plans)
            self.spent = done >= _MOST_ITERATIONS
            if high - low <= tolerance or self.spent:
                return (low + high) / 2


def _equilibrium(model: Model, learners: list[_Learning], tolerance: float) -> Plans:
    """Solve the rounds at all positions, the last ones first; repeating ones by iteration."""
    chain = model.chain
    values = np.full(len(chain.positions), 0.5)
    for group in model.by_round():
        repeats = chain.positions[group[0]].round == chain.repeats
        for _ in range(chain.horizon - chain.repeats + 1 if repeats else 1):
            before = values[group]
            for n in group:
                score = learners[n].settle(model.payoffs(n, values), tolerance)
                values[n] = 1.0 - score if chain.positions[n].starter else score
            if np.abs(values[group] - before).max() <= tolerance:
                break
    return [learning.plans for learning in learners]
