"""How a geisha can stand in a move: the part of her local state that a pending offer is."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from hanamikoji.learning.network import layout as lay
from hanamikoji.rules import Action

Int32 = npt.NDArray[np.int32]


class Roles:
    """How one geisha can stand in a move of a kind: how many of her cards are in each group.

    Groups of equal size are alike, so states that differ by swapping such groups have the same
    role. Roles are numbered over all kinds with offers; 0 is not being in it at all.
    """

    def __init__(self, kind: Action) -> None:
        self.offers = kind.chooser != "nobody"
        self.sizes = tuple(kind.groups) if self.offers else (kind.cards,)
        self.states = list(product(*(range(size + 1) for size in self.sizes)))
        canon = {self._canonical(state) for state in self.states} - {(0,) * len(self.sizes)}
        self._order = sorted(canon)
        self.cards: dict[int, int] = {}
        self.last = 0
        self._role: dict[tuple[int, ...], int] = {}

    def _canonical(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(n for _, n in sorted(zip(self.sizes, state, strict=True)))

    def number(self, last: int) -> None:
        """Give the roles the numbers after ``last``."""
        for i, state in enumerate(self._order):
            self._role[state] = last + 1 + i
            self.cards[last + 1 + i] = sum(state)
        self.last = last + len(self._order)

    def table(self, role_offset: int | None) -> Int32:
        """int32 (states, STATE_WIDTH), see layout."""
        table = np.full((len(self.states), lay.STATE_WIDTH), -1, np.int32)
        index = {state: i for i, state in enumerate(self.states)}
        for i, state in enumerate(self.states):
            table[i, lay.STATE_CARDS] = sum(state)
            role = 0 if role_offset is None else self._role.get(self._canonical(state), 0)
            table[i, lay.STATE_ROLE] = role
            for j in range(len(self.sizes)):
                after = (*state[:j], state[j] + 1, *state[j + 1 :])
                table[i, lay.STATE_NEXT + j] = index.get(after, -1)
        return table
