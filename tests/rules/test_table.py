from __future__ import annotations

import pytest

from hanamikoji.rules import ACTIONS, PRESETS, Action, load_rules
from hanamikoji.rules.table import describe_presets, describe_rules, what_happens

THREE_ROUND = """\
three-round  (rules hash 0938764466c2ee7f)

geisha  0  1  2  3  4  5  6  all
charm   2  2  2  3  3  4  5   21
items   2  2  2  3  3  4  5   21

deck   21 items - 1 removed - 2 x 6 in hand = 8
draws  8 turns x 1 = 8, which leaves 0 in the deck
hand   6 dealt + 4 drawn - 10 played = 0

action            markers  cards  face  moves  what happens
base/secret             1      1  down      7  to actor
base/trade-off          1      2  down     28  out of the round
base/gift               1      3  up       81  1+1+1, opponent picks 1: to opponent, rest to actor
base/competition        1      4  up      383  2+2, opponent picks 1: to opponent, rest to actor

goal        11 charm or 4 geishas; charm prevails
goal check  from round 1
rounds      at most 3; then geishas, then charm, then a shared win
next round  starter: alternate
            victory markers stay"""


def test_describe_rules__a_preset() -> None:
    moves = [7, 28, 81, 383]
    assert describe_rules("three-round", PRESETS["three-round"], moves) == THREE_ROUND


def test_describe_rules__a_handicap_and_markers_held_at_first() -> None:
    rules = load_rules(
        {
            "second_actions": ["base/secret", "base/secret"],
            "markers": ["second", *["none"] * 6],
            "keep_markers": False,
            "goals": {"geishas": False},
        }
    )
    text = describe_rules("handicap", rules, [7, 28, 81, 383])
    assert "second's hand  6 dealt + 2 drawn - 2 played = 6" in text
    assert "draws          6 turns x 1 = 6, which leaves 2 in the deck" in text
    assert "base/secret               1         2      1  down" in text
    assert "marker  second  none" in text
    assert "goal        11 charm\n" in text
    assert text.endswith("victory markers go back to where they were at first")


def test_describe_rules__no_goals() -> None:
    rules = load_rules({"goals": {"charm": False, "geishas": False}, "max_rounds": 2})
    assert "goal        none\n" in describe_rules("x", rules, [7, 28, 81, 383])


def test_describe_presets__all_with_their_hashes() -> None:
    lines = describe_presets().splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [[n, r.hash] for n, r in PRESETS.items()]


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (ACTIONS["serendipity/referral"], "goes under the deck, the top card to actor"),
        (ACTIONS["avoid-misfortune/concede"], "to opponent"),
        (
            ACTIONS["avoid-misfortune/transmission"],
            "1+1+1+1, chance picks 3 unseen: out of the round, rest to actor",
        ),
        (
            Action(
                name="x",
                cards=3,
                face="down",
                groups=[2, 1],
                chooser="opponent",
                chosen_to="actor",
                rest_to="out",
                actor_sees=True,
            ),
            "1+2, opponent picks 1 unseen: to actor, rest out of the round, which the actor learns",
        ),
    ],
)
def test_what_happens__says_the_row(action: Action, text: str) -> None:
    assert what_happens(action) == text
