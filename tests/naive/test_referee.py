"""The oracle itself against docs/rules.md: rounds worked by hand, in letters (see script.py)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hanamikoji.rules import PRESETS
from naive.moves import Move, Take
from naive.play import play_game, random_move, step
from naive.playthrough import playthrough
from naive.referee import Referee
from naive.score import Result
from naive.script import DEAL, Script, cards, groups, rules
from naive.view import SeenOffer, SeenTurn, knowledge

LEAN_DEAL = "G A C BB CD DD EEEFFFFGGGGA"


def base_round(s: Script) -> Script:
    """Play a base round after DEAL: 8 charm each, 3 geishas for its starter, 2 for its second."""
    s.play("secret", "F").play("trade-off", "EF")
    s.play("trade-off", "AF").play("secret", "D")
    s.play("gift", "A B G").take("G").play("gift", "D E F").take("F")
    return s.play("competition", "BC CG").take("CG").play("competition", "DE GG").take("DE")


# -- the base game --------------------------------------------------------------------------


def test_base__round_by_hand() -> None:
    s = base_round(Script(PRESETS["base"], DEAL))
    record = s.game.rounds[0]
    assert record.sides == (tuple(cards("ABBCDEFF")), tuple(cards("CDDEGGGG")))
    assert record.markers == (0, 0, None, 1, None, 0, 1)
    assert record.left == ((), (), ())
    assert record.order(0) == (0, 1, 2, 3)
    assert record.order(1) == (1, 0, 2, 3)
    assert (s.game.waiting, s.game.starter, s.game.result) == ("deal", 1, None)


def test_base__round_two_is_begun_by_the_other_and_level_counts_keep_markers() -> None:
    s = base_round(Script(rules(round_limit=2), DEAL))
    s.deal(DEAL)
    assert (s.game.to_act, s.game.round, s.game.turn) == (1, 2, 0)
    assert s.game.hands == [cards("DDDEEE"), cards("AABBCCF")]
    base_round(s)
    assert s.game.markers == (1, 1, None, 0, None, 1, 0)
    assert s.game.result == Result(
        outcome="unfinished",
        reason="round-limit",
        rounds=2,
        charm=(8, 8),
        geishas=(2, 3),
        favor=(0b1001000, 0b0100011),
        lead_changes=0,
        goal_conflict=False,
        opening=(0, 1),
    )
    assert s.game.waiting == "over"


def test_base__cap_and_goals_end_the_same_round_differently() -> None:
    capped = base_round(Script(rules(max_rounds=1), DEAL)).game.result
    assert (capped.outcome, capped.reason) == ("starter", "cap-geishas")
    by_charm = base_round(Script(rules(max_rounds=1, cap_tiebreak=["charm"]), DEAL)).game.result
    assert (by_charm.outcome, by_charm.reason) == ("shared", "shared")
    eight = base_round(Script(rules(goals={"charm": 8}), DEAL)).game.result
    assert (eight.outcome, eight.reason, eight.goal_conflict) == ("starter", "charm", False)
    three = base_round(Script(rules(goals={"geishas": 3}), DEAL)).game.result
    assert (three.outcome, three.reason) == ("starter", "geishas")
    conflict = base_round(Script(rules(goals={"charm": 9, "geishas": 2}), DEAL)).game.result
    assert (conflict.outcome, conflict.reason) == ("starter", "geishas")


def test_base__initial_markers_stay_on_level_counts() -> None:
    markers = ["second", "none", "second", "starter", "starter", "none", "none"]
    s = base_round(Script(rules(markers=markers), DEAL))
    assert s.game.rounds[0].markers == (0, 0, 1, 1, 0, 0, 1)


def test_base__knowledge_of_both_while_an_offer_waits() -> None:
    s = Script(PRESETS["base"], DEAL)
    s.play("secret", "F").play("trade-off", "EF").play("trade-off", "AF").play("secret", "D")
    s.play("gift", "A B G")
    assert (s.game.waiting, s.game.to_act) == ("respond", 1)
    one, two = s.knows(0), s.knows(1)
    assert one.hand == s.c("BCC")
    assert two.hand == s.c("DDEEF")
    assert (one.down_mine, one.down_out) == (s.c("F"), s.c("AF"))
    assert (two.down_mine, two.down_out) == (s.c("D"), s.c("EF"))
    assert (one.markers_left, two.markers_left) == ((0, 0, 0, 1), (0, 0, 1, 1))
    assert (two.their_markers_left, one.their_markers_left) == ((0, 0, 0, 1), (0, 0, 1, 1))
    offered = groups("A B G")
    assert one.offer == SeenOffer(True, 2, (1, 1, 1), offered)
    assert two.offer == SeenOffer(False, 2, (1, 1, 1), offered)
    assert (two.deck, two.hand_size, two.their_hand_size) == (3, 5, 3)
    assert (two.round, two.turn, two.began_round, two.began_game) == (1, 4, False, False)
    assert (one.began_round, one.began_game) == (True, True)
    nothing = s.c("")
    for seen in (one, two):
        assert seen.my_side == seen.their_side == seen.out == nothing
        assert seen.under == seen.down_blind == seen.down_theirs == nothing
    assert one.history == (
        SeenTurn(True, 0, None, None),
        SeenTurn(False, 1, None, None),
        SeenTurn(True, 1, None, None),
        SeenTurn(False, 0, None, None),
        SeenTurn(True, 2, offered, None),
    )
    s.take("G")
    one, two = s.knows(0), s.knows(1)
    assert two.history[4] == SeenTurn(False, 2, offered, Take((1,), groups("G")))
    assert (one.my_side, one.their_side) == (s.c("AB"), s.c("G"))
    assert (two.my_side, two.their_side) == (s.c("G"), s.c("AB"))
    assert one.offer is two.offer is None
    assert (two.turn, two.deck, two.hand_size) == (5, 2, 6)


def test_base__markers_are_told_from_the_own_view() -> None:
    s = base_round(Script(PRESETS["base"], DEAL))
    s.deal(DEAL)
    assert s.knows(0).markers == (1, 1, 0, -1, 0, 1, -1)
    assert s.knows(1).markers == (-1, -1, 0, 1, 0, -1, 1)
    assert (s.knows(1).began_round, s.knows(1).began_game) == (True, False)
    assert s.knows(1).history == ()


def test_base__legal_moves_and_takes() -> None:
    s = Script(PRESETS["base"], DEAL)
    moves = s.game.legal_moves()  # from AABBCCF
    assert Counter(move.kind for move in moves) == {0: 4, 1: 9, 2: 13, 3: 6 + 18 + 3}
    s.play("secret", "A").play("gift", "D D E")
    takes = {groups("D"), groups("E")}
    assert s.game.legal_takes() == {Take((1,), taken) for taken in takes}
    s.take("D")
    assert {move.kind for move in s.game.legal_moves()} == {1, 2, 3}


def test_base__illegal_is_refused() -> None:
    game = Referee(PRESETS["base"])
    with pytest.raises(ValueError, match="waits for deal"):
        game.play(Move(0, ((0,),)))
    with pytest.raises(ValueError, match="not the cards"):
        game.deal(cards("GG AABBCC DDDEEE FFFFGGG A"))
    s = Script(PRESETS["base"], DEAL)
    with pytest.raises(ValueError, match="not in list"):
        s.play("secret", "D")
    with pytest.raises(ValueError, match="not the groups"):
        s.play("gift", "AB C")
    with pytest.raises(ValueError, match="not the groups"):
        s.game.play(Move(3, ((1, 2), (0, 1))))
    with pytest.raises(ValueError, match="waits for act"):
        s.take("A")
    s.play("secret", "A").play("gift", "D E F")
    with pytest.raises(ValueError, match="not on offer"):
        s.take("A")
    with pytest.raises(ValueError, match="waits for respond"):
        s.play("gift", "A B C")
    s.take("D")
    with pytest.raises(ValueError, match="no marker left"):
        s.play("secret", "A")


# -- other settings -------------------------------------------------------------------------


def test_keep_markers_false__back_to_the_initial_ones() -> None:
    markers = ["starter", "second"] + ["none"] * 5
    s = base_round(Script(rules(keep_markers=False, markers=markers), DEAL))
    assert s.game.rounds[0].markers == (0, 0, None, 1, None, 0, 1)
    assert s.game.markers == (0, 1, None, None, None, None, None)
    assert s.game.result is None


def test_keep_markers_false__the_end_counts_what_was_won() -> None:
    result = base_round(Script(rules(keep_markers=False, max_rounds=1), DEAL)).game.result
    assert result.charm == (8, 8)
    assert result.favor == (0b0100011, 0b1001000)


def test_next_starter__random_is_given_and_same_stays() -> None:
    s = base_round(Script(rules(next_starter="random"), DEAL))
    assert s.game.waiting == "starter"
    s.game.starts(0)
    assert (s.game.waiting, s.game.starter) == ("deal", 0)
    assert base_round(Script(rules(next_starter="same"), DEAL)).game.starter == 0


def test_two_of_the_same_marker__each_is_used_once() -> None:
    gifts = ["base/gift", "base/gift", "base/secret", "base/trade-off"]
    s = Script(rules(actions=gifts), DEAL)
    assert s.knows(0).markers_left == (2, 1, 1)
    s.play("gift", "A A B").take("A").play("gift", "D D D").take("D")
    assert s.knows(0).markers_left == (1, 1, 1)
    assert {move.kind for move in s.game.legal_moves()} == {0, 1, 2}
    s.play("gift", "B C C").take("B").play("secret", "E")
    assert s.knows(0).markers_left == (0, 1, 1)
    assert {move.kind for move in s.game.legal_moves()} == {1, 2}


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        (["base/secret", "base/gift", "base/trade-off"], ["base/secret"], [0, 1, 0, 0]),
        (["base/secret"], ["base/secret", "base/gift", "base/trade-off"], [0, 1, 1, 1]),
        (["base/gift"], ["base/secret"], [0, 1]),
    ],
)
def test_handicap__the_one_with_markers_left_goes_on(
    first: list[str], second: list[str], order: list[int]
) -> None:
    handicap = rules(
        actions=first, second_actions=second, goals={"charm": False, "geishas": 2}, round_limit=1
    )
    game = play_game(handicap, Random(1))
    record = game.rounds[0]
    assert [turn.player for turn in record.turns] == order
    left = [6 + order.count(p) - sum(game.kinds[k].cards for k in record.order(p)) for p in (0, 1)]
    assert [len(hand) for hand in record.left[:2]] == left
    assert len(record.left[2]) == 8 - len(order)


def test_handicap__lists_go_with_the_role_in_the_round() -> None:
    handicap = rules(
        actions=["base/secret"], second_actions=["base/gift"], round_limit=2, goals={"charm": 15}
    )
    game = play_game(handicap, Random(1))
    assert [kind.name for kind in game.kinds] == ["base/secret", "base/gift"]
    assert [r.order(0) for r in game.rounds] == [(0,), (1,)]
    assert [r.order(1) for r in game.rounds] == [(1,), (0,)]
    assert game.result.opening == (0, 1)


def test_a_marker_without_enough_cards__waits() -> None:
    s = Script(rules(hand=1, draw=2, actions=["base/secret", "base/gift", "base/gift"]), LEAN_DEAL)
    assert {move.kind for move in s.game.legal_moves()} == {0, 1}  # from ABB
    s.play("gift", "A B B").take("A").play("secret", "C")
    assert {move.kind for move in s.game.legal_moves()} == {0}  # from DD
    with pytest.raises(ValueError, match="not in list"):
        s.play("gift", "D D D")


def test_sixteen_geishas__plays_and_renders() -> None:
    wide = rules(charm=[1] * 16, items=[2] * 16, goals={"charm": 9, "geishas": 9}, round_limit=30)
    game = play_game(wide, Random(3))
    assert len(game.markers) == 16
    assert "P1" in playthrough(game, "sixteen")


# -- whole games ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_random_games__cards_add_up_and_views_agree(name: str) -> None:
    rng = Random(name)
    game = Referee(PRESETS[name])
    while game.waiting != "over" and game.round < 3:
        if game.waiting == "act":
            assert random_move(game, rng) in game.legal_moves()
            one, two = knowledge(game, 0), knowledge(game, 1)
            assert (one.my_side, one.their_side) == (two.their_side, two.my_side)
            assert one.markers == tuple(-marker for marker in two.markers)
            lying = Counter(game.hands[0] + game.hands[1] + game.sides[0] + game.sides[1])
            lying += Counter(game.out) + Counter(card.geisha for card in game.down)
            lying += Counter(card.geisha for card in game.deck)
            lying += Counter(game.rounds[-1].removed)
            assert lying == Counter(dict(enumerate(game.rules.items)))
        step(game, rng)


def test_playthrough__text_of_a_game_by_hand() -> None:
    game = base_round(Script(rules(max_rounds=1), DEAL)).game
    assert playthrough(game, "by hand") == (
        """\
by hand
charm: A2 B2 C2 D3 E3 F4 G5
items: A2 B2 C2 D3 E3 F4 G5

Round 1: starter begins
  removed G
  starter is dealt AABBCC
  second is dealt DDDEEE
  1 starter holds AABBCCF with the drawn F
    base/secret: F face down, to starter
  2 second holds DDDEEEF with the drawn F
    base/trade-off: EF face down, out
  3 starter holds AABBCCF with the drawn F
    base/trade-off: AF face down, out
  4 second holds DDDEEF with the drawn F
    base/secret: D face down, to second
  5 starter holds ABBCCG with the drawn G
    base/gift: A B G face up
    second takes G: G to second, A B to starter
  6 second holds DDEEFG with the drawn G
    base/gift: D E F face up
    starter takes F: F to starter, D E to second
  7 starter holds BCCG with the drawn G
    base/competition: BC CG face up
    second takes CG: CG to second, BC to starter
  8 second holds DEGG with the drawn G
    base/competition: DE GG face up
    starter takes DE: DE to starter, GG to second
  starter scores ABBCDEFF
  second scores CDDEGGGG
  markers: starter ABF (charm 8, geishas 3), second DG (charm 8, geishas 2), centre CE

starter wins after round 1 by cap-geishas, lead changes 0
"""
    )


def test_random_move__each_marker_counts_of_two_alike() -> None:
    s = Script(rules(actions=["base/gift"] * 3 + ["base/secret"]), DEAL)
    rng = Random(1)
    gifts = sum(random_move(s.game, rng).kind == 0 for _ in range(2000))
    assert abs(gifts - 1500) < 4.5 * (2000 * 3 / 16) ** 0.5
