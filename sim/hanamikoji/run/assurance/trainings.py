"""Two trainings of one agent, side by side."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from hanamikoji.agents import Game, LoadedAgent
from hanamikoji.engine.match import Match
from hanamikoji.learning.training.main import Progress, ensure_weights, threads_here
from hanamikoji.results import SeatScore, TrainedMirror, Trainings
from hanamikoji.rules import Rules
from hanamikoji.stats.intervals import bounded_score

GAMES = 20_000
"""Of each mirror: its interval is some ±0.7 points wide."""

_MATCH_SEED = 20_240_603  # apart from any training's
_PIECES = 20


def compare_trainings(
    first: LoadedAgent, second: LoadedAgent, rules: Rules, progress: Progress | None = None
) -> Trainings:
    """Train whichever isn't trained yet, and play both mirrors on the same deals."""
    begun = time.perf_counter()
    ensure_weights([first, second], rules, progress)
    one, two = (mirror_of(agent, rules) for agent in (first, second))
    return Trainings(first.name, one, two, time.perf_counter() - begun)


def mirror_of(agent: LoadedAgent, rules: Rules, games: int = GAMES) -> TrainedMirror:
    """The starter's score where a trained agent plays both seats."""
    seat = agent.seat(Game.of(rules))
    match = Match(rules, (seat, seat), _MATCH_SEED)
    edges = np.linspace(0, games, _PIECES + 1).astype(int).tolist()
    counts = np.zeros(5, np.int64)
    with ThreadPoolExecutor(threads_here()) as pool:
        for played in pool.map(lambda ends: match.play(*ends), pairwise(edges)):
            counts[[4, 0, 2]] += np.bincount(played.games["outcome"], minlength=3)[:3]
    score = bounded_score(counts)
    interval = score.interval()
    facts = agent.facts(rules)
    return TrainedMirror(
        facts["seed"], facts["weights"], games,
        SeatScore(score.value, interval.low, interval.high),
    )  # fmt: skip
