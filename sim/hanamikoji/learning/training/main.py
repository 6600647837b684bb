"""Train the weights of a variant: from nothing or a checkpoint to a finished file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hanamikoji.learning.network.store import cached_path
from hanamikoji.learning.network.weights import Weights, save_weights
from hanamikoji.learning.training.checkpoint import load_checkpoint, save_checkpoint
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.trainer import Recipe, Training
from hanamikoji.rules import Rules

_SECONDS_BETWEEN_CHECKPOINTS = 15.0

Tell = Callable[[Training], None]


def threads_here() -> int:
    """How many threads can be used: at most two blocks of lanes are worked on at once."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(count or 1, 8))


def train(
    rules: Rules,
    rounds: int,
    seed: int = 1,
    *,
    checkpoint: Path | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> Weights:
    """Train for so many rounds of self-play and return the weights.

    They depend on the rules, the rounds and the seed alone. With a ``checkpoint`` file the training
    is kept there now and then, and goes on from it if it was interrupted. ``tell`` is called after
    every step.
    """
    training = Training(rules, Recipe(rounds, seed))
    if checkpoint is not None:
        load_checkpoint(checkpoint, training)
    last = time.monotonic()
    try:
        with Team(threads or threads_here()) as team:
            while training.done < rounds:
                training.step(team)
                if tell is not None:
                    tell(training)
                now = time.monotonic()
                if checkpoint is not None and now - last > _SECONDS_BETWEEN_CHECKPOINTS:
                    save_checkpoint(checkpoint, training)
                    last = now
    except KeyboardInterrupt:
        if checkpoint is not None and not training.broken:
            save_checkpoint(checkpoint, training)
        raise
    weights = training.weights()
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return weights


def train_to_cache(rules: Rules, rounds: int, seed: int = 1, tell: Tell | None = None) -> Weights:
    """Train with a bar on stderr, and keep the weights in the cache."""
    path = cached_path(rules, rounds, seed)
    with _Bar(rounds, tell) as bar:
        weights = train(
            rules, rounds, seed, checkpoint=path.with_suffix(".part.npz"), tell=bar.update
        )
    save_weights(path, weights)
    return weights


class _Bar:
    """Rounds played, on stderr; nothing where that is no terminal."""

    def __init__(self, rounds: int, tell: Tell | None) -> None:
        from tqdm import tqdm

        self._rounds = rounds
        self._tell = tell
        self._bar: Any = tqdm(
            total=rounds,
            unit=" rounds",
            unit_scale=True,
            leave=False,
            disable=None,
            desc="training",
        )

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def update(self, training: Training) -> None:
        self._bar.update(min(training.done, self._rounds) - self._bar.n)
        if self._tell is not None:
            self._tell(training)
