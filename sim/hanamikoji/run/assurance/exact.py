"""The exact value of a variant that can be solved at once."""

from __future__ import annotations

import time

from hanamikoji.errors import SolveError
from hanamikoji.results import ExactValue
from hanamikoji.rules import Rules
from hanamikoji.solve import solve

_GAP = 2e-4  # between the bounds, in score
_MOST_NODES = 300_000  # some seconds


def exact_value(rules: Rules) -> ExactValue | str:
    """The value of the game to the starter, or why it is not known: a sentence."""
    begun = time.perf_counter()
    try:
        solution = solve(rules, gap=_GAP, limit=_MOST_NODES)
    except SolveError as error:
        return str(error)
    return ExactValue(solution.low, solution.high, time.perf_counter() - begun)
