"""What the engine asks of an agent: an address to call, or choices for many games at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import RAISED
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Game:
    """A variant as agents see it: its rules and its tables (see `hanamikoji.moves.index`)."""

    rules: Rules
    tables: Int32 = field(repr=False, compare=False)

    @classmethod
    def of(cls, rules: Rules) -> Game:
        """The game of these rules."""
        return cls(rules, build_tables(rules))

    @property
    def geishas(self) -> int:
        """How many geishas there are."""
        return int(self.tables[ix.GEISHAS])

    @property
    def moves(self) -> int:
        """M: move ids are 0..M-1."""
        return int(self.tables[ix.MOVES])

    @property
    def responses(self) -> int:
        """R: response ids are M..M+R-1."""
        return int(self.tables[ix.RESPONSES])


@dataclass(frozen=True)
class Parameters:
    """What a compiled agent is handed besides its view, the tables and a random word.

    Its kernel is ``kernel(view, tables, weights, numbers, lanes, memory, word) -> id`` with

    =========  ==============  =====================================================================
    view       int32 (F,)      what the player knows; not to be written
    tables     int32 (T,)      the rules; not to be written
    weights    int16 (R, C)    the agent's own, read-only
    numbers    float64 (N,)    the agent's own, read-only
    lanes      int16 (L, C)    scratch: ``lanes`` rows as wide as ``weights``
    memory     int64 (M,)      scratch: ``memory`` items
    word       uint64          this decision's randomness
    =========  ==============  =====================================================================

    The content of scratch when a decision begins is unspecified. The kernel is compiled with
    NumPy's error model (1 / 0 is inf); an exception it raises counts as the agent's failure.
    """

    weights: Int16 = field(default_factory=lambda: np.zeros((1, 64), np.int16))
    numbers: Float64 = field(default_factory=lambda: np.zeros(1, np.float64))
    lanes: int = 1
    memory: int = 1


class Context:
    """The arrays that a compiled agent is called with, and the ``address`` of their context.

    Scratch memory is written at each decision: one context for each thread that plays.
    """

    def __init__(self, tables: Int32, parameters: Parameters) -> None:
        self.weights = np.ascontiguousarray(parameters.weights, np.int16)
        self.numbers = np.ascontiguousarray(parameters.numbers, np.float64)
        self.lanes = np.zeros((parameters.lanes, self.weights.shape[1]), np.int16)
        self.memory = np.zeros(parameters.memory, np.int64)
        values: list[int] = []
        for array in (tables, self.weights, self.numbers, self.lanes, self.memory):
            values += [array.ctypes.data, *array.shape]  # in the order of _jit.agents.CONTEXT
        self._values = np.array(values, np.int64)
        self._tables = tables

    @property
    def address(self) -> int:
        """What the kernels call; valid as long as this object lives."""
        return int(self._values.ctypes.data)


@dataclass(frozen=True)
class Batch:
    """N decisions of one agent in N games; the arrays are valid only during the call.

    ``views`` int32 (N, F): what the player knows, see `hanamikoji.moves.index`. ``words`` uint64
    (N,): a random word for each decision. The legal ids of decision i are
    ``ids[offsets[i]:offsets[i + 1]]``, ascending; offsets int64 (N + 1,), ids int64.
    """

    game: Game
    views: Int32
    words: UInt64
    offsets: Int64
    ids: Int64


STALLED = RAISED + 1
"""The id that stands for a decision that an agent was given up at."""


class Seat(Protocol):
    """An agent that has seen the rules and is ready to play; one of the two kinds below."""

    @property
    def name(self) -> str:
        """Its name in the experiment: part of the key of its randomness."""


class AskedSeat(Seat, Protocol):
    """An agent that Python asks."""

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """An id for each decision, and what went wrong at those that have none.

        Where the agent raised the id is `hanamikoji._jit.RAISED`, where it was given up for taking
        too long `STALLED`, where it answered with
        something that is no integer -1.
        """


@dataclass(frozen=True)
class CompiledSeat:
    """An agent that the kernels call at an address (see `hanamikoji._jit.agents`)."""

    name: str
    address: int
    parameters: Parameters
