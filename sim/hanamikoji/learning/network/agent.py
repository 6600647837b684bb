"""The agent's class and its kernel."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from hanamikoji._jit import address_of, address_of_agent, fixed, flat, i32_at, raw
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine.seat import CompiledSeat
from hanamikoji.errors import PluginError
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import SCRATCH_LANES, learned_choice, scratch_memory
from hanamikoji.learning.network.plan import build_plan
from hanamikoji.learning.network.store import find_weights, rounds_missing, rounds_of
from hanamikoji.learning.network.weights import Weights, check_weights, load_weights, pack
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules


def _learned(view, tables, weights, numbers, lanes, memory, word):
    bytes_before = np.int64(numbers[lay.PLAN_ROW]) * (2 * lay.LANES)
    plan = i32_at(address_of(weights) + bytes_before, np.int64(numbers[lay.PLAN_SIZE]))
    return learned_choice(
        raw(view), 0, fixed(tables), raw(plan), flat(weights), flat(lanes), raw(memory), 0
    )


class Learned:
    """A network trained by self-play on the rules at hand; plays the move with the best score.

    ``effort``: "quick", "standard", "long" or a number of rounds; left out, the shipped weights if
    there are any, else those of "standard". ``seed``: of the training. ``weights``: a file written
    by ``hanamikoji train``, instead.
    """

    kernel = staticmethod(_learned)

    def __init__(
        self, effort: str | int | None = None, seed: int = 1, weights: str | None = None
    ) -> None:
        if weights is not None and (effort is not None or seed != 1):
            raise PluginError("weights are a finished training: effort and seed don't go with them")
        if effort is not None:
            rounds_of(effort)
        if type(seed) is not int or not 0 <= seed < 2**63:
            raise PluginError(f"seed is {seed!r}; it can be a whole number from 0 to 2^63 - 1")
        self._effort, self._seed, self._file = effort, seed, weights

    def weights(self, rules: Rules) -> Weights:
        """The weights it plays these rules with; trained now if need be.

        Raises:
            PluginError: a file that is no weights file, or one of other rules.
        """
        if self._file is None:
            return find_weights(rules, self._effort, self._seed)
        where = f"the weights in {self._file!r}"
        return check_weights(load_weights(Path(self._file)), build_plan(rules), rules.hash, where)

    def training(self, rules: Rules) -> int:
        """The rounds of self-play that it would first be trained for; 0: it can play at once."""
        return 0 if self._file is not None else rounds_missing(rules, self._effort, self._seed)

    def facts(self, rules: Rules) -> dict[str, Any]:
        """What the manifest records: the weights' hash and where they come from."""
        weights = self.weights(rules)
        origin = weights.origin
        return {
            "weights": weights.hash,
            "rounds": origin.rounds,
            "seed": origin.seed,
            "trainer": origin.trainer,
        }

    def prepare(self, game: Game) -> Parameters:
        """Find the weights; say what was too large for a table."""
        plan = build_plan(game.rules)
        for note in plan.notes:
            print(f"learned: {note}", file=sys.stderr, flush=True)
        weights, numbers = pack(self.weights(game.rules), plan)
        return Parameters(weights, numbers, SCRATCH_LANES, scratch_memory(plan.array))


def learned_seat(weights: Weights, game: Game, name: str = "learned") -> CompiledSeat:
    """These weights, ready to play: what the loader makes of the class, without a file."""
    plan = build_plan(game.rules)
    arrays, numbers = pack(weights, plan)
    parameters = Parameters(arrays, numbers, SCRATCH_LANES, scratch_memory(plan.array))
    return CompiledSeat(name, address_of_agent(_learned, "learned", ix.VIEW_SIZE), parameters)
