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
from hanamikoji.learning.network.network import SCRATCH_LANES, scratch_memory
from hanamikoji.learning.network.plan import FeaturePlan, build_plan
from hanamikoji.learning.network.weights import Origin, Weights, quantise
from hanamikoji.learning.training import selfplay, update
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.update import BLOCKS
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
        self.plan: FeaturePlan = build_plan(rules)
        self.tables = build_tables(rules).copy()
        self.array = self.plan.array.copy()
        self.parts = self.plan.parts.copy()
        self.done = 0
        self.steps_done = 0
        self.broken = False  # in the middle of a step
        self.losses: list[float] = []
        plan, n = self.plan, lay.LANES
        size = plan.trained + plan.heads
        self.theta = _initial(plan, recipe)
        self.first = np.zeros((size, n), np.float32)
        self.second = np.zeros((size, n), np.float32)
        self.gradient = np.zeros((size, n), np.float32)
        self.steps = np.zeros((BLOCKS, size), np.int32)
        self.bias = np.zeros(plan.heads)
        self.bias_moments = np.zeros((2, plan.heads))
        self.values = np.full(int(plan.array[lay.VALUES]), 0.5 if plan.array[lay.CONFIGS] else 0.0)
        self.visits = np.zeros(len(self.values), np.int64)
        self.states = np.zeros((CHUNKS, st.SIZE), np.int32)
        self._allocate()
        self.fold()

    def _allocate(self) -> None:
        plan, n, chunk = self.plan, lay.LANES, self.recipe.chunk
        most = chunk * 2 * int(self.tables[ix.TURNS])
        active = sum(m for _, _, m in plan.slots)
        self.scale, self.most = _int16_scale(active)
        self.wf = np.zeros((plan.rows, n), np.float32)
        self.w = np.zeros((plan.rows + plan.heads, n), np.int16)
        self.sources = np.zeros((plan.rows, n), np.float32)
        self.touched = np.zeros((BLOCKS, 2, plan.rows), np.int32)
        self.back = np.zeros((BLOCKS, n), np.float32)
        self.rows = np.zeros((CHUNKS, most, lay.MOST_ROWS), np.int32)
        self.counts = np.zeros((CHUNKS, most), np.int32)
        self.which = np.zeros((CHUNKS, most), np.int32)
        self.slopes = np.zeros((CHUNKS, most), np.float32)
        self.sums = np.zeros((CHUNKS, most, n), np.float32)
        self.products = np.zeros((CHUNKS, n), np.float32)
        self.value_rows = np.zeros((CHUNKS, chunk, 20), np.int64)
        self.value_targets = np.zeros((CHUNKS, chunk))
        self.chunk_losses = np.zeros((CHUNKS, 1))
        self.samples = np.zeros(CHUNKS, np.int64)
        self.keys = np.zeros((CHUNKS, st.KEYS), np.uint64)
        self.lanes = np.zeros((CHUNKS, SCRATCH_LANES, n), np.int16)
        self.memory = np.zeros((CHUNKS, scratch_memory(self.array) + 64), np.int64)
        self.fixes = update.corrections(10_000)
        self.bias_sums = np.zeros(plan.heads)

    def fold(self) -> None:
        """Make the tables for play from the trained rows."""
        update.fold(
            self.parts, self.theta, self.wf, self.w, lay.LANES, self.plan.trained, self.scale,
            self.most,
        )  # fmt: skip

    def _play(self, begin: int, end: int) -> None:
        recipe = self.recipe
        selfplay.play_chunks(
            begin, end, self.states, self.tables, self.keys, self.array, self.w, self.lanes,
            self.memory, self.values, self.wf, self.theta[self.plan.trained:], self.bias,
            self._seed, self.done, recipe.chunk, recipe.random_share, self._epsilon(),
            recipe.trace, self.samples,
            self.rows, self.counts, self.which, self.slopes, self.sums,
            self.products, self.value_rows, self.value_targets, self.chunk_losses,
        )  # fmt: skip

    def _update(self, begin: int, end: int) -> None:
        for block in range(begin, end):
            update.update_block(
                block, update.WIDE, self.samples, self.rows, self.counts,
                self.which, self.slopes, self.sums, self.parts, self.theta, self.first,
                self.second, self.steps, self.gradient, self.sources, self.touched, self.back,
                self.wf, self.w, self.plan.trained, np.float32(self._rate()), self.fixes,
                self.scale, self.most,
            )  # fmt: skip

    def _epsilon(self) -> float:
        recipe = self.recipe
        left = 1 - self.done / recipe.rounds
        return recipe.last_epsilon + (recipe.epsilon - recipe.last_epsilon) * left

    def _rate(self) -> float:
        recipe = self.recipe
        part = self.done / recipe.rounds
        return recipe.rate * min(1.0, max(0.0, (1 - part) / (1 - recipe.flat)))

    def step(self, team: Team) -> None:
        """One batch of rounds, one step of every weight that they touched."""
        self.broken = True
        self._seed = np.uint64(rng.agent_key(self.recipe.seed, "training"))
        team.share(self._play, CHUNKS)
        self.steps_done += 1
        rate = self._rate()
        update.update_bias(
            self.samples, self.which, self.slopes, self.bias, self.bias_moments, self.bias_sums,
            rate, self.fixes, self.steps_done,
        )  # fmt: skip
        floor = 0.001 + 0.004 * rate / self.recipe.rate
        update.update_values(
            self.value_rows, self.value_targets, self.values, self.visits,
            bool(self.array[lay.CONFIGS]), floor,
        )  # fmt: skip
        team.share(self._update, BLOCKS)
        self.losses.append(float(self.chunk_losses.sum() / self.samples.sum()))
        self.done += CHUNKS * self.recipe.chunk
        self.broken = False

    def weights(self) -> Weights:
        """The weights as they are now, in integers."""
        plan, recipe = self.plan, self.recipe
        origin = Origin(self.rules.hash, plan.signature, recipe.rounds, recipe.seed)
        heads = self.theta[plan.trained :]
        return quantise(plan, self.wf, heads, self.bias, self.values, origin)

    def run(self, threads: int = 1, tell: Callable[[Training], None] | None = None) -> None:
        """Train until the recipe's rounds are played; ``tell`` is called after every step."""
        with Team(threads) as team:
            while self.done < self.recipe.rounds:
                self.step(team)
                if tell is not None:
                    tell(self)


def _initial(plan: FeaturePlan, recipe: Recipe) -> Array:
    """Where training begins: some rows and the heads uniform at random, the others zero."""
    theta = np.zeros((plan.trained + plan.heads, lay.LANES), np.float32)
    random = np.random.Generator(np.random.PCG64(recipe.seed))
    wide = random.random((len(plan.initial), lay.LANES)) * 2 - 1
    theta[plan.initial] = recipe.spread * wide
    theta[plan.trained :] = recipe.head_spread * (random.random(lay.LANES) * 2 - 1)
    return theta


def _int16_scale(active: int) -> tuple[np.float32, np.float32]:
    """What float rows are multiplied by for self-play, and the largest int16 of each."""
    most = 32767 // active
    return np.float32(2 ** int(np.log2(most / 4))), np.float32(most)
