"""What an agent is: a function of observation, random word and options, in one of three forms.

An entry point of the group ``hanamikoji.agents`` names a class. Its constructor's keyword arguments
are the agent's options. It has exactly one of

- ``act(self, observation)`` -> a move or its id: **plain**, see `hanamikoji.agents.Observation`;
- ``act_batch(self, batch)`` -> an integer array of ids: **batched**, see `hanamikoji.agents.Batch`;
- ``kernel``, a static plain function that the loader compiles: **compiled**, see `Parameters`. It
  may also be a C function, loaded by ctypes, of the type that `hanamikoji._jit.agents` shows.

All may have ``prepare(self, game)``, called once for each variant before its first decision; that
of a compiled agent returns its `Parameters`. Nothing else is carried from decision to decision:
games are interleaved, and a decision must not depend on which were asked before.
"""

from __future__ import annotations

from typing import Protocol

from hanamikoji.engine.seat import Batch, Game, Parameters

__all__ = ["Batch", "Game", "Parameters", "Prepared"]


class Prepared(Protocol):
    """An agent that wants to see the rules before it plays."""

    def prepare(self, game: Game) -> Parameters | None:
        """Look at the rules; a compiled agent returns its arrays."""
