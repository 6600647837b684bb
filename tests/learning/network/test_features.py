"""What the network's rows say of a position is what the naive referee says a player knows of it.

`Meaning` reads out of a feature layout what each of its rows says; `known` says the same of a
position by the referee's account alone. The referee makes each move itself and stops before the
answer or the next draw: so nothing of how rows are computed from a view is used twice.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.drive import Book, any_kind, book_of, cards_of
from engine.test_against_naive import ODD_RULES
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FACTORS, FeatureLayout, build_features
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from learning.network.test_network import random_weights, small_tables
from learning.scorer import Scorer
from modes import sized
from naive import Referee, knowledge
from naive.moves import canonical
from naive.referee import DeckCard
from naive.score import charm_held, geishas_held
from naive.view import Knowledge

__all__ = ["small_tables"]  # a fixture

Fact = tuple[Any, ...]


# --- what rows say --------------------------------------------------------------------------------


class Meaning:
    """For each row what it says, by the feature layout's tables and what `layout` tells of them."""

    def __init__(self, rules: Rules, features: FeatureLayout, book: Book) -> None:
        self.rules, self.features, self.book = rules, features, book
        self.p: list[int] = features.array.tolist()
        self.tables: list[int] = book.tables.tolist()
        self.kinds = range(len(rules.kinds))
        self.pairs = list(zip(rules.charm, rules.items, strict=True))
        self.says: dict[int, Fact] = {}
        for rows in (
            self._geishas(), self._left(), self._markers(), self._rounds(), self._offers(),
            self._answers(), self._order(), self._events(), self._faced(),
        ):  # fmt: skip
            for row, fact in rows:
                assert row not in self.says, f"row {row} says {self.says[row]} and {fact}"
                self.says[row] = fact
        assert sorted(self.says) == list(range(features.rows))
        assert len(set(self.says.values())) == features.rows  # and no two say the same

    def _kind(self, kind: int, place: int) -> int:
        return self.p[lay.KIND + kind * lay.KIND_WIDTH + place]

    def _end(self, first: int) -> int:
        """The end of the rows that begin at this one."""
        return next(end for begin, end, _ in self.features.slots if begin == first)

    def _roles(self) -> dict[int, Fact]:
        """What each number of a geisha's role in an offer means."""
        roles: dict[int, Fact] = {0: ()}
        for kind in self.kinds:
            if not self._kind(kind, lay.KIND_OFFERS):
                continue
            sizes = self.rules.kinds[kind].groups
            for cards in product(*(range(size + 1) for size in sizes)):
                state = 0
                for group, n in enumerate(cards):
                    for _ in range(n):
                        state = self._state(kind, state, lay.STATE_NEXT + group)
                assert self._state(kind, state, lay.STATE_CARDS) == sum(cards)
                role = self._state(kind, state, lay.STATE_ROLE)
                assert (role == 0) == (sum(cards) == 0)
                if role:
                    meaning = (kind, *sorted(zip(sizes, cards, strict=True)))
                    assert roles.setdefault(role, meaning) == meaning
        return roles

    def _state(self, kind: int, state: int, place: int) -> int:
        return self.p[self._kind(kind, lay.KIND_STATE_AT) + state * lay.STATE_WIDTH + place]

    def _geishas(self) -> Iterator[tuple[int, Fact]]:
        roles = self._roles()
        for pair in dict.fromkeys(self.pairs):
            g = self.pairs.index(pair)
            for n, parts in enumerate(factors_of(self.features, g)):
                factor = self.p[lay.FIRST_FACTOR + g] + n
                at = lay.FACTOR + factor * lay.FACTOR_WIDTH
                table, *strides = self.p[at : at + lay.FACTOR_WIDTH]
                assert [c for c, stride in enumerate(strides) if stride] == list(parts)
                row, end, key = self.p[table], self._end(self.p[table]), 0
                while row < end:
                    if self.p[table + key] == row:
                        yield row, ("geisha", pair, local(parts, digits(key, strides), roles))
                        row += 1
                    key += 1

    def _left(self) -> Iterator[tuple[int, Fact]]:
        mine = [self._kind(kind, lay.KIND_LEFT) for kind in self.kinds]
        theirs = [self._kind(kind, lay.KIND_THEIR) for kind in self.kinds]
        first, other = self.p[lay.LEFT_ROW], self.p[lay.THEIR_ROW]
        if other < 0:
            for key in range(self._end(first) - first):
                counts = digits(key, [*mine, *theirs])
                yield first + key, ("left", *counts)
            return
        for name, begin, strides in (("left", first, mine), ("their left", other, theirs)):
            for key in range(self._end(begin) - begin):
                yield begin + key, (name, *digits(key, strides))

    def _markers(self) -> Iterator[tuple[int, Fact]]:
        first = self.p[lay.CONFIG_ROW]
        if first < 0:
            for name, place, cap in (
                ("charm", lay.CHARM_ROW, self.p[lay.CHARM_CAP]),
                ("favor", lay.FAVOR_ROW, self.p[lay.FAVOR_CAP]),
            ):
                for key in range((cap + 1) ** 2):
                    yield self.p[place] + key, (name, *divmod(key, cap + 1))
            return
        classes = Counter(self.pairs)
        strides = self.p[lay.CLASS_STRIDE : lay.CLASS_STRIDE + len(classes)]
        for key in range(self.p[lay.CONFIGS]):
            held = []
            ranks = digits(key, strides)
            for (pair, n), rank in zip(classes.items(), ranks, strict=True):
                shares = [(own, their) for own in range(n + 1) for their in range(n + 1 - own)]
                held.append((pair, *shares[rank]))
            yield first + key, ("markers", *held)

    def _rounds(self) -> Iterator[tuple[int, Fact]]:
        first = self.p[lay.ROUND_ROW]
        if first >= 0:
            for stage in range(self.p[lay.STAGES]):
                yield first + stage, ("round", *self.stage(stage))

    def stage(self, stage: int) -> tuple[int, int]:
        """Rounds to the first goal check, and to the last round."""
        return divmod(stage, max(self.p[lay.CAP_STAGES], 1))

    def _offers(self) -> Iterator[tuple[int, Fact]]:
        for kind in self.kinds:
            first = self._kind(kind, lay.KIND_OFFER_ROW)
            if first >= 0:
                moves = [move for move in self.book.moves if move.kind == kind]
                for n, move in enumerate(moves):
                    yield first + n, ("offer", *move)

    def _answers(self) -> Iterator[tuple[int, Fact]]:
        first, n = self.p[lay.ANSWER_ROW], self.tables[ix.RESPONSES]
        if first < 0:
            return
        for kind in self.kinds:
            row = ix.KIND_ROW + kind * ix.KIND_WIDTH
            begin = self.tables[row + ix.KIND_RESPONSE]
            for answer in range(begin, begin + self.tables[row + ix.KIND_RESPONSES]):
                mask = self.tables[self.tables[ix.RESPONSE_MASK_AT] + answer]
                groups = self.rules.kinds[kind].groups
                sizes = tuple(size for j, size in enumerate(groups) if mask >> j & 1)
                yield first + answer, ("answer to me", kind, answer, sizes)
                yield first + n + answer, ("my answer", kind, answer, sizes)

    def _order(self) -> Iterator[tuple[int, Fact]]:
        row = self.p[lay.ORDER_ROW]
        for turn, mine, kind in product(range(self.tables[ix.TURNS]), (True, False), self.kinds):
            yield row, ("order", turn, mine, kind)
            row += 1

    def _events(self) -> Iterator[tuple[int, Fact]]:
        for kind in self.kinds:
            row = self._kind(kind, lay.KIND_EVENT_ROW)
            if row < 0:
                continue
            of_kind = self.tables[ix.KIND_ROW + kind * ix.KIND_WIDTH :]
            first = len(self.book.moves) + of_kind[ix.KIND_RESPONSE]
            moves = [move for move in self.book.moves if move.kind == kind]
            numbers = range(first, first + of_kind[ix.KIND_RESPONSES])
            for mine, move, answer in product((True, False), moves, numbers):
                yield row, ("event", mine, *move, answer, self.book.take(move, answer))
                row += 1

    def _faced(self) -> Iterator[tuple[int, Fact]]:
        for kind in self.kinds:
            first = self._kind(kind, lay.KIND_FACED_ROW)
            if first >= 0:
                moves = [move for move in self.book.moves if move.kind == kind]
                for n, move in enumerate(moves):
                    yield first + n, ("faced", *move)

    def head(self, head: int) -> Fact:
        """What is told apart by which output is used."""
        rest, first = divmod(head, 2)
        rest, phase = divmod(rest, 2)
        stage, turn = divmod(rest, self.tables[ix.TURNS])
        return self.stage(stage), turn, phase, first


def digits(key: int, strides: list[int]) -> list[int]:
    """The places of a mixed number; 0 where the stride is 0."""
    found = [0] * len(strides)
    for place in sorted(range(len(strides)), key=lambda i: -strides[i]):
        if strides[place]:
            found[place], key = divmod(key, strides[place])
    assert key == 0
    return found


def factors_of(features: FeatureLayout, geisha: int) -> tuple[tuple[int, ...], ...]:
    """What each of a geisha's rows is about: all, or one factor each."""
    first, end = features.array[lay.FIRST_FACTOR + geisha :][:2]
    return (tuple(range(lay.CATEGORIES)),) if end - first == 1 else FACTORS


def local(parts: tuple[int, ...], counts: list[int], roles: dict[int, Fact]) -> Fact:
    """A geisha's state in these categories, in words that the referee has, too."""
    return tuple((c, roles[counts[c]] if c == lay.ROLE else counts[c]) for c in parts)


# --- what the referee says ------------------------------------------------------------------------


def known(game: Referee, player: int, features: FeatureLayout) -> Counter[Fact]:
    """What rows should say of a position, by what the referee lets the player know."""
    rules, seen, p = game.rules, knowledge(game, player), features.array.tolist()
    pairs = list(zip(rules.charm, rules.items, strict=True))
    facts: list[Fact] = []
    for g, pair in enumerate(pairs):
        counts = {
            lay.MARKER: seen.markers[g] + 1,
            lay.HAND: seen.hand[g],
            lay.MINE: seen.my_side[g],
            lay.THEIRS: seen.their_side[g],
            lay.OUT: seen.out[g],
            lay.DOWN_MINE: seen.down_mine[g],
            lay.DOWN_THEIRS: seen.down_theirs[g],
            lay.DOWN_OUT: seen.down_out[g],
            lay.BLIND: seen.down_blind[g],
            lay.UNDER: seen.under[g],
            lay.ROLE: role_of(seen, g),
        }
        for parts in factors_of(features, g):
            facts.append(("geisha", pair, tuple((c, counts[c]) for c in parts)))
    if p[lay.THEIR_ROW] < 0:
        facts.append(("left", *seen.markers_left, *seen.their_markers_left))
    else:
        facts += [("left", *seen.markers_left), ("their left", *seen.their_markers_left)]
    if p[lay.CONFIG_ROW] >= 0:
        facts.append(("markers", *held_by_class(pairs, seen)))
    else:
        sides = (player, 1 - player)
        wide = p[lay.CHARM_BIN]
        facts.append(("charm", *(charm_held(rules, game.markers, s) // wide for s in sides)))
        facts.append(("favor", *(geishas_held(game.markers, s) for s in sides)))
    if p[lay.ROUND_ROW] >= 0:
        facts.append(("round", *stage_of(rules, seen.round)))
    if seen.offer is not None and p[lay.KIND + seen.offer.kind * lay.KIND_WIDTH
                                    + lay.KIND_OFFER_ROW] >= 0:  # fmt: skip
        facts.append(("offer", seen.offer.kind, seen.offer.groups))
    return Counter(facts)


def history(game: Referee, player: int, now: int, scorer: Scorer) -> Counter[Fact]:
    """What was played in earlier turns of the round, and the offer that has just been answered."""
    p, facts = scorer.features.array.tolist(), Counter[Fact]()
    for turn, event in enumerate(knowledge(game, player).history):
        rows = lay.KIND + event.kind * lay.KIND_WIDTH
        if turn == now:
            if not event.mine and event.shown and p[rows + lay.KIND_FACED_ROW] >= 0:
                facts["faced", event.kind, event.shown] += 1
            continue
        facts["order", turn, event.mine, event.kind] += 1
        groups = game.rounds[-1].turns[turn].offered if event.mine else event.shown
        if event.taken and groups and p[rows + lay.KIND_EVENT_ROW] >= 0:
            facts["event", event.mine, event.kind, groups, event.taken] += 1
    return facts


def role_of(seen: Knowledge, geisha: int) -> Fact:
    """How many of her cards are in which groups of the own offer, equal groups being alike."""
    if seen.offer is None or not seen.offer.groups:
        return ()
    groups = [(len(group), group.count(geisha)) for group in seen.offer.groups]
    return (seen.offer.kind, *sorted(groups)) if any(n for _, n in groups) else ()


def held_by_class(pairs: list[tuple[int, int]], seen: Knowledge) -> list[Fact]:
    markers = list(zip(pairs, seen.markers, strict=True))
    return [(pair, markers.count((pair, 1)), markers.count((pair, -1))) for pair in
            dict.fromkeys(pairs)]  # fmt: skip


def stage_of(rules: Rules, number: int) -> tuple[int, int]:
    """Rounds to the first goal check and to the last round, as far as they are told apart."""
    last = min(rules.max_rounds or rules.round_limit, rules.round_limit)
    to_cap = min(last - number, 5) if last <= 20 else 0
    return min(max(rules.min_rounds - number, 0), 4), to_cap


def answers(game: Referee, player: int) -> Counter[Fact]:
    """The answers to face-down offers that everybody saw."""
    return Counter(
        ("answer to me" if event.mine else "my answer", event.kind, event.taken.sizes)
        for event in knowledge(game, player).history
        if event.taken is not None
        and game.kinds[event.kind].chooser == "opponent"
        and game.kinds[event.kind].face == "down"
    )


# --- the comparison -------------------------------------------------------------------------------


def after(game: Referee, book: Book, choice: int, offered: Any, rng: Random) -> Referee:
    """The game right after a choice: before the answer, what an exchange draws, the next draw."""
    game = copy.deepcopy(game, {id(game.rules): game.rules})
    game._end_turn = lambda player: setattr(game, "waiting", "this test")  # type: ignore[method-assign]
    if game.waiting == "act":
        move = book.moves[choice]
        if game.kinds[move.kind].exchange:
            game.deck.insert(0, DeckCard(-1))  # is drawn instead, and goes nowhere
            game._settle = lambda taken: None  # type: ignore[method-assign]
        game.play(move)
        return game
    game.respond(book.take(offered, choice))
    if game.waiting == "chance":  # the answer to a face-down offer: what it took nobody sees
        game.chance_takes(rng.choice(sorted(game.chance_outcomes())))
    return game


def assert_rows_say_what_is_known(
    scorer: Scorer, meaning: Meaning, view: np.ndarray, choice: int, game: Referee, player: int
) -> None:
    said = Counter(meaning.says[row] for row in scorer.rows(view, choice).tolist())
    told: Counter[Fact] = Counter()
    for fact in list(said):  # leave out the numbers of answers, of which some look alike
        if "answer" in fact[0]:
            name, kind, _, sizes = fact
            told[name, kind, sizes] += said.pop(fact)
        elif fact[0] == "event":
            said[*fact[:-2], fact[-1]] += said.pop(fact)
    turn = int(view[ix.TURN])
    assert said == known(game, player, scorer.features) + history(game, player, turn, scorer)
    assert told == answers(game, player)


def compare_through(rules: Rules, deal: int, choices: int) -> Counter[Fact]:
    """Compare some choices of every decision of a game; returns how often what was compared."""
    rng = Random(deal)
    single, game = SingleGame(Game.of(rules), ("a", "b"), 1, deal), Referee(rules)
    book, features = book_of(single.game), build_features(rules)
    scorer = Scorer(single.game, random_weights(features))
    meaning = Meaning(rules, features, book)
    compared: Counter[Fact] = Counter()
    while not single.finished:
        if game.waiting == "starter":
            game.starts(int(single.state[st.STARTER]))
        if game.waiting == "deal":
            game.deal(cards_of(single))
        role, view = single.decider, single.view.copy()
        seen = knowledge(game, role)
        head = meaning.head(scorer.head(view))
        phase = ix.ACT if game.waiting == "act" else ix.RESPOND
        assert head == (stage_of(rules, seen.round), seen.turn, phase, seen.began_round)
        offered = book.moves[single.state[st.MOVE]]
        chosen = any_kind(single, rng)
        others = rng.sample(single.legal.tolist(), min(choices - 1, len(single.legal)))
        for choice in {chosen, *others}:
            then = after(game, book, choice, offered, rng)
            assert_rows_say_what_is_known(scorer, meaning, view, choice, then, role)
            compared[role, game.waiting] += 1
            compared["answers"] += sum(answers(then, role).values())
        if game.waiting == "act":
            offered = book.moves[chosen]
            game.play(offered)
        else:
            game.respond(book.take(offered, chosen))
        assert single.decide(chosen)
        if game.waiting == "chance":
            game.chance_takes(canonical(book.parts(offered, int(single.state[st.CHOSEN]))))
    return compared


def compare_games(rules: Rules, games: int) -> Counter[Fact]:
    compared: Counter[Fact] = Counter()
    for deal in range(games):
        compared += compare_through(rules, deal, sized(5, 2))
    return compared


@pytest.mark.parametrize("name", PRESETS)
def test_presets__rows_say_what_the_referee_lets_each_player_know(name: str) -> None:
    compared = compare_games(PRESETS[name], sized(8, 1))
    for role, waiting in product((0, 1), ("act", "respond")):
        assert compared[role, waiting] >= sized(20, 1)


@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules__rows_say_what_the_referee_lets_each_player_know(name: str) -> None:
    rules = load_rules({"preset": "base", **ODD_RULES[name]})
    compared = compare_games(rules, sized(2, 1))
    assert compared[0, "act"]
    assert compared[1, "act"]
    assert (compared["answers"] > 0) == name.startswith("face-down offer")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.usefixtures("small_tables")
def test_presets__rows_of_factors_say_so_together(name: str) -> None:
    compare_games(PRESETS[name], sized(2, 1))
