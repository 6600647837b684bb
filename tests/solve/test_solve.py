"""Exact values and exploitability, against figures from a sequence-form program of another hand."""

from __future__ import annotations

import pytest

from hanamikoji.agents import load_agent
from hanamikoji.errors import SolveError
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import load_rules
from hanamikoji.solve import exploitability, solve
from hanamikoji.solve.shipped import suite_rules

POINT = 0.01

pytestmark = pytest.mark.jit

KNOWN = {
    "two-rounds": (47.935, 19.35, 11.17),
    "base-like": (51.607, 23.65, 19.46),
    "face-down-offer": (50.024, 31.32, 27.34),
    "face-up-offer": (42.625, 38.92, 15.77),
    "discard": (47.917, 24.42, 8.57),
}
"""The value, and the exploitability of random and greedy, in points."""


@pytest.mark.parametrize("name", KNOWN)
def test_solve__finds_the_known_value_and_exploitabilities(name: str) -> None:
    value, random, greedy = KNOWN[name]
    solution = solve(suite_rules(name))
    assert solution.high - solution.low <= 1e-5
    assert solution.value == pytest.approx(value * POINT, abs=1.5e-5)
    for agent, wanted in (("random", random), ("greedy", greedy)):
        loaded = load_agent(AgentUse(name=agent, agent=agent))
        found = exploitability(solution, loaded, words=4000)
        # random's own play is sampled: 4,000 words leave about a hundredth of a point
        assert found.exploitability == pytest.approx(wanted * POINT, abs=2e-4)
        assert found.starter_loss >= 0
        assert found.second_loss >= 0


def test_solve__refuses_the_base_game_in_one_sentence() -> None:
    with pytest.raises(SolveError, match="are accepted"):
        solve(load_rules("base"))
