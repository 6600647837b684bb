"""One round of a variant as a sequence form: both players' information sets, and the leaves.

The tree is the same whatever markers lie and whoever begins: only what a result is worth differs
(see `hanamikoji.solve.chain`). Player 0 begins the round, player 1 is second in it.
Sequence form: von Stengel 1996, "Efficient computation of behavior strategies", Games and Economic
Behavior 14. Sequence 0 is the empty one; a set's own sequences follow one another.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hanamikoji.engine import state as st
from hanamikoji.engine.chance import MOST_WAYS
from hanamikoji.engine.seat import Float64, Game, Int16, Int32, Int64
from hanamikoji.errors import SolveError
from hanamikoji.moves import index as ix
from hanamikoji.rules import Action
from hanamikoji.solve import grow

_MOST_IDS = 32_000
_BYTES_OF_A_LEAF = 72
_BYTES_OF_A_SET = 400


@dataclass(frozen=True)
class Player:
    """A player's information sets in an order in which parents come before their children."""

    parent: Int32  # (sets,) the sequence that leads to it
    first: Int32  # (sets,) its first own sequence
    choices: Int32  # (sets,) how many it has
    ids: Int32  # (sequences,) the move or response of each; -1 at sequence 0
    views: Int16  # (sets, columns)

    @property
    def sequences(self) -> int:
        """How many there are, the empty one included."""
        return len(self.ids)


@dataclass(frozen=True)
class RoundTree:
    """A round's tree; the probability that chance lets two sequences meet is in the leaves."""

    game: Game
    columns: Int64  # the places of a view that ``views`` hold
    nodes: int  # decisions of both players
    players: tuple[Player, Player]
    sequences: Int32  # (leaves, 2)
    results: Int32  # (leaves,) row of ``signs``
    weights: Float64  # (leaves,)
    signs: Int32  # (results, G) +1: player 0 has more items of the geisha, -1 player 1 has

    @property
    def sets(self) -> int:
        """Information sets of both players."""
        return sum(len(player.parent) for player in self.players)


@dataclass(frozen=True)
class Size:
    """How large a round's tree will be: estimates, but for the deals."""

    deals: int
    decisions: float
    leaves: float

    @property
    def memory(self) -> float:
        """Bytes, at most: as if no two decisions were in one information set."""
        return self.leaves * _BYTES_OF_A_LEAF + self.decisions * _BYTES_OF_A_SET

    @property
    def seconds(self) -> float:
        """A rough guess, of one core."""
        return (self.leaves + self.decisions) * 2e-5


def _hands(pool: tuple[int, ...], n: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """All distinct hands of n cards from a pool, with their probabilities."""
    total = math.comb(sum(pool), n)
    for hand in itertools.product(*(range(min(c, n) + 1) for c in pool)):
        if sum(hand) == n:
            yield hand, math.prod(map(math.comb, pool, hand)) / total


def _without(pool: tuple[int, ...], hand: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(pool, hand, strict=True))


def _all_deals(game: Game) -> Iterator[tuple[list[tuple[int, ...]], float]]:
    rules = game.rules
    for first, p in _hands(rules.items, rules.hand):
        pool = _without(rules.items, first)
        for second, q in _hands(pool, rules.hand):
            rest = _without(pool, second)
            for drawn, r in _hands(rest, rules.draw):
                hand = tuple(a + b for a, b in zip(first, drawn, strict=True))
                yield [hand, second, _without(rest, drawn)], p * q * r


def count_deals(game: Game) -> int:
    """How many deals differ, the first draw included."""
    rules = game.rules
    counts = {(0, 0, 0): 1}
    for items in rules.items:
        more: dict[tuple[int, int, int], int] = {}
        for (a, b, c), n in counts.items():
            for i in range(min(items, rules.hand - a) + 1):
                for j in range(min(items - i, rules.hand - b) + 1):
                    for k in range(min(items - i - j, rules.draw - c) + 1):
                        key = a + i, b + j, c + k
                        more[key] = more.get(key, 0) + n
        counts = more
    return counts.get((rules.hand, rules.hand, rules.draw), 0)


def _columns(game: Game) -> Int64:
    """The places of a view that tell something of a round, whatever its position."""
    width, groups = game.geishas, max(len(kind.groups) for kind in game.rules.kinds)
    kinds, turns = len(game.rules.kinds), int(game.tables[ix.TURNS])
    places = [ix.PHASE, ix.TURN, *range(ix.DECISION, ix.CHARM), ix.OFFER_KIND, ix.OFFER_MOVE]
    places += [ix.LEFT + k for k in range(kinds)] + [ix.THEIR_LEFT + k for k in range(kinds)]
    places += [ix.OFFER + j * ix.MOST_GEISHAS + g for j in range(groups) for g in range(width)]
    blocks = range(ix.HAND, ix.HISTORY, ix.MOST_GEISHAS)
    places += [block + g for block in blocks for g in range(width)]
    places += range(ix.HISTORY, ix.HISTORY + turns * ix.HISTORY_WIDTH)
    return np.array(places, np.int64)


def _margin(game: Game) -> int:
    """What one decision may be followed by, at most."""
    rules, ids = game.rules, game.moves + game.responses
    cards = rules.draw + any(kind.exchange for kind in rules.kinds)
    return int(ids * game.geishas**cards) * max(_ways(kind) for kind in rules.kinds)


def _ways(action: Action) -> int:
    blind = action.chooser == "chance" or (action.chooser == "opponent" and action.face == "down")
    return math.comb(len(action.groups), action.choose) if blind else 1


class _GrowingTree:
    """The arrays that a tree grows in."""

    def __init__(self, game: Game) -> None:
        ids = game.moves + game.responses
        if ids > _MOST_IDS:
            raise SolveError(
                f"the rules have {ids:,} distinct moves and responses; at most {_MOST_IDS:,} can "
                "be solved"
            )
        self.game, self.columns = game, _columns(game)
        self.margin = _margin(game)
        self.counts = np.zeros(8, np.int64)
        self.counts[grow.SEQUENCES : grow.SEQUENCES + 2] = 1
        self.counts[grow.MARGIN] = self.margin
        self.stack = _stack(2 * self.margin)
        self.sets = _sets(1 << 12, ids + (1 << 12), len(self.columns))
        self.leaves = _leaves(2 * self.margin)
        self.scratch = grow.WalkScratch(
            state=np.zeros(st.SIZE, np.int32), keys=np.zeros(st.KEYS, np.uint64),
            ids=np.zeros(ids, np.int64), seen=np.zeros(MOST_WAYS, np.int64),
            pool=np.zeros(ix.MOST_GEISHAS, np.int32), shown=np.zeros(len(self.columns), np.int16),
        )  # fmt: skip

    def deals(self, dealt: list[tuple[list[tuple[int, ...]], float]]) -> grow.Deals:
        base = np.zeros(st.SIZE, np.int32)
        grow.first_state(base, np.zeros(st.KEYS, np.uint64), self.game.tables)
        cards = np.zeros((len(dealt), 3, ix.MOST_GEISHAS), np.int32)
        cards[:, :, : self.game.geishas] = [hands for hands, _ in dealt]
        return grow.Deals(
            base, cards[:, :2].flatten(), cards[:, 2].flatten(), np.array([p for _, p in dealt])
        )

    def enlarge(self) -> None:
        """Double what is nearly full."""
        pending, leaves = self.counts[grow.PENDING], self.counts[grow.LEAVES]
        if pending + self.margin > len(self.stack.weights):
            self.stack = grow.Stack(*(_doubled(array) for array in self.stack))
        if leaves + self.margin > len(self.leaves.weights):
            self.leaves = grow.Leaves(*(_doubled(array) for array in self.leaves))
        if self.counts[grow.SETS] + 1 > len(self.sets.hashes):
            self._double_sets()
        room = len(self.sets.choices) // 2
        if self.counts[grow.SEQUENCES : grow.SEQUENCES + 2].max() + len(self.scratch.ids) > room:
            both = self.sets.choices.reshape(2, room)
            choices = np.concatenate([both, np.zeros_like(both)], axis=1).ravel()
            self.sets = self.sets._replace(choices=choices)

    def _double_sets(self) -> None:
        sets = self.sets
        buckets = np.zeros(2 * len(sets.buckets), np.int32)
        grow.fill_buckets(buckets, sets.hashes)
        self.sets = grow.GrownSets(
            _doubled(sets.rows), _doubled(sets.views), _doubled(sets.hashes), buckets, sets.choices
        )


def _stack(n: int) -> grow.Stack:
    return grow.Stack(
        np.zeros(n * st.SIZE, np.int32), np.zeros(n * ix.MOST_GEISHAS, np.int32),
        np.zeros(n * 2, np.int32), np.zeros(n),
    )  # fmt: skip


def _sets(n: int, sequences: int, columns: int) -> grow.GrownSets:
    return grow.GrownSets(
        np.zeros(n * 4, np.int32), np.zeros(n * columns, np.int16), np.zeros(n, np.uint64),
        np.zeros(4 * n, np.int32), np.zeros(2 * sequences, np.int32),
    )  # fmt: skip


def _leaves(n: int) -> grow.Leaves:
    return grow.Leaves(np.zeros(n * 2, np.int32), np.zeros(n, np.int32), np.zeros(n))


def _doubled(array: Any) -> Any:
    return np.concatenate([array, np.zeros_like(array)])


def estimate_size(game: Game, dives: int = 2000) -> Size:
    """Estimate a round's tree from random paths through it; takes about a second."""
    build = _GrowingTree(game)
    random = np.random.default_rng(0)
    deck = np.repeat(np.arange(game.geishas), game.rules.items)
    drawn, weights = [], []
    for _ in range(dives):
        dealt, p = _random_deal(game, random.permutation(deck))
        drawn.append((dealt, 1.0))
        weights.append(1 / p)
    deals = build.deals(drawn)
    found = np.zeros((dives, 2))
    for n in range(dives):
        build.counts[grow.DEAL] = n
        word = np.uint64(random.integers(2**63))
        found[n] = grow.dive(
            game.tables, deals, build.counts, build.stack, build.leaves, build.scratch, word
        )
    decisions, leaves = (found * np.array(weights)[:, None]).mean(axis=0)
    return Size(count_deals(game), float(decisions), float(leaves))


def _random_deal(game: Game, deck: Int64) -> tuple[list[tuple[int, ...]], float]:
    """A deal as shuffled, and its probability among those that differ."""
    rules, n = game.rules, 0
    pool, dealt, p = rules.items, [], 1.0
    for cards in (rules.hand, rules.hand, rules.draw):
        counts = np.bincount(deck[n : n + cards], minlength=game.geishas)
        hand = tuple(counts.tolist())
        p *= math.prod(map(math.comb, pool, hand)) / math.comb(sum(pool), cards)
        pool, n = _without(pool, hand), n + cards
        dealt.append(hand)
    first, second, drawn = dealt
    return [tuple(a + b for a, b in zip(first, drawn, strict=True)), second, pool], p


def build_tree(game: Game, most_nodes: int) -> RoundTree:
    """The tree of a round.

    Raises `SolveError` when it passes ``most_nodes`` decisions and leaves, or has too many moves.
    """
    build = _GrowingTree(game)
    deals = build.deals(list(_all_deals(game)))
    while True:
        status = grow.grow(
            game.tables, build.columns, deals, build.counts, build.stack, build.sets,
            build.leaves, build.scratch,
        )  # fmt: skip
        if build.counts[grow.NODES] + build.counts[grow.LEAVES] > most_nodes:
            raise SolveError(f"a round's tree exceeds the limit of {most_nodes:,} nodes")
        if status == grow.DONE:
            return _finished(build)
        build.enlarge()


def _finished(build: _GrowingTree) -> RoundTree:
    n, counts = int(build.counts[grow.SETS]), build.counts
    rows = build.sets.rows[: 4 * n].reshape(n, 4)
    views = build.sets.views[: n * len(build.columns)].reshape(n, -1)
    choices = build.sets.choices.reshape(2, -1)
    players = []
    for role in range(2):
        mine = rows[:, grow.OWNER] == role
        ids = choices[role, : counts[grow.SEQUENCES + role]].copy()
        ids[0] = -1
        parent, first, n_choices = (
            np.ascontiguousarray(rows[mine, place]) for place in range(grow.PARENT, 4)
        )
        players.append(Player(parent, first, n_choices, ids, views[mine]))
    sequences, results, weights, signs = _gathered(build)
    return RoundTree(
        build.game, build.columns, int(counts[grow.NODES]), (players[0], players[1]),
        sequences, results, weights, signs,
    )  # fmt: skip


def _gathered(build: _GrowingTree) -> tuple[Int32, Int32, Float64, Int32]:
    """The leaves by the first player's sequence, those alike counted as one."""
    n = int(build.counts[grow.LEAVES])
    pairs = build.leaves.sequences[: 2 * n].reshape(n, 2)
    codes, results = np.unique(build.leaves.results[:n], return_inverse=True)
    order = np.lexsort((results, pairs[:, 1], pairs[:, 0]))
    pairs, results = pairs[order], results[order].astype(np.int32)
    new = np.ones(n, bool)
    new[1:] = (np.diff(pairs, axis=0) != 0).any(axis=1) | (np.diff(results) != 0)
    weights = np.add.reduceat(build.leaves.weights[:n][order], np.flatnonzero(new))
    powers = 3 ** np.arange(build.game.geishas)
    signs = (codes[:, None] // powers % 3 - 1).astype(np.int32)
    kept: Int32 = np.ascontiguousarray(pairs[new])
    return kept, results[new].astype(np.int32), weights, signs
