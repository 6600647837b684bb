"""Make the presets' shipped weights: ``python -m hanamikoji.learning.training.ship``.

Takes a quarter of an hour or so on two cores for all presets; continues where it was stopped, and
skips weights that are already there from the same recipe. ``--rounds`` makes others than the
package's.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hanamikoji._jit import cache_folder
from hanamikoji.errors import PluginError
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.store import EFFORTS
from hanamikoji.learning.network.weights import TRAINER, WeightsOrigin, load_weights, save_weights
from hanamikoji.learning.training.main import train
from hanamikoji.rules import PRESETS

SHIPPED = Path(__file__).parents[1] / "network" / "shipped"

ROUNDS = EFFORTS["long"]


def ship(names: list[str], rounds: int = ROUNDS, folder: Path = SHIPPED) -> None:
    """Train each preset with seed 1 and write its weights under the hash of its rules."""
    for name in names:
        rules = PRESETS[name]
        path = folder / f"{rules.hash}.npz"
        origin = WeightsOrigin(rules.hash, build_features(rules).signature, rounds, 1, TRAINER)
        try:
            if load_weights(path).origin == origin:
                continue
        except PluginError:
            pass
        part = cache_folder() / "learned" / f"ship-{rules.hash}.part.npz"
        weights = train(rules, rounds, checkpoint=part)
        save_weights(path, weights)
        print(f"{name}: {path.name}, weights {weights.hash}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the weights that are shipped.")
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="all, if none is named")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="instead of what is shipped")
    given = parser.parse_args()
    ship(given.presets or list(PRESETS), given.rounds)
