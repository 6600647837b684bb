"""Agents of every form measured alike, and what can't be measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from hanamikoji.agents import LoadedAgent, load_agent
from hanamikoji.errors import AgentError
from hanamikoji.experiment import AgentUse
from hanamikoji.solve import build_model, exploitability, measure, solve
from modes import sized
from solve.test_against_naive import tiny_rules


def load(name: str) -> LoadedAgent:
    return load_agent(AgentUse(name=name, agent=name))


@pytest.mark.parametrize("form", ["plain", "batched"])
def test_exploitability__is_the_same_for_every_form_of_a_policy(bad: Path, form: str) -> None:
    model, _ = build_model(tiny_rules("answered unseen"))
    words = sized(64, 4)
    compiled = measure(model, (0.0, 1.0), load("steady-compiled"), words)
    other = measure(model, (0.0, 1.0), load(f"steady-{form}"), words)
    assert other.exploitability == pytest.approx(compiled.exploitability, abs=1e-12)
    assert other.mirror == pytest.approx(compiled.mirror, abs=1e-12)
    assert compiled.exploitability > 0.01
    assert compiled.as_starter < compiled.mirror < compiled.as_second


@pytest.mark.jit
def test_exploitability__tells_of_an_agent_that_answers_nonsense(bad: Path) -> None:
    solution = solve(tiny_rules("face-up offer"), gap=1e-2)
    with pytest.raises(AgentError, match="'illegal'"):
        exploitability(solution, load("illegal"), words=64)
