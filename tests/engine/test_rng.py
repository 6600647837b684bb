"""Randomness: words, keys and draws over big integers; shuffles, starters and blind choices."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst
from scipy import stats

from engine import bigint
from engine.drive import any_kind, by_word, cards_of
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Action, Rules, load_rules
from modes import sized

WORDS = hst.integers(0, 2**64 - 1)
SEEDS = hst.integers(0, 2**63 - 1)


def u64(n: int) -> np.uint64:
    return np.uint64(n)


def test_words__are_those_of_the_published_generator() -> None:
    """The first outputs for seed 1234567, as implementations of SplitMix64 agree on them."""
    published = [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip
    assert [int(rng.word(u64(1234567), n)) for n in range(5)] == published
    assert bigint.splitmix(1234567, 5) == published


@given(WORDS, WORDS, hst.integers(0, 2**62))
def test_words_and_keys__over_big_integers(key: int, name: int, n: int) -> None:
    assert int(rng.mix(u64(key))) == bigint.mix(key)
    assert int(rng.word(u64(key), n)) == bigint.word(key, n)
    assert int(rng.fold(u64(key), n)) == bigint.fold(key, n)
    assert int(rng.deal_key(u64(key), n)) == bigint.deal_key(key, n)


@given(WORDS, hst.integers(1, 2**32))
def test_below__is_the_fraction_times_n(bits: int, n: int) -> None:
    number, left = rng.below(u64(bits), n)
    assert (int(number), int(left)) == divmod(bits * n, 2**64)
    assert 0 <= number < n


@pytest.mark.parametrize("n", [1, 2, 3, 21, 200, 2**32 - 1, 2**32])
@pytest.mark.parametrize("bits", [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
def test_below__bounds(bits: int, n: int) -> None:
    number, left = rng.below(u64(bits), n)
    assert (int(number), int(left)) == divmod(bits * n, 2**64)
    assert 0 <= number < n


def shuffle_of(rules: Rules, seed: int, deal: int, number: int) -> list[int]:
    cards = [g for g, items in enumerate(rules.items) for _ in range(items)]
    return bigint.shuffled(cards, bigint.round_key(seed, deal, number, bigint.SHUFFLE))


RULES = {
    "base": PRESETS["base"],
    "transmission": load_rules({"preset": "avoid-misfortune", "next_starter": "random"}),
    "wide": Rules(charm=(1,) * 16, items=(12,) * 16, hand=20, goals={"charm": 9, "geishas": 9}),
}


@settings(max_examples=sized(100, 30))
@given(hst.sampled_from(sorted(RULES)), SEEDS, hst.integers(0, 2**62), hst.text(), hst.booleans())
def test_games__all_their_chance_over_big_integers(
    name: str, seed: int, deal: int, agent: str, swapped: bool
) -> None:
    """Cards, blind choices, starters and the decisions' words of whole games."""
    rules = RULES[name]
    names = (agent, "other")
    single = SingleGame(Game.of(rules), names, seed, deal, int(swapped))
    number, starter = 0, 0
    while not single.finished and number <= 3:
        state = single.state
        role = single.decider
        if state[st.ROUND] != number:
            number = int(state[st.ROUND])
            assert cards_of(single) == shuffle_of(rules, seed, deal, number)
            if number > 1 and rules.next_starter == "random":
                key = bigint.round_key(seed, deal, number, bigint.STARTER)
                starter = bigint.word(key, 0) >> 63
            elif number > 1:
                starter = 1 - starter
            assert state[st.STARTER] == starter
        decision = int(single.view[ix.DECISION])
        who = names[role ^ swapped]
        assert single.word == bigint.decision_word(seed, (who, role, deal), number, decision)
        turn, chooser, choice = int(state[st.TURN]), "", any_kind(single, Random(0))
        if single.view[ix.PHASE] == ix.ACT:
            tables = single.game.tables
            kind = rules.kinds[tables[tables[ix.MOVE_KIND_AT] + choice]]
            chooser = kind.chooser
        assert single.decide(choice)
        if chooser == "chance":
            bits = bigint.word(bigint.round_key(seed, deal, number, bigint.CHANCE), turn)
            assert state[st.CHOSEN] == bigint.subset(len(kind.groups), kind.choose, bits)


@pytest.mark.parametrize("text", ["", "random", "räv 🦊", "a" * 300])
def test_agent_key__of_any_name(text: str) -> None:
    digest = bigint.hashlib.blake2b(text.encode(), digest_size=8).digest()
    wanted = bigint.fold(bigint.fold(7, 2), int.from_bytes(digest, "little"))
    assert int(rng.agent_key(7, text)) == wanted


# --- shuffles are fair ---------------------------------------------------------------------------

DEALS = sized(20_000, 400)
SINGLES = load_rules(
    {
        "preset": "base", "charm": [1] * 16, "items": [1] * 16, "actions": ["base/secret"],
        "goals": {"charm": 2, "geishas": False},
    }
)  # fmt: skip


def decks(rules: Rules, deals: int, seed: int = 1) -> np.ndarray:
    """The first round's shuffled cards, one deal a row."""
    game = Game.of(rules)
    return np.array([cards_of(SingleGame(game, ("a", "b"), seed, deal)) for deal in range(deals)])


def assert_uniform(counts: np.ndarray, freedom: int) -> None:
    """Neither too far from even counts nor too close to them."""
    expected = counts.sum() / counts.size
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert 1e-4 < stats.chi2.sf(statistic, freedom) < 1 - 1e-4


def test_shuffle__every_card_is_everywhere_alike() -> None:
    """16 different cards in 16 places, and which follows which."""
    rows = decks(SINGLES, DEALS)
    assert np.array_equal(np.sort(rows, axis=1), np.tile(np.arange(16), (DEALS, 1)))
    places = np.stack([np.bincount(column, minlength=16) for column in rows.T])
    assert_uniform(places, 15 * 15)
    after = np.zeros((16, 16))
    for left, right in pairwise(rows.T):
        np.add.at(after, (left, right), 1)
    assert_uniform(after[~np.eye(16, dtype=bool)], 16 * 15 - 31)


def test_shuffle__deals_and_rounds_are_distinct() -> None:
    rows = decks(PRESETS["base"], DEALS)
    assert len({row.tobytes() for row in rows}) == DEALS
    hands = Counter(tuple(sorted(row[1:7].tolist())) for row in rows)
    assert sized(580, 200) < len(hands) <= 611
    assert not {row.tobytes() for row in decks(PRESETS["base"], 200, seed=2)} & {
        row.tobytes() for row in rows
    }
    single = SingleGame(Game.of(PRESETS["three-round-full"]), ("a", "b"), 1, 0)
    seen = set()
    while not single.finished:
        seen.add(tuple(cards_of(single)))
        single.decide(by_word(single, Random(0)))
    assert len(seen) == 3


def test_first_hands__are_as_likely_as_the_cards_say() -> None:
    """How many G cards the starter is dealt: hypergeometric."""
    held = (decks(PRESETS["base"], DEALS)[:, 1:7] == 6).sum(axis=1)
    expected = stats.hypergeom(21, 5, 6).pmf(np.arange(6)) * DEALS
    counts = np.bincount(held, minlength=6)
    pooled = np.array([*counts[:4], counts[4:].sum()])
    wanted = np.array([*expected[:4], expected[4:].sum()])
    assert 1e-4 < stats.chisquare(pooled, wanted).pvalue < 1 - 1e-4


@pytest.mark.parametrize("choose", [1, 3])
def test_blind_choice__every_group_alike(choose: int) -> None:
    """The lottery of the first turn, over deals."""
    lottery = Action(
        name="lottery", cards=4, face="down", chooser="chance", choose=choose, chosen_to="out"
    )
    game = Game.of(load_rules({"preset": "base", "actions": [lottery]}))
    masks: Counter[int] = Counter()
    for deal in range(sized(5_000, 200)):
        single = SingleGame(game, ("a", "b"), 1, deal)
        single.decide(int(single.legal[0]))
        masks[int(single.state[st.CHOSEN])] += 1
    assert len(masks) == 4
    assert all(mask.bit_count() == choose for mask in masks)
    assert_uniform(np.array(list(masks.values())), 3)


@pytest.mark.parametrize(
    ("groups", "answer", "masks"),
    [
        ((1, 1, 1, 2), 1, {0b1001, 0b1010, 0b1100}),
        ((1, 1, 2, 2), 1, {0b0101, 0b0110, 0b1001, 0b1010}),
    ],
)
def test_face_down_choice__which_of_equal_sizes_is_chance(
    groups: tuple[int, ...], answer: int, masks: set[int]
) -> None:
    """The responder asks for sizes 1 and 2: any of the small groups, any of the large ones."""
    offer = Action(
        name="offer", cards=sum(groups), face="down", groups=groups, chooser="opponent", choose=2,
        chosen_to="opponent",
    )  # fmt: skip
    game = Game.of(load_rules({"preset": "base", "actions": [offer, "base/secret"]}))
    found: Counter[int] = Counter()
    for deal in range(sized(5_000, 200)):
        single = SingleGame(game, ("a", "b"), 1, deal)
        single.decide(int(single.legal[0]))
        assert single.view[ix.PHASE] == ix.RESPOND
        single.decide(int(single.legal[answer]))
        found[int(single.state[st.CHOSEN])] += 1
    assert set(found) == masks
    assert_uniform(np.array(list(found.values())), len(masks) - 1)


def test_random_starter__both_alike() -> None:
    rules = load_rules({"preset": "three-round-full", "next_starter": "random"})
    starters = []
    for deal in range(sized(1_500, 60)):
        single = SingleGame(Game.of(rules), ("a", "b"), 1, deal)
        while not single.finished:
            single.decide(by_word(single, Random(0)))
        rows = single.rounds
        assert rows[0]["round_starter"] == 0
        starters.append([row["round_starter"] for row in rows[1:]])
    table = np.zeros((2, 2))
    for second, third in starters:
        table[second, third] += 1
    assert_uniform(table, 3)
