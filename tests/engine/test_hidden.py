"""What a player can't know does not show: not in its observation, its legal moves or its word."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from engine.test_against_naive import ODD_RULES
from engine.worlds import decisions
from hanamikoji.engine.single import SingleGame
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from modes import sized
from strategies import rules as any_rules


def assert_same_sight(single: SingleGame, world: SingleGame) -> None:
    assert world.decider == single.decider
    assert world.view.tobytes() == single.view.tobytes()
    assert world.legal.tobytes() == single.legal.tobytes()
    assert world.word == single.word


def play_between_worlds(rules: Rules, deal: int, worlds: int) -> Counter[str]:
    """Play a game; at each decision look from other worlds that the decider can't tell apart.

    Returns how often which kind was at stake when the worlds differed in the opponent's own view.
    """
    found: Counter[str] = Counter()
    for single, world in decisions(rules, deal, worlds):
        assert_same_sight(single, world)
        other = 1 - single.decider
        if not np.array_equal(single.view_of(other), world.view_of(other)):
            acting = single.view[ix.PHASE] == ix.ACT
            kind = -1 if acting else int(single.view[ix.OFFER_KIND]) - 1
            found[rules.kinds[kind].name if kind >= 0 else "act"] += 1
        found["blind"] += int(np.any(single.view[ix.BLIND : ix.BLIND + ix.MOST_GEISHAS]))
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_presets__show_nothing_hidden(name: str) -> None:
    found: Counter[str] = Counter()
    for deal in range(sized(8, 1)):
        found += play_between_worlds(PRESETS[name], deal, worlds=sized(4, 2))
    offers = {kind.name for kind in PRESETS[name].kinds if kind.chooser == "opponent"}
    assert set(found) - {"blind"} == offers | {"act"}
    assert (found["blind"] > 0) == (name == "avoid-misfortune")


@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules__show_nothing_hidden(name: str) -> None:
    rules = load_rules({"preset": "base", **ODD_RULES[name]})
    for deal in range(sized(4, 1)):
        play_between_worlds(rules, deal, worlds=sized(3, 1))


@settings(max_examples=sized(60, 10))
@given(any_rules(most_rounds=3), hst.integers(0, 2**40))
def test_random_rules__show_nothing_hidden(rules: Rules, deal: int) -> None:
    play_between_worlds(rules, deal, worlds=2)
