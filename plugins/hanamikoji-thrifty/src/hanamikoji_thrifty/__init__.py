"""Thrifty: an agent in plain Python that gives the opponent as little charm as it can."""

from __future__ import annotations

from itertools import combinations
from typing import Any

__all__ = ["Thrifty"]

# How a card counts for whoever plays the action that moves it.
SIGN = {"actor": 1, "opponent": -1, "out": 0}


class Thrifty:
    """Gives the opponent as little charm as it can, and saves its own cards.

    Every move is worth the charm of the cards it brings to the own side minus that of the cards it
    gives away, if the opponent answers an offer as badly for it as possible, minus ``thrift`` times
    the charm of all cards that it uses up.
    """

    def __init__(self, thrift: float = 0.5) -> None:
        if not 0 <= thrift <= 1:
            raise ValueError(f"thrift is {thrift}; it must be from 0 to 1")
        self.thrift = thrift

    def prepare(self, game: Any) -> None:
        """Note what the rules say of each action, and of each geisha's charm."""
        self.actions = {action.name: action for action in game.rules.kinds}
        self.charm = game.rules.charm
        self.worths: dict[int, float] = {}  # of moves; the rules alone say what one is worth

    def act(self, observation: Any) -> int:
        """The move or answer of most worth; the first of several."""
        if observation.responding:
            return max(observation.legal_moves, key=lambda m: self.answer_worth(observation, m))
        for move in observation.legal_moves:
            if move not in self.worths:
                self.worths[move] = self.move_worth(move)
        return max(observation.legal_ids, key=self.worths.__getitem__)

    def move_worth(self, move: Any) -> float:
        """What a move is worth: its charm for the own side, less thrift."""
        action = self.actions[move.action]
        groups = [sum(self.charm[g] for g in group) for group in move.groups]
        if action.exchange:  # the card goes under the deck, another one is placed
            return -self.thrift * sum(groups)
        fates = [
            sum(
                SIGN[action.chosen_to if j in chosen else action.rest_to] * charm
                for j, charm in enumerate(groups)
            )
            for chosen in combinations(range(len(groups)), action.choose)
        ]
        gain = min(fates) if action.chooser == "opponent" else sum(fates) / len(fates)
        return gain - self.thrift * sum(groups)

    def answer_worth(self, observation: Any, answer: Any) -> int:
        """What an answer brings: the chosen groups and the others, seen from the other side."""
        action = self.actions[answer.action]
        offer = observation.offer  # counts per geisha of each group; [] if it lies face down
        worth = 0
        for j, group in enumerate(offer):
            place = action.chosen_to if j in answer.taken else action.rest_to
            charm = sum(count * self.charm[g] for g, count in enumerate(group))
            worth -= SIGN[place] * charm
        return worth
