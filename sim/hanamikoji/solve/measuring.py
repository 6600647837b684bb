"""Agents on a solved variant: their play at every information set, judged exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from hanamikoji._jit import address_of, call_agent, kernel
from hanamikoji.agents import LoadedAgent
from hanamikoji.engine.seat import (
    AskedSeat,
    Batch,
    CompiledSeat,
    Context,
    Float64,
    Int16,
    Int32,
    Int64,
    UInt64,
)
from hanamikoji.errors import AgentError
from hanamikoji.moves import index as ix
from hanamikoji.solve.solving import Model, Plans, Solution
from hanamikoji.solve.tree import Player

WORDS = 4000
_FIRST_WORDS = 32
_BATCH = 4096


@dataclass(frozen=True)
class Measured:
    """An agent on a solved variant; scores are the starter's, 0..1, and exact for its play.

    Its play is what it answered at each information set to the random words it was asked with.
    """

    agent: str
    mirror: float  # both seats played by the agent
    as_starter: float  # the agent starts against the best response to it
    as_second: float  # the best response to it starts
    low: float  # bounds of the variant's value
    high: float

    @property
    def value(self) -> float:
        """The variant's value."""
        return (self.low + self.high) / 2

    @property
    def error(self) -> float:
        """How far the mirror is from the value."""
        return self.mirror - self.value

    @property
    def exploitability(self) -> float:
        """NashConv / 2: what best responses gain on average over both seats."""
        return (self.as_second - self.as_starter) / 2

    @property
    def starter_loss(self) -> float:
        """What it loses of the value as starter against its best response."""
        return self.value - self.as_starter

    @property
    def second_loss(self) -> float:
        """What it loses as second."""
        return self.as_second - self.value


def exploitability(
    solution: Solution, agent: LoadedAgent, words: int = WORDS, seed: int = 0
) -> Measured:
    """Measure an agent exactly on a solved variant.

    It is asked at every information set with ``words`` random words; fewer where the first ones
    all get one answer. ``seed`` gives the words.
    Raises `AgentError` when it fails or answers with something that is no legal move.
    """
    return measure(solution.model, (solution.low, solution.high), agent, words, seed)


def measure(
    model: Model, bounds: tuple[float, float], agent: LoadedAgent, words: int = WORDS, seed: int = 0
) -> Measured:
    """Measure an agent, as `exploitability`, on a variant whose value's bounds are known."""
    plans = agent_plans(model, agent, words, seed)
    starter, second = model.best_against(plans, 1), model.best_against(plans, 0)
    return Measured(agent.name, model.score(plans, plans), starter, second, *bounds)


def agent_plans(model: Model, agent: LoadedAgent, words: int = WORDS, seed: int = 0) -> Plans:
    """The realization plans of an agent's play, at all positions as starter and as second."""
    asked = _Asked(model, agent, words, seed)
    return [
        (model.plan(0, asked.strategy(n, 0)), model.plan(1, asked.strategy(n, 1)))
        for n in range(len(model.chain.positions))
    ]


@kernel
def _ask(views, address, context, words, answers):  # type: ignore[no-untyped-def]
    """A compiled agent's answer to every view with every word."""
    for i in range(len(views)):
        view = address_of(views[i])
        for j in range(len(words)):
            answers[i, j] = call_agent(address, view, context, words[j])


class _Asked:
    """An agent and the views that it is asked at."""

    def __init__(self, model: Model, agent: LoadedAgent, words: int, seed: int) -> None:
        self._model, self._agent = model, agent
        self._seat = agent.seat(model.game)
        random = np.random.default_rng(seed)
        self._words = random.integers(0, 2**64, words, dtype=np.uint64)
        # Sets that a player tells apart by what it remembers may share a view.
        self._views = [
            np.unique(player.views, axis=0, return_index=True, return_inverse=True)[1:]
            for player in model.tree.players
        ]

    def strategy(self, position: int, player: int) -> Float64:
        """The share of words that it chooses each sequence of a player with."""
        sets = self._model.tree.players[player]
        picked, inverse = self._views[player]
        views = _full_views(self._model, position, player, sets.views[picked])
        legal = _ids_of(sets, picked)
        first = self._words[:_FIRST_WORDS]
        answers = self._answers(views, legal, first)
        mixed = np.flatnonzero((answers != answers[:, :1]).any(axis=1))
        shares = _shares(answers, legal)
        if len(mixed) and len(self._words) > len(first):
            rest = self._answers(views[mixed], [legal[i] for i in mixed], self._words)
            for i, share in zip(mixed, _shares(rest, [legal[i] for i in mixed]), strict=True):
                shares[i] = share
        strategy = np.zeros(sets.sequences)
        for begin, n, view in zip(sets.first, sets.choices, inverse.ravel(), strict=True):
            strategy[begin : begin + n] = shares[view]
        return strategy

    def _answers(self, views: Int32, legal: list[Int32], words: UInt64) -> Int32:
        """Its ids, int32 (views, words); all of them legal."""
        answers = np.zeros((len(views), len(words)), np.int32)
        if isinstance(self._seat, CompiledSeat):
            context = Context(self._model.game.tables, self._seat.parameters)
            _ask(views, self._seat.address, context.address, words, answers)
        else:
            seat = cast(AskedSeat, self._seat)
            for begin in range(0, len(views), _BATCH):
                part = slice(begin, begin + _BATCH)
                for j, word in enumerate(words):
                    answers[part, j] = self._choose(seat, views[part], legal[part], word)
        for ids, row in zip(legal, answers, strict=True):
            if not np.isin(row, ids).all():
                raise AgentError(
                    f"agent '{self._agent.name}' answered {int(row[~np.isin(row, ids)][0])}, where "
                    f"a legal id belongs: one of {', '.join(map(str, ids[:10]))}"
                )
        return answers

    def _choose(self, seat: AskedSeat, views: Int32, legal: list[Int32], word: np.uint64) -> Int64:
        offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in legal])])
        words = np.full(len(views), word, np.uint64)
        ids = np.concatenate(legal).astype(np.int64)
        choices, problems = seat.choose(Batch(self._model.game, views, words, offsets, ids))
        if problems:
            raise AgentError(f"agent '{self._agent.name}' {next(iter(problems.values()))}")
        return choices


def _ids_of(sets: Player, picked: Int64) -> list[Int32]:
    """The legal ids at some sets."""
    return [sets.ids[sets.first[i] : sets.first[i] + sets.choices[i]] for i in picked]


def _shares(answers: Int32, legal: list[Int32]) -> list[Float64]:
    """For each view how often each of its legal ids was answered."""
    n = answers.shape[1]
    return [
        np.bincount(np.searchsorted(ids, row), minlength=len(ids)) / n
        for ids, row in zip(legal, answers, strict=True)
    ]


def _full_views(model: Model, position: int, player: int, known: Int16) -> Int32:
    """Views as the engine would show them at a position."""
    place, charm = model.chain.positions[position], np.array(model.game.rules.charm)
    role = player ^ place.starter
    views = np.zeros((len(known), ix.VIEW_SIZE), np.int32)
    views[:, model.tree.columns] = known
    markers = np.array(place.markers) * (-1 if role else 1)
    views[:, ix.MARKERS : ix.MARKERS + len(markers)] = markers
    views[:, ix.ROUND], views[:, ix.ROLE], views[:, ix.FIRST] = place.round, role, 1 - player
    views[:, ix.CHARM], views[:, ix.THEIR_CHARM] = (
        charm[markers > 0].sum(),
        charm[markers < 0].sum(),
    )
    views[:, ix.FAVOR], views[:, ix.THEIR_FAVOR] = (markers > 0).sum(), (markers < 0).sum()
    return views
