"""The game tree of one round from the naive referee, and its value by a linear program.

Slow and simple, apart from the product's own tree: every order of the cards that can make a
difference is dealt, and an information set is named by all that its player knew and did.
"""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from hanamikoji.rules import Rules
from naive import Referee, knowledge

CHANCE = -1
_SCORES = {"starter": 1.0, "second": 0.0, "shared": 0.5}


@dataclass
class Node:
    """A decision, with its information set; a move of chance, with probabilities; or an end."""

    player: int | None  # None at an end
    key: Any = None
    children: list[Node] = field(default_factory=list)
    chances: list[float] = field(default_factory=list)
    score: float = 0.0  # of the game's starter

    def __deepcopy__(self, memo: object) -> Node:
        return self  # OpenSpiel copies a game's state for every step; a tree stays as it is


def grow(rules: Rules) -> Node:
    """The tree of a variant of one round."""
    root = Node(CHANCE)
    for order, chance in _deals(rules):
        game = Referee(rules)
        game.deal(order)
        root.chances.append(chance)
        root.children.append(_below(game, (None, None)))
    return root


def _deals(rules: Rules) -> Iterator[tuple[tuple[int, ...], float]]:
    """Orders of the cards, those that give the same hands counted as one."""
    cuts = [0, rules.removed, rules.removed + rules.hand, rules.removed + 2 * rules.hand]
    found: Counter[tuple[int, ...]] = Counter()
    orders = list(_orders(tuple(rules.items)))
    for order in orders:
        parts = [sorted(order[a:b]) for a, b in itertools.pairwise(cuts)]
        found[(*itertools.chain(*parts), *order[cuts[-1] :])] += 1
    for dealt, n in found.items():
        yield dealt, n / len(orders)


def _orders(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not any(left):
        yield ()
    for card, n in enumerate(left):
        if n:
            rest = (*left[:card], n - 1, *left[card + 1 :])
            yield from ((card, *order) for order in _orders(rest))


def _below(game: Referee, memory: tuple[Any, Any]) -> Node:
    """The tree from here on; ``memory`` is what each player knew and did at its last decision."""
    if game.waiting == "over":
        assert game.result is not None
        return Node(None, score=_SCORES[game.result.outcome])
    if game.waiting == "chance":
        return _chance(game, memory)
    player, respond = game.to_act, game.waiting == "respond"
    assert player is not None
    known = (memory[player], knowledge(game, player))
    options = game.legal_takes() if respond else game.legal_moves()
    node = Node(player, known)
    for option in sorted(options, key=repr):
        after = _copy(game)
        after.respond(option) if respond else after.play(option)
        mine = (known, option)
        node.children.append(_below(after, (mine, memory[1]) if player == 0 else (memory[0], mine)))
    return node


def _chance(game: Referee, memory: tuple[Any, Any]) -> Node:
    """What a blind choice takes: each physical way is as likely as any other."""
    action, groups = game.offer()
    ways = Counter(tuple(sorted(way)) for way in itertools.combinations(groups, action.choose))
    outcomes = {tuple(sorted(groups)): groups for groups in game.chance_outcomes()}
    total = sum(ways[way] for way in outcomes)
    node = Node(CHANCE)
    for way, groups in outcomes.items():
        after = _copy(game)
        after.chance_takes(groups)
        node.chances.append(ways[way] / total)
        node.children.append(_below(after, memory))
    return node


def _copy(game: Referee) -> Referee:
    return copy.deepcopy(game, {id(shared): shared for shared in (game.rules, game.kinds)})


class Sequences:
    """Both players' sequences and the scores where they meet."""

    def __init__(self, root: Node) -> None:
        self.sets: tuple[dict[Any, int], ...] = ({}, {})
        self.parents: tuple[list[int], ...] = ([], [])
        self.firsts: tuple[list[int], ...] = ([], [])
        self.choices: tuple[list[int], ...] = ([], [])
        self.counts = [1, 1]
        self.meets: Counter[tuple[int, int]] = Counter()
        self._walk(root, (0, 0), 1.0)

    def _walk(self, node: Node, at: tuple[int, int], chance: float) -> None:
        if node.player is None:
            self.meets[at] += chance * node.score
            return
        if node.player == CHANCE:
            for child, share in zip(node.children, node.chances, strict=True):
                self._walk(child, at, chance * share)
            return
        p = node.player
        if node.key not in self.sets[p]:
            self.sets[p][node.key] = len(self.sets[p])
            self.parents[p].append(at[p])
            self.firsts[p].append(self.counts[p])
            self.choices[p].append(len(node.children))
            self.counts[p] += len(node.children)
        n = self.sets[p][node.key]
        # Perfect recall, and as many choices wherever the player can't tell the difference.
        assert (self.parents[p][n], self.choices[p][n]) == (at[p], len(node.children))
        for i, child in enumerate(node.children):
            taken = self.firsts[p][n] + i
            self._walk(child, (taken, at[1]) if p == 0 else (at[0], taken), chance)

    def constraints(self, p: int) -> csr_array:
        """Rows: the empty sequence is 1; at each set, what goes in comes out."""
        rows, columns, values = [0], [0], [1.0]
        sets = zip(self.parents[p], self.firsts[p], self.choices[p], strict=True)
        for n, (parent, first, choices) in enumerate(sets, 1):
            rows += [n] * (choices + 1)
            columns += [parent, *range(first, first + choices)]
            values += [-1.0, *[1.0] * choices]
        return csr_array((values, (rows, columns)), shape=(len(self.sets[p]) + 1, self.counts[p]))


def value_by_program(root: Node) -> tuple[float, tuple[int, int]]:
    """The value to the starter, and how many information sets each player has.

    The sequence form: Koller, Megiddo & von Stengel 1996, Games and Economic Behavior 14.
    """
    form = Sequences(root)
    (rows, columns), scores = zip(*form.meets, strict=True), list(form.meets.values())
    gains = csr_array((scores, (rows, columns)), shape=tuple(form.counts))
    mine, theirs = form.constraints(0), form.constraints(1)
    n, m = form.counts[0], theirs.shape[0]
    cost = np.zeros(n + m)
    cost[n] = -1.0
    found = linprog(
        cost,
        A_ub=hstack([-gains.T, theirs.T]).tocsr(),
        b_ub=np.zeros(form.counts[1]),
        A_eq=hstack([mine, csr_array((mine.shape[0], m))]).tocsr(),
        b_eq=np.eye(1, mine.shape[0])[0],
        bounds=[(0, None)] * n + [(None, None)] * m,
        method="highs",
    )
    assert found.success, found.message
    return -found.fun, (len(form.sets[0]), len(form.sets[1]))
