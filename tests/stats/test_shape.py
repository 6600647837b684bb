"""The shape of the game: a few games by hand, rounds included."""

from dataclasses import replace

import numpy as np
import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.stats.cells import cell_summary
from hanamikoji.stats.fold import count_part, fold
from hanamikoji.stats.shape import ORDERS_SHOWN
from stats.simulated import KINDS, Games, cell_facts, detailed_games, run_facts

S, T, G, C = KINDS


def shape_of(games, part=None):
    counts = count_part(part or games.part(), games.cell)[0]
    return cell_summary(counts, games.cell, run_facts(games.cell)).shape


def row(deal, number, favor, orders, *, seating=0, legal=(20, 30), decisions=(4, 6)):
    """A round; ``favor`` and ``orders`` are (a's, b's)."""
    return {
        "deal": deal,
        "seating": seating,
        "round": number,
        "round_starter": "a",
        "favor_a": favor[0],
        "favor_b": favor[1],
        "order_a": " > ".join(orders[0]),
        "order_b": " > ".join(orders[1]),
        "decisions_a": decisions[0],
        "decisions_b": decisions[1],
        "legal_a": legal[0],
        "legal_b": legal[1],
    }


def mirror_of_four(rounds=True):
    """Charm 2 2 2 3 3 4 5 for bits 0 to 6.

    0: starter wins in round 1 on charm (bits 4 5 6: 12)
    1: second leads 5-4 after round 1, starter wins in round 2 on geishas
    2: starter leads 4-0, second wins in round 2 on charm over four geishas
    3: level after round 1 and at the cap: shared after 2 rounds
    """
    made = Games(cell_facts(), np.array([0, 0, 1, 2]))
    made.columns = {
        "rounds": np.array([1, 2, 2, 2]),
        "reason": np.array([0, 1, 0, 5]),
        "goal_conflict": np.array([0, 0, 1, 0]),
        "lead_changes": np.array([0, 1, 1, 0]),
        "charm_starter": np.array([12, 9, 9, 5]),
        "charm_second": np.array([0, 5, 12, 5]),
        "favor_starter": np.array([0b1110000, 0b0001111, 0b0001111, 0b1000000]),
        "favor_second": np.array([0, 0b1000000, 0b1110000, 0b0000011]),
        "opening_starter": np.array([0, 1, 0, 3]),
        "opening_second": np.array([2, 2, 3, -1]),
    }
    both = ((S, T, G, C), (G, S, T, C)), ((T, S, G, C), (G, S, T, C))
    made.rounds = [
        row(0, 1, (0b1110000, 0), both[0]),
        row(1, 1, (0b0000011, 0b1000000), both[1]),
        row(1, 2, (0b0001111, 0b1000000), both[0]),
        row(2, 1, (0b0000011, 0), both[0]),
        row(2, 2, (0b0001111, 0b1110000), both[0]),
        row(3, 1, (0b0000001, 0b0000010), ((C, S), (G,))),
        row(3, 2, (0b1000000, 0b0000011), both[0]),
    ]
    if not rounds:
        made.rounds = None
    return made


def test_shape__games_by_hand():
    found = shape_of(mirror_of_four(rounds=False))
    assert (found.mean_rounds.value, found.mean_rounds.n) == (1.75, 4)
    assert [(b.rounds, b.share.count, b.share.n) for b in found.length] == [(1, 1, 4), (2, 3, 4)]
    routes = {r.reason: r for r in found.routes if r.share.count}
    assert {k: r.share.count for k, r in routes.items()} == {"charm": 2, "geishas": 1, "shared": 1}
    assert routes["charm"].starter_score.value == 0.5
    assert routes["shared"].starter_score.value == 0.5
    assert (found.goal_conflict.count, found.goal_conflict.n) == (1, 4)
    assert [(b.changes, b.share.count) for b in found.lead_changes] == [(0, 2), (1, 2)]
    assert (found.turned.count, found.turned.n) == (2, 3)
    assert found.mean_lead_changes.value == 0.5
    assert found.charm_margin.value == (12 + 4 + 3 + 0) / 4
    assert found.starter_charm_lead.value == (12 + 4 - 3 + 0) / 4
    assert found.comebacks is found.legal_moves is None
    assert found.actions == found.orders == found.swings == ()
    assert 'record = ["rounds"]' in found.missing[0]


def test_shape__geishas_by_hand():
    five = shape_of(mirror_of_four(rounds=False)).geishas[6]
    assert (five.geisha, five.charm) == (6, 5)
    assert (five.starter.count, five.second.count, five.nobody.count, five.nobody.n) == (2, 2, 0, 4)
    # holders scored 1 (starter), 0 (second), 1 (second), 1/2 (starter)
    (holder,) = five.held
    assert (holder.agent, holder.at_end.value, holder.at_end.n) == ("random", 0.625, 4)
    assert holder.after_round_1 is None


def test_shape__openings_by_hand():
    found = {(o.role, o.action): o for o in shape_of(mirror_of_four(rounds=False)).openings}
    assert {o.agent for o in shape_of(mirror_of_four(rounds=False)).openings} == {"random"}
    secret = found["starter", S]
    assert (secret.share.count, secret.share.n, secret.score.value) == (2, 4, 0.5)
    assert found["second", G].score.value == 0
    assert found["starter", G].score is None
    assert sum(o.share.count for (role, _), o in found.items() if role == "second") == 3


def test_shape__rounds_by_hand():
    found = shape_of(mirror_of_four())
    assert found.missing == ()
    # led after round 1 and went on, decided: games 1 (won by the other) and 2 (too)
    assert (found.comebacks.count, found.comebacks.n) == (2, 2)
    assert (found.late_comebacks.count, found.late_comebacks.n) == (2, 2)
    # held after round 1 by the starter in games 1, 2, 3, and never by the second
    assert found.geishas[0].held[0].after_round_1 is None
    assert found.geishas[6].held[0].after_round_1.n == 2  # games 0 (won), 1 (second: lost)
    assert found.geishas[6].held[0].after_round_1.value == 0.5
    # leads after each round: 12 | -1, 4 | 4, -3 | 0, 1
    assert [(s.round, s.swing.n) for s in found.swings] == [(1, 4), (2, 3)]
    assert found.swings[0].swing.value == (12 + 1 + 4 + 0) / 4
    assert found.swings[1].swing.value == (5 + 7 + 1) / 3
    assert found.legal_moves.value == 5
    assert (found.legal_moves.n, found.legal_moves.unit) == (70, "decisions")


def test_shape__actions_and_orders_by_hand():
    found = shape_of(mirror_of_four())
    actions = {(a.role, a.turn, a.action): a for a in found.actions}
    assert actions["starter", 1, S].share.count == 2
    second_turn = actions["starter", 2, S]
    assert (second_turn.share.count, second_turn.share.n) == (2, 4)
    assert second_turn.score.value == 0.75  # games 1 (won) and 3 (shared)
    assert actions["second", 4, C].share.count == 3  # game 3 had no fourth turn
    assert actions["second", 4, C].share.n == 4
    orders = {(o.role, o.order): o for o in found.orders}
    most = found.orders[0]
    assert (most.role, most.order, most.share.count) == ("starter", (S, T, G, C), 2)
    assert most.score.value == 0.5
    assert orders["second", (G,)].score.value == 0.5


def test_shape__initial_lead_and_markers_that_go_back():
    games = mirror_of_four()
    games.cell = replace(games.cell, start_lead=2, keep_markers=False)
    swings = shape_of(games).swings
    assert swings[0].swing.value == (10 + 3 + 2 + 2) / 4
    assert swings[1].swing.value == (2 + 5 + 1) / 3


def test_shape__pairs_put_rounds_in_terms_of_roles():
    # one deal, a starts and wins, b starts and wins; the same row of geishas for the starter
    games = Games(cell_facts(b="greedy"), np.array([0, 0]))
    games.rounds = [
        row(0, 1, (0b1110000, 0), ((S,), (T,))),
        row(0, 1, (0, 0b1110000), ((T,), (S,)), seating=1),
    ]
    found = shape_of(games)
    # each holds her as the starter only
    assert [held.after_round_1 for held in found.geishas[6].held] == [None, None]
    assert [(a.agent, a.role, a.action) for a in found.actions if a.share.count] == [
        ("random", "starter", S),
        ("greedy", "starter", S),
        ("random", "second", T),
        ("greedy", "second", T),
    ]
    assert found.swings[0].swing.value == 12


def test_shape__games_that_ended_before_a_round_did():
    games = mirror_of_four()
    del games.rounds[0]  # forfeited in round 1, say
    found = shape_of(games)
    assert found.swings[0].swing.n == 3
    assert found.geishas[6].held[0].after_round_1 is None  # by the second alone
    assert next(a for a in found.actions if a.action == S).share.n == 4


def test_shape__rounds_of_all_parts_or_not_at_all():
    games = mirror_of_four()
    later = replace(games, rounds=None, first=4)
    counts = fold([games.part(), later.part()], run_facts(games.cell))[0][0]
    assert cell_summary(counts, games.cell, run_facts(games.cell)).shape.missing


def test_shape__refuses_rounds_of_other_games():
    games = mirror_of_four()
    games.rounds[0]["deal"] = 9
    with pytest.raises(ResultsError, match="rounds of cell 0"):
        shape_of(games)
    games = mirror_of_four()
    games.rounds[0]["order_a"] = "base/bribe"
    with pytest.raises(ResultsError, match="'base/bribe'"):
        shape_of(games)


def test_shape__every_figure_has_a_width_and_its_value_inside():
    found = shape_of(detailed_games(np.random.default_rng(1), 3000))
    figures = [
        found.mean_rounds,
        found.goal_conflict,
        found.turned,
        found.charm_margin,
        *(b.share for b in found.length),
        *(r.share for r in found.routes),
        *(g.starter for g in found.geishas),
        *(held.at_end for g in found.geishas for held in g.held),
        *(o.score for o in found.openings),
    ]
    for figure in figures:
        assert figure.interval.low < figure.interval.high
        assert figure.interval.low <= figure.value <= figure.interval.high


def test_shape__late_leads_are_those_before_the_last_round():
    # the starter leads after round 1, the second after round 2, the starter wins in round 3
    games = Games(cell_facts(), np.array([0]), {"rounds": np.array([3])})
    orders = (S, T, G, C), (S, T, G, C)
    games.rounds = [row(0, n, favor, orders) for n, favor in enumerate([(1, 0), (1, 6), (7, 0)], 1)]
    found = shape_of(games)
    assert (found.comebacks.count, found.comebacks.n) == (0, 1)
    assert (found.late_comebacks.count, found.late_comebacks.n) == (1, 1)


def whose_games(deals=4000):
    """Greedy wins 5 of 6 games. It holds geisha 7 in a tenth of its games, random in most; greedy
    opens with a gift where it starts, random where it is the second."""
    rng = np.random.default_rng(1)
    by_greedy = rng.random((deals, 2)) < 5 / 6
    greedy_starts = np.array([False, True])
    winner = np.where(by_greedy == greedy_starts, 0, 1).ravel()
    with_greedy = rng.random((deals, 2)) < 0.1
    starter_holds = (with_greedy == greedy_starts).ravel()
    held = 1 << 6
    columns = {
        "favor_starter": np.where(starter_holds, held, 0),
        "favor_second": np.where(starter_holds, 0, held),
        "opening_starter": np.tile([0, 2], deals),
        "opening_second": np.tile([1, 2], deals),
    }
    return Games(cell_facts(b="greedy"), winner, columns)


def test_shape__holders_scores_are_the_agents_own():
    held = {h.agent: h.at_end for h in shape_of(whose_games()).geishas[6].held}
    # Pooled it would be 1 / 6 * 9 / 10 + 5 / 6 / 10 = 23 %.
    assert held["random"].value == pytest.approx(1 / 6, abs=0.02)
    assert held["greedy"].value == pytest.approx(5 / 6, abs=0.05)
    assert held["greedy"].n < 1000


def test_shape__openings_are_the_agents_own():
    found = {(o.agent, o.role, o.action): o for o in shape_of(whose_games()).openings}
    assert found["random", "starter", S].share.value == 1
    assert found["greedy", "starter", G].share.value == 1
    assert found["random", "second", G].score.value == pytest.approx(1 / 6, abs=0.02)
    assert found["greedy", "second", T].score.value == pytest.approx(5 / 6, abs=0.02)
    assert found["random", "starter", G].score is None


def test_shape__shows_the_most_frequent_orders_only():
    games = Games(cell_facts(), np.zeros(60, dtype=int))
    kinds = np.array(KINDS)
    rng = np.random.default_rng(1)
    games.rounds = [row(d, 1, (0, 0), (rng.permutation(kinds), kinds)) for d in range(60)]
    orders = [o for o in shape_of(games).orders if o.role == "starter"]
    assert len(orders) == ORDERS_SHOWN
    counts = [o.share.count for o in orders]
    assert counts == sorted(counts, reverse=True)
