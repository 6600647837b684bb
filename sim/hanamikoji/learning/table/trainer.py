"""Training a table: iterations of regret minimisation until their budget is spent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hanamikoji.engine import rng
from hanamikoji.learning.table.book import Book, grown, new_book
from hanamikoji.learning.table.starts import new_starts
from hanamikoji.learning.table.strategy import Strategy, TableOrigin, average_strategy
from hanamikoji.learning.table.traverse import VISITED, new_scratch, run_iterations
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

VISITS = 50
"""Decisions that a traversal visits for each round of an effort: the same effort takes a table a
quarter of the time that it takes the network."""

_EXPLORE = 0.25  # share of iterations that begin at any start rather than at the game's next
_SLOTS, _CHOICES = 1 << 16, 1 << 18
_STEPS = 100


class TableTraining:
    """The state of a training: what the information sets met so far have learned.

    It depends on the rules, the rounds and the seed alone; one thread does the work.
    """

    def __init__(self, rules: Rules, rounds: int, seed: int = 1) -> None:
        self.rules, self.rounds, self.seed = rules, rounds, seed
        self._tables = build_tables(rules).copy()
        self._book = new_book(_SLOTS, _CHOICES)
        self._starts = new_starts()
        self._scratch = new_scratch(int(self._tables[ix.MOVES] + self._tables[ix.RESPONSES]))
        self._key = np.uint64(rng.agent_key(seed, "table"))
        self._iterations = 0
        self.done = 0
        """Rounds' worth of decisions visited."""

    def run(self, tell: Callable[[TableTraining], None] | None = None) -> None:
        """Spend the budget; ``tell`` is called after every step."""
        while self.done < self.rounds:
            self.step()
            if tell is not None:
                tell(self)

    def step(self) -> None:
        """Spend a hundredth of the budget."""
        step = max(1, self.rounds // _STEPS)
        visits = min(self.done + step, self.rounds) * VISITS
        while self._scratch.counters[VISITED] < visits:
            self._iterations = run_iterations(
                self._book, self._starts, self._scratch, self._tables, self._key,
                self._iterations, visits, _EXPLORE,
            )  # fmt: skip
            self._book = grown(self._book)
        self.done = int(self._scratch.counters[VISITED]) // VISITS

    @property
    def book(self) -> Book:
        """The information sets."""
        return self._book

    def strategy(self) -> Strategy:
        """The average strategy as it is now."""
        return average_strategy(self._book, TableOrigin(self.rules.hash, self.rounds, self.seed))
