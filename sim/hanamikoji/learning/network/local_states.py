"""A geisha's local states: how many of her items can be where, by the rules' rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.roles import Roles
from hanamikoji.rules import Rules

Int32 = npt.NDArray[np.int32]

MOST_KEYS = 1_000_000

FACTORS: tuple[tuple[int, ...], ...] = (
    (lay.MARKER, lay.HAND, lay.ROLE),
    (lay.MARKER, lay.MINE, lay.THEIRS, lay.DOWN_MINE, lay.DOWN_THEIRS),
    (lay.OUT, lay.DOWN_OUT, lay.BLIND, lay.UNDER),
)
"""The categories of the smaller tables that a geisha gets where one would be too large."""
WHOLE = tuple(range(lay.CATEGORIES))
"""All categories: one table for a geisha."""


class LocalStates:
    """The local states that the rules allow, as keys: a stride for each category.

    ``roles``: for each kind of action, how a geisha can stand in its offers; None if it makes none.
    They are to be numbered before the states are counted.
    """

    def __init__(self, rules: Rules) -> None:
        self._caps = _caps(rules)
        self.roles = [Roles(kind) if kind.chooser != "nobody" else None for kind in rules.kinds]

    def limits(self, items: int) -> list[int]:
        """How many values each category of a geisha with so many items has."""
        roles = 1 + max((r.last for r in self.roles if r is not None), default=0)
        return [3, *(min(cap, items) + 1 for cap in self._caps), roles]

    def count(self, items: int) -> int:
        """How many local states a geisha has; a large number where there are too many to list."""
        if np.prod(self.limits(items), dtype=float) > MOST_KEYS:
            return 10**9
        return len(self.grid(items, WHOLE)[1])

    def grid(self, items: int, factor: Sequence[int]) -> tuple[list[int], Int32, Int32]:
        """Strides of a factor, the keys of the states that can be, and their values (n, 11)."""
        limits = self.limits(items)
        shape = [limits[c] if c in factor else 1 for c in range(lay.CATEGORIES)]
        strides = [int(np.prod(shape[c + 1 :])) for c in range(lay.CATEGORIES)]
        values = np.indices(shape, dtype=np.int32).reshape(lay.CATEGORIES, -1).T
        cards = np.zeros(limits[lay.ROLE], np.int32)
        for roles in self.roles:
            if roles is not None:
                for role, n in roles.cards.items():
                    cards[role] = n
        total = values[:, lay.HAND : lay.ROLE].sum(axis=1) + cards[values[:, lay.ROLE]]
        keys = np.flatnonzero(total <= items).astype(np.int32)
        strides = [s if c in factor else 0 for c, s in enumerate(strides)]
        return strides, keys, values[keys]


def _caps(rules: Rules) -> list[int]:
    """At most how many cards can lie in each category from HAND to UNDER, by the rules' rows."""
    cap = dict.fromkeys(range(lay.HAND, lay.ROLE), 0)
    most = np.max(rules.marker_counts, axis=0)
    cap[lay.HAND] = rules.hand + rules.draw * max(sum(c) for c in rules.marker_counts)
    places = {"actor": 0, "opponent": 1, "out": 2}
    for kind, markers in zip(rules.kinds, most, strict=True):
        n = int(markers) * kind.cards
        unseen = kind.face == "down" and kind.chooser != "nobody" and not kind.actor_sees
        cap[lay.UNDER] += n if kind.exchange else 0
        cap[lay.BLIND] += n if unseen else 0
        if unseen and len(set(kind.groups)) == 1:
            continue  # some of the equal groups are chosen, never none or all
        for place in {places[kind.rest_to], places[kind.chosen_to or kind.rest_to]}:
            if kind.face == "down":
                cap[lay.DOWN_MINE + place] += n
            elif place == places["out"]:
                cap[lay.OUT] += 2 * n
            else:
                cap[lay.MINE] += n
                cap[lay.THEIRS] += n
    return [cap[c] for c in range(lay.HAND, lay.ROLE)]
