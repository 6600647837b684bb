"""Games to counts: the tables of one part of a dataset, and how parts add up.

A part's games become tables of counts per unit (see :mod:`hanamikoji.stats.tables`), whose size
does not depend on the number of games. Codes per game, in terms of roles:

- ``result``: outcome in terms of seats (a, b, shared, unfinished) + 4 if it was forfeited
- ``length``: rounds, the last bin open; ``leads``: 2 x lead changes (last bin open) + (rounds > 1)
- ``route``: 6 x reason + 2 x winner + goal conflict, where winner is 0 starter, 1 second, 2 level
- ``opening starter``, ``opening second``: 3 x kind of action (one past the last: none) + winner
- ``geisha 0`` ...: 3 x winner + holder, where holder is 0 nobody, 1 starter, 2 second

``batches`` and ``batch outcomes`` are tables of another kind, see `batch_sums`, `batch_outcomes`.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hanamikoji.errors import ResultsError
from hanamikoji.stats.facts import CellFacts, Part
from hanamikoji.stats.moments import Moments, moments
from hanamikoji.stats.reading import Codes, Columns, read_columns, unreadable
from hanamikoji.stats.tables import Table

OUTCOMES = ("a", "b", "shared", "unfinished")
REASONS = (
    "charm",
    "geishas",
    "cap-geishas",
    "cap-charm",
    "cap-highest-geisha",
    "shared",
    "round-limit",
    "forfeit-error",
    "forfeit-illegal",
    "forfeit-stall",
)
FIRST_FORFEIT = REASONS.index("forfeit-error")
LENGTH_BINS = 32
LEAD_BINS = 8
RESULTS = 2 * len(OUTCOMES)
ROUTES = 6 * len(REASONS)
BATCHES = 64
_TOGETHER = 4  # geishas whose holders are counted together: 3 * 4^4 combinations

Key = TypeVar("Key", str, tuple[int, str, str])

_NUMBERS = (
    "deal", "seating", "rounds", "charm_a", "charm_b", "favor_a", "favor_b", "lead_changes",
    "goal_conflict",
)  # fmt: skip
# Winner's role by seating and outcome in terms of seats: 0 starter, 1 second, 2 level.
_WINNER = np.array([[0, 1, 2, 2], [1, 0, 2, 2]], dtype=np.int32)
# Quarters of a unit's score that one game of it adds, by (starter's) result; mirrors count twice.
_STARTER_QUARTERS = np.array([2, 0, 1, 1], dtype=np.uint8)


@dataclass(slots=True)
class CellCounts:
    """Counts of a cell's games."""

    deals: int = 0
    rounds_recorded: bool = False
    tables: dict[str, Table] = field(default_factory=dict)
    moments: dict[str, Moments] = field(default_factory=lambda: defaultdict(Moments))
    orders: dict[tuple[int, str, str], Table] = field(default_factory=dict)
    """(seating, role, order of actions in round 1) -> games by winner."""

    def add(self, other: CellCounts) -> None:
        """Add another part of the same cell."""
        self.rounds_recorded = other.rounds_recorded and (self.rounds_recorded or not self.deals)
        self.deals += other.deals
        _merge(self.tables, other.tables)
        _merge(self.orders, other.orders)
        for key, sums in other.moments.items():
            self.moments[key].add(sums)


def _merge(mine: dict[Key, Table], theirs: dict[Key, Table]) -> None:
    for key, table in theirs.items():
        mine[key] = mine[key] + table if key in mine else table


@dataclass(frozen=True, slots=True)
class Seating:
    """One seating's games of a part, a row a deal, in terms of roles."""

    result: Codes
    winner: Codes
    columns: Columns
    """Columns of the games table; ``x_starter`` and ``x_second`` in place of ``x_a``, ``x_b``."""


def read_games(part: Part, facts: CellFacts) -> tuple[Seating, ...]:
    """A part's games by seating: one for a mirror, two for a pair.

    Raises:
        ResultsError: Rows or texts violate the games schema, or deals are missing.
    """
    known = {"outcome": OUTCOMES, "reason": REASONS}
    known |= {"opening_a": facts.kinds, "opening_b": facts.kinds}
    columns, texts = read_columns(part, part.games, _NUMBERS, tuple(known))
    for name, names in known.items():
        columns[name] = _coded(part, name, columns[name], texts[name], names)
    seatings = 1 if facts.mirror else 2
    deals = np.arange(part.first, part.last)
    whole = len(columns["deal"]) == len(deals) * seatings and all(
        (columns["deal"][s::seatings] == deals).all()
        and (columns["seating"][s::seatings] == s).all()
        for s in range(seatings)
    )
    if not whole:
        raise ResultsError(
            f"games of cell {part.cell}: rows are not the deals {part.first} to {part.last - 1}, "
            f"each with {'seating 0' if facts.mirror else 'seatings 0 and 1'} in order"
        )
    return tuple(_seating(columns, s, seatings) for s in range(seatings))


def _coded(
    part: Part, column: str, codes: Codes, texts: list[str], names: tuple[str, ...]
) -> Codes:
    """Codes into ``texts`` converted to codes into ``names``; a null becomes ``len(names)``."""
    if tuple(texts) == names and codes.min(initial=0) >= 0:
        return codes
    places = {name: place for place, name in enumerate(names)}
    known = np.array([*(places.get(text, -1) for text in texts), len(names)], np.int32)
    numbers = known.take(codes)  # -1, a null, is the last
    if numbers.min(initial=0) < 0:
        text = texts[int(codes[numbers < 0][0])]
        raise unreadable(part, f"column {column} holds {text!r}, not one of {', '.join(names)}")
    return numbers


def _seating(columns: Columns, seating: int, seatings: int) -> Seating:
    rows = {name: values[seating::seatings] for name, values in columns.items()}
    starter, second = ("a", "b") if seating == 0 else ("b", "a")
    for name in ("charm", "favor", "opening"):
        pair = rows.pop(f"{name}_a"), rows.pop(f"{name}_b")
        rows[f"{name}_{'starter' if starter == 'a' else 'second'}"] = pair[0]
        rows[f"{name}_{'second' if second == 'b' else 'starter'}"] = pair[1]
    outcome = rows["outcome"]
    forfeited = (rows["reason"] >= FIRST_FORFEIT).astype(np.int32)
    return Seating(outcome + len(OUTCOMES) * forfeited, _WINNER[seating].take(outcome), rows)


def joint(codes: list[Codes], size: int) -> Table:
    """Counts of units by the codes of their games: (size,) or (size, size)."""
    if len(codes) == 1:
        return np.bincount(codes[0], minlength=size).astype(np.int64)
    both = codes[0] * np.int32(size) + codes[1]
    return np.bincount(both, minlength=size * size).reshape(size, size).astype(np.int64)


def unit_quarters(seatings: tuple[Seating, ...]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The starter's score of each unit in quarters, 0 to 4."""
    quarters = [_STARTER_QUARTERS[:3].take(seating.winner) for seating in seatings]
    return quarters[0] * np.uint8(2) if len(quarters) == 1 else quarters[0] + quarters[1]


def batch_sums(first: int, seatings: tuple[Seating, ...]) -> Table:
    """Units, their scores in quarters and their rounds, (3, `BATCHES`), by deal modulo `BATCHES`.

    A part begins with deal ``first``. The spread over batches of a contrast of many cells tells its
    error, with all covariances that shared deals give (batch means: Law 2015, Simulation Modeling
    and Analysis, 9.5); pair by pair they would take memory and time in the square of the cells.
    """
    rounds = np.sum([seating.columns["rounds"] for seating in seatings], axis=0)
    units = np.ones(len(rounds), np.int64)
    return np.array([_by_batch(first, each) for each in (units, unit_quarters(seatings), rounds)])


def batch_outcomes(first: int, seatings: tuple[Seating, ...]) -> Table:
    """Games by who wins: starter, second, nobody.

    (seatings, 3, `BATCHES`), by deal modulo `BATCHES`.
    """
    winners = [seating.winner for seating in seatings]
    return np.array([[_by_batch(first, w == who) for who in range(3)] for w in winners])


def _by_batch(first: int, values: np.ndarray[Any, Any]) -> Table:
    """Sums over the deals of each batch, the first value being of deal ``first``."""
    before = first % BATCHES
    padded = np.zeros(-(-(before + len(values)) // BATCHES) * BATCHES, values.dtype)
    padded[before : before + len(values)] = values
    sums: Table = padded.reshape(-1, BATCHES).sum(axis=0, dtype=np.int64)
    return sums


def count_games(seatings: tuple[Seating, ...], facts: CellFacts) -> CellCounts:
    """The tables and sums of a part's games."""
    counts = CellCounts(deals=len(seatings[0].winner))
    tables = counts.tables

    def column(name: str) -> list[Codes]:
        return [seating.columns[name] for seating in seatings]

    winners = [seating.winner for seating in seatings]
    tables["result"] = joint([seating.result for seating in seatings], RESULTS)
    rounds = column("rounds")
    tables["length"] = joint([np.minimum(r, LENGTH_BINS - 1) for r in rounds], LENGTH_BINS)
    leads = [np.minimum(changes, LEAD_BINS - 1) for changes in column("lead_changes")]
    lead_codes = [2 * lead + (r > 1) for lead, r in zip(leads, rounds, strict=True)]
    tables["leads"] = joint(lead_codes, 2 * LEAD_BINS)
    endings = zip(column("reason"), winners, column("goal_conflict"), strict=True)
    tables["route"] = joint([6 * why + 2 * who + clash for why, who, clash in endings], ROUTES)
    for role in ("starter", "second"):
        openings = zip(column(f"opening_{role}"), winners, strict=True)
        codes = [3 * kind + winner for kind, winner in openings]
        tables[f"opening {role}"] = joint(codes, 3 * (len(facts.kinds) + 1))
    holders = list(zip(column("favor_starter"), column("favor_second"), winners, strict=True))
    tables |= holder_tables("geisha", holders, len(facts.charm))
    games = len(seatings)
    charm = list(zip(column("charm_starter"), column("charm_second"), strict=True))
    sums = counts.moments
    lead = [mine - theirs for mine, theirs in charm]
    sums["rounds"] = moments(np.sum(rounds, axis=0), games)
    sums["lead changes"] = moments(np.sum(column("lead_changes"), axis=0), games)
    sums["charm lead"] = moments(np.sum(lead, axis=0), games)
    sums["charm margin"] = moments(np.sum(np.abs(lead), axis=0), games)
    return counts


def holder_tables(
    name: str, masks: list[tuple[Codes, Codes, Codes]], geishas: int
) -> dict[str, Table]:
    """Tables of who holds each geisha, from (starter's mask, second's mask, winner) by seating."""
    tables: Iterable[Table]
    if len(masks) == 1:
        tables = itertools.chain.from_iterable(
            _holders_of_some(*masks[0], low, min(low + _TOGETHER, geishas))
            for low in range(0, geishas, _TOGETHER)
        )
    else:
        tables = (
            joint(
                [
                    3 * winner + ((starter >> g) & 1) + 2 * ((second >> g) & 1)
                    for starter, second, winner in masks
                ],
                9,
            )
            for g in range(geishas)
        )
    return {f"{name} {g}": table for g, table in enumerate(tables)}


def _holders_of_some(
    starter: Codes, second: Codes, winner: Codes, low: int, high: int
) -> Iterator[Table]:
    """Who holds each of the geishas from ``low`` to ``high``, of one seating.

    All combinations of them are counted at once, and then summed for each: one pass over the games
    instead of one for each geisha.
    """
    n = high - low
    bits = (1 << n) - 1
    code = (winner << 2 * n) | ((starter >> low) & bits) << n | ((second >> low) & bits)
    combinations = joint([code], 3 << 2 * n).reshape(3, *(2,) * 2 * n)
    for g in range(n):
        kept = (0, n - g, 2 * n - g)  # axes; the lowest bit is the last of each mask
        others = tuple(axis for axis in range(2 * n + 1) if axis not in kept)
        held = combinations.sum(axis=others)
        yield np.stack([held[:, 0, 0], held[:, 1, 0], held[:, 0, 1]], axis=1).ravel()
