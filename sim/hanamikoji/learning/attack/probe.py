"""How far an agent is from optimal: what those score who know it, as lower bounds.

An agent's exploitability is what a perfect opponent that knows it scores beyond one half. Whoever
is found to beat it shows a lower bound: here a network trained against it from nothing, one that
starts from the `learned` agent's weights, and a search that draws determinizations and
rollouts from the agent's exact policy. A low bound is no proof of strength; a high one is one of
weakness.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np

from hanamikoji.agents.loading import LoadedAgent
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import CompiledSeat, Context, Game
from hanamikoji.errors import PluginError
from hanamikoji.learning.attack.response import WARM_RATE, Response
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.learning.network.store import find_weights, rounds_missing
from hanamikoji.learning.network.weights import Weights
from hanamikoji.learning.search.agent import search_parameters, search_seat
from hanamikoji.learning.training.main import ensure_weights, threads_here
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.trainer import Recipe
from hanamikoji.results.probes import FRESH, SEARCH, WARM, Attack, How, Probe, SeatScore
from hanamikoji.rules import Rules
from hanamikoji.stats.intervals import bounded_score

LEVEL = 0.95

_MATCH_SEED = 20_240_602  # apart from any training's
_TRIES = 30_000
_PIECES = 20  # progress reports of one measurement

Tell = Callable[[str, float], None]
"""What is being done, and how much of it is done (0 to 1)."""


Hear = Callable[[Attack], None]
"""Called with each attack as soon as it has been measured."""


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


def probe(
    loaded: LoadedAgent,
    rules: Rules,
    effort: Effort,
    tell: Tell | None = None,
    hear: Hear | None = None,
) -> Probe:
    """Attack an agent in the three ways.

    Intervals are simultaneous: each has the level that makes it 95 % for all of them (Bonferroni).

    Raises:
        PluginError: it is no compiled agent, or it fails.
    """
    tell = tell or (lambda _what, _share: None)
    begun = time.perf_counter()
    if loaded.kind != "compiled":
        raise PluginError(
            f"agent '{loaded.name}' is {loaded.kind}; only a compiled one can be probed"
        )
    attacks = []
    for attack in _attacks(loaded, rules, effort, tell):
        attacks.append(attack)
        if hear is not None:
            hear(attack)
    return Probe(
        loaded.agent, loaded.version, dict(loaded.options), rules.hash,
        effort.rounds, effort.rollouts, effort.seed, tuple(attacks),
        str(loaded.facts(rules).get("weights", "")), time.perf_counter() - begun,
    )  # fmt: skip


def _attacks(loaded: LoadedAgent, rules: Rules, effort: Effort, tell: Tell) -> Iterator[Attack]:
    ensure_weights([loaded], rules, lambda name, all_, done: tell(f"training {name}", done / all_))
    game, guide, threads = Game.of(rules), _network_of(loaded, rules), threads_here()
    agent = loaded.seat(game)
    assert isinstance(agent, CompiledSeat)
    for how, start in ((FRESH, None), (WARM, guide)):
        if how == WARM and start is None:
            continue
        weights = _respond(rules, agent, start, effort, how, tell)
        seat = learned_seat(weights, game, how)
        yield _measure(game, [seat] * threads, agent, how, effort.games, tell)
        guide = guide or weights
    # Each thread's search has a context of its own for the agent that it asks.
    contexts = [Context(game.tables, agent.parameters) for _ in range(threads)]
    searches = [_search(game, guide, agent, context, effort) for context in contexts]
    yield _measure(game, searches, agent, SEARCH, effort.search_games, tell)


def _search(
    game: Game, guide: Weights | None, agent: CompiledSeat, context: Context, effort: Effort
) -> CompiledSeat:
    parameters = search_parameters(
        game, guide, effort.rollouts, 6, model=agent.address, model_context=context.address,
        tries=_TRIES,
    )  # fmt: skip
    return search_seat(parameters, SEARCH)


def _network_of(loaded: LoadedAgent, rules: Rules) -> Weights | None:
    """The agent's own network, else that of `learned` if it is at hand.

    Returns None if there is neither: then no attacker starts from it, and the network that was
    trained against the agent guides the search.
    """
    own = getattr(loaded._make(), "weights", None)
    if callable(own) and isinstance(weights := own(rules), Weights):
        return weights
    return None if rounds_missing(rules) else find_weights(rules)


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
    game: Game,
    attackers: Sequence[CompiledSeat],
    agent: CompiledSeat,
    how: How,
    games: int,
    tell: Tell,
) -> Attack:
    """Play an attacker against the agent, in as many threads as there are copies of it."""
    deals = games // 2
    edges = np.unique(np.linspace(0, deals, _PIECES + 1).astype(int)).tolist()
    free: SimpleQueue[Match] = SimpleQueue()
    for attacker in attackers:
        free.put(Match(game, (attacker, agent), _MATCH_SEED))

    def play(first: int, last: int) -> dict[str, Any]:
        match = free.get()
        found = match.play(first, last).games
        free.put(match)
        return found

    played = []
    with ThreadPoolExecutor(len(attackers)) as pool:
        for piece in as_completed([pool.submit(play, *ends) for ends in pairwise(edges)]):
            played.append(piece.result())
            tell(f"measuring a {how}", len(played) / (len(edges) - 1))
    return attack_of(how, played)


def attack_of(how: How, played: Sequence[dict[str, Any]]) -> Attack:
    """What games between an attacker (a) and an agent (b) say, in pairs and from each seat."""
    level = 1 - (1 - LEVEL) / 3
    pairs = sum(map(pair_counts, played))
    total = bounded_score(pairs)
    interval = total.interval(level)

    def seat(seating: int) -> SeatScore:
        score = bounded_score(sum(seat_counts(games, seating) for games in played))
        found = score.interval(level)
        return SeatScore(score.value, found.low, found.high)

    return Attack(
        how, 2 * int(pairs.sum()), total.value, interval.low, interval.high, seat(0), seat(1)
    )


def pair_counts(games: dict[str, Any]) -> Any:
    """How many pairs of games agent a scored 0, 1/4, 1/2, 3/4, 1 in: int64 (5,)."""
    halves = _halves_of_a(games)
    return np.bincount(halves[0::2] + halves[1::2], minlength=5)


def seat_counts(games: dict[str, Any], seating: int) -> Any:
    """How many games of a seating agent a scored 0, 1/4, 1/2, 3/4, 1 in: int64 (5,)."""
    return np.bincount(2 * _halves_of_a(games)[games["seating"] == seating], minlength=5)


def _halves_of_a(games: dict[str, Any]) -> Any:
    outcome = games["outcome"]
    halves = np.select([outcome == 0, outcome == 1], [2, 0], 1)
    return np.where(games["seating"] == 0, halves, 2 - halves)
