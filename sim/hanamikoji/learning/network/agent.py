"""The agent's class and its kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hanamikoji._jit import address_of_agent, fixed, flat, raw, shifted
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.engine.seat import CompiledSeat
from hanamikoji.errors import PluginError
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.network import (
    SCRATCH_LANES,
    Network,
    features_in,
    learned_choice,
    mixed_choice,
    scratch_size,
)
from hanamikoji.learning.network.packing import pack
from hanamikoji.learning.network.rows import head_of
from hanamikoji.learning.network.store import (
    DEFAULT_EFFORT,
    find_weights,
    rounds_missing,
    rounds_of,
    shipped_weights,
)
from hanamikoji.learning.network.weights import Weights, check_weights, load_weights
from hanamikoji.learning.table.play import table_choice, table_parameters
from hanamikoji.learning.table.store import (
    find_table,
    is_table_missing,
    suits_table,
    train_table,
)
from hanamikoji.learning.table.strategy import Strategy, is_strategy, load_strategy
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

MODELS = ("table", "network")


def _learned(view, tables, weights, numbers, lanes, memory, word):
    features, scores = features_in(weights, numbers), raw(memory)
    scratch = shifted(scores, 2 * (np.int64(tables[ix.MOVES]) + tables[ix.RESPONSES]))
    network = Network(features, flat(weights), flat(lanes), scratch, scores)
    if numbers[lay.TEMPERATURE] == 0.0:
        return learned_choice(raw(view), fixed(tables), network)
    head = head_of(raw(view), fixed(tables), features)
    sharpness = numbers[np.int64(numbers[lay.SCALES_AT]) + head] / numbers[lay.TEMPERATURE]
    return mixed_choice(raw(view), fixed(tables), network, sharpness, word)[0]


class Learned:
    """Trains itself by self-play on the rules at hand: a network, or a table where one suits them.

    The network draws moves by a random word, the better a move's score, the likelier, as it does in
    training. Rules with few information sets get a table of mixed strategies, which is close to
    optimal. ``effort``: "quick", "standard", "long" or a number
    of rounds; left out, the shipped weights if there are any, else those of "standard". ``seed``:
    of the training. ``weights``: a file written by ``hanamikoji train``, instead. ``model``:
    "table" or "network", whichever suits the rules better.
    """

    kernel: Callable[..., int] = staticmethod(_learned)

    def __init__(
        self,
        effort: str | int | None = None,
        seed: int = 1,
        weights: str | None = None,
        model: str | None = None,
    ) -> None:
        if weights is not None and (effort is not None or seed != 1):
            raise PluginError("weights are given, so nothing is trained; leave out effort and seed")
        if model is not None and model not in MODELS:
            raise PluginError(f"model is {model!r}; it can be {' or '.join(MODELS)}")
        self._rounds = rounds_of(DEFAULT_EFFORT if effort is None else effort)
        if type(seed) is not int or not 0 <= seed < 2**63:
            raise PluginError(f"seed is {seed!r}; it can be a whole number from 0 to 2^63 - 1")
        self._effort, self._seed, self._file, self._model = effort, seed, weights, model

    def model(self, rules: Rules) -> str:
        """What it plays these rules with, one of `MODELS`; the same whatever a cache holds."""
        if self._model is not None:
            return self._model
        if self._file is not None:
            return "table" if is_strategy(Path(self._file)) else "network"
        network = shipped_weights(rules) is not None or not suits_table(rules, self._rounds)
        return "network" if network else "table"

    def weights(self, rules: Rules) -> Weights | Strategy:
        """The weights it plays these rules with.

        Raises:
            PluginError: it has to be trained first, or its file is no weights file, or one of
                other rules.
        """
        if self.model(rules) == "table":
            if self._file is None:
                return find_table(rules, self._rounds, self._seed)
            return load_strategy(Path(self._file), rules)
        return self.network(rules)

    def network(self, rules: Rules) -> Weights:
        """The network's weights, whatever it plays these rules with.

        Raises:
            PluginError: as of `weights`.
        """
        if self._file is None:
            return find_weights(rules, self._effort, self._seed)
        if is_strategy(Path(self._file)):
            raise PluginError(
                f"the weights in {self._file!r} are a table's, not a network's; write others with: "
                "hanamikoji train RULES --model network --out FILE"
            )
        where = f"the weights in {self._file!r}"
        features = build_features(rules)
        return check_weights(load_weights(Path(self._file)), features, rules.hash, where)

    def training(self, rules: Rules) -> int:
        """The rounds of self-play that it must be trained for first; 0: it can play at once."""
        if self._file is not None:
            return 0
        if self.model(rules) == "table":
            return self._rounds if is_table_missing(rules, self._rounds, self._seed) else 0
        return rounds_missing(rules, self._effort, self._seed)

    def train(self, rules: Rules, tell: Callable[[int], None] | None = None) -> None:
        """Train for those rounds and keep the weights in the cache.

        ``tell`` is called now and then with the rounds played so far.
        """
        from hanamikoji.learning.training.main import train_to_cache

        rounds = self.training(rules)
        if rounds and self.model(rules) == "table":
            train_table(rules, rounds, self._seed, lambda t: tell(t.done) if tell else None)
        elif rounds:
            train_to_cache(rules, rounds, self._seed, lambda t: tell(t.done) if tell else None)

    def facts(self, rules: Rules) -> dict[str, Any]:
        """What the manifest records: the model, the weights' hash and where they come from."""
        weights = self.weights(rules)
        origin = weights.origin
        return {
            "model": "table" if isinstance(weights, Strategy) else "network",
            "weights": weights.hash,
            "rounds": origin.rounds,
            "seed": origin.seed,
            "trainer": origin.trainer,
        }

    def prepare(self, game: Game) -> Parameters:
        """The weights and scratch memory for the kernel, which the model decides.

        Raises:
            PluginError: as of `weights`.
        """
        weights = self.weights(game.rules)
        if isinstance(weights, Strategy):
            self.kernel = table_choice
            return table_parameters(weights)
        return _parameters(weights, game)


def _parameters(weights: Weights, game: Game) -> Parameters:
    features = build_features(game.rules)
    rows, numbers = pack(features, weights)
    memory = 2 * (game.moves + game.responses) + scratch_size(features.array)
    return Parameters(rows, numbers, SCRATCH_LANES, memory)


def learned_seat(weights: Weights, game: Game, name: str = "learned") -> CompiledSeat:
    """These weights, ready to play: what the loader makes of the class, without a file."""
    address = address_of_agent(_learned, "learned", ix.VIEW_SIZE)
    return CompiledSeat(name, address, _parameters(weights, game))
