"""The shape of a cell's games: lengths, routes to the win, geishas, actions, swings."""

from __future__ import annotations

import numpy as np

from hanamikoji.stats.counts import LEAD_BINS, LENGTH_BINS, REASONS, CellCounts
from hanamikoji.stats.estimates import (
    ActionShape,
    GeishaShape,
    HolderScore,
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
from hanamikoji.stats.tables import Seat, Table, even_ratio, per_game, ratio, ratio_mean, share

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
        mean_rounds=ratio_mean(sums["rounds"], "games", 1.0),
        length=_length(tables["length"]),
        routes=_routes(tables["route"]),
        goal_conflict=share(tables["route"], np.tile([0.0, 1.0], len(REASONS) * 3)).proportion(
            "games"
        ),
        lead_changes=_leads(tables["leads"]),
        mean_lead_changes=ratio_mean(sums["lead changes"], "games", 0.0),
        turned=_turned(tables["leads"]),
        comebacks=_comebacks(tables["leader"]) if detailed else None,
        late_comebacks=_comebacks(tables["late leader"]) if detailed else None,
        charm_margin=ratio_mean(sums["charm margin"], "games", 0.0),
        starter_charm_lead=ratio_mean(sums["charm lead"], "games"),
        geishas=tuple(_geisha(counts, facts, g) for g in range(len(facts.charm))),
        openings=_openings(tables, facts),
        actions=_actions(counts, facts) if detailed else (),
        orders=_orders(counts, facts) if detailed else (),
        swings=_swings(counts) if detailed else (),
        legal_moves=ratio_mean(legal, "decisions", 1.0) if legal is not None and legal.y else None,
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


def _held_from(axis: int, role: Role) -> Seat:
    """A player's score in the games of a seating in which it holds a geisha."""
    winner, holder = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    held = (holder == 1 + ROLES.index(role)).astype(float)
    starter = _WINNER_SCORE[winner]
    return axis, held * (starter if role == "starter" else 1 - starter), held


def _agents_of(facts: CellFacts) -> list[tuple[str, list[tuple[int, Role]]]]:
    """Each agent with the seatings and the roles that it plays in them."""
    if facts.mirror:
        return [(facts.agent_a, [(0, "starter"), (0, "second")])]
    return [
        (facts.agent_a, [(0, "starter"), (1, "second")]),
        (facts.agent_b, [(0, "second"), (1, "starter")]),
    ]


def _holder_scores(counts: CellCounts, facts: CellFacts, geisha: int) -> tuple[HolderScore, ...]:
    def score(name: str, seats: list[tuple[int, Role]]) -> Mean | None:
        table = counts.tables.get(f"{name} {geisha}")
        if table is None:
            return None
        first, second = (_held_from(axis, role) for axis, role in seats)
        found = even_ratio(table, (first, second))
        return None if found is None else found.mean("games")

    return tuple(
        HolderScore(agent, score("geisha", seats), score("held", seats))
        for agent, seats in _agents_of(facts)
    )


def _geisha(counts: CellCounts, facts: CellFacts, geisha: int) -> GeishaShape:
    table = counts.tables[f"geisha {geisha}"]
    nobody, starter, second = (
        share(table, _indicator(9, [h, 3 + h, 6 + h])).proportion("games") for h in range(3)
    )
    return GeishaShape(
        geisha=geisha,
        charm=facts.charm[geisha],
        starter=starter,
        second=second,
        nobody=nobody,
        held=_holder_scores(counts, facts, geisha),
    )


def _action_shapes(
    table: Table, facts: CellFacts, seat: tuple[str, int, Role], turn: int
) -> list[ActionShape]:
    """An agent's actions from a seat, given as the agent, the seating and its role there."""
    agent, axis, role = seat
    games = table if table.ndim == 1 else table.sum(axis=1 - axis)
    points = np.tile(_points_of(role), len(games) // 3)
    shapes = []
    for kind, name in enumerate(facts.kinds):
        member = _indicator(len(games), range(3 * kind, 3 * kind + 3))
        scored = ratio(games, member * points, member)
        shapes.append(
            ActionShape(
                agent,
                role,
                turn,
                name,
                share(games, member).proportion("games"),
                scored.mean("games") if scored.n else None,
            )
        )
    return shapes


def _points_of(role: Role) -> FloatArray:
    return _WINNER_SCORE if role == "starter" else 1 - _WINNER_SCORE


def _seats_of(facts: CellFacts) -> list[tuple[str, int, Role]]:
    """Agent, seating and role of each seat; starters first."""
    seats = [(agent, axis, role) for agent, all_ in _agents_of(facts) for axis, role in all_]
    return sorted(seats, key=lambda seat: ROLES.index(seat[2]))


def _openings(tables: dict[str, Table], facts: CellFacts) -> tuple[ActionShape, ...]:
    return tuple(
        shape
        for seat in _seats_of(facts)
        for shape in _action_shapes(tables[f"opening {seat[2]}"], facts, seat, 1)
    )


def _actions(counts: CellCounts, facts: CellFacts) -> tuple[ActionShape, ...]:
    shapes: list[ActionShape] = []
    for seat in _seats_of(facts):
        turn = 1
        while (table := counts.tables.get(f"turn {turn} {seat[2]}")) is not None:
            # Parts whose games all ended before this turn have no such table: nobody acted.
            absent = counts.deals - int(table.sum())
            table = table.copy()
            table[(-1,) * table.ndim] += absent
            shapes += _action_shapes(table, facts, seat, turn)
            turn += 1
    return tuple(shapes)


def _orders(counts: CellCounts, facts: CellFacts) -> tuple[OrderShape, ...]:
    """The most frequent orders of each agent from each seat."""
    shapes = []
    for agent, axis, role in _seats_of(facts):
        mine = [(text, by) for (*seat, text), by in counts.orders.items() if seat == [axis, role]]
        mine.sort(key=lambda item: (-int(item[1].sum()), item[0]))
        for text, by_winner in mine[:ORDERS_SHOWN]:
            count = int(by_winner.sum())
            played = share(np.array([counts.deals - count, count]), np.array([0.0, 1.0]))
            score = ratio(by_winner, _points_of(role), np.ones(3))
            shapes.append(
                OrderShape(
                    agent,
                    role,
                    tuple(text.split(ORDER_SEPARATOR)),
                    played.proportion("games"),
                    score.mean("games"),
                )
            )
    return tuple(shapes)


def _swings(counts: CellCounts) -> tuple[Swing, ...]:
    swings = []
    for number in range(1, SWING_BINS + 1):
        sums = counts.moments.get(f"swing {number}")
        if sums is not None and sums.y:
            swings.append(Swing(number, ratio_mean(sums, "rounds", 0.0), number == SWING_BINS))
    return tuple(swings)
