"""The shape of a cell's games: lengths, routes to the win, geishas, actions, swings."""

from __future__ import annotations

import numpy as np

from hanamikoji.stats.counts import LEAD_BINS, LENGTH_BINS, REASONS, CellCounts
from hanamikoji.stats.estimates import (
    ActionShape,
    GeishaShape,
    LeadBin,
    LengthBin,
    Mean,
    OrderShape,
    Proportion,
    Role,
    Route,
    Shape,
    Swing,
)
from hanamikoji.stats.facts import CellFacts
from hanamikoji.stats.intervals import BoundedMean, FloatArray
from hanamikoji.stats.rounds import ORDER_SEPARATOR, SWING_BINS
from hanamikoji.stats.tables import Table, games_in, per_game, ratio, ratio_mean, share

ORDERS_SHOWN = 12
ROLES: tuple[Role, Role] = ("starter", "second")

_WINNER_SCORE = np.array([1.0, 0.0, 0.5])  # of the starter, by winner: starter, second, level
_MISSING_ROUNDS = (
    "comebacks, geishas after round 1, actions by turn, orders of actions, swings and legal moves "
    'need the rounds table: record = ["rounds"]'
)


def shape_of(counts: CellCounts, facts: CellFacts) -> Shape:
    """The shape of a cell's games."""
    tables, sums = counts.tables, counts.moments
    detailed = counts.rounds_recorded
    legal = sums.get("legal") if detailed else None
    return Shape(
        mean_rounds=ratio_mean(sums["rounds"], "games"),
        length=_length(tables["length"]),
        routes=_routes(tables["route"]),
        goal_conflict=share(tables["route"], np.tile([0.0, 1.0], len(REASONS) * 3)).proportion(
            "games"
        ),
        lead_changes=_leads(tables["leads"]),
        mean_lead_changes=ratio_mean(sums["lead changes"], "games"),
        turned=_turned(tables["leads"]),
        comebacks=_comebacks(tables["leader"]) if detailed else None,
        charm_margin=ratio_mean(sums["charm margin"], "games"),
        starter_charm_lead=ratio_mean(sums["charm lead"], "games"),
        geishas=tuple(_geisha(counts, facts, g) for g in range(len(facts.charm))),
        openings=_openings(tables, facts),
        actions=_actions(counts, facts) if detailed else (),
        orders=_orders(counts) if detailed else (),
        swings=_swings(counts) if detailed else (),
        legal_moves=ratio_mean(legal, "decisions") if legal is not None and legal.y else None,
        missing=() if detailed else (_MISSING_ROUNDS,),
    )


def _indicator(size: int, codes: list[int] | range) -> FloatArray:
    member = np.zeros(size)
    member[list(codes)] = 1.0
    return member


def _length(table: Table) -> tuple[LengthBin, ...]:
    seen = [int(n) for n in np.flatnonzero(per_game(table))]
    return tuple(
        LengthBin(n, share(table, _indicator(LENGTH_BINS, [n])).proportion("games")) for n in seen
    )


def _routes(table: Table) -> tuple[Route, ...]:
    routes = []
    by_reason = per_game(table).reshape(len(REASONS), 6).sum(axis=1)
    score = np.tile(np.repeat(_WINNER_SCORE, 2), len(REASONS))
    for reason, name in enumerate(REASONS):
        member = _indicator(len(score), range(6 * reason, 6 * reason + 6))
        scored = ratio(table, member * score, member)
        routes.append(
            Route(
                name,
                share(table, member).proportion("games"),
                scored.mean("games") if by_reason[reason] else None,
            )
        )
    return tuple(routes)


def route_share(table: Table, reasons: tuple[str, ...]) -> Proportion:
    """Share of games that ended by any of some reasons."""
    member = np.repeat([float(name in reasons) for name in REASONS], 6)
    return share(table, member).proportion("games")


def _leads(table: Table) -> tuple[LeadBin, ...]:
    by_changes = per_game(table).reshape(LEAD_BINS, 2).sum(axis=1)
    seen = [int(n) for n in np.flatnonzero(by_changes)]
    return tuple(
        LeadBin(
            n,
            share(table, _indicator(2 * LEAD_BINS, [2 * n, 2 * n + 1])).proportion("games"),
        )
        for n in seen
    )


def _turned(table: Table) -> Proportion:
    longer = np.tile([0.0, 1.0], LEAD_BINS)
    changed = np.repeat(np.arange(LEAD_BINS) > 0, 2) * longer
    return ratio(table, changed, longer).proportion("games")


def _comebacks(table: Table) -> Proportion:
    winner, leader = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    decided = ((winner < 2) & (leader > 0)).astype(float)
    return ratio(table, decided * (leader - 1 != winner), decided).proportion("games")


def holder_score_of(table: Table) -> BoundedMean:
    """Score of whoever holds a geisha, over games where someone does."""
    winner, holder = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    held = (holder > 0).astype(float)
    starter = _WINNER_SCORE[winner]
    points = held * np.where(holder == 1, starter, 1 - starter)
    return ratio(table, points, held)


def _holder_mean(table: Table) -> Mean | None:
    found = holder_score_of(table)
    return found.mean("games") if found.n else None


def _geisha(counts: CellCounts, facts: CellFacts, geisha: int) -> GeishaShape:
    table = counts.tables[f"geisha {geisha}"]
    nobody, starter, second = (
        share(table, _indicator(9, [h, 3 + h, 6 + h])).proportion("games") for h in range(3)
    )
    held = counts.tables.get(f"held {geisha}")
    return GeishaShape(
        geisha=geisha,
        charm=facts.charm[geisha],
        starter=starter,
        second=second,
        nobody=nobody,
        score_if_held=_holder_mean(table),
        score_if_held_after_round_1=None if held is None else _holder_mean(held),
    )


def _action_shapes(table: Table, facts: CellFacts, role: Role, turn: int) -> list[ActionShape]:
    size = table.shape[0]
    points = np.tile(_WINNER_SCORE if role == "starter" else 1 - _WINNER_SCORE, size // 3)
    shapes = []
    for kind, name in enumerate(facts.kinds):
        member = _indicator(size, range(3 * kind, 3 * kind + 3))
        scored = ratio(table, member * points, member)
        shapes.append(
            ActionShape(
                role,
                turn,
                name,
                share(table, member).proportion("games"),
                scored.mean("games") if scored.n else None,
            )
        )
    return shapes


def _openings(tables: dict[str, Table], facts: CellFacts) -> tuple[ActionShape, ...]:
    return tuple(
        shape
        for role in ROLES
        for shape in _action_shapes(tables[f"opening {role}"], facts, role, 1)
    )


def _actions(counts: CellCounts, facts: CellFacts) -> tuple[ActionShape, ...]:
    shapes: list[ActionShape] = []
    for role in ROLES:
        turn = 1
        while (table := counts.tables.get(f"turn {turn} {role}")) is not None:
            # Parts whose games all ended before this turn have no such table: nobody acted.
            absent = counts.deals - int(table.sum())
            table = table.copy()
            table[(-1,) * table.ndim] += absent
            shapes += _action_shapes(table, facts, role, turn)
            turn += 1
    return tuple(shapes)


def _orders(counts: CellCounts) -> tuple[OrderShape, ...]:
    """The most frequent orders of each role.

    Only counts of games are kept for orders, not of pairs; the intervals take the two games of a
    pair for one, which is the worst that their correlation could do.
    """
    results = counts.tables["result"]
    games, seatings = games_in(results), results.ndim
    shapes = []
    for role in ROLES:
        mine = [(text, by) for (who, text), by in counts.orders.items() if who == role]
        mine.sort(key=lambda item: (-int(item[1].sum()), item[0]))
        points = _WINNER_SCORE if role == "starter" else 1 - _WINNER_SCORE
        for text, by_winner in mine[:ORDERS_SHOWN]:
            count = int(by_winner.sum())
            share_of = share(np.array([games - count, count]), np.array([0.0, 1.0]))
            score = ratio(by_winner, points, np.ones(3))
            shapes.append(
                OrderShape(
                    role,
                    tuple(text.split(ORDER_SEPARATOR)),
                    share_of.scaled(1 / seatings).proportion("games"),
                    score.scaled(1 / seatings).mean("games"),
                )
            )
    return tuple(shapes)


def _swings(counts: CellCounts) -> tuple[Swing, ...]:
    swings = []
    for number in range(1, SWING_BINS + 1):
        sums = counts.moments.get(f"swing {number}")
        if sums is not None and sums.y:
            swings.append(Swing(number, ratio_mean(sums, "rounds"), number == SWING_BINS))
    return tuple(swings)
