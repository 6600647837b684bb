"""Matches: the same games whatever the chunks, batches, forms of agents, and order of names."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine.policies import FORMS, batched, compiled, illegal_at_times, raises_at_times
from engine.seats import AskedBy, shipped, uniform
from hanamikoji._jit import RAISED
from hanamikoji.engine import Match, Played, codes
from hanamikoji.engine.seat import Batch, Game
from hanamikoji.errors import AgentError
from hanamikoji.rules import PRESETS, load_rules
from modes import sized

BASE = PRESETS["base"]
GAME = Game.of(BASE)
RECORD = ("rounds", "moves")
DEALS = sized(300, 8)

Table = dict[str, np.ndarray]


def columns(played: Played) -> dict[str, Table]:
    return {"games": played.games, "rounds": played.rounds, "moves": played.moves}


def assert_same(one: Played, two: Played) -> None:
    """The same bytes in every column of every table."""
    for name, table in columns(one).items():
        other = columns(two)[name]
        assert list(table) == list(other)
        for column, values in table.items():
            assert values.dtype == other[column].dtype
            assert values.tobytes() == other[column].tobytes(), f"{name}.{column}"


def joined(parts: list[Played]) -> Played:
    tables = [
        {
            column: np.concatenate([columns(part)[name][column] for part in parts])
            for column in columns(parts[0])[name]
        }
        for name in ("games", "rounds", "moves")
    ]
    return Played(*tables)


def play(match: Match, first: int, last: int, **options: Any) -> Played:
    return match.play(first, last, record=RECORD, **options)


MATCHES = ("mirror", "compiled", "compiled, asked", "asked, compiled", "asked", "asked mirror")


@cache
def match_of(name: str) -> Match:
    """Match-ups of each pair of kinds, and mirrors."""
    x, y = shipped(BASE, name="x"), shipped(BASE, "random-move", name="y")
    asked = AskedBy("z", uniform)
    seats = {
        "mirror": (x, x),
        "compiled": (x, y),
        "compiled, asked": (x, asked),
        "asked, compiled": (asked, y),
        "asked": (asked, AskedBy("w", uniform)),
        "asked mirror": (asked, asked),
    }
    return Match(GAME, seats[name], 1)


# --- chunks, batches, prefixes -------------------------------------------------------------------


@pytest.mark.parametrize("name", MATCHES)
def test_chunks__may_be_split_anywhere(name: str) -> None:
    match = match_of(name)
    whole = play(match, 0, DEALS)
    for cuts in ([1], [DEALS // 3, DEALS // 2], [DEALS - 1]):
        edges = [0, *cuts, DEALS]
        parts = [play(match, first, last) for first, last in pairwise(edges)]
        assert_same(joined(parts), whole)


@pytest.mark.parametrize("name", [name for name in MATCHES if "asked" in name])
def test_batches__of_any_size(name: str) -> None:
    whole = play(match_of(name), 0, DEALS)
    for batch in (1, 2, 7, 64, 10_000):
        assert_same(play(match_of(name), 0, DEALS, batch=batch), whole)


@pytest.mark.parametrize("name", ["mirror", "compiled", "asked mirror"])
def test_more_deals__keep_the_prefix(name: str) -> None:
    few = match_of(name).play(0, sized(5_000, 5)).games
    many = match_of(name).play(0, sized(10_000, 10)).games
    for column, values in few.items():
        assert values.tobytes() == many[column][: len(values)].tobytes()


def test_deals__far_away_and_none() -> None:
    match = match_of("compiled")
    far = 2**62
    assert_same(joined([play(match, far, far + 2), play(match, far + 2, far + 5)]),
                play(match, far, far + 5))  # fmt: skip
    assert (
        play(match, far, far + 5).games["deal"].tolist()
        == np.repeat(far + np.arange(5), 2).tolist()
    )
    assert len(play(match, 3, 3).games["deal"]) == 0


@pytest.mark.parametrize("name", MATCHES)
def test_recording__changes_no_game(name: str) -> None:
    bare = match_of(name).play(0, DEALS)
    assert not bare.rounds["deal"].size and not bare.moves["deal"].size
    for record in (["rounds"], ["moves"], RECORD):
        played = match_of(name).play(0, DEALS, record=record)
        for column, values in bare.games.items():
            assert values.tobytes() == played.games[column].tobytes()


# --- order and names -----------------------------------------------------------------------------


def rows(played: Played, seating: int) -> dict[str, Table]:
    """The tables of one seating, without the column that says so."""
    found = {}
    for name, table in columns(played).items():
        these = table["seating"] == seating
        found[name] = {c: values[these] for c, values in table.items() if c != "seating"}
    return found


def assert_same_rows(one: dict[str, Table], two: dict[str, Table]) -> None:
    for name, table in one.items():
        for column, values in table.items():
            assert values.tobytes() == two[name][column].tobytes(), f"{name}.{column}"


@pytest.mark.parametrize("name", ["compiled", "compiled, asked", "asked"])
def test_swapped_seats__the_same_games_in_role_terms(name: str) -> None:
    match = match_of(name)
    swapped = play(Match(GAME, match.seats[::-1], 1), 0, DEALS)
    played = play(match, 0, DEALS)
    for seating in (0, 1):
        assert_same_rows(rows(played, seating), rows(swapped, 1 - seating))
    assert (
        rows(played, 0)["moves"]["choice"].tolist() != rows(played, 1)["moves"]["choice"].tolist()
    )


def test_names__the_same_name_has_the_same_words() -> None:
    """Two objects of one name are a pair of mirrors: both seatings are the mirror's games."""
    one, two = shipped(BASE, name="x"), shipped(BASE, name="x")
    pair = play(Match(GAME, (one, two), 1), 0, DEALS)
    mirror = rows(play(match_of("mirror"), 0, DEALS), 0)
    assert_same_rows(rows(pair, 0), mirror)
    assert_same_rows(rows(pair, 1), mirror)


def test_names__another_name_has_other_words() -> None:
    x, y = shipped(BASE, name="x"), shipped(BASE, name="y")
    choices = [
        play(Match(GAME, (seat, seat), 1), 0, DEALS).moves["choice"].tolist() for seat in (x, y)
    ]
    assert choices[0] != choices[1]


def test_names__an_opponent_does_not_change_ones_words() -> None:
    """The starter's first decision of a deal is the same against anybody."""
    x = shipped(BASE, name="x")
    others = [
        shipped(BASE, name="y"),
        shipped(BASE, "random-move", name="v"),
        AskedBy("w", uniform),
    ]
    first = []
    for other in others:
        moves = play(Match(GAME, (x, other), 1), 0, DEALS).moves
        these = (moves["round"] == 1) & (moves["turn"] == 0) & (moves["phase"] == 0)
        first.append(moves["choice"][these & (moves["seating"] == 0)].tolist())
    assert len(first[0]) == DEALS
    assert first[0] == first[1] == first[2]


def test_seeds__change_the_games() -> None:
    x = shipped(BASE, name="x")
    games = [Match(GAME, (x, x), seed).play(0, DEALS).games for seed in (1, 2, 0, 2**63 - 1)]
    assert len({table["favor_starter"].tobytes() for table in games}) == 4


# --- three forms of one policy -------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_forms__of_one_policy_play_the_same_games(name: str) -> None:
    """Plain, batched and compiled, in the mirror and mixed."""
    game = Game.of(PRESETS[name])
    deals = sized(60, 3)
    seats = [form(game) for form in FORMS.values()]
    played = [play(Match(game, (seat, seat), 3), 0, deals) for seat in seats]
    assert_same(played[0], played[1])
    assert_same(played[0], played[2])
    mixed = play(Match(game, (seats[0], seats[2]), 3), 0, deals)
    for seating in (0, 1):
        assert_same_rows(rows(mixed, seating), rows(played[0], 0))


def test_random_move__as_an_asked_agent() -> None:
    """The legal id that the word says as a fraction."""

    def choose(batch: Batch) -> list[int]:
        picks = []
        for i, word in enumerate(batch.words.tolist()):
            legal = batch.ids[batch.offsets[i] : batch.offsets[i + 1]]
            picks.append(int(legal[word * len(legal) >> 64]))
        return picks

    ours, theirs = shipped(BASE, "random-move", name="x"), AskedBy("x", choose)
    assert_same(play(Match(GAME, (ours, ours), 1), 0, DEALS),
                play(Match(GAME, (theirs, theirs), 1), 0, DEALS))  # fmt: skip


# --- the tables agree with each other ------------------------------------------------------------


@pytest.mark.parametrize("name", ["mirror", "compiled", "asked"])
def test_games__are_sorted_and_balanced(name: str) -> None:
    match = match_of(name)
    games = match.play(10, 10 + DEALS).games
    deals = np.arange(10, 10 + DEALS)
    seatings = 1 if match.mirror else 2
    assert games["deal"].tolist() == np.repeat(deals, seatings).tolist()
    assert games["seating"].tolist() == np.tile(np.arange(seatings), DEALS).tolist()


@pytest.mark.parametrize("name", PRESETS)
def test_tables__agree_with_each_other(name: str) -> None:
    rules = PRESETS[name]
    seat = shipped(rules)
    played = play(Match(rules, (seat, seat), 5), 0, sized(200, 6))
    games, rounds, moves = played.games, played.rounds, played.moves
    charm = np.array(rules.charm)
    geishas = np.arange(len(charm))
    for role in codes.ROLES:
        held = games[f"favor_{role}"][:, None] >> geishas & 1
        assert np.array_equal(held @ charm, games[f"charm_{role}"])
        assert np.array_equal(held.sum(axis=1), games[f"geishas_{role}"])
    last = np.flatnonzero(np.append(np.diff(rounds["deal"]) != 0, True))
    assert rounds["round"][last].tolist() == games["rounds"].tolist()
    assert rounds["favor_starter"][last].tolist() == games["favor_starter"].tolist()
    assert np.array_equal(rounds["round_starter"], (rounds["round"] - 1) % 2)  # alternate
    key = moves["deal"] * 1000 + moves["round"]
    for number, role in enumerate(codes.ROLES):
        of_role = moves["role"] == number
        counts = np.array([np.sum(of_role & (key == k)) for k in np.unique(key)])
        legal = np.array([np.sum(moves["legal"][of_role & (key == k)]) for k in np.unique(key)])
        assert np.array_equal(counts, rounds[f"decisions_{role}"])
        assert np.array_equal(legal, rounds[f"legal_{role}"])
    order = np.lexsort([moves["phase"], moves["turn"], moves["round"], moves["deal"]])
    assert np.array_equal(order, np.arange(len(order)))


# --- agents that fail ----------------------------------------------------------------------------


def failing(name: str, answer: int, rarely: int = 40) -> AskedBy:
    """Plays any legal move, but for rare decisions."""

    def choose(batch: Batch) -> np.ndarray:
        wrong = batch.words % np.uint64(rarely) == 0
        return np.where(wrong, answer, uniform(batch))

    return AskedBy(name, choose)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(10**6, "forfeit-illegal"), (-1, "forfeit-illegal"), (RAISED, "forfeit-error")],
)
@pytest.mark.parametrize("batch", [1, 64])
def test_forfeit__costs_that_game_alone(answer: int, reason: str, batch: int) -> None:
    good, bad = AskedBy("x", uniform), failing("x", answer)
    well = play(Match(GAME, (good, good), 1), 0, DEALS)
    ill = play(Match(GAME, (bad, bad), 1), 0, DEALS, on_error="forfeit", batch=batch)
    lost = ill.games["reason"] == codes.REASONS.index(reason)
    assert 0 < lost.sum() < DEALS
    for column, values in well.games.items():
        assert np.array_equal(values[~lost], ill.games[column][~lost])
    assert [failure.deal for failure in sorted(ill.failures, key=lambda f: f.deal)] == (
        np.flatnonzero(lost).tolist()
    )
    for failure in ill.failures:
        assert failure.reason == reason
        winner = ill.games["outcome"][failure.deal]
        assert winner == 1 - failure.role
        decisions = (ill.moves["deal"] == failure.deal) & (ill.moves["role"] == failure.role)
        in_round = decisions & (ill.moves["round"] == failure.round)
        assert in_round.sum() == failure.decision


KERNELS = {"forfeit-illegal": illegal_at_times, "forfeit-error": raises_at_times}


@pytest.mark.parametrize("reason", KERNELS)
def test_forfeit__of_a_compiled_agent(reason: str) -> None:
    """In the mirror and against an asked agent: its own games alone, and its name is known."""
    good, bad = compiled(GAME, "x"), compiled(GAME, "x", KERNELS[reason])
    code = codes.REASONS.index(reason)
    for other in (None, AskedBy("y", uniform)):
        well = play(Match(GAME, (good, other or good), 1), 0, DEALS)
        ill = play(Match(GAME, (bad, other or bad), 1), 0, DEALS, on_error="forfeit")
        lost = ill.games["reason"] == code
        assert 0 < lost.sum() < len(lost)
        for column, values in well.games.items():
            assert np.array_equal(values[~lost], ill.games[column][~lost])
        found = [(f.agent, f.deal, f.seating, f.reason) for f in ill.failures]
        rows = zip(ill.games["deal"][lost], ill.games["seating"][lost], strict=True)
        assert found == [("x", deal, seating, reason) for deal, seating in rows]
        for failure in ill.failures if other else []:
            assert failure.role == failure.seating  # it is a, and starts in seating 0
        winners = ill.games["outcome"][lost]
        assert winners.tolist() == [1 - failure.role for failure in ill.failures]


@pytest.mark.parametrize("reason", KERNELS)
def test_failure__of_a_compiled_agent_stops(reason: str) -> None:
    bad = compiled(GAME, "the bad one", KERNELS[reason])
    said = "1000000" if reason == "forfeit-illegal" else "raised an exception"
    for match in (Match(GAME, (bad, bad), 1), Match(GAME, (AskedBy("y", uniform), bad), 1)):
        with pytest.raises(AgentError, match=rf"agent 'the bad one' .*{said}.* deal \d+, seating"):
            match.play(0, DEALS)


def test_failure__stops_and_names_the_culprit() -> None:
    bad = failing("the bad one", 10**6, rarely=5)
    match = Match(GAME, (shipped(BASE, name="x"), bad), 1)
    with pytest.raises(AgentError, match=r"agent 'the bad one' .*1000000.* deal \d+, seating"):
        match.play(0, DEALS)


@pytest.mark.parametrize("name", ["base", "avoid-misfortune", "serendipity"])
def test_forfeit__leaves_no_trace_in_the_next_game(name: str) -> None:
    """Compiled agents play game after game in one state; one that always fails at once, too."""
    rules = load_rules(name)
    game = Game.of(rules)
    x, y = compiled(game, "x"), batched(game, "y")
    alone = play(Match(game, (x, x), 1), 0, sized(60, 3))
    again = play(Match(game, (x, failing("bad", -5, rarely=2)), 1), 0, sized(60, 3),
                 on_error="forfeit", batch=1)  # fmt: skip
    assert np.any(again.games["reason"] == codes.FORFEIT_ILLEGAL)
    assert_same(alone, play(Match(game, (x, x), 1), 0, sized(60, 3)))
    whole = play(Match(game, (x, y), 1), 0, sized(60, 3), batch=1)
    assert_same(whole, play(Match(game, (x, y), 1), 0, sized(60, 3), batch=64))
