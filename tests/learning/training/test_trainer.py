"""Training: gradients, V, and the same bytes for any threads, interruptions and platforms."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.rows import pair_rank
from hanamikoji.learning.network.weights import Weights
from hanamikoji.learning.training import Recipe, Training, train
from hanamikoji.learning.training.checkpoint import load_checkpoint, save_checkpoint
from hanamikoji.learning.training.team import Team
from hanamikoji.rules import PRESETS, Rules, load_rules

pytestmark = pytest.mark.jit

BASE = PRESETS["base"]


def same(one: Weights, two: Weights) -> bool:
    return one.hash == two.hash and one.rows.tobytes() == two.rows.tobytes()


# --- determinism ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["base", "three-round", "serendipity"])
def test_threads__one_and_two_give_the_same_bytes(name: str) -> None:
    one, two = (train(PRESETS[name], 2048, 7, threads=n) for n in (1, 2))
    assert same(one, two)
    assert not same(one, train(PRESETS[name], 2048, 8, threads=2))


def test_interrupted__goes_on_to_the_same_weights(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    recipe = Recipe(2048, 3)
    with Team(2) as team:
        begun = Training(BASE, recipe)
        for _ in range(3):
            begun.step(team)
    save_checkpoint(path, begun)
    fresh = Training(BASE, recipe)
    assert load_checkpoint(path, fresh)
    assert fresh.done == begun.done > 0
    assert same(train(BASE, 2048, 3, checkpoint=path), train(BASE, 2048, 3))
    assert not path.exists()


def test_interrupted_by_the_keyboard__leaves_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"

    def stop(training: Training) -> None:
        if training.done >= 1024:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(BASE, 2048, 3, checkpoint=path, tell=stop)
    assert path.exists()
    assert same(train(BASE, 2048, 3, checkpoint=path), train(BASE, 2048, 3))


def test_checkpoint__of_another_training_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    save_checkpoint(path, Training(BASE, Recipe(2048, 3)))
    assert not load_checkpoint(path, Training(BASE, Recipe(2048, 4)))
    assert not load_checkpoint(path, Training(PRESETS["wealth"], Recipe(2048, 3)))
    path.write_bytes(b"rubbish")
    assert not load_checkpoint(path, Training(BASE, Recipe(2048, 3)))


# --- temperature ---------------------------------------------------------------------------------


def test_temperature__is_lower_where_a_round_has_more_to_choose() -> None:
    """No more than the recipe's; and what the weights are played with."""
    found = []
    for rules in (load_rules(DRAW_ONE), PRESETS["avoid-misfortune"], BASE):
        training = Training(rules, Recipe(4096, 2))
        with Team(1) as team:
            training.step(team)
        per_round = training.bits[0] / (2 * 8 * training.recipe.chunk)
        assert training.temperature <= training.recipe.most_temperature
        assert training.temperature * per_round <= training.recipe.mixing + 1e-12
        assert training.weights().temperature.tolist() == [training.temperature]
        found.append(training.temperature)
    assert found[0] == Recipe.most_temperature > found[1] > found[2] > 0


# --- gradients -----------------------------------------------------------------------------------


def test_step__sums_the_gradients_of_all_samples() -> None:
    """Against NumPy: after one step Adam's first moment is a tenth of the gradient."""
    training = Training(BASE, Recipe(4096, 2))
    heads, features = training.heads.copy(), training.features
    rows_before = training.folded.rows.astype(np.float64).copy()
    with Team(1) as team:
        training.step(team)
    trained, samples = training.trained, training.samples
    wanted = np.zeros(trained.theta.shape)
    for c, n in enumerate(samples.count.tolist()):
        for i in range(n):
            active = samples.rows[c, i, : samples.sizes[c, i]]
            head, slope = int(samples.heads[c, i]), float(samples.slopes[c, i])
            sums = rows_before[active].sum(axis=0)
            assert np.allclose(sums, samples.sums[c, i], atol=1e-5)
            wanted[features.trained + head] += slope * np.maximum(sums, 0)
            back = slope * (samples.sums[c, i] > 0) * heads[head]
            for row in active:
                for part in features.parts[row]:
                    if part >= 0:
                        wanted[part] += back
    assert np.allclose(trained.first / 0.1, wanted, atol=1e-4)
    assert not trained.gradient.any()
    assert not training._scratch.sources.any()
    folded = sum(
        np.where(p[:, None] >= 0, trained.theta[np.maximum(p, 0)], 0) for p in features.parts.T
    )
    assert np.allclose(folded, training.folded.rows, atol=1e-6)


def test_samples__slopes_are_chance_minus_outcome() -> None:
    training = Training(BASE, Recipe(4096, 2))
    with Team(1) as team:
        training.step(team)
    samples = training.samples
    assert samples.count.min() == 12 * training.recipe.chunk  # 8 moves, 4 answers a round
    for c, n in enumerate(samples.count.tolist()):
        assert np.abs(samples.slopes[c, :n]).max() < 1
        assert np.abs(samples.slopes[c, :n]).min() > 0


# --- V -------------------------------------------------------------------------------------------

DRAW_ONE = {
    "charm": [1, 1, 1],
    "items": [1, 1, 1],
    "hand": 0,
    "removed": 0,
    "actions": [{"name": "show", "cards": 1, "face": "up"}],
    "goals": {"charm": False, "geishas": 2},
}
"""Nothing to decide: each draws one of three cards and takes that geisha."""


def exact_values(rules: Rules) -> dict[tuple[int, ...], float]:
    """V of `DRAW_ONE` by value iteration over all marker configurations."""
    states = list(itertools.product((-1, 0, 1), repeat=3))
    values = dict.fromkeys(states, 0.5)
    for _ in range(300):
        for state in states:
            total = 0.0
            for mine, theirs in itertools.permutations(range(3), 2):
                after = list(state)
                after[mine], after[theirs] = 1, -1
                if after.count(1) >= 2 or after.count(-1) >= 2:
                    total += after.count(1) >= 2
                else:
                    total += 1 - values[tuple(-m for m in after)]
            values[state] = total / 6
    return values


@pytest.mark.parametrize("table", [True, False])
def test_values__of_a_solved_variant_are_its_exact_ones(
    table: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_features.cache_clear()
    if not table:
        monkeypatch.setattr("hanamikoji.learning.network.features.MOST_VALUES", 5)
    rules = load_rules(DRAW_ONE)
    found = train(rules, 120_000).values
    p = build_features(rules).array
    build_features.cache_clear()
    compared = 0
    for state, value in exact_values(rules).items():
        own, their = state.count(1), state.count(-1)
        if own >= 2 or their >= 2:
            continue
        rank = int(pair_rank(3, own, their))
        if table:
            learned = found[rank]
        else:
            charm = p[lay.VALUE_CHARM] + own * (p[lay.CHARM_CAP] + 1) + their
            odds = found[0] + found[p[lay.CLASS_VALUE] + rank] + found[charm]
            learned = 1 / (1 + np.exp(-odds))
        assert learned == pytest.approx(value, abs=0.03)
        compared += 1
    assert compared == 13


# --- reproducibility -----------------------------------------------------------------------------


def test_recipe__makes_the_weights_it_made() -> None:
    """If this changes, training gives other weights: raise TRAINER, and ship new ones."""
    assert train(BASE, 4096).hash == "7fab95b6f078d587"
