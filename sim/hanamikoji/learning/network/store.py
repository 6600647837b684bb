"""Where weights come from: shipped with the package, or the cache."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from hanamikoji._jit import cache_folder
from hanamikoji.errors import PluginError
from hanamikoji.learning.network.features import build_features
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
        f"effort is {effort!r}; it must be {', '.join(EFFORTS)}, or a number of rounds from 1 to "
        f"{MOST_ROUNDS:,}"
    )


def shipped_weights(rules: Rules) -> Weights | None:
    """The weights that come with the package for these rules; None if they are no preset's."""
    resource = files("hanamikoji.learning.network") / "shipped" / f"{rules.hash}.npz"
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        weights = load_weights(path)
    return check_weights(weights, build_features(rules), rules.hash, "the shipped weights")


def cached_path(rules: Rules, rounds: int, seed: int) -> Path:
    """Where the cache keeps the weights of an effort."""
    return cache_folder() / "learned" / f"{rules.hash}-{rounds}-{seed}-v{TRAINER}.npz"


def rounds_missing(rules: Rules, effort: str | int | None = None, seed: int = 1) -> int:
    """The rounds of self-play to train for before `find_weights` finds any; 0: they are at hand.

    Raises:
        PluginError: the effort is neither a name nor a number of rounds.
    """
    found = _look_up(rules, effort, seed)
    return found.rounds if isinstance(found, _Missing) else 0


def find_weights(rules: Rules, effort: str | int | None = None, seed: int = 1) -> Weights:
    """The weights for these rules: the same ones whatever is cached.

    Without an effort those that were shipped, if there are any. Otherwise exactly those of the
    effort and seed, shipped or cached.

    Raises:
        PluginError: they are to be trained first (the message names the command), or the effort is
            neither a name nor a number of rounds.
    """
    found = _look_up(rules, effort, seed)
    if isinstance(found, _Missing):
        raise PluginError(
            f"'learned' has no weights for the rules {rules.hash}: {found.why}; train it with: "
            f"hanamikoji train RULES --effort {found.rounds} --seed {seed}"
        )
    return found


@dataclass(frozen=True)
class _Missing:
    rounds: int
    why: str


def _look_up(rules: Rules, effort: str | int | None, seed: int) -> Weights | _Missing:
    shipped = shipped_weights(rules)
    if effort is None and shipped is not None and shipped.origin.seed == seed:
        return shipped
    rounds = rounds_of(DEFAULT_EFFORT if effort is None else effort)
    if shipped is not None:
        origin = shipped.origin
        if (origin.rounds, origin.seed, origin.trainer) == (rounds, seed, TRAINER):
            return shipped
    path = cached_path(rules, rounds, seed)
    if not path.exists():
        return _Missing(rounds, f"none of {rounds:,} rounds with seed {seed} are shipped or cached")
    try:
        where = f"the cached weights {path.name}"
        return check_weights(load_weights(path), build_features(rules), rules.hash, where)
    except PluginError as error:
        return _Missing(rounds, str(error))
