"""Scores: incremental ones equal those from scratch, and hidden things don't count."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from engine.drive import any_kind
from engine.test_against_naive import ODD_RULES
from engine.worlds import Table
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FeatureLayout, build_features
from hanamikoji.learning.network.weights import Weights, WeightsOrigin
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from learning.scorer import Scorer
from modes import sized
from strategies import rules as any_rules


def random_weights(features: FeatureLayout, seed: int = 1) -> Weights:
    """Weights of no meaning, whose sums use most of int16 and int32 and can't overflow."""
    random = np.random.default_rng(seed)
    most = 32000 // sum(most for _, _, most in features.slots)
    return Weights(
        random.integers(-most, most + 1, (features.rows, lay.LANES), np.int16),
        random.integers(-1000, 1001, (features.heads, lay.LANES), np.int16),
        np.ones(features.heads),
        np.zeros(features.heads),
        np.full(int(features.array[lay.VALUES]), 0.5),
        np.zeros(1),
        WeightsOrigin("", features.signature, 1, 1),
    )


def score_from_scratch(weights: Weights, rows: np.ndarray, head: int) -> int:
    sums = weights.rows[rows].astype(np.int64).sum(axis=0)
    assert np.abs(sums).max() <= 32767
    return int(np.maximum(sums, 0) @ weights.heads[head].astype(np.int64))


def assert_scores_agree(rules: Rules, deal: int) -> None:
    """Follow a game, and compare every legal choice's score at every decision."""
    rng = Random(deal)
    single = SingleGame(Game.of(rules), ("a", "b"), 1, deal)
    weights = random_weights(build_features(rules), deal)
    scorer = Scorer(single.game, weights)
    while not single.finished:
        view = single.view.copy()
        ids, scores = scorer.scores(view)
        assert ids.tolist() == single.legal.tolist()
        head = scorer.head(view)
        assert 0 <= head < scorer.features.heads
        for choice, score in zip(ids.tolist(), scores.tolist(), strict=True):
            rows = scorer.rows(view, choice)
            assert rows.min() >= 0
            assert rows.max() < scorer.features.rows
            assert score == score_from_scratch(weights, rows, head)
        assert scorer.choice(view) == ids[np.argmax(scores)]
        assert single.decide(any_kind(single, rng))


@pytest.mark.parametrize("name", PRESETS)
def test_scores__incremental_equal_full_on_presets(name: str) -> None:
    for deal in range(sized(8, 1)):
        assert_scores_agree(PRESETS[name], deal)


@pytest.mark.parametrize("name", ODD_RULES)
def test_scores__incremental_equal_full_on_odd_rules(name: str) -> None:
    rules = load_rules({"preset": "base", **ODD_RULES[name]})
    for deal in range(sized(4, 1)):
        assert_scores_agree(rules, deal)


@settings(max_examples=sized(60, 3))
@given(any_rules(most_moves=1500, most_rounds=4), hst.integers(0, 2**62))
def test_scores__incremental_equal_full_on_any_rules(rules: Rules, deal: int) -> None:
    assert_scores_agree(rules, deal)


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch):
    """Everything is too large: factors, no table of configurations, of markers left, of offers."""
    for name in ("MOST_LOCAL_ROWS", "MOST_LEFT", "MOST_CONFIGS", "MOST_VALUES", "MOST_OFFERS"):
        monkeypatch.setattr(f"hanamikoji.learning.network.features.{name}", 100)
    build_features.cache_clear()
    yield
    build_features.cache_clear()


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.usefixtures("small_tables")
def test_scores__incremental_equal_full_with_small_tables(name: str) -> None:
    features = build_features(PRESETS[name])
    assert not features.array[lay.SINGLE]
    assert features.array[lay.CONFIG_ROW] == -1
    assert len(features.notes) >= 2
    for deal in range(sized(4, 1)):
        assert_scores_agree(PRESETS[name], deal)


@pytest.mark.parametrize("name", ["base", "avoid-misfortune", "serendipity"])
def test_scores__do_not_change_with_what_is_hidden(name: str) -> None:
    rules = PRESETS[name]
    differed = 0
    for deal in range(sized(10, 2)):
        rng = Random(deal)
        single = SingleGame(Game.of(rules), ("a", "b"), 1, deal)
        scorer = Scorer(single.game, random_weights(build_features(rules)))
        table = Table.of(single)
        while not single.finished and single.state[st.TURN] == 0:
            role = single.decider
            if single.view[ix.PHASE] != ix.ACT:
                break
            table.hands[role] += [table.draw(role) for _ in range(rules.draw)]
            world = table.elsewhere(role, rng)
            ours, theirs = scorer.scores(single.view), scorer.scores(world.view)
            assert np.array_equal(ours, theirs)
            other = 1 - role
            differed += not np.array_equal(single.view_of(other), world.view_of(other))
            break
    assert differed


def test_mixed_choice__is_drawn_in_proportion_to_exponentials() -> None:
    """Within five standard deviations for each choice; and the best one when it is cold."""
    single = SingleGame(Game.of(PRESETS["base"]), ("a", "b"), 1, 0)
    scorer = Scorer(single.game, random_weights(build_features(single.game.rules)))
    view, n = single.view.copy(), sized(20_000, 500)
    ids, scores = scorer.scores(view)
    temperature = float(scores.std())
    wanted = np.exp((scores - scores.max()) / temperature)
    wanted /= wanted.sum()
    words = np.random.default_rng(1).integers(0, 2**64, n, np.uint64).tolist()
    drawn = [scorer.drawn(view, temperature, word) for word in words]
    assert {count for _, count in drawn} == {len(ids)}
    found = np.array([[choice for choice, _ in drawn].count(each) for each in ids.tolist()]) / n
    assert found.sum() == pytest.approx(1)
    assert (np.abs(found - wanted) <= 5 * np.sqrt(wanted / n) + 5 / n).all()
    assert {scorer.drawn(view, 1e-9, word)[0] for word in words[:50]} == {scorer.choice(view)}


def geisha_rows(features: FeatureLayout, view: np.ndarray, geishas: int) -> list[int]:
    """Rows of the geishas as the view has them, by the layout's arrays alone."""
    p, rows = features.array, []
    for g in range(geishas):
        for f in range(p[lay.FIRST_FACTOR + g], p[lay.FIRST_FACTOR + g + 1]):
            at = lay.FACTOR + f * lay.FACTOR_WIDTH
            counts = [view[ix.MARKERS + g] + 1] + [
                view[ix.HAND + c * ix.MOST_GEISHAS + g] for c in range(9)
            ]
            key = sum(int(n) * int(p[at + 1 + c]) for c, n in enumerate(counts))
            rows.append(int(p[p[at] + key]))
    return rows


@pytest.mark.parametrize("name", PRESETS)
def test_rows__are_those_of_the_position_that_comes(name: str) -> None:
    """The engine carries the choice out; what it leaves is what the rows said beforehand."""
    rules = PRESETS[name]
    features = build_features(rules)
    geishas = len(rules.charm)
    compared = 0
    for deal in range(sized(12, 2)):
        rng = Random(deal)
        single = SingleGame(Game.of(rules), ("a", "b"), 1, deal)
        scorer = Scorer(single.game, random_weights(features))
        while not single.finished:
            role, view = single.decider, single.view.copy()
            choice = any_kind(single, rng)
            rows = scorer.rows(view, choice).tolist()
            before = int(single.state[st.ROUND])
            acting = view[ix.PHASE] == ix.ACT
            move = single.game.tables[single.game.tables[ix.MOVE_KIND_AT] + choice]
            kind = rules.kinds[move] if acting else None
            assert single.decide(choice)
            if single.finished or int(single.state[st.ROUND]) != before:
                continue
            if kind is not None and (kind.chooser != "nobody" or kind.exchange):
                continue
            after = single.view_of(role).copy()
            if single.decider == role and rules.draw:  # it drew a card, which was no part of it
                drawn = after[ix.HAND : ix.HAND + geishas] - view[ix.HAND : ix.HAND + geishas]
                after[ix.HAND : ix.HAND + geishas] -= np.maximum(drawn, 0)
            # An own card under the deck may have been drawn since.
            under = slice(ix.UNDER, ix.UNDER + geishas)
            after[under] = view[under]
            assert rows[-geishas:] == geisha_rows(features, after, geishas)
            compared += 1
    assert compared > 20 if sized(1, 0) else compared
