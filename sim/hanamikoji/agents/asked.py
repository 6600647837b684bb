"""Seats of agents that Python asks: plain ones game by game, batched ones for many at once."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from hanamikoji._jit import RAISED
from hanamikoji.agents.observation import MoveBook, Observation
from hanamikoji.engine.seat import STALLED, Batch, Game, Int64
from hanamikoji.errors import StalledError

_NO_INTEGER = -1


def _said(error: BaseException) -> str:
    """An agent's exception in a few printable words."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    printable = "".join(c if c.isprintable() else " " for c in text)
    return f"raised {printable[:200]}"


def _answered(value: object) -> str:
    return f"answered with {type(value).__name__} where a move's id belongs"


class PlainSeat:
    """An agent whose ``act`` is asked one decision at a time; it may be wrapped from outside."""

    def __init__(self, name: str, agent: Any, game: Game) -> None:
        self.name = name
        self.act = agent.act
        self._book = MoveBook(game)

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """See `hanamikoji.engine.seat.AskedSeat`."""
        act, book, views = self.act, self._book, batch.views
        ids, ends = batch.ids.tolist(), batch.offsets.tolist()
        choices: list[int] = []
        problems: dict[int, str] = {}
        begin = 0
        for i, word in enumerate(batch.words.tolist()):
            end = ends[i + 1]
            try:
                answer = act(Observation(book, (views, i), ids[begin:end], word))
            except (Exception, SystemExit) as error:
                problems[i] = _said(error)
                answer = RAISED
            except StalledError as error:
                problems[i] = str(error)
                answer = STALLED
            begin = end
            try:
                choices.append(_in_range(operator.index(answer)))
            except TypeError:
                problems[i] = _answered(answer)
                choices.append(_NO_INTEGER)
        return np.array(choices, np.int64), problems


def _in_range(choice: int) -> int:
    """An int64; what does not fit is illegal in any case."""
    return choice if -(2**62) < choice < 2**62 else _NO_INTEGER


class BatchedSeat:
    """An agent whose ``act_batch`` is asked many decisions at once."""

    def __init__(self, name: str, agent: Any) -> None:
        self.name = name
        self._act = agent.act_batch

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """See `hanamikoji.engine.seat.AskedSeat`.

        A call that raises or whose answer has the wrong form is asked again game by game, so that
        the culprit has a name.
        """
        problem = ""
        try:
            answer = np.asarray(self._act(batch))
        except (Exception, SystemExit) as error:
            problem = _said(error)
        else:
            if answer.shape == batch.words.shape and answer.dtype.kind in "iu":
                return answer.astype(np.int64), {}
            problem = (
                f"answered with an array of {answer.dtype} of shape {answer.shape} "
                f"where {len(batch.words)} ids belong"
            )
        if len(batch.words) == 1:
            choice = RAISED if problem.startswith("raised") else _NO_INTEGER
            return np.array([choice], np.int64), {0: problem}
        choices = np.empty(len(batch.words), np.int64)
        problems: dict[int, str] = {}
        for i in range(len(batch.words)):
            one, said = self.choose(_single(batch, i))
            choices[i] = one[0]
            problems |= {i: text for text in said.values()}
        return choices, problems


def _single(batch: Batch, i: int) -> Batch:
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    offsets = np.array([0, end - begin], np.int64)
    return Batch(
        batch.game, batch.views[i : i + 1], batch.words[i : i + 1], offsets, batch.ids[begin:end]
    )
