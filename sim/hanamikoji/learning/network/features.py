"""Rules -> feature layout: which rows of the network describe what, for any variant.

Nothing here is made by hand for a game: which places exist for a geisha's items, how many can be
there and how she can stand in an offer all follow from the rules' rows. Geishas with the same charm
and the same items share their rows, for the rules don't distinguish them.

Where the table of all local states of a geisha would be too large, she gets several smaller ones
(`FACTORS`), whose rows are added. Training does this for every geisha: a local row is then the sum
of a row of its own and one of each factor, which is learned faster; see `FeatureLayout.parts`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.local_states import FACTORS, WHOLE, LocalStates
from hanamikoji.learning.network.roles import Roles
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Int32 = npt.NDArray[np.int32]

MOST_LOCAL_ROWS = 40_000
"""All geishas' local states together; beyond it the largest are taken apart into factors."""
MOST_LEFT = 4096
MOST_CONFIGS = 6_000
MOST_VALUES = 200_000
MOST_OFFERS = 4096
PARTS = 4
"""A row is the sum of at most this many trained rows."""


@dataclass(frozen=True)
class FeatureLayout:
    """The feature layout of a variant, and what training needs beside it."""

    array: Int32
    """int32 (size,): see `hanamikoji.learning.network.layout`."""
    parts: Int32
    """int32 (rows, `PARTS`): the trained rows whose sum a row is; -1: none."""
    trained: int
    """How many rows are trained."""
    slots: tuple[tuple[int, int, int], ...]
    """(first row, end, how many of them at most are in a position): bounds every sum of rows."""
    notes: tuple[str, ...] = ()
    """What was too large for a table, for people."""
    initial: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32: trained rows that begin at random; the others begin at zero."""

    @property
    def rows(self) -> int:
        """Rows of the first layer."""
        return int(self.array[lay.ROWS])

    @property
    def heads(self) -> int:
        """Rows of output weights."""
        return int(self.array[lay.HEADS])

    @property
    def signature(self) -> str:
        """12 hex digits of its content: weights of another layout must not be used."""
        return hashlib.sha256(self.array.tobytes()).hexdigest()[:12]


@functools.lru_cache(maxsize=32)
def build_features(rules: Rules) -> FeatureLayout:
    """The feature layout of a variant."""
    return _Builder(rules).build()


class _Builder:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tables = build_tables(rules)
        self.header = np.zeros(lay.HEADER, np.int32)
        self.tails: list[Int32] = []
        self.size = lay.HEADER
        self.rows = 0
        self.parts: list[Int32] = []
        self.trained = 0
        self.initial: list[Int32] = []
        self.slots: list[tuple[int, int, int]] = []
        self.notes: list[str] = []
        self.local = LocalStates(rules)
        pairs = list(zip(rules.charm, rules.items, strict=True))
        self.classes = list(dict.fromkeys(pairs))
        self.members = [[g for g, p in enumerate(pairs) if p == c] for c in self.classes]

    def build(self) -> FeatureLayout:
        self._add_classes()
        self._add_kinds()
        self._add_geishas()
        self._add_left()
        self._add_stages()
        self._add_configs()
        self._add_offers()
        self._add_history()
        self._add_values()
        self._add_walk()
        header = self.header
        header[lay.ROWS] = self.rows
        header[lay.HEADS] = int(self.tables[ix.TURNS]) * 4 * int(header[lay.STAGES])
        header[lay.SIZE] = self.size
        return FeatureLayout(
            array=np.concatenate([header, *self.tails]),
            parts=np.concatenate(self.parts),
            trained=self.trained,
            slots=tuple(self.slots),
            notes=tuple(self.notes),
            initial=np.concatenate(self.initial),
        )

    # --- small steps -----------------------------------------------------------------------------

    def _tail(self, values: Any) -> int:
        """Append a table to the array; returns where it begins."""
        table = np.ascontiguousarray(values, np.int32).ravel()
        at = self.size
        self.tails.append(table)
        self.size += len(table)
        return at

    def _trained_rows(self, n: int, *, random: bool) -> int:
        """Number ``n`` more trained rows; returns the first."""
        first = self.trained
        if random:
            self.initial.append(np.arange(first, first + n, dtype=np.int32))
        self.trained += n
        return first

    def _new_rows(self, n: int, extra: Sequence[Int32] = (), most: int = 1) -> int:
        """Number ``n`` more rows, each the sum of one of its own and those ``extra`` names."""
        parts = np.full((n, PARTS), -1, np.int32)
        own = self._trained_rows(n, random=not extra)
        parts[:, 0] = np.arange(own, own + n)
        for i, other in enumerate(extra):
            parts[:, i + 1] = other
        self.parts.append(parts)
        first = self.rows
        self.rows += n
        self.slots.append((first, first + n, most))
        return first

    # --- geishas ---------------------------------------------------------------------------------

    def _add_classes(self) -> None:
        header, at = self.header, 0
        header[lay.CLASSES] = len(self.classes)
        stride = 1
        for c, members in enumerate(self.members):
            header[lay.CLASS_OF + at : lay.CLASS_OF + at + len(members)] = members
            at += len(members)
            header[lay.CLASS_END + c] = at
            header[lay.CLASS_STRIDE + c] = min(stride, 2**30)
            stride *= _pairs(len(members))
        self.configs = stride
        header[lay.CONFIGS] = stride if stride <= MOST_VALUES else 0

    def _add_geishas(self) -> None:
        whole = [True] * len(self.classes)
        counts = [self.local.count(items) for _, items in self.classes]
        while sum(n for n, w in zip(counts, whole, strict=True) if w) > MOST_LOCAL_ROWS:
            whole[max((n, c) for c, n in enumerate(counts) if whole[c])[1]] = False
        broken = [len(self.members[c]) for c, w in enumerate(whole) if not w]
        if broken:
            self.notes.append(
                f"{sum(broken)} of {len(self.rules.charm)} geishas have too many local states for "
                f"one table ({max(counts):,}; all together at most {MOST_LOCAL_ROWS:,}): they get "
                f"{len(FACTORS)} smaller ones"
            )
        tables = [
            self._whole(items, len(self.members[c])) if whole[c] else self._factored(items, c)
            for c, (_, items) in enumerate(self.classes)
        ]
        class_of = {g: c for c, members in enumerate(self.members) for g in members}
        n = 0
        for g in range(len(self.rules.charm)):
            self.header[lay.FIRST_FACTOR + g] = n
            for record in tables[class_of[g]]:
                at = lay.FACTOR + n * lay.FACTOR_WIDTH
                self.header[at : at + lay.FACTOR_WIDTH] = record
                n += 1
        self.header[lay.FIRST_FACTOR + len(self.rules.charm)] = n
        self.header[lay.FACTORS] = n
        self.header[lay.SINGLE] = int(not broken)

    def _record(self, strides: list[int], keys: Int32, first: int) -> list[int]:
        table = np.zeros(int(keys[-1]) + 1, np.int32)
        table[keys] = np.arange(first, first + len(keys))
        return [self._tail(table), *strides]

    def _whole(self, items: int, members: int) -> list[list[int]]:
        strides, keys, values = self.local.grid(items, WHOLE)
        extra = []
        for factor in FACTORS:
            part_strides, part_keys, _ = self.local.grid(items, factor)
            first = self._trained_rows(len(part_keys), random=True)
            number = np.searchsorted(part_keys, values @ np.array(part_strides, np.int32))
            extra.append((first + number).astype(np.int32))
        return [self._record(strides, keys, self._new_rows(len(keys), extra, members))]

    def _factored(self, items: int, c: int) -> list[list[int]]:
        records = []
        for factor in FACTORS:
            strides, keys, _ = self.local.grid(items, factor)
            first = self._new_rows(len(keys), most=len(self.members[c]))
            records.append(self._record(strides, keys, first))
        return records

    # --- kinds -----------------------------------------------------------------------------------

    def _add_kinds(self) -> None:
        places = {"actor": 0, "opponent": 1, "out": 2}
        last = 0
        for k, kind in enumerate(self.rules.kinds):
            row = self.header[lay.KIND + k * lay.KIND_WIDTH :]
            roles = self.local.roles[k]
            row[lay.KIND_OFFERS] = int(roles is not None)
            first = lay.MINE if kind.face == "up" else lay.DOWN_MINE
            place = first + places[kind.rest_to]
            if place == lay.MINE + 2:
                place = lay.OUT
            row[lay.KIND_TO] = lay.UNDER if kind.exchange else place
            row[lay.KIND_HIDDEN] = int(kind.chooser == "opponent" and kind.face == "down")
            if roles is None:
                roles = Roles(kind)
                states = roles.table(role_offset=None)
            else:
                roles.number(last)
                last = roles.last
                states = roles.table(role_offset=0)
            row[lay.KIND_STATES] = len(states)
            row[lay.KIND_STATE_AT] = self._tail(states)

    def _add_walk(self) -> None:
        """The rules' walk; each node with its depth and its geisha's state before and after."""
        t = self.tables
        nodes: list[list[int]] = []
        for k, kind in enumerate(self.rules.kinds):
            row = t[ix.KIND_ROW + k * ix.KIND_WIDTH :]
            group = t[ix.KIND_GROUP + k * ix.MOST_CARDS :]
            begin, end = int(row[ix.KIND_WALK]), int(row[ix.KIND_WALK_END])
            at = self.header[lay.KIND + k * lay.KIND_WIDTH + lay.KIND_STATE_AT]
            states = np.concatenate(self.tails)[at - lay.HEADER :]
            path: list[tuple[int, int, int]] = []  # card, state after it, where its subtree ends
            walk = t[t[ix.WALK_AT] :]
            for node in range(begin, end):
                card, need, skip, move = (int(x) for x in walk[node * 4 : node * 4 + 4])
                while path and path[-1][2] <= node:
                    path.pop()
                before = next((s for c, s, _ in reversed(path) if c == card), 0)
                j = int(group[len(path)]) if kind.chooser != "nobody" else 0
                after = int(states[before * lay.STATE_WIDTH + lay.STATE_NEXT + j])
                nodes.append([card, need, skip, move, len(path), before, after, 0])
                path.append((card, after, skip))
        self.header[lay.WALK_AT] = self._tail(nodes)

    # --- the round as a whole --------------------------------------------------------------------

    def _add_left(self) -> None:
        most = np.max(self.rules.marker_counts, axis=0) + 1
        n = int(np.prod(most))
        strides = [int(np.prod(most[:k])) for k in range(len(most))]
        header = self.header
        together = n * n <= MOST_LEFT
        for k, stride in enumerate(strides):
            header[lay.KIND + k * lay.KIND_WIDTH + lay.KIND_LEFT] = stride
            header[lay.KIND + k * lay.KIND_WIDTH + lay.KIND_THEIR] = stride * (n if together else 1)
        if together:
            own, their = (self._trained_rows(n, random=True) for _ in range(2))
            both = np.arange(n * n, dtype=np.int32)
            header[lay.LEFT_ROW] = self._new_rows(n * n, [own + both % n, their + both // n])
            header[lay.THEIR_ROW] = -1
        else:
            header[lay.LEFT_ROW] = self._new_rows(n)
            header[lay.THEIR_ROW] = self._new_rows(n)

    def _add_stages(self) -> None:
        """Classes of rounds, where the round's number matters."""
        rules, header = self.rules, self.header
        cap = min(rules.max_rounds or rules.round_limit, rules.round_limit)
        header[lay.MIN_STAGES] = min(rules.min_rounds - 1, 4) + 1
        header[lay.CAP] = cap
        header[lay.CAP_STAGES] = min(cap - 1, 5) + 1 if cap <= 20 else 0
        header[lay.STAGES] = header[lay.MIN_STAGES] * max(header[lay.CAP_STAGES], 1)
        header[lay.ROUND_ROW] = -1
        if header[lay.STAGES] > 1:
            header[lay.ROUND_ROW] = self._new_rows(int(header[lay.STAGES]))

    def _add_configs(self) -> None:
        rules, header = self.rules, self.header
        charm_cap = min((rules.goals.charm or 2**30) - 1, sum(rules.charm))
        favor_cap = min((rules.goals.geishas or 2**30) - 1, len(rules.charm))
        if rules.min_rounds > 1:
            charm_cap, favor_cap = sum(rules.charm), len(rules.charm)
        header[lay.CHARM_BIN] = charm_cap // 32 + 1
        header[lay.CHARM_CAP] = charm_cap // header[lay.CHARM_BIN]
        header[lay.FAVOR_CAP] = favor_cap
        charm_rows, favor_rows = (header[lay.CHARM_CAP] + 1) ** 2, (favor_cap + 1) ** 2
        header[[lay.CONFIG_ROW, lay.CHARM_ROW, lay.FAVOR_ROW]] = -1
        if self.configs > MOST_CONFIGS:
            header[lay.CHARM_ROW] = self._new_rows(int(charm_rows))
            header[lay.FAVOR_ROW] = self._new_rows(int(favor_rows))
            return
        charm = self._trained_rows(int(charm_rows), random=True)
        favor = self._trained_rows(int(favor_rows), random=True)
        held = self._held()
        c = np.minimum(held[:, :2] // header[lay.CHARM_BIN], header[lay.CHARM_CAP])
        f = np.minimum(held[:, 2:], favor_cap)
        extra = [
            charm + c[:, 0] * (header[lay.CHARM_CAP] + 1) + c[:, 1],
            favor + f[:, 0] * (favor_cap + 1) + f[:, 1],
        ]
        header[lay.CONFIG_ROW] = self._new_rows(self.configs, [x.astype(np.int32) for x in extra])

    def _held(self) -> Int32:
        """For every configuration: own charm, theirs, own geishas, theirs."""
        held = np.zeros((1, 4), np.int32)
        for (charm, _), members in zip(self.classes, self.members, strict=True):
            n = len(members)
            pairs = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
            more = np.array([(a * charm, b * charm, a, b) for a, b in pairs], np.int32)
            held = (more[:, None, :] + held[None, :, :]).reshape(-1, 4)
        return held

    def _add_offers(self) -> None:
        header = self.header
        responses = int(self.tables[ix.RESPONSES])
        for k, kind in enumerate(self.rules.kinds):
            moves = int(self.tables[ix.KIND_ROW + k * ix.KIND_WIDTH + ix.KIND_MOVES])
            at = lay.KIND + k * lay.KIND_WIDTH + lay.KIND_OFFER_ROW
            header[at] = -1
            if kind.chooser != "nobody":
                if moves <= MOST_OFFERS:
                    header[at] = self._new_rows(moves)
                else:
                    self.notes.append(
                        f"action '{kind.name}' has {moves:,} distinct moves, more than "
                        f"{MOST_OFFERS:,}: its offers have no row as a whole"
                    )
        header[lay.ANSWER_ROW] = -1
        if any(k.chooser == "opponent" and k.face == "down" for k in self.rules.kinds):
            turns = int(self.tables[ix.TURNS])
            header[lay.ANSWER_ROW] = self._new_rows(2 * responses, most=turns)

    def _add_history(self) -> None:
        """The order of kinds, earlier offers with what was chosen, and the offer at hand."""
        header, kinds = self.header, self.rules.kinds
        turns = int(self.tables[ix.TURNS])
        header[lay.ORDER_ROW] = self._new_rows(turns * 2 * len(kinds), most=turns)
        markers = np.max(self.rules.marker_counts, axis=0)
        for k, kind in enumerate(kinds):
            row = self.tables[ix.KIND_ROW + k * ix.KIND_WIDTH :]
            moves, answers = int(row[ix.KIND_MOVES]), int(row[ix.KIND_RESPONSES])
            at = lay.KIND + k * lay.KIND_WIDTH
            events, faced = at + lay.KIND_EVENT_ROW, at + lay.KIND_FACED_ROW
            header[[events, faced]] = -1
            if kind.chooser != "nobody" and moves * answers <= MOST_OFFERS:
                most = 2 * int(markers[k])
                header[events] = self._new_rows(2 * moves * answers, most=most)
            if kind.chooser == "opponent" and kind.face == "up" and moves <= MOST_OFFERS:
                header[faced] = self._new_rows(moves)

    def _add_values(self) -> None:
        header = self.header
        if header[lay.CONFIGS]:
            header[lay.VALUES] = header[lay.CONFIGS] * header[lay.STAGES]
            return
        self.notes.append(
            f"{self.configs:,} marker configurations are too many for a table of win "
            f"probabilities (at most {MOST_VALUES:,}): they are learned by a model"
        )
        at = 1
        for c, members in enumerate(self.members):
            header[lay.CLASS_VALUE + c] = at
            at += _pairs(len(members))
        header[lay.VALUE_CHARM] = at
        at += int((header[lay.CHARM_CAP] + 1) ** 2)
        header[lay.VALUE_STAGE] = at
        header[lay.VALUES] = at * header[lay.STAGES]


def _pairs(n: int) -> int:
    """How many ways n equal geishas' markers can lie: (own, theirs) with a sum of at most n."""
    return (n + 1) * (n + 2) // 2
