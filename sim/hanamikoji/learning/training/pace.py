"""How fast training runs on this machine."""

from __future__ import annotations

import time

from hanamikoji.learning.table.store import suits_table
from hanamikoji.learning.table.trainer import TableTraining
from hanamikoji.learning.training.main import threads_here
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.trainer import Recipe, Training
from hanamikoji.rules import Rules

_SECONDS = 1.0
_ROUNDS = 1_000_000  # of the training whose first steps are timed


def training_pace(rules: Rules, rounds: int, seconds: float = _SECONDS) -> float:
    """Rounds of self-play a second, measured on a training's first steps; nothing is kept.

    ``rounds`` are those of the training, which decide whether it is of a table or of a network.
    """
    if suits_table(rules, rounds):
        return _table_pace(rules, seconds)
    return _network_pace(rules, seconds)


def _table_pace(rules: Rules, seconds: float) -> float:
    training = TableTraining(rules, _ROUNDS)
    training.step()  # compiles, or loads from the cache
    warm, begun = training.done, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds and training.done < _ROUNDS:
        training.step()
    return (training.done - warm) / max(spent, 1e-9)


def _network_pace(rules: Rules, seconds: float) -> float:
    training = Training(rules, Recipe(_ROUNDS))
    with Team(threads_here()) as team:
        training.step(team)  # compiles, or loads from the cache
        warm, begun = training.done, time.perf_counter()
        while (spent := time.perf_counter() - begun) < seconds and training.done < _ROUNDS:
            training.step(team)
    return (training.done - warm) / max(spent, 1e-9)
