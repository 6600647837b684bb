"""V of a variant with choices that plain Python solves: under best play, and under random play.

Two cards each, one of which is shown and counts: what the other holds never says anything of what
it will do, so best play is found by looking ahead. (`test_trainer` has a variant without choices.)
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pytest

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.search.values import learn_values
from hanamikoji.learning.training import train
from hanamikoji.rules import load_rules

pytestmark = pytest.mark.jit

SHOW_ONE = {
    "charm": [1, 1, 1],
    "items": [2, 2, 2],
    "hand": 1,
    "removed": 0,
    "actions": [{"name": "show", "cards": 1, "face": "up"}],
    "goals": {"charm": False, "geishas": 2},
}
"""Each holds two of six cards and shows one; what both show changes nothing."""

CARDS = (0, 0, 1, 1, 2, 2)
State = tuple[int, ...]
Play = Callable[[Iterable[float]], float]


@cache
def deals() -> dict[tuple[State, State], float]:
    """The hands of who begins and of the other, and how likely they are."""
    counts: Counter[tuple[State, State]] = Counter()
    for order in itertools.permutations(CARDS, 4):
        counts[tuple(sorted(order[:2])), tuple(sorted(order[2:]))] += 1
    return {hands: n / counts.total() for hands, n in counts.items()}


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def shown(state: State, mine: int, theirs: int) -> State:
    """The markers after a round, as who began sees them."""
    after = list(state)
    if mine != theirs:
        after[mine], after[theirs] = 1, -1
    return tuple(after)


def exact_values(mine: Play, theirs: Play) -> dict[State, float]:
    """V for who begins, by value iteration; how it and the other choose among what cards bring."""
    hands = sorted({own for own, _ in deals()})
    values = dict.fromkeys(itertools.product((-1, 0, 1), repeat=3), 0.5)

    def worth(state: State) -> float:
        if state.count(1) >= 2 or state.count(-1) >= 2:
            return float(state.count(1) >= 2)
        return 1 - values[tuple(-marker for marker in state)]

    def showing(state: State, own: State, card: int) -> float:
        """What showing a card brings against all that the other may hold."""
        return sum(
            chance * theirs(worth(shown(state, card, answer)) for answer in other)
            for (held, other), chance in deals().items()
            if held == own
        )

    for _ in range(60):
        for state in values:
            values[state] = sum(mine(showing(state, own, card) for card in own) for own in hands)
    return values


def assert_values_are(found: np.ndarray, exact: dict[State, float], tolerance: float) -> None:
    """V is numbered by how many geishas each holds: they are alike."""
    assert build_features(load_rules(SHOW_ONE)).array[lay.CONFIGS] == len(found) == 10
    pairs = [(own, their) for own in range(4) for their in range(4 - own)]
    compared = 0
    for state, value in exact.items():
        held = state.count(1), state.count(-1)
        if max(held) < 2:
            assert found[pairs.index(held)] == pytest.approx(value, abs=tolerance), held
            compared += 1
    assert compared == 13


def test_training__learns_v_of_best_play() -> None:
    """Trained with some random moves, which cost V a little."""
    assert_values_are(train(load_rules(SHOW_ONE), 200_000).values, exact_values(max, min), 0.01)


def test_unguided_search__learns_v_of_random_play() -> None:
    assert_values_are(learn_values(load_rules(SHOW_ONE)), exact_values(mean, mean), 0.012)
