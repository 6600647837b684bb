"""Instrumented seats: they measure an agent's time and detect writes into its arguments."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from hanamikoji._jit import RAISED, address_of, call_agent, kernel
from hanamikoji.engine.seat import AskedSeat, Batch, CompiledSeat, Context, Game, Int64, Seat
from hanamikoji.errors import AgentError
from hanamikoji.moves import index as ix

__all__ = ["WatchedSeat"]

_NOISE = 0x5DEECE66D  # what scratch memory holds when a decision begins is unspecified


@kernel
def _ask(address, context, views, words, choices):
    """Call a compiled agent for each decision of a batch."""
    for i in range(len(words)):
        view = address_of(views) + 4 * ix.VIEW_SIZE * i
        choices[i] = call_agent(address, view, context, words[i])


class WatchedSeat:
    """An agent's seat, asked by Python whatever its kind.

    ``decisions`` counts them, ``paces`` are the seconds per decision of each call. An agent that
    writes into what it was lent raises AgentError at once.
    """

    def __init__(self, seat: Seat, game: Game) -> None:
        self.name = seat.name
        self.decisions = 0
        self.paces: list[float] = []
        self._seat = _CalledSeat(seat, game) if isinstance(seat, CompiledSeat) else seat
        self._tables = game.tables
        self._tables_before = game.tables.copy()

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """See `hanamikoji.engine.seat.AskedSeat`."""
        lent = {name: getattr(batch, name) for name in ("views", "words", "offsets", "ids")}
        before = {name: array.copy() for name, array in lent.items()}
        seat: Any = self._seat
        begun = time.perf_counter()
        answer = seat.choose(batch)
        self.paces.append((time.perf_counter() - begun) / len(batch.words))
        self.decisions += len(batch.words)
        for name, array in lent.items():
            if not np.array_equal(array, before[name]):
                what = "its observation" if name == "views" else f"its argument {name}"
                raise AgentError(f"agent '{self.name}' wrote into {what}")
        return answer  # type: ignore[no-any-return]

    def check_tables(self) -> None:
        """Restore the rules' tables and raise AgentError if the agent wrote into them."""
        if not np.array_equal(self._tables, self._tables_before):
            self._tables[:] = self._tables_before
            raise AgentError(f"agent '{self.name}' wrote into the rules' tables")


class _CalledSeat:
    """A compiled agent as an asked one."""

    def __init__(self, seat: CompiledSeat, game: Game) -> None:
        self.name = seat.name
        self._address = seat.address
        self._context = Context(game.tables, seat.parameters)
        self._before = {
            "weights": self._context.weights.tobytes(),
            "numbers": self._context.numbers.tobytes(),
        }
        nothing = (
            np.zeros((0, ix.VIEW_SIZE), np.int32),
            np.zeros(0, np.uint64),
            np.zeros(0, np.int64),
        )
        _ask(self._address, self._context.address, *nothing)  # compile now, not while time is taken

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        context = self._context
        choices = np.zeros(len(batch.words), np.int64)
        context.lanes[:] = _NOISE % 2**15
        context.memory[:] = _NOISE
        views = np.ascontiguousarray(batch.views)
        _ask(self._address, context.address, views, batch.words, choices)
        batch.views[:] = views
        now = {"weights": context.weights.tobytes(), "numbers": context.numbers.tobytes()}
        for name, held in now.items():
            if held != self._before[name]:
                raise AgentError(f"agent '{self.name}' wrote into its {name}, which are read-only")
        raised = np.flatnonzero(choices == RAISED)
        return choices, dict.fromkeys(raised.tolist(), "raised an exception")


_: type[AskedSeat] = WatchedSeat
