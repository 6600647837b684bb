"""Variants small enough to be solved: exact values, and how far agents are from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hanamikoji.api.variants import RulesSource
from hanamikoji.api.variants import rules as find_rules
from hanamikoji.experiment.agents import agent_uses
from hanamikoji.rules import Rules

if TYPE_CHECKING:
    from hanamikoji.agents import LoadedAgent
    from hanamikoji.solve import Measured, Size, Solution
    from hanamikoji.tools.judge import Judgement

__all__ = ["exploitability", "judge", "solve"]

AgentSource = str | Mapping[str, Any]
"""An agent as in an experiment: a name, or a table with ``agent``, ``name`` and options."""

Progress = Callable[[str, int, int], None]
"""An agent's name, the rounds that it is trained for, and those played so far."""


def solve(
    rules: RulesSource,
    *,
    gap: float = 1e-5,
    limit: int = 20_000_000,
    tell: Callable[[Size], None] | None = None,
) -> Solution:
    """Solve a small variant exactly.

    Args:
        rules: As for `hanamikoji.rules`.
        gap: How near to each other the bounds of the value have to come, in score.
        limit: Nodes (decisions and leaves) of a round's tree, at most.
        tell: Called with the estimated size before the work begins.

    Returns:
        ``value`` is what the starter scores in equilibrium, 0..1, between ``low`` and ``high``;
        ``status`` tells whether they came as near as asked.

    Raises:
        HanamikojiError: The rules can't be had, or a round is too large.

    >>> import hanamikoji
    >>> tiny = {"charm": [2, 3], "items": [3, 3], "hand": 1, "removed": 0, "max_rounds": 1,
    ...         "actions": ["base/secret"], "goals": {"charm": 3, "geishas": False}}
    >>> solution = hanamikoji.solve(tiny)
    >>> solution.status, round(solution.value, 3)
    ('solved', 0.5)
    """
    from hanamikoji.solve import solve as find_equilibrium

    return find_equilibrium(find_rules(rules), gap, limit, tell)


def exploitability(
    solution: Solution,
    agent: AgentSource,
    *,
    words: int = 4000,
    progress: Progress | None = None,
) -> Measured:
    """Measure an agent exactly on a solved variant; it is trained there first if need be.

    Args:
        solution: From `hanamikoji.solve`.
        agent: As in an experiment: a name, or a table with options.
        words: Random words that the agent is asked with at each information set.
        progress: Called with the agent's name, the rounds to train and those done.

    Returns:
        ``mirror`` is the starter's score between two such agents and ``error`` its distance from
        the value; ``exploitability`` is what best responses gain on average over both seats.

    Raises:
        HanamikojiError: There is no such agent, or it fails.

    >>> import hanamikoji
    >>> tiny = {"charm": [2, 3], "items": [3, 3], "hand": 1, "removed": 0, "max_rounds": 1,
    ...         "actions": ["base/secret"], "goals": {"charm": 3, "geishas": False}}
    >>> measured = hanamikoji.exploitability(hanamikoji.solve(tiny), "random")
    >>> measured.exploitability > 0.01
    True
    """
    from hanamikoji.solve import exploitability as measure

    (loaded,) = _load([agent])
    _train(loaded, solution.rules, progress)
    return measure(solution, loaded, words)


def judge(
    agents: Sequence[AgentSource] = ("random", "greedy", "learned"),
    variants: Sequence[str] | None = None,
    *,
    progress: Progress | None = None,
    show: Callable[[Judgement], None] | None = None,
) -> list[Judgement]:
    """Measure agents on the shipped suite of solved variants.

    Args:
        agents: As in an experiment: names, or tables with options. They are trained where need be.
        variants: Of the suite; by default all of them.
        progress: Called with an agent's name, the rounds to train and those done.
        show: Called with each judgement as it comes.

    Returns:
        One for each variant and agent: ``measured`` as by `exploitability`, and whether the verdict
        of a long mirror match-up would be ``right``.

    Raises:
        HanamikojiError: There is no such agent or variant, or an agent fails.

    >>> import hanamikoji
    >>> (found,) = hanamikoji.judge(["greedy"], ["face-up-offer"])
    >>> found.truth, found.verdict, found.right
    ('favors second', 'favors second', True)
    """
    from hanamikoji.solve.shipped import suite_rules
    from hanamikoji.tools.judge import judge as judged

    def train(agent: LoadedAgent, variant: str) -> None:
        _train(agent, suite_rules(variant), progress)

    found = []
    for judgement in judged(_load(agents), variants, train):
        found.append(judgement)
        if show is not None:
            show(judgement)
    return found


def _load(agents: Sequence[AgentSource]) -> list[LoadedAgent]:
    from hanamikoji.agents import load_agent

    return [load_agent(use) for use in agent_uses(agents)]


def _train(agent: LoadedAgent, rules: Rules, progress: Progress | None) -> None:
    from hanamikoji.learning.training import ensure_weights

    ensure_weights([agent], rules, progress)
