"""Vector: an agent in NumPy that decides many games at once, by a table of what its moves do.

Each move changes, for each geisha, by how many items the own side is ahead. What a change is worth
depends on the position: much where she has charm and the sides are nearly level. So the worth of a
move is a dot product, and the moves of a thousand games are one matrix operation.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from hanamikoji.agents import Batch, Game
from hanamikoji.moves import index as ix

__all__ = ["Vector"]

SIGN = {"actor": 1, "opponent": -1, "out": 0}
WHOLE = 5040  # averages over up to 8 groups become whole numbers when a card counts so much
LEVEL = np.array([64, 32, 16, 8, 4, 2, 1])  # a change's weight by the distance from a level count


def _signs(action: Any) -> np.ndarray:
    """For each card of the action's moves, how it counts for the actor on average, times WHOLE."""
    if action.exchange:
        return np.zeros(1, np.int64)
    chosen = list(combinations(range(len(action.groups)), action.choose))
    places = [
        [action.chosen_to if j in groups else action.rest_to for j in range(len(action.groups))]
        for groups in chosen
    ]
    by_group = [sum(SIGN[row[j]] for row in places) for j in range(len(action.groups))]
    return np.repeat(np.array(by_group) * WHOLE // len(chosen), action.groups)


class Vector:
    """Plays the move that brings most items where charm is contested, many games at once.

    All numbers are integers: a sum of floats may depend on the batch's size, a decision must not.
    """

    def prepare(self, game: Game) -> None:
        """Tabulate the effect of every move, and the side that each answer's groups go to."""
        rules, tables = game.rules, game.tables
        self.charm = np.array(rules.charm, np.int64)
        self.geishas, self.moves = game.geishas, game.moves
        self.effect = np.zeros((game.moves, game.geishas), np.int64)
        kinds = tables[tables[ix.MOVE_KIND_AT] :][: game.moves]
        cards = tables[tables[ix.MOVE_CARDS_AT] :][: game.moves * ix.MOST_CARDS]
        cards = cards.reshape(game.moves, ix.MOST_CARDS)
        for k, action in enumerate(rules.kinds):
            these = np.flatnonzero(kinds == k)
            for i, sign in enumerate(_signs(action)):
                np.add.at(self.effect, (these, cards[these, i]), sign)
        # An answer takes the groups of a mask: the sides are the actor's, so the signs turn round.
        self.sides = np.array(
            [
                [
                    -SIGN[action.chosen_to if j in chosen else action.rest_to]
                    for j in range(ix.MOST_GROUPS)
                ]
                for action in rules.kinds
                if action.chooser == "opponent"
                for chosen in combinations(range(len(action.groups)), action.choose)
            ],
            np.int64,
        ).reshape(-1, ix.MOST_GROUPS)

    def act_batch(self, batch: Batch) -> np.ndarray:
        """The best legal id of each decision; the first of several."""
        views, offsets, ids = batch.views, batch.offsets, batch.ids
        row = np.repeat(np.arange(len(views)), np.diff(offsets))  # whose legal id each id is
        scores = np.empty(len(ids), np.int64)
        need = self._need(views)
        acting = ids < self.moves
        scores[acting] = np.einsum("ng,ng->n", self.effect[ids[acting]], need[row[acting]])
        if not acting.all():
            asked = row[~acting]
            offer = views[asked, ix.OFFER : ix.HAND].reshape(len(asked), ix.MOST_GROUPS, -1)
            worth = np.einsum("ajg,ag->aj", offer[:, :, : self.geishas], need[asked])  # of a group
            answers = self.sides[ids[~acting] - self.moves]
            scores[~acting] = np.einsum("aj,aj->a", answers, worth)
        best = np.maximum.reduceat(scores, offsets[:-1])
        hits = np.flatnonzero(scores == best[row])
        return ids[hits[np.searchsorted(hits, offsets[:-1])]]

    def _need(self, views: np.ndarray) -> np.ndarray:
        """What one more item of each geisha is worth, (N, G)."""

        def block(at: int) -> np.ndarray:
            return views[:, at : at + self.geishas].astype(np.int64)

        ahead = block(ix.MINE) + block(ix.DOWN_MINE) - block(ix.THEIRS) - block(ix.DOWN_THEIRS)
        distance = np.minimum(np.abs(ahead), len(LEVEL) - 1)
        return self.charm * LEVEL[distance]
