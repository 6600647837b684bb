"""The suite, its values, and the judge."""

from __future__ import annotations

import pytest

from hanamikoji.agents import load_agent
from hanamikoji.errors import SolveError
from hanamikoji.experiment import AgentUse
from hanamikoji.solve import Measured, solve
from hanamikoji.solve.shipped import known_of, known_values, suite_names, suite_rules
from hanamikoji.tools.judge import Judgement, judge, side_of, to_markdown, totals

pytestmark = pytest.mark.jit

SLOW = ("base-like", "competition", "discard", "loser-starts", "random-starter", "two-rounds")
ONCE = [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in suite_names()]


@pytest.mark.parametrize("name", ONCE)
def test_suite__has_the_values_that_ship(name: str) -> None:
    known, solution = known_values()[name], solve(suite_rules(name), gap=1e-4)
    assert solution.status == "solved"
    assert max(known.low, solution.low) <= min(known.high, solution.high)
    assert known.high - known.low <= 1e-5
    found = known_of(solution)
    assert (found.rules, found.nodes, found.sets) == (known.rules, known.nodes, known.sets)
    assert found.positions == known.positions


def test_suite__covers_the_rules_language() -> None:
    assert list(known_values()) == suite_names()
    rules = [suite_rules(name) for name in suite_names()]
    kinds = [kind for each in rules for kind in each.kinds]
    assert {each.next_starter for each in rules} >= {"same", "winner", "loser", "random"}
    assert {each.max_rounds for each in rules} == {None, 1, 2, 3}
    assert {rule for each in rules for rule in each.cap_tiebreak} == {
        "charm", "geishas", "highest-geisha",
    }  # fmt: skip
    assert {(kind.face, kind.chooser) for kind in kinds} == {
        (face, chooser) for face in ("up", "down") for chooser in ("nobody", "opponent", "chance")
    }
    assert {kind.exchange for kind in kinds} == {kind.actor_sees for kind in kinds} == {True, False}
    assert any(each.second_actions for each in rules)
    assert any(not each.keep_markers for each in rules)
    assert {each.goals.prevails for each in rules} == {"charm", "geishas"}


def test_judge__measures_without_solving_anew() -> None:
    agents = [load_agent(AgentUse(name=name, agent=name)) for name in ("random-move", "greedy")]
    found = list(judge(agents, ["exchange", "two-drawn"]))
    assert [(each.variant, each.measured.agent) for each in found] == [
        ("exchange", "random-move"),
        ("exchange", "greedy"),
        ("two-drawn", "random-move"),
        ("two-drawn", "greedy"),
    ]
    for each in found:
        known = known_values()[each.variant]
        assert (each.measured.low, each.measured.high) == (known.low, known.high)
        assert each.measured.exploitability > 0
    overall = totals(found)
    assert [(each.agent, each.variants) for each in overall] == [("random-move", 2), ("greedy", 2)]
    worst = max(each.measured.exploitability for each in found[1::2])
    assert overall[1].most_exploitable == worst
    assert to_markdown(found).count("\n") == 2 + 2 + 1 + 2 + 4


def test_judge__refuses_an_unknown_variant_before_it_begins() -> None:
    with pytest.raises(SolveError, match=r"no variant 'exchangee'; did you mean exchange\?"):
        judge([], ["exchangee"])


@pytest.mark.parametrize(
    ("value", "mirror", "verdict", "right"),
    [
        (0.5, 0.509, "balanced", True),
        (0.5, 0.511, "favors starter", False),
        (0.516, 0.504, "balanced", False),
        (0.516, 0.484, "favors second", False),
        (0.516, 0.53, "favors starter", True),
    ],
)
def test_verdict__is_right_or_wrong(value: float, mirror: float, verdict: str, right: bool) -> None:
    found = Judgement("x", Measured("a", mirror, 0.4, 0.6, value, value))
    assert (found.verdict, found.right) == (verdict, right)
    assert ("wrong" in found.row()[-1]) is not right
    assert side_of(mirror) == verdict
