from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment import build_experiment
from hanamikoji.plan import WHOLE, Shard, make_plan, parse_shard


@given(st.integers(1, 1000), st.integers(1, 30))
def test_part__shares_out_each_deal_once(games: int, count: int) -> None:
    tables = {"name": "x", "games": games, "agents": ["random"]}
    (cell,) = make_plan(build_experiment(tables)).cells
    parts = [Shard(number, count).part(cell) for number in range(1, count + 1)]
    assert [deal for part in parts for deal in range(*part)] == list(range(cell.deals))
    sizes = [last - first for first, last in parts]
    assert max(sizes) - min(sizes) <= 1


def test_parse_shard() -> None:
    assert parse_shard("2/8") == Shard(2, 8)
    assert str(parse_shard("2/8")) == "2/8"
    assert parse_shard("1/1") == WHOLE


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "-1/3", "a/b", "1/0", "1/²", "1/9" * 9])
def test_parse_shard__refuses(text: str) -> None:
    with pytest.raises(ExperimentError, match="it must be NUMBER/COUNT such as 2/8"):
        parse_shard(text)
