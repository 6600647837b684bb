"""Where weights come from: shipped with the package, the cache, or training right now."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from pathlib import Path

from hanamikoji._jit import cache_folder
from hanamikoji.errors import PluginError
from hanamikoji.learning.network.plan import build_plan
from hanamikoji.learning.network.weights import TRAINER, Weights, check_weights, load_weights
from hanamikoji.rules import Rules

EFFORTS = {"quick": 1_000_000, "standard": 4_000_000, "long": 10_000_000}
"""Rounds of self-play."""

DEFAULT_EFFORT = "standard"
MOST_ROUNDS = 1_000_000_000


def rounds_of(effort: str | int) -> int:
    """The rounds of an effort: one of `EFFORTS`, or a number of rounds itself.

    Raises:
        PluginError: it is neither.
    """
    if isinstance(effort, str) and effort.isdigit():
        effort = int(effort)
    if isinstance(effort, str) and effort in EFFORTS:
        return EFFORTS[effort]
    if type(effort) is int and 1 <= effort <= MOST_ROUNDS:
        return effort
    raise PluginError(
        f"effort is {effort!r}; it can be {', '.join(EFFORTS)}, or a number of rounds from 1 to "
        f"{MOST_ROUNDS:,}"
    )


def shipped_weights(rules: Rules) -> Weights | None:
    """The weights that come with the package for these rules; none: they are no preset's."""
    resource = files("hanamikoji.learning.network") / "shipped" / f"{rules.hash}.npz"
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        weights = load_weights(path)
    return check_weights(weights, build_plan(rules), rules.hash, "the shipped weights")


def cached_path(rules: Rules, rounds: int, seed: int) -> Path:
    """Where the cache keeps the weights of an effort."""
    return cache_folder() / "learned" / f"{rules.hash}-{rounds}-{seed}-v{TRAINER}.npz"


def rounds_missing(rules: Rules, effort: str | int | None = None, seed: int = 1) -> int:
    """The rounds of self-play that `find_weights` would train for; 0: weights are at hand.

    Raises:
        PluginError: the effort is none.
    """
    rounds = rounds_of(DEFAULT_EFFORT if effort is None else effort)
    shipped = shipped_weights(rules)
    if shipped is not None and shipped.origin.seed == seed:
        origin = shipped.origin
        if effort is None or (origin.rounds, origin.trainer) == (rounds, TRAINER):
            return 0
    return 0 if cached_path(rules, rounds, seed).exists() else rounds


def find_weights(rules: Rules, effort: str | int | None = None, seed: int = 1) -> Weights:
    """The weights for these rules: the same ones whatever a cache happens to hold.

    Without an effort those that were shipped, if there are any. Otherwise exactly those of the
    effort and seed: shipped, cached, or trained now, with a bar and a line that says why.

    Raises:
        PluginError: the effort is none.
    """
    shipped = shipped_weights(rules)
    if effort is None and shipped is not None and shipped.origin.seed == seed:
        return shipped
    rounds = rounds_of(DEFAULT_EFFORT if effort is None else effort)
    if shipped is not None:
        origin = shipped.origin
        if (origin.rounds, origin.seed, origin.trainer) == (rounds, seed, TRAINER):
            return shipped
    path = cached_path(rules, rounds, seed)
    why = "no weights are shipped or cached for them"
    if path.exists():
        try:
            where = f"the cached weights {path.name}"
            return check_weights(load_weights(path), build_plan(rules), rules.hash, where)
        except PluginError as error:
            why = f"{error}"
    print(
        f"training 'learned' for the rules {rules.hash}, {rounds:,} rounds: {why}",
        file=sys.stderr,
        flush=True,
    )
    # The trainer is a floor above the agents: the one call upward, when there is nothing to load.
    from hanamikoji.learning.training.main import train_to_cache

    return train_to_cache(rules, rounds, seed)
