"""The judge: agents on the suite of solved variants, where the truth of a verdict is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hanamikoji.agents import LoadedAgent
from hanamikoji.errors import SolveError
from hanamikoji.report.markdown import escape
from hanamikoji.rules.sentences import nearest, show
from hanamikoji.solve import Measured, build_model, measure
from hanamikoji.solve.shipped import known_values, suite_rules

MARGIN = 0.01
"""Of the verdicts, in score: an experiment's default."""

HEADINGS = (
    "variant", "value", "agent", "mirror", "distance", "exploitability", "as starter",
    "as second", "verdict",
)  # fmt: skip
"""Of `Judgement.row`."""


@dataclass(frozen=True)
class Judgement:
    """An agent on a variant of the suite."""

    variant: str
    measured: Measured

    @property
    def truth(self) -> str:
        """The verdict by the value, see `side_of`."""
        return side_of(self.measured.value)

    @property
    def verdict(self) -> str:
        """The one that a mirror match-up of the agent prints if it plays long enough."""
        return side_of(self.measured.mirror)

    @property
    def right(self) -> bool:
        """Whether the agent's verdict is the true one."""
        return self.verdict == self.truth

    def row(self) -> tuple[str, ...]:
        """Figures for people, in percent and percentage points, under `HEADINGS`."""
        found = self.measured
        return (
            self.variant,
            f"{found.value:.2%}",
            found.agent,
            f"{found.mirror:.2%}",
            f"{100 * found.error:+.2f}",
            f"{100 * found.exploitability:.2f}",
            f"{100 * found.starter_loss:.2f}",
            f"{100 * found.second_loss:.2f}",
            self.verdict if self.right else f"{self.verdict}: wrong, {self.truth}",
        )


@dataclass(frozen=True)
class Total:
    """An agent over several variants; in score, 0..1."""

    agent: str
    distance: float  # mean of the distances between mirror and value
    most_distant: float
    exploitability: float  # mean
    most_exploitable: float
    wrong: int  # verdicts
    variants: int

    def row(self) -> tuple[str, ...]:
        """Figures for people, in percentage points, under `TOTALS`."""
        return (
            self.agent,
            f"{100 * self.distance:.2f}",
            f"{100 * self.most_distant:.2f}",
            f"{100 * self.exploitability:.2f}",
            f"{100 * self.most_exploitable:.2f}",
            f"{self.wrong} of {self.variants}",
        )


TOTALS = (
    "agent", "distance, mean", "at most", "exploitability, mean", "at most", "wrong verdicts",
)  # fmt: skip
"""Of `Total.row`."""


def side_of(score: float, margin: float = MARGIN) -> str:
    """A starter's score as a verdict: balanced, or whom the rules favor beyond the margin."""
    if abs(score - 0.5) < margin:
        return "balanced"
    return "favors starter" if score > 0.5 else "favors second"


def judge(
    agents: Sequence[LoadedAgent],
    variants: Sequence[str] | None = None,
    train: Callable[[LoadedAgent, str], None] | None = None,
) -> Iterator[Judgement]:
    """Measure every agent on variants of the suite (all of them by default), one by one.

    ``train`` is called with each agent and variant before the agent plays there.
    Raises `SolveError` when the suite has no such variant.
    """
    known = known_values()
    for name in variants or ():
        if name not in known:
            raise SolveError(f"the suite has no variant {show(name)}; {nearest(name, known)}")
    return _judged(agents, variants or list(known), train)


def _judged(
    agents: Sequence[LoadedAgent],
    variants: Sequence[str],
    train: Callable[[LoadedAgent, str], None] | None,
) -> Iterator[Judgement]:
    known = known_values()
    for name in variants:
        model, _ = build_model(suite_rules(name))
        for agent in agents:
            if train is not None:
                train(agent, name)
            bounds = known[name].low, known[name].high
            yield Judgement(name, measure(model, bounds, agent))


def totals(judgements: Sequence[Judgement]) -> list[Total]:
    """Means and maxima of each agent."""
    found = []
    for agent in dict.fromkeys(each.measured.agent for each in judgements):
        mine = [each for each in judgements if each.measured.agent == agent]
        distances = [abs(each.measured.error) for each in mine]
        gaps = [each.measured.exploitability for each in mine]
        wrong = sum(not each.right for each in mine)
        n = len(mine)
        found.append(
            Total(agent, sum(distances) / n, max(distances), sum(gaps) / n, max(gaps), wrong, n)
        )
    return found


def to_markdown(judgements: Sequence[Judgement]) -> str:
    """The totals, and under them all judgements, as Markdown tables."""
    both = (
        [TOTALS, *(each.row() for each in totals(judgements))],
        [HEADINGS, *(each.row() for each in judgements)],
    )
    return "\n".join(_table(rows) for rows in both)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(map(escape, row))} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines) + "\n"
