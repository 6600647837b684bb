"""Quick attacks on a trained agent, kept in the cache."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from hanamikoji._jit import cache_folder
from hanamikoji.agents import LoadedAgent
from hanamikoji.errors import ResultsError
from hanamikoji.learning.attack.probe import Effort, Tell, probe
from hanamikoji.learning.training import training_pace
from hanamikoji.results import Probe, probe_path, read_probe, write_probe
from hanamikoji.rules import Rules

QUICK = Effort(rounds=300_000, games=20_000, search_games=200, rollouts=50)
"""Some 20 seconds on two cores in the base game."""


def seconds_of_attacks(rules: Rules) -> float:
    """What they take, about, on this machine."""
    networks = 2 * QUICK.rounds / training_pace(rules, QUICK.rounds)
    return 2 * networks  # the search takes about as long as both networks


def attack_quickly(
    loaded: LoadedAgent, rules: Rules, folder: Path, tell: Tell | None = None
) -> Probe:
    """The attacks on an agent that a folder or the cache has, else new ones of `QUICK` effort.

    Of those in the folder any effort will do. New ones are kept in the cache.
    """
    cache = cache_folder() / "probes"
    weights = str(loaded.facts(rules).get("weights", ""))
    target = (loaded.agent, loaded.options, rules.hash)
    wanted = (loaded.version, weights)
    for found in _read(probe_path(where, *target) for where in (folder, cache)):
        if (found.version, found.weights) == wanted:
            return found
    found = probe(loaded, rules, QUICK, tell)
    with contextlib.suppress(ResultsError):  # a read-only cache: attacked again each time
        write_probe(cache, found)
    return found


def _read(paths: Iterable[Path]) -> Iterable[Probe]:
    for path in paths:
        with contextlib.suppress(ResultsError):
            yield read_probe(path)
