"""The rounds table to counts: what the games table does not hold.

Tables per game, as in :mod:`hanamikoji.stats.counts`: ``held 0`` ... (holder after round 1),
``leader`` (3 x winner + who led in charm after round 1: 0 nobody or no second round, 1 starter,
2 second), ``late leader`` (the same after the last round but one), ``turn 1 starter`` ... (like the
openings, for each turn of round 1). Sums per deal: ``swing 1`` ... (absolute change of the charm
lead; games that reached the round), ``legal`` (legal moves; decisions).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hanamikoji.errors import ResultsError
from hanamikoji.stats.counts import (
    CellCounts,
    Seating,
    holder_tables,
    joint,
)
from hanamikoji.stats.facts import CellFacts, Part
from hanamikoji.stats.moments import moments
from hanamikoji.stats.reading import Codes, Columns, read_columns

SWING_BINS = 8
ORDER_SEPARATOR = " > "

_SEATS = ("a", "b")
_Array = np.ndarray[Any, Any]
_NUMBERS = (
    "deal", "seating", "round", "favor_a", "favor_b", "decisions_a", "decisions_b", "legal_a",
    "legal_b",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rounds:
    """One round of a part's games: a row each, but for games that ended before its end."""

    rows: Columns
    game: _Array
    """Row -> number of the game in the part."""
    seatings: tuple[Seating, ...]

    def by_seating(self, values: _Array) -> list[_Array]:
        """Values of the rows as arrays over each seating's games; 0 where there is no row."""
        step = len(self.seatings)
        games = step * len(self.seatings[0].winner)
        if len(values) < games:
            full = np.zeros(games, dtype=values.dtype)
            full[self.game] = values
            values = full
        return [values[seating::step] for seating in range(step)]

    @property
    def winners(self) -> list[_Array]:
        """Winner's role of each seating's games."""
        return [seating.winner for seating in self.seatings]


def count_rounds(
    counts: CellCounts, part: Part, seatings: tuple[Seating, ...], facts: CellFacts
) -> None:
    """Add the tables and sums of a part's rounds to those of its games.

    Raises:
        ResultsError: Rounds belong to deals that the part does not hold.
    """
    if part.rounds is None:
        return
    counts.rounds_recorded = True
    rows, orders = _read(part)
    games = len(seatings) * counts.deals
    game = (rows["deal"] - part.first) * len(seatings) + rows["seating"]
    if len(game) and (game.min() < 0 or game.max() >= games or (np.diff(game) < 0).any()):
        raise ResultsError(
            f"rounds of cell {part.cell} are not those of the deals {part.first} to "
            f"{part.last - 1} in order"
        )
    charm = _charm_of_masks(facts.charm)
    rows["lead"] = charm[rows["favor_starter"]] - charm[rows["favor_second"]]
    rows["in part"] = game // len(seatings)
    first = np.flatnonzero(rows["round"] == 1)
    opening = {name: values[first] for name, values in rows.items()}
    first_rounds = _Rounds(opening, game[first], seatings)
    _count_holders(counts, first_rounds, facts)
    _count_orders(counts, first_rounds, orders, facts)
    _count_late_leaders(counts, rows, game, seatings)
    _count_swings(counts, rows, facts)
    legal, decisions = (
        _by_deal(rows["in part"], rows[f"{name}_a"] + rows[f"{name}_b"], counts.deals)
        for name in ("legal", "decisions")
    )
    counts.moments["legal"] = moments(legal, decisions)


def _read(part: Part) -> tuple[Columns, list[str]]:
    """The rows in terms of roles, orders as numbers into a list of texts (0: none)."""
    assert part.rounds is not None
    orders = [f"order_{seat}" for seat in _SEATS]
    columns, texts = read_columns(part, part.rounds, _NUMBERS, orders)
    numbers = {"": 0}
    for name in orders:
        columns[name] = _numbered(columns[name], texts[name], numbers)
    swapped = columns["seating"] == 1
    for name in ("favor", "order"):
        a, b = columns[f"{name}_a"], columns[f"{name}_b"]
        columns[f"{name}_starter"] = np.where(swapped, b, a) if swapped.any() else a
        columns[f"{name}_second"] = np.where(swapped, a, b) if swapped.any() else b
    return columns, list(numbers)


def _numbered(codes: Codes, texts: list[str], numbers: dict[str, int]) -> Codes:
    """Codes into ``texts``, -1 for none, as ``numbers`` of texts, which grow by what is new."""
    known = [numbers.setdefault(text, len(numbers)) for text in texts]
    return np.array([*known, 0], np.int32).take(codes)


def _charm_of_masks(charm: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Total charm of the geishas in each of the 2^G bit masks."""
    totals = np.zeros(1, dtype=np.int32)
    for value in charm:
        totals = np.concatenate([totals, totals + np.int32(value)])
    return totals


def _count_holders(counts: CellCounts, first: _Rounds, facts: CellFacts) -> None:
    """Who holds each geisha, and who leads in charm, after round 1."""
    starter, second, lead = (
        first.by_seating(first.rows[name]) for name in ("favor_starter", "favor_second", "lead")
    )
    masks = list(zip(starter, second, first.winners, strict=True))
    counts.tables |= holder_tables("held", masks, len(facts.charm))
    went_on = [seating.columns["rounds"] > 1 for seating in first.seatings]
    leads = [gap * more for gap, more in zip(lead, went_on, strict=True)]
    counts.tables["leader"] = _leaders(leads, first.seatings)


def _leaders(leads: list[_Array], seatings: tuple[Seating, ...]) -> _Array:
    """Table of who led in charm, from the starter's lead in each seating's games."""
    codes = []
    for lead, seating in zip(leads, seatings, strict=True):
        leader = np.where(lead > 0, 1, np.where(lead < 0, 2, 0)).astype(np.int32)
        codes.append(3 * seating.winner + leader)
    return joint(codes, 9)


def _count_late_leaders(
    counts: CellCounts, rows: Columns, game: _Array, seatings: tuple[Seating, ...]
) -> None:
    """Who leads in charm after the last round but one."""
    rounds = np.stack([seating.columns["rounds"] for seating in seatings], axis=1).ravel()
    late = np.flatnonzero(rows["round"] == rounds[game] - 1)
    chosen = _Rounds({"lead": rows["lead"][late]}, game[late], seatings)
    counts.tables["late leader"] = _leaders(chosen.by_seating(chosen.rows["lead"]), seatings)


def _count_orders(counts: CellCounts, first: _Rounds, texts: list[str], facts: CellFacts) -> None:
    """Actions by turn, and whole orders, of round 1."""
    kinds = len(facts.kinds)
    taken = _kinds_by_turn(texts, facts.kinds)
    for role in ("starter", "second"):
        orders = first.by_seating(first.rows[f"order_{role}"])
        played = list(zip(orders, first.winners, strict=True))
        for turn, of_turn in enumerate(taken.T, start=1):
            codes = [3 * of_turn[order] + winner for order, winner in played]
            counts.tables[f"turn {turn} {role}"] = joint(codes, 3 * (kinds + 1))
        for seating, (order, winner) in enumerate(played):
            by_winner = np.bincount(3 * order + winner, minlength=3 * len(texts))
            for number, counted in enumerate(by_winner.astype(np.int64).reshape(-1, 3)):
                if number and counted.any():
                    counts.orders[seating, role, texts[number]] = counted


def _kinds_by_turn(texts: list[str], kinds: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """(orders, turns) kind of action taken; one past the last kind: none."""
    split = [text.split(ORDER_SEPARATOR) if text else [] for text in texts]
    numbers = {name: number for number, name in enumerate(kinds)}
    unknown = {name for names in split for name in names} - numbers.keys()
    if unknown:
        raise ResultsError(
            f"rounds name the action {min(unknown)!r}; the rules have {', '.join(kinds)}"
        )
    taken = np.full((len(texts), max(map(len, split))), len(kinds), dtype=np.int32)
    for row, names in enumerate(split):
        taken[row, : len(names)] = [numbers[name] for name in names]
    return taken


def _count_swings(counts: CellCounts, rows: Columns, facts: CellFacts) -> None:
    """Absolute change of the charm lead in each round."""
    lead, deal = rows["lead"], rows["in part"]
    before = np.full_like(lead, facts.start_lead)
    if facts.keep_markers:
        before[1:] = np.where(rows["round"][1:] > 1, lead[:-1], facts.start_lead)
    swing = np.abs(lead - before)
    bins = np.minimum(rows["round"], SWING_BINS)
    for number in range(1, int(bins.max(initial=0)) + 1):
        here = bins == number
        reached = _by_deal(deal[here], np.ones(int(here.sum())), counts.deals)
        totals = _by_deal(deal[here], swing[here], counts.deals)
        some = reached > 0
        counts.moments[f"swing {number}"] = moments(totals[some], reached[some])


def _by_deal(deal: _Array, values: _Array, deals: int) -> _Array:
    """Sum of whole-numbered values by deal; exact, for float64 holds whole numbers to 2^53."""
    return np.bincount(deal, weights=values, minlength=deals)
