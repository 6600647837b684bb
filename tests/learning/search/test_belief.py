"""What the search believes of an opponent's decisions: the better they are, the likelier."""

from __future__ import annotations

import numpy as np
import pytest

from hanamikoji.engine.seat import Context, Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.learning.network.store import shipped_weights
from hanamikoji.learning.network.weights import Weights
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS
from learning.determinizations import Determinizations
from learning.scorer import Scorer
from modes import sized


def weights_of(name: str) -> Weights:
    weights = shipped_weights(PRESETS[name])
    assert weights is not None
    return weights


@pytest.mark.parametrize("name", ["base", "avoid-misfortune"])
def test_likely__falls_with_what_a_choice_gives_away(name: str) -> None:
    game, weights = Game.of(PRESETS[name]), weights_of(name)
    scorer, ask = Scorer(game, weights), Determinizations(game, weights=weights).likely
    kinds = game.tables[game.tables[ix.MOVE_KIND_AT] :]
    for deal in range(sized(6, 1)):
        single = SingleGame(game, ("a", "b"), 1, deal)
        while not single.finished:
            ids, scores = scorer.scores(single.view)
            scale = weights.scales[scorer.head(single.view)]
            gaps = (scores.max() - scores) * scale
            for i in range(0, len(ids), 7):
                found, likely = ask(single, -1, int(ids[i]), 0.8)
                assert found == ids[i]
                assert likely == pytest.approx(2 / (1 + np.exp(gaps[i] / 0.8)))
            if single.view[ix.PHASE] == ix.ACT:
                for kind in range(len(game.rules.kinds)):
                    mine = [i for i, choice in enumerate(ids) if kinds[choice] == kind]
                    found, likely = ask(single, kind, -1, 0.8)
                    if not mine:
                        assert (found, likely) == (-1, 0.0)
                        continue
                    best = max(mine, key=lambda i: (scores[i], -i))
                    assert found == ids[best]
                    assert likely == pytest.approx(2 / (1 + np.exp(gaps[best] / 0.8)))
            single.decide(int(ids[(deal * 7) % len(ids)]))
    assert ask(SingleGame(game, ("a", "b"), 1, 0), -1, game.moves, 0.8) == (-1, 0.0)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["base", "avoid-misfortune", "serendipity"])
def test_worlds__of_one_who_never_errs_are_those_of_a_known_agent(name: str) -> None:
    """But for choices that are exactly as good, of which a known agent makes the first."""
    game, weights = Game.of(PRESETS[name]), weights_of(name)
    agent, scorer = learned_seat(weights, game), Scorer(game, weights)
    context = Context(game.tables, agent.parameters)
    known = Determinizations(game, agent.address, context.address)
    believed = Determinizations(game, weights=weights, belief=1e-9)
    found = alike = tries = 0
    for deal in range(12):
        single = SingleGame(game, ("a", "b"), 1, deal)
        for _ in range(9):
            for key in range(60):
                one, two = (w.sample(single.view, deal * 1000 + key) for w in (known, believed))
                tries += 1
                if one is not None:
                    found += 1
                    assert two is not None
                    assert np.array_equal(one[0], two[0])
                elif two is not None:
                    alike += 1
            single.decide(scorer.choice(single.view))
            if single.finished:
                break
    assert 500 < found < tries - 500
    assert alike < found / 10


@pytest.mark.jit
def test_worlds__agree_with_the_view_whatever_is_believed() -> None:
    game, weights = Game.of(PRESETS["base"]), weights_of("base")
    scorer, worlds = Scorer(game, weights), Determinizations(game, weights=weights, belief=1.0)
    found = 0
    for deal in range(10):
        single = SingleGame(game, ("a", "b"), 1, deal)
        for _ in range(10):
            for key in range(20):
                world = worlds.sample(single.view, key)
                if world is not None:
                    found += 1
                    other = SingleGame(game, ("a", "b"), 1, deal)
                    other.state[:] = world[0]
                    assert np.array_equal(other.view_of(single.decider), single.view)
            single.decide(scorer.choice(single.view))
            if single.finished:
                break
    assert found > 300
