"""Best responses and searches that know the agent; what they score, and how it is told."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from hanamikoji.agents import load_agent
from hanamikoji.agents.loading import LoadedAgent
from hanamikoji.engine import state as st
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import CompiledSeat, Context, Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.attack import probe as probes
from hanamikoji.learning.attack.response import Response
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.learning.network.weights import Weights
from hanamikoji.learning.training import Recipe, train
from hanamikoji.moves import index as ix
from hanamikoji.results import Attack, read_probe, write_probe
from hanamikoji.rules import PRESETS, Rules
from hanamikoji.stats.intervals import bounded_score
from learning.determinizations import Determinizations
from learning.scorer import Scorer

pytestmark = pytest.mark.jit

BASE = PRESETS["base"]


def loaded(name: str) -> LoadedAgent:
    return load_agent(AgentUse(name=name, agent=name))


def respond(
    rules: Rules, agent: CompiledSeat, rounds: int, threads: int = 2, start: Weights | None = None
) -> Weights:
    training = Response(rules, Recipe(rounds, 3), agent, start)
    training.run(threads)
    return training.weights()


def random_seat(rules: Rules) -> CompiledSeat:
    seat = loaded("random").seat(Game.of(rules))
    assert isinstance(seat, CompiledSeat)
    return seat


# --- networks that learn to beat one agent --------------------------------------------------------


@pytest.mark.parametrize("name", ["base", "three-round", "avoid-misfortune"])
def test_response__one_and_two_threads_give_the_same_bytes(name: str) -> None:
    rules = PRESETS[name]
    one, two = (respond(rules, random_seat(rules), 2048, threads=n) for n in (1, 2))
    assert one.hash == two.hash


def test_response__learns_to_beat_its_agent() -> None:
    game, agent = Game.of(BASE), random_seat(BASE)
    seat = learned_seat(respond(BASE, agent, 40_000), game)
    counts = probes.pair_counts(Match(game, (seat, agent), 5).play(0, 500).games)
    assert bounded_score(counts).interval(0.999).low > 0.8


def test_response__values_know_who_is_who() -> None:
    """Against random play the learner is likely to win from the start, whoever begins."""
    training = Response(BASE, Recipe(40_000, 3), random_seat(BASE))
    training.run(2)
    learner_begins, agent_begins = training.values.reshape(2, -1)[:, 0]
    assert learner_begins > 0.7
    assert agent_begins < 0.3


def test_warm_start__plays_as_the_weights_it_starts_from() -> None:
    game, weights = Game.of(BASE), train(BASE, 20_000)
    training = Response(BASE, Recipe(1000), random_seat(BASE), weights)
    scorers = [Scorer(game, w) for w in (weights, training.weights())]
    same = seen = 0
    for deal in range(60):
        single = SingleGame(game, ("a", "b"), 1, deal)
        while not single.finished:
            choices = [scorer.choice(single.view) for scorer in scorers]
            same += choices[0] == choices[1]
            seen += 1
            single.decide(choices[0])
    assert same > 0.97 * seen
    chances = [scorer.chances(SingleGame(game, ("a", "b"), 1, 0).view)[1] for scorer in scorers]
    assert np.allclose(*chances, atol=0.01)


# --- searches that know the agent -----------------------------------------------------------------


def test_known_agent__worlds_are_those_in_which_it_plays_so() -> None:
    """What the agent hid is found more often when it is known how it plays."""
    game, weights = Game.of(BASE), train(BASE, 50_000)
    agent, scorer = learned_seat(weights, game), Scorer(game, weights)
    context = Context(game.tables, agent.parameters)
    known, unknown = Determinizations(game, agent.address, context.address), Determinizations(game)
    hits, tries = np.zeros(2), np.zeros(2)
    for deal in range(80):
        single = SingleGame(game, ("a", "b"), 1, deal)
        for _ in range(9):
            single.decide(scorer.choice(single.view))
        if single.finished or single.state[st.ROUND] > 1:
            continue
        at = st.VIEWS + (1 - single.decider) * ix.VIEW_SIZE + ix.DOWN_MINE
        truth = single.state[at : at + ix.MOST_GEISHAS]
        for i, (worlds, attempts) in enumerate(((unknown, 50), (known, 4000))):
            for n in range(attempts):
                world = worlds.sample(single.view, deal * 10_000 + n)
                if world is not None:
                    tries[i] += 1
                    found = world[0][at : at + ix.MOST_GEISHAS]
                    hits[i] += np.array_equal(found, truth)
    assert tries[1] > 1000
    shares = hits / tries
    assert shares[1] > shares[0] + 0.05


# --- the probe ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> probes.Probe:
    effort = probes.Effort(rounds=20_480, games=400, search_games=100, rollouts=30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probes, "_network_of", lambda *_: train(BASE, 20_480))
        return probes.probe(loaded("random"), BASE, effort)


def test_probe__finds_that_random_play_is_weak(found: probes.Probe) -> None:
    assert [attack.how for attack in found.attacks] == [probes.FRESH, probes.WARM, probes.SEARCH]
    for attack in found.attacks:
        assert 0.7 < attack.low < attack.score < attack.high < 1
    assert found.bound == max(attack.low for attack in found.attacks)
    assert f"random can be beaten with a score of at least {found.bound:.1%}" in found.sentence()


def test_probe__tells_each_attack_by_seats_as_it_comes() -> None:
    heard: list[Attack] = []
    effort = probes.Effort(rounds=2048, games=400, search_games=8, rollouts=4)
    found = probes.probe(loaded("random"), BASE, effort, hear=heard.append)
    assert tuple(heard) == found.attacks
    for attack in heard:
        assert attack.score == pytest.approx((attack.as_starter.score + attack.as_second.score) / 2)
        for seat in (attack.as_starter, attack.as_second):
            assert seat.low <= seat.score <= seat.high
    assert found.seconds > 0


def test_attack_of__counts_each_seat_by_itself() -> None:
    """As starter the attacker wins all of 100 games, as second it loses all but ten."""
    n = 100
    games = {
        "outcome": np.stack([np.zeros(n, int), (np.arange(n) < 10).astype(int)], 1).ravel(),
        "seating": np.tile([0, 1], n),
    }
    attack = probes.attack_of(probes.FRESH, [games])
    assert (attack.games, attack.score) == (200, 0.55)
    assert (attack.as_starter.score, attack.as_second.score) == (1.0, 0.1)
    assert attack.as_starter.low < 1.0
    assert attack.as_second.low < 0.1 < attack.as_second.high
    halves = [{key: values[i : i + n] for key, values in games.items()} for i in (0, n)]
    assert probes.attack_of(probes.FRESH, halves) == attack


def test_probe__measures_alike_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    effort = probes.Effort(rounds=2048, games=200, search_games=16, rollouts=10)
    found = []
    for threads in (1, 2):
        monkeypatch.setattr(probes, "threads_here", lambda n=threads: n)
        found.append(probes.probe(loaded("greedy"), BASE, effort).attacks)
    assert found[0] == found[1]


def test_probe__is_kept_as_json(found: probes.Probe, tmp_path: Path) -> None:
    assert read_probe(write_probe(tmp_path, found)) == found
    assert (found.rules, found.rounds, found.rollouts) == (BASE.hash, 20_480, 30)


def test_probe__says_so_when_nothing_beats_the_agent(found: probes.Probe) -> None:
    weak = tuple(dataclasses.replace(a, score=0.4, low=0.3, high=0.5) for a in found.attacks)
    nothing = dataclasses.replace(found, attacks=weak)
    assert nothing.bound == 0.5
    assert nothing.sentence().startswith("nothing tried beats random")


def test_pair_counts__are_of_agent_a() -> None:
    outcome = np.array([0, 1, 0, 0, 2, 1, 1, 0])  # by role: starter, second, shared
    games = {"outcome": outcome, "seating": np.tile([0, 1], 4)}
    assert probes.pair_counts(games).tolist() == [1, 0, 1, 1, 1]


def test_probe__refuses_agents_that_python_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = dataclasses.replace(loaded("random"), kind="plain")
    with pytest.raises(PluginError, match="only a compiled one"):
        probes.probe(plain, BASE, probes.Effort(1000))
