"""Train the weights of a variant: from nothing or a checkpoint to a finished file."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from hanamikoji._jit import use_temporary_cache
from hanamikoji.agents.loading import LoadedAgent
from hanamikoji.learning.network.store import cached_path
from hanamikoji.learning.network.weights import Weights, save_weights
from hanamikoji.learning.training.checkpoint import load_checkpoint, save_checkpoint
from hanamikoji.learning.training.team import Team
from hanamikoji.learning.training.trainer import Recipe, Training
from hanamikoji.machine import core_count
from hanamikoji.rules import Rules

_SECONDS_BETWEEN_CHECKPOINTS = 15.0
_MOST_THREADS = 8

Tell = Callable[[Training], None]

Progress = Callable[[str, int, int], None]
"""An agent's name, the rounds it is trained for, and those played so far."""


def threads_here() -> int:
    """How many threads a training uses here: more than a few wait for each other."""
    return min(core_count(), _MOST_THREADS)


def train(
    rules: Rules,
    rounds: int,
    seed: int = 1,
    *,
    checkpoint: Path | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> Weights:
    """Train for ``rounds`` rounds of self-play and return the weights.

    They depend on the rules, the rounds and the seed alone. With a ``checkpoint`` file the training
    is saved there now and then, and continues from it after an interruption. ``tell`` is called
    after every step.
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
                    with contextlib.suppress(OSError):  # a full disk doesn't end a training
                        save_checkpoint(checkpoint, training)
                    last = now
    except KeyboardInterrupt:
        if checkpoint is not None and not training.broken:
            with contextlib.suppress(OSError):
                save_checkpoint(checkpoint, training)
        raise
    weights = training.weights()
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return weights


def train_to_cache(rules: Rules, rounds: int, seed: int = 1, tell: Tell | None = None) -> Weights:
    """Train, and keep the weights in the cache; what an interrupted call did is not lost.

    Where the cache can't be written to they go to a temporary one, see `cache_trouble`.
    """
    path = cached_path(rules, rounds, seed)
    checkpoint = path.with_suffix(".part.npz")
    weights = train(rules, rounds, seed, checkpoint=checkpoint, tell=tell)
    try:
        save_weights(path, weights)
    except OSError as error:
        use_temporary_cache(error)
        save_weights(cached_path(rules, rounds, seed), weights)
    return weights


def ensure_weights(
    agents: Iterable[LoadedAgent], rules: Rules, progress: Progress | None = None
) -> None:
    """Train whoever of these agents must be trained before it can play these rules.

    One after the other, each with all cores. ``progress`` is called after every step.

    Raises:
        PluginError: an agent can't be made.
    """
    for agent in agents:
        rounds = agent.training(rules)
        if rounds:
            tell = None if progress is None else partial(progress, agent.name, rounds)
            agent.train(rules, tell)
