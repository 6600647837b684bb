"""Weight files are what their recipes make: rules, rounds and seed, and nothing of the machine.

The short versions run with the other tests. The long one makes a shipped file anew, as long as its
training took: ``pytest -m soak tests/learning/training/test_recipes.py -k wealth``; without ``-k``
all of them.
``python -m hanamikoji.learning.training.ship`` writes them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hanamikoji.agents.loading import load_agent
from hanamikoji.engine.seat import CompiledSeat, Game
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.attack.response import Response
from hanamikoji.learning.network.store import shipped_weights
from hanamikoji.learning.network.weights import Weights, load_weights, save_weights
from hanamikoji.learning.training import Recipe, ship, train
from hanamikoji.learning.training import main as training_main
from hanamikoji.rules import PRESETS, load_rules

BASE = PRESETS["base"]

wrapping = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
"""Unsigned integers wrap; what `conftest` tells NumPy of it holds in the first thread alone."""

TINY = {
    "charm": [1, 2],
    "items": [3, 3],
    "hand": 1,
    "removed": 0,
    "actions": ["base/secret"],
    "goals": {"charm": 3, "geishas": False},
}


@pytest.mark.jit
def test_ship__one_and_two_threads_write_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for threads in (1, 2):
        monkeypatch.setattr(training_main, "threads_here", lambda n=threads: n)
        folder = tmp_path / str(threads)
        ship.ship(["base"], 4096, folder)
        (path,) = folder.iterdir()
        assert path.name == f"{BASE.hash}.npz"
        written.append(path.read_bytes())
    assert written[0] == written[1]


@pytest.mark.jit
def test_ship__leaves_alone_what_its_recipe_made(tmp_path: Path) -> None:
    path = tmp_path / f"{BASE.hash}.npz"
    ship.ship(["base"], 64, tmp_path)
    made = path.stat()
    ship.ship(["base"], 64, tmp_path)
    assert path.stat() == made
    ship.ship(["base"], 128, tmp_path)
    assert load_weights(path).origin.rounds == 128


@wrapping
def test_recipe__makes_the_same_compiled_checked_and_as_plain_python() -> None:
    """One figure for all three ways to run: training is additions and products in a fixed order.

    Only `exp` is more, and it is our own; no sum is reordered, no product fused with one. So the
    figure holds on every platform, and if it changes, so do all weights: raise TRAINER.
    """
    assert train(load_rules(TINY), 1024).hash == "8045d5ef818f0c9e"


@wrapping
def test_response__is_the_same_compiled_checked_and_as_plain_python() -> None:
    rules = load_rules(TINY)
    random = load_agent(AgentUse(name="random", agent="random")).seat(Game.of(rules))
    assert isinstance(random, CompiledSeat)
    training = Response(rules, Recipe(1024, 3), random)
    training.run()
    assert training.weights().hash == "d941cddc08841e6a"


_TRAIN = """
import sys
from pathlib import Path
from hanamikoji.learning.network.weights import save_weights
from hanamikoji.rules import PRESETS
from hanamikoji.learning.training import train

save_weights(Path(sys.argv[1]), train(PRESETS["base"], 1024))
"""

OLD_CPU = {
    "NUMBA_CPU_NAME": "x86-64",
    "NUMBA_CPU_FEATURES": "",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3",
}
"""The code that a computer without wide vectors and fused products would run."""


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="code for an old x86")
def test_recipe__makes_the_same_file_on_an_old_cpu(tmp_path: Path) -> None:
    here, there = tmp_path / "here.npz", tmp_path / "there.npz"
    save_weights(here, train(BASE, 1024))
    environment = os.environ | OLD_CPU | {"HANAMIKOJI_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", _TRAIN, str(there)], env=environment, check=True)
    assert here.read_bytes() == there.read_bytes()


def assert_same(one: Weights, two: Weights) -> None:
    for name in ("rows", "heads", "scales", "biases", "values", "temperature"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert one.origin == two.origin


def test_shipped__is_of_as_many_rounds_as_the_recipe_says() -> None:
    for name, rules in PRESETS.items():
        shipped = shipped_weights(rules)
        assert shipped is not None
        assert shipped.origin.rounds == ship.ROUNDS, name


@pytest.mark.jit
@pytest.mark.soak
@pytest.mark.parametrize("name", PRESETS)
def test_shipped__weights_are_what_their_recipe_makes(name: str, tmp_path: Path) -> None:
    rules = PRESETS[name]
    shipped = shipped_weights(rules)
    assert shipped is not None
    ship.ship([name], folder=tmp_path)
    assert_same(load_weights(tmp_path / f"{rules.hash}.npz"), shipped)
