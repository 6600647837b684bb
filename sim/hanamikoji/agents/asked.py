"""Seats of agents that Python asks: plain ones game by game, batched ones for many at once."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from hanamikoji._jit import RAISED
from hanamikoji.agents.messages import describe_exception
from hanamikoji.agents.observation import MoveBook, Observation
from hanamikoji.engine.seat import STALLED, Batch, Game, Int64
from hanamikoji.errors import AgentError, StalledError

ILLEGAL = -1
"""The id that stands for an answer that can't be one."""


class DecisionError(Exception):
    """No move came of a decision.

    The text says why and goes after the agent's name; ``choice`` is the id that stands for it:
    `ILLEGAL`, `hanamikoji._jit.RAISED` or `hanamikoji.engine.seat.STALLED`.
    """

    def __init__(self, sentence: str, choice: int = ILLEGAL) -> None:
        super().__init__(sentence)
        self.choice = choice


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
                choice = choice_of(act(Observation(book, (views, i), ids[begin:end], word)))
            except DecisionError as error:
                choice, problems[i] = error.choice, str(error)
            except (Exception, SystemExit) as error:
                choice, problems[i] = RAISED, f"raised {describe_exception(error)}"
            except StalledError as error:
                choice, problems[i] = STALLED, str(error)
            choices.append(choice)
            begin = end
        return np.array(choices, np.int64), problems


def choice_of(answer: object) -> int:
    """An answer as an integer, which may yet be illegal.

    Raises:
        DecisionError: It is not a legal move.
    """
    try:
        if isinstance(answer, bool):  # an integer to Python, but a slip of the pen here
            raise TypeError
        choice = operator.index(answer)  # type: ignore[arg-type]
    except Exception:
        name = type(answer).__name__
        raise DecisionError(f"answered with {name} where a move's id belongs") from None
    if not STALLED < choice < 2**31:  # nor may it be one of the engine's own codes
        raise DecisionError(f"answered {_short(choice)}, which is no legal move,")
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
        except AgentError:  # it is given up altogether
            raise
        except DecisionError as error:
            choice, problem = error.choice, str(error)
        except (Exception, SystemExit) as error:
            choice, problem = RAISED, f"raised {describe_exception(error)}"
        if len(batch.words) == 1:
            return np.array([choice], np.int64), {0: problem}
        choices = np.empty(len(batch.words), np.int64)
        problems: dict[int, str] = {}
        for i in range(len(choices)):
            choice_of_one, problem_of_one = self.choose(part_of(batch, i, i + 1))
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
            raise DecisionError(f"answered with {name} where {n} ids belong") from None
        if array.shape != (n,) or array.dtype.kind not in "iu":
            raise DecisionError(
                f"answered with an array of {array.dtype} of shape {array.shape} "
                f"where {n} ids belong"
            )
        # What fits no int32 is illegal, and must not be one of the engine's own codes.
        return np.where((array > STALLED) & (array < 2**31), array, ILLEGAL).astype(np.int64)


def part_of(batch: Batch, first: int, last: int) -> Batch:
    """Decisions ``first`` up to, not including, ``last`` of a batch, as a batch."""
    offsets = batch.offsets[first : last + 1]
    return Batch(
        batch.game,
        batch.views[first:last],
        batch.words[first:last],
        offsets - offsets[0],
        batch.ids[offsets[0] : offsets[-1]],
    )
