"""Which rules a table suits, and where tables are kept: in the cache, beside networks' weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hanamikoji._jit import cache_folder
from hanamikoji.errors import PluginError
from hanamikoji.learning.table.size import information_sets
from hanamikoji.learning.table.strategy import TRAINER, Strategy, load_strategy, save_strategy
from hanamikoji.learning.table.trainer import VISITS, TableTraining
from hanamikoji.rules import Rules

MOST_INFORMATION_SETS = 1_000_000
"""By the estimate, which for games of many rounds may be a third of what there are; the memory of
training holds as many."""

_FEWEST_VISITS = 400  # of an information set by training; with 35 a network played better, measured


def suits_table(rules: Rules, rounds: int) -> bool:
    """Whether these rules have so few information sets that an effort visits them all often."""
    return information_sets(rules) <= min(MOST_INFORMATION_SETS, rounds * VISITS // _FEWEST_VISITS)


def table_path(rules: Rules, rounds: int, seed: int) -> Path:
    """Where the cache keeps the table of an effort."""
    return cache_folder() / "learned" / f"{rules.hash}-{rounds}-{seed}-table-v{TRAINER}.npz"


def is_table_missing(rules: Rules, rounds: int, seed: int) -> bool:
    """Whether `find_table` would find none."""
    return isinstance(_look_up(rules, rounds, seed), str)


def find_table(rules: Rules, rounds: int, seed: int) -> Strategy:
    """The table of an effort and seed from the cache.

    Raises:
        PluginError: it is to be trained first; the message names the command.
    """
    found = _look_up(rules, rounds, seed)
    if isinstance(found, str):
        raise PluginError(
            f"'learned' has no table for the rules {rules.hash}: {found}; train it with: "
            f"hanamikoji train RULES --effort {rounds} --seed {seed}"
        )
    return found


def _look_up(rules: Rules, rounds: int, seed: int) -> Strategy | str:
    """The cached table, or why it can't be used."""
    path = table_path(rules, rounds, seed)
    if not path.exists():
        return f"none of {rounds:,} rounds with seed {seed} is cached"
    try:
        return load_strategy(path, rules)
    except PluginError as error:
        return str(error)


def train_table(
    rules: Rules, rounds: int, seed: int = 1, tell: Callable[[TableTraining], None] | None = None
) -> Strategy:
    """Train a table and cache it; ``tell`` is called after every step."""
    training = TableTraining(rules, rounds, seed)
    training.run(tell)
    strategy = training.strategy()
    save_strategy(table_path(rules, rounds, seed), strategy)
    return strategy
