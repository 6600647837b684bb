"""How far an agent is from optimal: what those score who know it, as lower bounds.

An agent's exploitability is what a perfect opponent that knows it scores beyond one half. Whoever
is found to beat it shows a lower bound: here a network trained against it from nothing, one that
starts from the `learned` agent's weights, and a search that draws determinizations and
rollouts from the agent's exact policy. A low bound is no proof of strength; a high one is one of
weakness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hanamikoji.agents.loading import LoadedAgent, load_agent
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import CompiledSeat, Context, Game
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.attack.response import WARM_RATE, Response
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.learning.network.store import find_weights
from hanamikoji.learning.network.weights import Weights
from hanamikoji.learning.search.agent import search_parameters, search_seat
from hanamikoji.learning.training.main import ensure_weights, threads_here
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.trainer import Recipe
from hanamikoji.results.probes import FRESH, SEARCH, WARM, Attack, How, Probe
from hanamikoji.rules import Rules
from hanamikoji.stats.intervals import bounded_score

LEVEL = 0.95

_MATCH_SEED = 20_240_602  # apart from any training's
_TRIES = 30_000
_PIECES = 20  # a measurement is told of so often

Tell = Callable[[str, float], None]
"""What is being done, and how much of it is done (0 to 1)."""


@dataclass(frozen=True)
class Effort:
    """What the three attackers may spend."""

    rounds: int
    """Of training for each network."""
    games: int = 20_000
    """To measure a network with."""
    search_games: int = 400
    rollouts: int = 200
    """Of the search, for each decision."""
    seed: int = 1


def probe(loaded: LoadedAgent, rules: Rules, effort: Effort, tell: Tell | None = None) -> Probe:
    """Attack an agent in the three ways.

    Intervals are simultaneous: each has the level that makes it 95 % for all of them (Bonferroni).

    Raises:
        PluginError: it is no compiled agent, or it fails.
    """
    tell = tell or (lambda _what, _share: None)
    game = Game.of(rules)
    if loaded.kind != "compiled":
        raise PluginError(
            f"agent '{loaded.name}' is {loaded.kind}; only a compiled one can be probed"
        )
    guide = _weights_of(loaded, rules, tell)
    agent = loaded.seat(game)
    assert isinstance(agent, CompiledSeat)
    attacks = []
    for how, start in ((FRESH, None), (WARM, guide)):
        weights = _respond(rules, agent, start, effort, how, tell)
        seat = learned_seat(weights, game, how)
        attacks.append(_measure(game, seat, agent, how, effort.games, tell))
    context = Context(game.tables, agent.parameters)
    known = search_parameters(
        game, guide, effort.rollouts, 6, model=agent.address, model_context=context.address,
        tries=_TRIES,
    )  # fmt: skip
    seat = search_seat(known, SEARCH)
    attacks.append(_measure(game, seat, agent, SEARCH, effort.search_games, tell))
    return Probe(
        loaded.agent, loaded.version, dict(loaded.options), rules.hash,
        effort.rounds, effort.rollouts, effort.seed, tuple(attacks),
        str(loaded.facts(rules).get("weights", "")),
    )  # fmt: skip


def _weights_of(loaded: LoadedAgent, rules: Rules, tell: Tell) -> Weights:
    """The agent's own network if it has one, else that of `learned`; trained first if need be."""

    def progress(name: str, rounds: int, done: int) -> None:
        tell(f"training {name}", done / rounds)

    ensure_weights([loaded], rules, progress)
    own = getattr(loaded._make(), "weights", None)
    if callable(own) and isinstance(weights := own(rules), Weights):
        return weights
    use = AgentUse(name="learned", agent="learned", options={"model": "network"})
    ensure_weights([load_agent(use)], rules, progress)
    return find_weights(rules)


def _respond(
    rules: Rules, agent: CompiledSeat, start: Weights | None, effort: Effort, how: How, tell: Tell
) -> Weights:
    rate = Recipe.rate if start is None else WARM_RATE
    training = Response(rules, Recipe(effort.rounds, effort.seed, rate=rate), agent, start)
    with Team(threads_here()) as team:
        while training.done < effort.rounds:
            training.step(team)
            tell(f"training a {how}", training.done / effort.rounds)
    return training.weights()


def _measure(
    game: Game, seat: CompiledSeat, agent: CompiledSeat, how: How, games: int, tell: Tell
) -> Attack:
    match = Match(game, (seat, agent), _MATCH_SEED)
    deals, counts = games // 2, np.zeros(5, np.int64)
    edges = np.unique(np.linspace(0, deals, _PIECES + 1).astype(int)).tolist()
    for first, last in pairwise(edges):
        counts += pair_counts(match.play(first, last).games)
        tell(f"measuring a {how}", last / deals)
    score = bounded_score(counts)
    interval = score.interval(1 - (1 - LEVEL) / 3)
    return Attack(how, 2 * deals, score.value, interval.low, interval.high)


def pair_counts(games: dict[str, Any]) -> Any:
    """How many pairs of games agent a scored 0, 1/4, 1/2, 3/4, 1 in: int64 (5,)."""
    outcome, seating = games["outcome"], games["seating"]
    halves = np.select([outcome == 0, outcome == 1], [2, 0], 1)
    halves = np.where(seating == 0, halves, 2 - halves)
    return np.bincount(halves[0::2] + halves[1::2], minlength=5)
