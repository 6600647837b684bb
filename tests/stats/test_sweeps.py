"""A sweep's table, curves, main effects and interactions, on a planted grid."""

import math

import numpy as np
import pytest

from hanamikoji.stats import AgentFacts
from hanamikoji.stats.summary import summarise_parts
from hanamikoji.stats.sweeps import text_of
from stats.simulated import Games, cell_facts, run_facts

FIRST, SECOND = "rules.goals.charm", "rules.actions.0"


def grid(edge_of, deals=20_000, charm=(10, 11, 12), actions=("secret", "concede")):
    """Cells of a grid over shared deals: the starter wins if a deal's number is low enough."""
    rng = np.random.default_rng(7)
    luck = rng.random(deals)
    games, settings = [], {}
    for c in charm:
        for action in actions:
            variant = f"{c}-{action}"
            settings[variant] = {FIRST: c, SECOND: action}
            noise = np.where(rng.random(deals) < 0.8, luck, rng.random(deals))
            winner = (noise >= 0.5 + edge_of(c, action)).astype(int)
            games.append(Games(cell_facts(len(games), variant), winner))
    facts = run_facts(*(g.cell for g in games), sweep=settings)
    return summarise_parts([g.part() for g in games], facts).sweep


def planted(charm, action):
    """Charm 12 gives 3 points; concede 2 more, but with charm 10 none."""
    return 0.03 * (charm == 12) + 0.02 * (action == "concede") * (charm != 10)


def test_sweep__main_effects_come_back():
    found = grid(planted)
    edges = np.array([[planted(c, a) for a in ("secret", "concede")] for c in (10, 11, 12)])
    main = {(e.keys[0], e.values[0]): e for e in found.main}
    assert set(main) == {(FIRST, "10"), (FIRST, "11"), (FIRST, "12"), (SECOND, "concede")}
    for i, c in enumerate((10, 11, 12)):
        true = edges[i].mean() - edges.mean()
        interval = main[FIRST, str(c)].difference.interval
        assert interval.low < true < interval.high
    true = edges[:, 1].mean() - edges.mean()
    assert main[SECOND, "concede"].difference.value == pytest.approx(true, abs=0.003)
    assert main[FIRST, "12"].p_holm < 0.001
    assert all(e.p_holm >= e.p for e in found.main)


def test_sweep__interactions_come_back():
    found = {e.values: e for e in grid(planted).interactions}
    # at charm 10 concede does nothing: 2/3 of a point below what its main effect says
    ten = found["10", "concede"]
    assert ten.difference.value == pytest.approx(-0.02 / 3, abs=0.003)
    assert ten.p < 0.01
    additive = {
        e.values: e
        for e in grid(lambda c, a: 0.01 * (c - 11) + 0.02 * (a != "secret")).interactions
    }
    assert all(e.p_holm > 0.01 for e in additive.values())


def test_sweep__contrasts_gain_by_shared_deals():
    effect = grid(planted).main[-1].difference
    # six cells of 20,000 independent coins: error 0.5 / sqrt(120,000). Two cells' numbers are the
    # deal's with chance 0.8 each, hence the same with 0.64: that leaves sqrt(0.36) of the error.
    assert effect.interval.half_width == pytest.approx(
        0.6 * 1.96 * 0.5 / np.sqrt(120_000), rel=0.03
    )
    assert "paired" in effect.interval.method


def test_sweep__error_is_the_one_seen_over_repetitions():
    values = []
    for start in range(60):
        rng = np.random.default_rng(start)
        luck = rng.random(400)
        games, settings = [], {}
        for i in range(4):
            noise = np.where(rng.random(400) < 0.8, luck, rng.random(400))
            games.append(Games(cell_facts(i, f"v{i}"), (noise >= 0.5).astype(int)))
            settings[f"v{i}"] = {"x": i // 2, "y": i % 2}
        facts = run_facts(*(g.cell for g in games), sweep=settings)
        effect = summarise_parts([g.part() for g in games], facts).sweep.main[0].difference
        values.append((effect.value, effect.interval.half_width / 1.96))
    seen, said = np.std([v for v, _ in values]), np.mean([s for _, s in values])
    assert seen == pytest.approx(said, rel=0.3)


def test_sweep__curve_along_a_numeric_key():
    (curve,) = grid(planted).curves
    assert curve.key == FIRST
    assert [p.x for p in curve.points] == [10, 11, 12]
    for point, true in zip(curve.points, (0, 0.01, 0.04), strict=True):
        assert point.edge.interval.low < true < point.edge.interval.high
        assert point.mean_rounds.value == 1


def test_sweep__rows_baseline_then_largest_difference_first():
    rows = grid(planted).rows
    assert len(rows) == 6
    assert rows[0].difference is None
    assert rows[1].values == ((FIRST, "12"), (SECOND, "concede"))
    sizes = [abs(r.difference.difference) for r in rows[1:]]
    assert sizes == sorted(sizes, reverse=True)
    assert rows[0].charm_wins.value == 1


def test_sweep__incomplete_grid_has_no_effects():
    rng = np.random.default_rng(1)
    settings = {"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 1}, "c": {"x": 2, "y": 2}}
    games = [Games(cell_facts(i, name), rng.integers(0, 2, 50)) for i, name in enumerate(settings)]
    facts = run_facts(*(g.cell for g in games), sweep=settings)
    found = summarise_parts([g.part() for g in games], facts).sweep
    assert found.main == found.interactions == ()
    assert [c.key for c in found.curves] == ["x", "y"]


def curves_of(settings, scores, deals=4000):
    """The curves of cells with these settings and starters' scores."""
    rng = np.random.default_rng(8)
    games = [
        Games(cell_facts(i, name), (rng.random(deals) >= scores[name]).astype(int))
        for i, name in enumerate(settings)
    ]
    facts = run_facts(*(g.cell for g in games), sweep=settings)
    return {c.key: c for c in summarise_parts([g.part() for g in games], facts).sweep.curves}


def test_sweep__keys_that_change_together_have_one_curve():
    settings = {f"{x}": {"x": x, "y": 10 * x, "z": z} for x, z in ((1, 5), (2, 5), (3, 5))}
    curves = curves_of(settings, {"1": 0.4, "2": 0.5, "3": 0.6})
    assert list(curves) == ["x"]
    assert (curves["x"].together, curves["x"].settings, curves["x"].left_out) == (("y",), 1, 0)
    assert [p.edge.value for p in curves["x"].points] == pytest.approx([-0.1, 0, 0.1], abs=0.03)


def test_sweep__curves_compare_like_with_like():
    """y alone matters; x = 2 was played with a y that x = 1 was not."""
    settings = {"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 1}, "c": {"x": 2, "y": 2}}
    curves = curves_of(settings, {"a": 0.5, "b": 0.5, "c": 0.8})
    one, two = curves["x"].points
    assert two.edge.value - one.edge.value == pytest.approx(0, abs=0.03)
    assert (curves["x"].settings, curves["x"].left_out) == (1, 1)
    one, two = curves["y"].points
    assert two.edge.value - one.edge.value == pytest.approx(0.3, abs=0.03)


def test_sweep__no_curve_where_no_setting_is_common_to_all_values():
    settings = {"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 2}, "c": {"x": 2, "y": 3}}
    assert not curves_of(settings, {"a": 0.5, "b": 0.5, "c": 0.5})


def large_grid(seed, deals, levels=9):
    """More cells than are crossed pair by pair; no setting does anything."""
    rng = np.random.default_rng(seed)
    luck = rng.random(deals)
    games, settings = [], {}
    for i in range(levels * levels):
        noise = np.where(rng.random(deals) < 0.8, luck, rng.random(deals))
        games.append(Games(cell_facts(i, f"v{i}"), (noise >= 0.5).astype(int)))
        settings[f"v{i}"] = {"x": i // levels, "y": i % levels}
    facts = run_facts(*(g.cell for g in games), sweep=settings)
    return summarise_parts([p for g in games for p in g.chunks(400)], facts).sweep


def test_sweep__many_cells_have_errors_that_know_of_shared_deals():
    missed, effects, averages = 0, [], []
    for seed in range(8):
        found = large_grid(seed, deals=640)
        effects += [e.difference.value for e in found.main if e.keys == ("x",)]
        (along, _) = found.curves
        said = [p.edge.interval.half_width for p in along.points]
        averages.append(along.points[0].edge.value)
        missed += sum(
            not e.difference.interval.low < 0 < e.difference.interval.high for e in found.main
        )
    assert found.main[0].difference.interval.method == "t over batches of deals"
    # 8 x 18 effects of nothing at 95 %: 7 misses are expected
    assert 1 <= missed <= 17
    half = found.main[0].difference.interval.half_width
    assert half / 2 == pytest.approx(np.std(effects), rel=0.3)
    # an average over cells that share deals is as uncertain as the deals, not as all its games
    assert np.mean(said) / 2 == pytest.approx(0.8 * 0.5 / np.sqrt(640), rel=0.2)
    assert np.std(averages) == pytest.approx(0.8 * 0.5 / np.sqrt(640), rel=0.6)


@pytest.mark.parametrize("levels", [3, 9])
def test_sweep__effects_on_length_with_errors(levels):
    missed, values = 0, []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        shared = rng.geometric(0.5, 640)
        games, settings = [], {}
        for i in range(levels * levels):
            own = rng.geometric(0.5, 640)
            rounds = np.where(rng.random(640) < 0.8, shared, own) + 2 * (i % levels)
            cell = cell_facts(i, f"v{i}")
            games.append(Games(cell, rng.integers(0, 2, 640), {"rounds": rounds}))
            settings[f"v{i}"] = {"x": i // levels, "y": i % levels}
        facts = run_facts(*(g.cell for g in games), sweep=settings)
        found = summarise_parts([g.part() for g in games], facts).sweep
        effects = {(e.keys[0], int(e.values[0])): e.rounds for e in found.main}
        for (key, level), effect in effects.items():
            true = (2 * level - (levels - 1)) if key == "y" else 0
            missed += not effect.interval.low < true < effect.interval.high
            values += [effect.value] if key == "x" else []
        (_, along_y) = found.curves
        last = along_y.points[-1].mean_rounds
        assert last.value == pytest.approx(2 + 2 * (levels - 1), abs=0.25)
        # an average over cells with shared deals: about sqrt(2) x 0.8 / sqrt(640) for many cells
        assert 0.03 < last.interval.half_width / 2 < 0.06
    assert missed <= 0.15 * 8 * 2 * levels
    half = effects["x", 0].interval.half_width
    assert half / 2 == pytest.approx(np.std(values), rel=0.35)


def test_sweep__few_deals_bound_the_error_of_lengths():
    rounds = np.array([1, 2, 3, 2])
    games, settings = [], {}
    for i in range(2):
        games.append(Games(cell_facts(i, f"v{i}"), np.array([0, 1, 0, 1]), {"rounds": rounds + i}))
        settings[f"v{i}"] = {"x": i}
    facts = run_facts(*(g.cell for g in games), sweep=settings)
    summary = summarise_parts([g.part() for g in games], facts)
    effect = summary.sweep.main[0].rounds
    assert (effect.value, effect.interval.method) == (0.5, "normal, at most")
    # of each cell: squares 2, and two pseudo-observations of a round; times 4 / 3
    assert effect.interval.half_width == pytest.approx(1.959964 * math.sqrt(4 * 4 / 3) / 4)


def test_sweep__agents_at_different_points_are_one_match_up():
    rng = np.random.default_rng(5)
    games, agents = [], []
    for i, budget in enumerate((10, 100, 1000)):
        name = f"search budget={budget}"
        winner = (rng.random(4000) >= 0.5 + 0.1 * i).astype(int)
        games.append(Games(cell_facts(i, "base", name, name), winner))
        agents.append(AgentFacts(name, "search", family="search", values={"agents.0.b": budget}))
    facts = run_facts(*(g.cell for g in games), sweep={"base": {}}, agents=tuple(agents))
    found = summarise_parts([g.part() for g in games], facts).sweep
    (curve,) = found.curves
    assert (curve.agent_a, curve.agent_b, curve.key) == ("search", "search", "agents.0.b")
    assert [p.x for p in curve.points] == [10, 100, 1000]
    assert found.main[0].values == ("10",)
    assert found.main[0].difference.value == pytest.approx(-0.1, abs=0.02)
    assert {r.values for r in found.rows} == {(("agents.0.b", str(b)),) for b in (10, 100, 1000)}


def test_sweep__a_rules_key_has_a_curve_at_each_level_of_play():
    rng = np.random.default_rng(5)
    games, settings = [], {}
    for charm in (10, 12):
        settings[f"charm-{charm}"] = {"rules.goals.charm": charm}
        for name in ("random", "greedy"):
            edge = 0.1 * (charm == 12) * (name == "greedy")
            winner = (rng.random(4000) >= 0.5 + edge).astype(int)
            games.append(Games(cell_facts(len(games), f"charm-{charm}", name, name), winner))
    agents = tuple(
        AgentFacts(name, name, family="agents.0", values={"agents.0": name})
        for name in ("random", "greedy")
    )
    facts = run_facts(*(g.cell for g in games), sweep=settings, agents=agents)
    found = summarise_parts([g.part() for g in games], facts).sweep
    edges = {c.agent_a: c.points[1].edge.value - c.points[0].edge.value for c in found.curves}
    assert set(edges) == {"random", "greedy"}
    assert edges["random"] == pytest.approx(0, abs=0.03)
    assert edges["greedy"] == pytest.approx(0.1, abs=0.03)
    # ... and all four cells are one grid
    assert {e.keys for e in found.main} == {("rules.goals.charm",), ("agents.0",)}
    (both,) = found.interactions
    assert both.values == ("12", "greedy")
    assert both.difference.value == pytest.approx(0.025, abs=0.01)


def test_text_of__values_of_settings():
    assert text_of(True) == "true"
    assert text_of(["base/gift", 2]) == "base/gift, 2"
    assert text_of(None) == "None"
