"""Agents that fail: the run stops with a sentence, or one game is lost and the next is unharmed."""

from __future__ import annotations

import re

import numpy as np
import pytest

from agents.use import BASE, mirror, seat
from engine.policies import FORMS
from hanamikoji.agents import Game
from hanamikoji.agents.asked import BatchedSeat, PlainSeat
from hanamikoji.engine import Match, codes
from hanamikoji.engine.seat import Batch
from hanamikoji.errors import AgentError
from hanamikoji.moves import index as ix
from hanamikoji.rules import load_rules
from modes import sized

DEALS = sized(60, 6)

pytestmark = pytest.mark.usefixtures("bad")


def _array(dtype: str, shape: str) -> str:
    return f"answered with an array of {dtype} of shape {shape} where 1 ids belong"


ANSWERS = {
    "raises": ("error", "raised ValueError: no idea at all"),
    "mutes": ("error", "raised _Mute"),
    "leaves": ("error", "raised SystemExit: bye"),
    "illegal": ("illegal", "answered 1000000, which is no legal move,"),
    "negative": ("illegal", "answered -5, which is no legal move,"),
    "huge": ("illegal", "answered a number of 100 bits, which is no legal move,"),
    "sign": ("illegal", "answered -2147483648, which is no legal move,"),
    "float": ("illegal", "answered with float where a move's id belongs"),
    "bool": ("illegal", "answered with bool where a move's id belongs"),
    "nothing": ("illegal", "answered with NoneType where a move's id belongs"),
    "text": ("illegal", "answered with str where a move's id belongs"),
    "odd-index": ("illegal", "answered with _Odder where a move's id belongs"),
    "batch-raises": ("error", "raised KeyError: 'who'"),
    "batch-illegal": ("illegal", "answered 1000000, which is no legal move,"),
    "batch-huge": ("illegal", "answered -1, which is no legal move,"),
    "batch-float": ("illegal", _array("float64", "(1,)")),
    "batch-bool": ("illegal", _array("bool", "(1,)")),
    "batch-none": ("illegal", _array("object", "()")),
    "batch-short": ("illegal", _array("int64", "(0,)")),
    "batch-square": ("illegal", _array("int64", "(1, 1)")),
    "batch-ragged": ("illegal", "answered with list where 1 ids belong"),
    "kernel-illegal": ("illegal", "answered 1000000, which is no legal move,"),
    "kernel-raises": ("error", "raised an exception"),
}  # fmt: skip
"""What each agent does now and then, and how that is told."""

TOLD_LATER = {"kernel-illegal": "made an illegal move"}
"""Under "forfeit" the kernel keeps the reason, no more."""


@pytest.mark.parametrize("agent", ANSWERS)
def test_stop__tells_agent_deal_and_decision(agent: str) -> None:
    _, message = ANSWERS[agent]
    with pytest.raises(AgentError) as caught:
        mirror(seat(agent, "the culprit"), DEALS)
    where = r" in deal \d+, seating 0, round \d+, decision \d+"
    assert re.fullmatch(f"agent 'the culprit' {re.escape(message)}{where}", str(caught.value))
    assert caught.value.exit_code == 3
    assert caught.value.seating == 0 and caught.value.deal in range(DEALS)


@pytest.mark.parametrize("agent", ANSWERS)
def test_forfeit__loses_that_game_alone(agent: str) -> None:
    kind, message = ANSWERS[agent]
    one = seat(agent)
    games = mirror(one, DEALS, on_error="forfeit")
    lost = games.games["reason"] == codes.REASONS.index(f"forfeit-{kind}")
    assert 0 < lost.sum() < DEALS or DEALS < 20
    assert sorted(failure.deal for failure in games.failures) == np.flatnonzero(lost).tolist()
    for failure in games.failures:
        assert failure.reason == f"forfeit-{kind}"
        assert failure.message == TOLD_LATER.get(agent, message)
        assert games.games["outcome"][failure.deal] == 1 - failure.role
    again = mirror(seat(agent), DEALS, on_error="forfeit", batch=1)
    for column, values in games.games.items():
        assert np.array_equal(values, again.games[column]), column


@pytest.mark.parametrize("good", ["steady-plain", "steady-batched", "steady-compiled"])
@pytest.mark.parametrize("agent", ["raises", "batch-raises", "kernel-raises"])
def test_forfeit__is_a_win_for_the_other(agent: str, good: str) -> None:
    match = Match(BASE, (seat(agent, "bad"), seat(good, "good")), seed=1)
    games = match.play(0, DEALS, on_error="forfeit").games
    lost = games["reason"] == codes.FORFEIT_ERROR
    assert lost.any() or DEALS < 20
    assert np.all(games["outcome"][lost] == 1 - games["seating"][lost])  # the starter is 0


class Sulking:
    """As a good policy, but it leaves some offers without an answer."""

    def __init__(self, policy: BatchedSeat) -> None:
        self.policy = policy

    def act_batch(self, batch: Batch) -> np.ndarray:
        choices, _ = self.policy.choose(batch)
        sulks = (batch.views[:, ix.PHASE] == ix.RESPOND) & (batch.words % np.uint64(5) == 0)
        return np.where(sulks, -1, choices)


@pytest.mark.parametrize("rules", ["base", "avoid-misfortune", "serendipity"])
@pytest.mark.parametrize("batch", [1, 7])
def test_offer_left_unanswered__is_not_seen_in_the_next_game(rules: str, batch: int) -> None:
    """The policy reads its whole view, where the next game in the same place begins."""
    game = Game.of(load_rules(rules))
    good = FORMS["batched"](game, "x")
    bad = BatchedSeat("x", Sulking(good))
    well = mirror(good, DEALS, game)
    ill = mirror(bad, DEALS, game, on_error="forfeit", batch=batch)
    lost = ill.games["reason"] == codes.FORFEIT_ILLEGAL
    assert 0 < lost.sum() < DEALS or DEALS < 20
    for column, values in well.games.items():
        assert np.array_equal(values[~lost], ill.games[column][~lost]), column


def test_always_failing__loses_every_game_at_once() -> None:
    games = mirror(seat("raises", rarely=1), DEALS, on_error="forfeit")
    assert len(games.failures) == DEALS
    assert set(games.games["outcome"].tolist()) == {codes.WON_SECOND}
    assert len(games.moves["deal"]) == 0


def test_batched_culprit__is_asked_alone() -> None:
    """A call that raises is asked again decision by decision: the others keep their answers."""
    asked = []

    class Once:
        def act_batch(self, batch: Batch) -> np.ndarray:
            asked.append(len(batch.words))
            if (batch.words == 3).any():
                raise ValueError("three")
            return batch.ids[batch.offsets[:-1]]

    views = np.zeros((4, ix.VIEW_SIZE), np.int32)
    words, offsets = np.arange(1, 5, dtype=np.uint64), np.array([0, 2, 4, 5, 8])
    batch = Batch(BASE, views, words, offsets, np.arange(10, 18))
    choices, problems = BatchedSeat("x", Once()).choose(batch)
    assert asked == [4, 1, 1, 1, 1]
    assert choices[[0, 1, 3]].tolist() == [10, 12, 15]
    assert problems == {2: "raised ValueError: three"}


def test_plain_problems__belong_to_their_decision() -> None:
    class Sometimes:
        def act(self, observation: object) -> object:
            return {1: 11, 2: "b", 3: 1 / 1, 4: np.int16(15)}[observation.word]  # type: ignore[attr-defined]

    views = np.zeros((4, ix.VIEW_SIZE), np.int32)
    words, offsets = np.arange(1, 5, dtype=np.uint64), np.array([0, 2, 4, 5, 8])
    batch = Batch(BASE, views, words, offsets, np.arange(10, 18))
    choices, problems = PlainSeat("x", Sometimes(), BASE).choose(batch)
    assert choices.tolist() == [11, -1, -1, 15]
    assert sorted(problems) == [1, 2]
