from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from hanamikoji.experiment import build_experiment
from hanamikoji.plan import Cell, cut, make_plan

TABLES = {
    "name": "trial",
    "games": 1000,
    "agents": ["random", {"name": "careful", "agent": "greedy"}, "learned"],
    "variants": {"base": {}, "three": {"max_rounds": 3}},
}


def _cells(**tables: object) -> list[tuple[int, str, str, str, int, int]]:
    plan = make_plan(build_experiment({**TABLES, **tables}))
    assert plan.games == sum(cell.games for cell in plan.cells)
    return [
        (c.index, c.variant, c.agent_a.name, c.agent_b.name, c.deals, c.seatings)
        for c in plan.cells
    ]


def test_make_plan__mirror_plays_each_deal_once() -> None:
    assert _cells() == [
        (0, "base", "random", "random", 1000, 1),
        (1, "base", "careful", "careful", 1000, 1),
        (2, "base", "learned", "learned", 1000, 1),
        (3, "three", "random", "random", 1000, 1),
        (4, "three", "careful", "careful", 1000, 1),
        (5, "three", "learned", "learned", 1000, 1),
    ]


def test_make_plan__two_agents_play_each_deal_in_both_seatings() -> None:
    cells = _cells(matchups=[["careful", "random"], ["learned", "learned"]])
    assert cells[:2] == [
        (0, "base", "careful", "random", 500, 2),
        (1, "base", "learned", "learned", 1000, 1),
    ]
    assert len(cells) == 4


def test_make_plan__round_robin_and_gauntlet() -> None:
    robin = [cell[2:4] for cell in _cells(matchups="round-robin")[:3]]
    assert robin == [("random", "careful"), ("random", "learned"), ("careful", "learned")]
    gauntlet = [cell[2:4] for cell in _cells(matchups="gauntlet")[:2]]
    assert gauntlet == [("random", "careful"), ("random", "learned")]


def test_cell__is_named_in_sentences() -> None:
    cell = make_plan(build_experiment({**TABLES, "matchups": "gauntlet"})).cells[2]
    assert cell.label == "cell 2 (three: random - careful)"


def test_make_plan__is_fast() -> None:
    experiment = build_experiment({**TABLES, "agents": [f"agent {i}" for i in range(142)]})
    begun = time.perf_counter()
    plan = make_plan(experiment.model_copy(update={"matchups": "round-robin"}))
    assert len(plan.cells) == 2 * 142 * 141 // 2 > 10_000
    assert time.perf_counter() - begun < 2


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(1, 300)), max_size=4),
    st.integers(1, 200),
)
def test_cut__covers_the_ranges_in_order(ranges: list[tuple[int, int]], size: int) -> None:
    ranges = [(first, first + deals) for first, deals in ranges]
    cell: Cell = make_plan(build_experiment(TABLES)).cells[0]
    chunks = list(cut(cell, ranges, size))
    deals = [deal for chunk in chunks for deal in range(chunk.first, chunk.last)]
    assert deals == [deal for first, last in ranges for deal in range(first, last)]
    for chunk in chunks:
        assert 0 < chunk.last - chunk.first <= size
        assert chunk.first // size == (chunk.last - 1) // size
        assert chunk.games == chunk.last - chunk.first
