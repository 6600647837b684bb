"""What an agent is: a function of observation, random word and options, in one of three forms.

An entry point of the group ``hanamikoji.agents`` names a class. Its constructor's keyword arguments
are the agent's options. It has exactly one of

- ``act(self, observation)`` -> a move or its id: **plain**, see `hanamikoji.agents.Observation`;
- ``act_batch(self, batch)`` -> an integer array of ids: **batched**, see `hanamikoji.agents.Batch`;
- ``kernel``, a static plain function that the loader compiles: **compiled**, see `Parameters`.

All may have ``prepare(self, game)``, called once for each variant before its first decision; that
of a compiled agent returns its `Parameters`. Nothing else is carried from decision to decision:
games are interleaved, and a decision must not depend on which were asked before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Game:
    """A variant as agents see it: its rules and its tables (see `hanamikoji.moves.index`)."""

    rules: Rules
    tables: Int32 = field(repr=False)

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
    lanes      int16 (L, C)    scratch: ``lanes`` rows as wide as ``weights`` (64 without weights)
    memory     int64 (M,)      scratch: ``memory`` items
    word       uint64          this decision's randomness
    =========  ==============  =====================================================================

    What scratch holds when a decision begins is unspecified. The kernel is compiled with NumPy's
    error model (1 / 0 is inf); an exception it raises counts as the agent's failure.
    """

    weights: Int16 = field(default_factory=lambda: np.zeros((1, 64), np.int16))
    numbers: Float64 = field(default_factory=lambda: np.zeros(1, np.float64))
    lanes: int = 1
    memory: int = 1


class Prepared(Protocol):
    """An agent that wants to see the rules before it plays."""

    def prepare(self, game: Game) -> Parameters | None:
        """Look at the rules; a compiled agent returns its arrays."""
