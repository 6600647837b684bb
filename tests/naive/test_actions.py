"""The oracle on actions beyond the base game: rounds worked by hand, in letters."""

from __future__ import annotations

import pytest

from hanamikoji.rules import ACTION_SETS, PRESETS, Action, Rules
from naive.moves import Take
from naive.script import DEAL, Script, cards, groups, rules
from naive.view import SeenOffer, SeenTurn


def own_action(**row: object) -> Action:
    return Action(**{"name": "own", "face": "down", **row})


def test_avoid_misfortune__round_by_hand() -> None:
    s = Script(PRESETS["avoid-misfortune"], DEAL)
    s.play("transmission", "A A B F")
    assert (s.game.waiting, s.game.to_act) == ("chance", None)
    assert s.game.chance_outcomes() == {groups(w) for w in ("A A B", "A A F", "A B F")}
    s.chance("A A B")
    assert s.knows(0).down_blind == s.c("AABF")
    assert s.knows(0).down_mine == s.knows(0).down_out == s.c("")
    assert s.knows(1).history == (SeenTurn(False, 3, None, Take((1, 1, 1), None)),)
    s.play("concede", "D")
    assert s.knows(1).down_theirs == s.c("D")
    assert s.knows(0).down_theirs == s.c("")
    s.play("gift", "B C").take("B").play("reveal", "EEF")
    assert s.knows(0).their_side == s.c("BEEF")
    s.play("reveal", "CFG").play("gift", "D G").take("G").play("concede", "G")
    s.play("transmission", "D E F G").chance("D E F")
    record = s.game.rounds[0]
    assert record.sides == (tuple(cards("CCDFFGG")), tuple(cards("BDEEFGG")))
    assert record.markers == (None, 1, 0, None, 1, 0, None)
    assert s.game.out == []


def test_transmission__a_setting_lets_the_actor_see() -> None:
    seeing = own_action(
        cards=4, chooser="chance", choose=3, chosen_to="out", rest_to="actor", actor_sees=True
    )
    s = Script(rules(actions=[seeing]), DEAL).play("own", "A A B F").chance("A A B")
    assert (s.knows(0).down_mine, s.knows(0).down_out) == (s.c("F"), s.c("AAB"))
    assert s.knows(0).down_blind == s.c("")


def test_health__gift_of_two_and_intercept() -> None:
    s = Script(PRESETS["health"], DEAL).play("gift", "A B C").take("A B")
    assert s.game.sides == [cards("C"), cards("AB")]
    s.play("intercept", "D D E F")
    pairs = ("D D", "D E", "D F", "E F")
    assert s.game.legal_takes() == {Take((1, 1), groups(words)) for words in pairs}
    s.take("D E")
    assert s.game.sides == [cards("C"), cards("ABDF")]
    assert s.knows(0).out == s.knows(1).out == s.c("DE")
    s.play("reveal", "AB").play("giveaway", "D")
    assert s.knows(0).my_side == s.c("CAB")
    assert s.knows(1).down_theirs == s.c("D")


def test_serendipity__referral_and_an_uneven_competition() -> None:
    s = Script(PRESETS["serendipity"], DEAL)
    s.play("referral", "A").play("referral", "D")  # under FFFGGGG, FGGGGA
    assert (s.knows(0).down_mine, s.knows(0).under) == (s.c("F"), s.c("A"))
    assert (s.knows(1).down_mine, s.knows(1).under) == (s.c("F"), s.c("D"))
    assert s.knows(0).history == (SeenTurn(True, 0, None, None), SeenTurn(False, 0, None, None))
    s.play("discard", "AB").play("discard", "DE")
    s.play("competition", "B CC")
    assert s.game.legal_takes() == {Take((1,), groups("B")), Take((2,), groups("CC"))}
    s.take("CC").play("competition", "G DE").take("G")
    assert s.game.hands == [cards("AFGG"), cards("EFG")]  # the own card came back from the deck
    assert (s.knows(0).under, s.knows(1).under, s.knows(0).deck) == (s.c(""), s.c("D"), 1)
    s.play("gift", "A F G G").take("A").play("gift", "D E F G").take("E")
    assert s.game.rounds[0].sides == (tuple(cards("BEFFGGG")), tuple(cards("ACCDDEFFG")))


REFERRAL = {
    "charm": [1, 1],
    "items": [2, 2],
    "hand": 1,
    "removed": 0,
    "goals": {"charm": 1, "geishas": False},
}


def test_referral__drawn_by_the_opponent_and_an_empty_deck() -> None:
    s = Script(rules(actions=["serendipity/referral"], **REFERRAL), "A B AB")
    s.play("referral", "A")  # draws B; A lies under the deck until the second draws it
    assert s.knows(0).down_mine == s.c("B")
    assert s.knows(1).hand == s.c("AB")
    assert (s.knows(0).under, s.knows(1).under, s.knows(0).deck) == (s.c(""), s.c(""), 0)
    s.play("referral", "B")  # comes back
    record = s.game.rounds[0]
    assert record.sides == ((1,), (1,))
    assert record.left == ((0,), (0,), ())


def test_exchange_face_up__shows_the_drawn_card_only() -> None:
    shown = own_action(cards=1, face="up", exchange=True)
    s = Script(rules(actions=[shown], **REFERRAL), "A B AB").play(0, "A")
    assert s.knows(1).history == (SeenTurn(False, 0, groups("B"), None),)
    assert s.knows(1).their_side == s.c("B")
    to_other = own_action(cards=1, exchange=True, rest_to="opponent")
    s = Script(rules(actions=[to_other], **REFERRAL), "A B AB").play(0, "A")
    assert s.knows(0).down_theirs == s.c("B")
    assert s.knows(1).down_theirs == s.knows(1).down_mine == s.c("")


def blind_offer(**row: object) -> Rules:
    offer = own_action(chooser="opponent", chosen_to="opponent", **row)
    return rules(actions=[offer, ACTION_SETS["base"][0]])


def test_face_down_offer__sizes_only_and_chance_for_the_rest() -> None:
    s = Script(blind_offer(cards=4, groups=[1, 1, 2], choose=2), DEAL)
    s.play("own", "A B CF")
    assert s.knows(0).offer == SeenOffer(True, 0, (1, 1, 2), groups("A B CF"))
    assert s.knows(1).offer == SeenOffer(False, 0, (1, 1, 2), None)
    assert s.game.legal_takes() == {Take((1, 1), None), Take((1, 2), None)}
    with pytest.raises(ValueError, match="not on offer"):
        s.take("A B")
    s.take_sizes(1, 2)
    assert s.game.chance_outcomes() == {groups("A CF"), groups("B CF")}
    with pytest.raises(ValueError, match="chance can't"):
        s.chance("A B")
    s.chance("B CF")
    seen = s.knows(0)
    assert (seen.down_theirs, seen.down_blind, seen.down_mine) == (s.c("CF"), s.c("AB"), s.c(""))
    assert s.knows(1).history == (SeenTurn(False, 0, None, Take((1, 2), None)),)
    assert s.knows(1).down_mine == s.knows(1).my_side == s.c("")


def test_face_down_offer__all_or_none_of_a_size_leaves_no_doubt() -> None:
    s = Script(blind_offer(cards=4, groups=[1, 1, 2], choose=2), DEAL)
    s.play("own", "A B CF").take_sizes(1, 1).chance("A B")
    seen = s.knows(0)
    assert (seen.down_theirs, seen.down_blind, seen.down_mine) == (s.c("AB"), s.c(""), s.c("CF"))


def test_face_down_offer__scores_where_it_went() -> None:
    s = Script(blind_offer(cards=2, choose=1), DEAL)
    s.play("own", "A B").take_sizes(1).chance("B")
    s.play("own", "D F").take_sizes(1).chance("D")
    s.play("secret", "C").play("secret", "E")
    assert s.game.rounds[0].sides == (tuple(cards("ACD")), tuple(cards("BEF")))


def test_chance_face_up__is_seen_by_all() -> None:
    lottery = own_action(cards=2, face="up", chooser="chance", chosen_to="out", rest_to="opponent")
    s = Script(rules(actions=[lottery]), DEAL).play("own", "A B")
    assert s.knows(1).offer == SeenOffer(False, 0, (1, 1), groups("A B"))
    s.chance("A")
    assert s.knows(1).history[0].taken == Take((1,), groups("A"))
    assert (s.knows(1).out, s.knows(1).my_side) == (s.c("A"), s.c("B"))
