"""Training: batches of self-play rounds with fixed weights, each followed by one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FeatureLayout, build_features
from hanamikoji.learning.network.network import SCRATCH_LANES, Network, scratch_size
from hanamikoji.learning.network.values import MOST_ENTRIES
from hanamikoji.learning.network.weights import Weights, WeightsOrigin, quantise
from hanamikoji.learning.training import selfplay, update
from hanamikoji.learning.training.selfplay import Games, Learner, Samples, Stretch
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.update import BLOCKS, Folded, Rates, Scratch, Trained
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Array = npt.NDArray[Any]

CHUNKS = 8


@dataclass(frozen=True)
class Recipe:
    """How to train: the figures that the kernels are driven by."""

    rounds: int
    seed: int = 1
    rate: float = 0.0025
    flat: float = 0.3
    """Share of the rounds at the full rate, which then falls to 0 in a straight line."""
    epsilon: float = 0.08
    last_epsilon: float = 0.02
    temperature: float = 0.3
    """Of the choices at first, in log-odds of winning; its inverse grows in a straight line."""
    most_temperature: float = 0.08
    """Of play ..."""
    mixing: float = 0.3
    """... and what it is at most, times the bits of a player's choices in a round: mixing costs no
    more than the temperature times their entropy, so longer rounds are played at lower ones."""
    cooling: float = 0.7
    """Share of the rounds in which the temperature falls."""
    random_share: float = 0.15
    trace: float = 0.7
    """How much of a decision's target is what became of the round rather than the next guess."""
    chunk: int = 32
    """Rounds that one chunk plays between two steps: 8 learn no better, but slower."""
    spread: float = 0.01
    head_spread: float = 0.25


class Training:
    """The state of a training: weights, moments, V, and each chunk's game."""

    def __init__(self, rules: Rules, recipe: Recipe) -> None:
        self.rules = rules
        self.recipe = recipe
        self.features: FeatureLayout = build_features(rules)
        self.tables = build_tables(rules).copy()
        self.done = 0
        self.steps_done = 0
        self.broken = False  # in the middle of a step
        self.losses: list[float] = []
        features, array = self.features, self.features.array
        self.bias_moments = np.zeros((2, features.heads))
        self.visits = np.zeros(int(array[lay.VALUES]), np.int64)
        self.values = np.full(len(self.visits), 0.5 if array[lay.CONFIGS] else 0.0)
        self.bias = np.zeros(features.heads)
        self.bits = np.zeros(1, np.int64)  # of all choices of the first step
        self.games = Games(
            np.zeros((CHUNKS, st.SIZE), np.int32), np.zeros((CHUNKS, st.KEYS), np.uint64)
        )
        self.trained = _untrained(features, recipe)
        self.samples = _no_samples(int(self.tables[ix.TURNS]), recipe)
        self._allocate()
        self.fold()

    def _allocate(self) -> None:
        features, n = self.features, lay.LANES
        scale, most = _int16_scale(sum(most for _, _, most in features.slots))
        self.folded = Folded(
            np.zeros((features.rows, n), np.float32),
            np.zeros((features.rows + features.heads, n), np.int16),
            scale,
            most,
        )
        memory = np.zeros((CHUNKS, scratch_size(features.array)), np.int64)
        lanes = np.zeros((CHUNKS, SCRATCH_LANES, n), np.int16)
        array = features.array.copy()
        choices = int(self.tables[ix.MOVES]) + int(self.tables[ix.RESPONSES])
        scores = np.zeros((CHUNKS, 2 * choices), np.int64)
        self.network = Network(array, self.folded.weights, lanes, memory, scores)
        self._scratch = Scratch(
            np.zeros((features.rows, n), np.float32),
            np.zeros((BLOCKS, 2, features.rows), np.int32),
            np.zeros((BLOCKS, n), np.float32),
        )
        self._fixes = update.corrections(10_000)
        self._bias_sums = np.zeros(features.heads)
        self._seed = np.uint64(rng.agent_key(self.recipe.seed, "training"))

    def fold(self) -> None:
        """Make the tables for play from the trained rows."""
        update.fold(lay.LANES, self.trained, self.folded)

    @property
    def heads(self) -> Array:
        """float32 (heads, 64): the output weights."""
        heads: Array = self.trained.theta[self.features.trained :]
        return heads

    def _learner(self) -> Learner:
        return Learner(self.folded.rows, self.heads, self.bias, self.values)

    def _stretch(self) -> Stretch:
        recipe = self.recipe
        return Stretch(
            self._seed, self.done, recipe.chunk, recipe.random_share, self._epsilon(),
            self._sharpness(), recipe.trace,
        )  # fmt: skip

    def _play(self, begin: int, end: int) -> None:
        selfplay.play_chunks(
            begin, end, self.tables, self.games, self.network, self._learner(), self._stretch(),
            self.samples,
        )  # fmt: skip

    def _update(self, begin: int, end: int) -> None:
        rates = Rates(np.float32(self._rate()), self._fixes)
        for block in range(begin, end):
            update.update_block(
                block, update.WIDE, self.samples, self.trained, self.folded, self._scratch, rates
            )

    def _epsilon(self) -> float:
        recipe = self.recipe
        left = 1 - self.done / recipe.rounds
        return recipe.last_epsilon + (recipe.epsilon - recipe.last_epsilon) * left

    @property
    def temperature(self) -> float:
        """That of play, known after the first step."""
        recipe = self.recipe
        bits = self.bits[0] / (2 * CHUNKS * recipe.chunk)
        return min(recipe.most_temperature, recipe.mixing / max(float(bits), 1e-9))

    def _sharpness(self) -> float:
        """The inverse temperature, which grows in a straight line, for scores in self-play."""
        first, last = 1 / self.recipe.temperature, 1 / self.temperature
        part = min(1.0, self.done / self.recipe.rounds / self.recipe.cooling)
        unit = float(self.folded.scale) * float(update.HEAD_SCALE)
        return (first + (last - first) * part) / unit

    def _rate(self) -> float:
        recipe = self.recipe
        part = self.done / recipe.rounds
        return recipe.rate * min(1.0, max(0.0, (1 - part) / (1 - recipe.flat)))

    def step(self, team: Team) -> None:
        """One batch of rounds, one step of every weight that they touched."""
        self.broken = True
        team.share(self._play, CHUNKS)
        if self.steps_done == 0:
            self.bits[0] = self.samples.bits.sum()
        self.steps_done += 1
        rate = self._rate()
        update.update_bias(
            self.samples, self.bias, self.bias_moments, self._bias_sums,
            Rates(rate, self._fixes), self.steps_done,
        )  # fmt: skip
        floor = 0.001 + 0.004 * rate / self.recipe.rate
        table = bool(self.features.array[lay.CONFIGS])
        update.update_values(self.samples, self.values, self.visits, table, floor)
        team.share(self._update, BLOCKS)
        self.losses.append(float(self.samples.losses.sum() / self.samples.count.sum()))
        self.done += CHUNKS * self.recipe.chunk
        self.broken = False

    def weights(self) -> Weights:
        """The weights as they are now, in integers."""
        features, recipe = self.features, self.recipe
        origin = WeightsOrigin(self.rules.hash, features.signature, recipe.rounds, recipe.seed)
        return quantise(
            features, self.folded.rows, self.heads, self.bias, self.values,
            self.temperature, origin,
        )  # fmt: skip

    def run(self, threads: int = 1, tell: Callable[[Training], None] | None = None) -> None:
        """Train until the recipe's rounds are played; ``tell`` is called after every step."""
        with Team(threads) as team:
            while self.done < self.recipe.rounds:
                self.step(team)
                if tell is not None:
                    tell(self)


def _untrained(features: FeatureLayout, recipe: Recipe) -> Trained:
    """Where training begins: some rows and the heads uniform at random, the others zero."""
    shape = (features.trained + features.heads, lay.LANES)
    theta = np.zeros(shape, np.float32)
    random = np.random.Generator(np.random.PCG64(recipe.seed))
    wide = random.random((len(features.initial), lay.LANES)) * 2 - 1
    theta[features.initial] = recipe.spread * wide
    theta[features.trained :] = recipe.head_spread * (random.random(lay.LANES) * 2 - 1)
    return Trained(
        theta,
        first=np.zeros(shape, np.float32),
        second=np.zeros(shape, np.float32),
        gradient=np.zeros(shape, np.float32),
        steps=np.zeros((BLOCKS, shape[0]), np.int32),
        parts=features.parts.copy(),
    )


def _no_samples(turns: int, recipe: Recipe) -> Samples:
    """Room for the samples of one step."""
    most = recipe.chunk * 2 * turns
    return Samples(
        count=np.zeros(CHUNKS, np.int64),
        rows=np.zeros((CHUNKS, most, lay.MOST_ROWS), np.int32),
        sizes=np.zeros((CHUNKS, most), np.int32),
        heads=np.zeros((CHUNKS, most), np.int32),
        slopes=np.zeros((CHUNKS, most), np.float32),
        sums=np.zeros((CHUNKS, most, lay.LANES), np.float32),
        products=np.zeros((CHUNKS, lay.LANES), np.float32),
        entries=np.zeros((CHUNKS, recipe.chunk, 1 + MOST_ENTRIES), np.int64),
        targets=np.zeros((CHUNKS, recipe.chunk)),
        scratch=np.zeros((CHUNKS, MOST_ENTRIES), np.int64),
        losses=np.zeros(CHUNKS),
        bits=np.zeros(CHUNKS, np.int64),
    )


def _int16_scale(active: int) -> tuple[np.float32, np.float32]:
    """What float rows are multiplied by for self-play, and the largest int16 of each."""
    most = 32767 // active
    return np.float32(2 ** int(np.log2(most / 4))), np.float32(most)
