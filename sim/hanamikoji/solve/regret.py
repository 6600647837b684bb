"""Kernels on the sequence form: realization plans, best responses, predictive CFR+.

Farina, Kroer & Sandholm 2021, "Faster game solving via predictive Blackwell approachability",
AAAI 35: regret matching+ that foresees the last regret again, alternating updates, averages
weighted by the square of the iteration. Payoffs are what player 0 gains.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hanamikoji._jit import inline, kernel


class Sets(NamedTuple):
    """A player's information sets, see `hanamikoji.solve.tree.Player`."""

    parent: Any  # int32 (sets,)
    first: Any  # int32 (sets,)
    choices: Any  # int32 (sets,)


class Payoffs(NamedTuple):
    """Expected gains by own sequence and, within it, the opponent's: compressed sparse rows."""

    starts: Any  # int64 (own sequences + 1,)
    others: Any  # int32 (entries,)
    gains: Any  # float64 (entries,)


class RegretPlayer(NamedTuple):
    """A player's numbers while it learns, float64 (sequences,) each."""

    strategy: Any  # at each set a distribution over its sequences
    plan: Any  # the product of the strategy along the way to each sequence
    regret: Any
    foreseen: Any  # the last iteration's regret
    average: Any  # sum of the weighted plans
    worth: Any  # scratch


@inline
def _gather(payoffs, plan, sign, worth):
    """What each own sequence gains against the opponent's plan, what follows left out."""
    for i in range(len(worth)):
        total = 0.0
        for j in range(payoffs.starts[i], payoffs.starts[i + 1]):
            total += payoffs.gains[j] * plan[payoffs.others[j]]
        worth[i] = sign * total


@inline
def _realize(sets, strategy, plan):
    plan[0] = 1.0
    for i in range(len(sets.parent)):
        reached = plan[sets.parent[i]]
        for k in range(sets.first[i], sets.first[i] + sets.choices[i]):
            plan[k] = reached * strategy[k]


@inline
def _learn(sets, me):
    """Update every set's regrets and strategy from ``me.worth``, the last sets first."""
    for i in range(len(sets.parent) - 1, -1, -1):
        begin, end = sets.first[i], sets.first[i] + sets.choices[i]
        value = 0.0
        for k in range(begin, end):
            value += me.strategy[k] * me.worth[k]
        total = 0.0
        for k in range(begin, end):
            regret = me.worth[k] - value
            me.regret[k] = max(0.0, me.regret[k] + regret)
            me.foreseen[k] = regret
            me.strategy[k] = max(0.0, me.regret[k] + regret)
            total += me.strategy[k]
        for k in range(begin, end):
            me.strategy[k] = me.strategy[k] / total if total > 0.0 else 1.0 / sets.choices[i]
        me.worth[sets.parent[i]] += value


@kernel
def iterate(sets, payoffs, learners, first, end):
    """Iterations ``first`` to ``end`` (counted from 1) of both players in turn."""
    mine, theirs = learners
    for t in range(first, end):
        weight = float(t) * t
        _gather(payoffs[0], theirs.plan, 1.0, mine.worth)
        _learn(sets[0], mine)
        _realize(sets[0], mine.strategy, mine.plan)
        _gather(payoffs[1], mine.plan, -1.0, theirs.worth)
        _learn(sets[1], theirs)
        _realize(sets[1], theirs.strategy, theirs.plan)
        for k in range(len(mine.plan)):
            mine.average[k] += weight * mine.plan[k]
        for k in range(len(theirs.plan)):
            theirs.average[k] += weight * theirs.plan[k]


@kernel
def realize(sets, strategy, plan):
    """Write the realization plan of a strategy: each sequence's own part of its probability."""
    _realize(sets, strategy, plan)


@kernel
def best_response(sets, payoffs, plan, sign, worth):
    """The most a player gains against a plan; ``sign`` is -1 for player 1, who gains the rest."""
    _gather(payoffs, plan, sign, worth)
    for i in range(len(sets.parent) - 1, -1, -1):
        best = worth[sets.first[i]]
        for k in range(sets.first[i] + 1, sets.first[i] + sets.choices[i]):
            best = max(best, worth[k])
        worth[sets.parent[i]] += best
    return worth[0]


@kernel
def expected(payoffs, mine, theirs):
    """What player 0 gains when both follow their plans."""
    total = 0.0
    for i in range(len(mine)):
        for j in range(payoffs.starts[i], payoffs.starts[i + 1]):
            total += mine[i] * payoffs.gains[j] * theirs[payoffs.others[j]]
    return total
