"""Seats of agents that Python asks: plain ones game by game, batched ones for many at once."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from hanamikoji._jit import RAISED
from hanamikoji.agents.messages import describe_exception
from hanamikoji.agents.observation import MoveBook, Observation
from hanamikoji.engine.seat import STALLED, Batch, Game, Int64
from hanamikoji.errors import StalledError

_ILLEGAL = -1


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
                choice = _choice_of(act(Observation(book, (views, i), ids[begin:end], word)))
            except _NoMoveError as error:
                choice, problems[i] = _ILLEGAL, str(error)
            except (Exception, SystemExit) as error:
                choice, problems[i] = RAISED, f"raised {describe_exception(error)}"
            except StalledError as error:
                choice, problems[i] = STALLED, str(error)
            choices.append(choice)
            begin = end
        return np.array(choices, np.int64), problems


class _NoMoveError(Exception):
    """What an agent answered can't be the id of a move."""


def _choice_of(answer: object) -> int:
    """An answer as an integer, which may yet be illegal.

    Raises:
        _NoMoveError: It is not a legal move.
    """
    try:
        if isinstance(answer, bool):  # an integer to Python, but a slip of the pen here
            raise TypeError
        choice = operator.index(answer)  # type: ignore[arg-type]
    except Exception:
        name = type(answer).__name__
        raise _NoMoveError(f"answered with {name} where a move's id belongs") from None
    if not STALLED < choice < 2**31:  # nor may it be one of the engine's own codes
        raise _NoMoveError(f"answered {_short(choice)}, which is no legal move,")
    return choice


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**20 else f"a number of {number.bit_length()} bits"


class BatchedSeat:
    """An agent whose ``act_batch`` is asked many decisions at once."""

    def __init__(self, name: str, agent: Any) -> None:
        self.name = name
        self._act = agent.act_batch

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """See `hanamikoji.engine.seat.AskedSeat`.

        A call that raises or whose answer has the wrong form is repeated game by game, to find the
        decision that fails.
        """
        try:
            return self._ids(batch), {}
        except _NoMoveError as error:
            choice, problem = _ILLEGAL, str(error)
        except (Exception, SystemExit) as error:
            choice, problem = RAISED, f"raised {describe_exception(error)}"
        if len(batch.words) == 1:
            return np.array([choice], np.int64), {0: problem}
        choices = np.empty(len(batch.words), np.int64)
        problems: dict[int, str] = {}
        for i in range(len(choices)):
            choice_of_one, problem_of_one = self.choose(_single(batch, i))
            choices[i] = choice_of_one[0]
            if problem_of_one:
                problems[i] = problem_of_one[0]
        return choices, problems

    def _ids(self, batch: Batch) -> Int64:
        answer = self._act(batch)
        n = len(batch.words)
        try:
            array = np.asarray(answer)
        except Exception:
            name = type(answer).__name__
            raise _NoMoveError(f"answered with {name} where {n} ids belong") from None
        if array.shape != (n,) or array.dtype.kind not in "iu":
            raise _NoMoveError(
                f"answered with an array of {array.dtype} of shape {array.shape} "
                f"where {n} ids belong"
            )
        # What fits no int32 is illegal, and must not be one of the engine's own codes.
        return np.where((array > STALLED) & (array < 2**31), array, _ILLEGAL).astype(np.int64)


def _single(batch: Batch, i: int) -> Batch:
    """One decision of a batch, as a batch."""
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    offsets = np.array([0, end - begin], np.int64)
    return Batch(
        batch.game, batch.views[i : i + 1], batch.words[i : i + 1], offsets, batch.ids[begin:end]
    )
