"""Lead the naive referee along a game of the engine, and compare all that can be compared.

The engine's cards, its blind choices and random starters are read out of its state and given to the
referee as chance. What may be played, what each player sees, and what comes of it must then agree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from hanamikoji.engine import codes
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.moves import index as ix
from naive import Move, Referee, Take, knowledge
from naive.moves import Groups, canonical, sizes_of
from naive.score import charm_held, favor_mask, geishas_held

if TYPE_CHECKING:
    from hanamikoji.rules import Rules
    from naive.referee import TurnRecord
    from naive.view import SeenOffer, SeenTurn

Choose = Callable[[SingleGame, Random], int]


# --- ids and what they mean ----------------------------------------------------------------------


class Book:
    """The engine's ids in the referee's words, read from the tables."""

    def __init__(self, game: Game) -> None:
        self.tables = tables = game.tables
        self.kinds = game.rules.kinds
        self.moves: list[Move] = []
        for number in range(game.moves):
            kind = int(tables[tables[ix.MOVE_KIND_AT] + number])
            at = tables[ix.MOVE_CARDS_AT] + number * ix.MOST_CARDS
            cards = iter(tables[at : at + self.kinds[kind].cards].tolist())
            groups = [[next(cards) for _ in range(size)] for size in self.kinds[kind].groups]
            self.moves.append(Move(kind, canonical(groups)))
        self.ids = {move: number for number, move in enumerate(self.moves)}

    def parts(self, move: Move, mask: int) -> Groups:
        """The groups of a move that a mask chooses."""
        return tuple(group for j, group in enumerate(move.groups) if mask >> j & 1)

    def take(self, move: Move, response: int) -> Take:
        """What a response means where this move was offered."""
        mask = int(self.tables[self.tables[ix.RESPONSE_MASK_AT] + response - len(self.moves)])
        taken = canonical(self.parts(move, mask))
        return Take(sizes_of(taken), taken if self.kinds[move.kind].face == "up" else None)

    def response(self, move: Move, take: Take) -> int:
        """The id of a take: the first of the group sets that look like it."""
        action = self.kinds[move.kind]
        first = ix.MASK_RESPONSE + move.kind * 2**ix.MOST_GROUPS
        for chosen in combinations(range(len(action.groups)), action.choose):
            number = int(self.tables[first + sum(1 << j for j in chosen)])
            if self.take(move, number) == take:
                return number
        raise AssertionError(take)


@lru_cache(maxsize=64)
def book_of(game: Game) -> Book:
    return Book(game)


# --- what a player should see --------------------------------------------------------------------


def expected_view(game: Referee, player: int, book: Book, decision: int) -> np.ndarray:
    """The whole observation row of a player by the referee's account of what it may know."""
    seen = knowledge(game, player)
    other = 1 - player
    row = np.zeros(ix.VIEW_SIZE, np.int32)
    row[ix.ROUND] = seen.round
    row[ix.TURN] = seen.turn
    row[ix.ROLE] = not seen.began_game
    row[ix.FIRST] = seen.began_round
    row[ix.DECISION] = decision
    row[ix.DECK] = seen.deck
    row[ix.HAND_SIZE] = seen.hand_size
    row[ix.THEIR_HAND_SIZE] = seen.their_hand_size
    row[ix.CHARM] = charm_held(game.rules, game.markers, player)
    row[ix.THEIR_CHARM] = charm_held(game.rules, game.markers, other)
    row[ix.FAVOR] = geishas_held(game.markers, player)
    row[ix.THEIR_FAVOR] = geishas_held(game.markers, other)
    blocks = {
        ix.MARKERS: seen.markers,
        ix.LEFT: seen.markers_left,
        ix.THEIR_LEFT: seen.their_markers_left,
        ix.HAND: seen.hand,
        ix.MINE: seen.my_side,
        ix.THEIRS: seen.their_side,
        ix.OUT: seen.out,
        ix.DOWN_MINE: seen.down_mine,
        ix.DOWN_THEIRS: seen.down_theirs,
        ix.DOWN_OUT: seen.down_out,
        ix.BLIND: seen.down_blind,
        ix.UNDER: seen.under,
    }
    for at, counts in blocks.items():
        row[at : at + len(counts)] = counts
    if seen.offer is not None and not seen.offer.mine:
        _show_offer(row, seen.offer, book)
    turns = zip(seen.history, game.rounds[-1].turns, strict=True)
    entries = [_history_entry(game, event, turn, book) for event, turn in turns]
    row[ix.HISTORY : ix.HISTORY + len(entries) * ix.HISTORY_WIDTH] = np.ravel(entries)
    return row


def _show_offer(row: np.ndarray, offer: SeenOffer, book: Book) -> None:
    row[ix.PHASE] = ix.RESPOND
    row[ix.OFFER_KIND] = 1 + offer.kind
    if offer.groups is not None:
        row[ix.OFFER_MOVE] = 1 + book.ids[Move(offer.kind, offer.groups)]
        for j, group in enumerate(offer.groups):
            for card in group:
                row[ix.OFFER + j * ix.MOST_GEISHAS + card] += 1


def _history_entry(
    game: Referee, event: SeenTurn, turn: TurnRecord, book: Book
) -> tuple[int, int, int, int]:
    exchange = game.kinds[event.kind].exchange
    move = answer = 0
    if event.mine:
        move = 1 + book.ids[turn.move]
    elif event.shown is not None and not exchange:
        move = 1 + book.ids[Move(event.kind, event.shown)]
    if event.taken is not None:
        answer = 1 + book.response(turn.move, event.taken)
    elif exchange and (event.mine or event.shown is not None):
        answer = 1 + turn.offered[0][0]
    return (1 if event.mine else 2, 1 + event.kind, move, answer)


STALE = (ix.PHASE, ix.TURN, ix.DECISION, ix.DECK, ix.THEIR_HAND_SIZE)
"""What the engine brings up to date in a view only when its player decides."""


def assert_views_agree(single: SingleGame, game: Referee, book: Book, decisions: list[int]) -> None:
    for player in (0, 1):
        found, wanted = (
            single.view_of(player).copy(),
            expected_view(game, player, book, decisions[player]),
        )
        if player != single.decider:
            found[list(STALE)] = wanted[list(STALE)] = 0
        if not np.array_equal(found, wanted):
            raise AssertionError(_difference(found, wanted, player))
    assert np.array_equal(single.view, single.view_of(single.decider))


def _difference(found: np.ndarray, wanted: np.ndarray, player: int) -> str:
    lines = []
    for name, (at, shape) in {"header": (0, (ix.HEADER,)), **ix.VIEW_BLOCKS}.items():
        end = at + int(np.prod(shape))
        if not np.array_equal(found[at:end], wanted[at:end]):
            lines += [f"{name} of {player}", f"{found[at:end].reshape(shape)} found"]
            lines.append(f"{wanted[at:end].reshape(shape)} wanted")
    return "\n".join(lines)


# --- a whole game --------------------------------------------------------------------------------


def follow(single: SingleGame, choose: Choose, rng: Random) -> Referee:
    """Play the engine's game to its end with the referee beside it; returns the referee."""
    game = Referee(single.game.rules)
    book = book_of(single.game)
    decisions, legal = [0, 0], [0, 0]
    while not single.finished:
        if game.waiting == "starter":
            game.starts(int(single.state[st.STARTER]))
        if game.waiting == "deal":
            game.deal(cards_of(single))
            decisions, legal = [0, 0], [0, 0]
        role = single.decider
        assert role == game.to_act
        assert_views_agree(single, game, book, decisions)
        offered = book.moves[single.state[st.MOVE]]  # of an offer that waits
        assert_legal_agrees(single, game, book, offered)
        choice = choose(single, rng)
        decisions[role] += 1
        legal[role] += len(single.legal)
        if game.waiting == "act":
            offered = book.moves[choice]
            game.play(offered)
        else:
            game.respond(book.take(offered, choice))
        assert single.decide(choice)
        if game.waiting == "chance":
            game.chance_takes(canonical(book.parts(offered, int(single.state[st.CHOSEN]))))
        if game.waiting in ("starter", "deal", "over"):
            assert_round_agrees(single, game, decisions, legal)
    assert game.waiting == "over"
    assert_result_agrees(single, game)
    return game


def cards_of(single: SingleGame) -> list[int]:
    """The round's shuffled cards."""
    return single.state[st.DECK : st.DECK + single.game.rules.total_items].tolist()


def assert_legal_agrees(single: SingleGame, game: Referee, book: Book, offered: Move) -> None:
    ids = single.legal.tolist()
    assert ids == sorted(set(ids))
    if game.waiting == "act":
        assert {book.moves[number] for number in ids} == game.legal_moves()
    else:
        takes = [book.take(offered, number) for number in ids]
        assert len(set(takes)) == len(takes)
        assert set(takes) == game.legal_takes()


def assert_round_agrees(
    single: SingleGame, game: Referee, decisions: list[int], legal: list[int]
) -> None:
    assert len(single.rounds) == game.round
    row, record = single.rounds[-1], game.rounds[-1]
    assert (row["round"], row["round_starter"]) == (record.number, record.starter)
    for player, role in enumerate(codes.ROLES):
        assert row[f"favor_{role}"] == favor_mask(record.markers, player)
        order = row[f"order_{role}"]
        kinds = [(order >> 5 * i & 31) - 1 for i in range(12) if order >> 5 * i]
        assert tuple(kinds) == record.order(player)
        assert row[f"decisions_{role}"] == decisions[player]
        assert row[f"legal_{role}"] == legal[player]


def assert_result_agrees(single: SingleGame, game: Referee) -> None:
    found, wanted = single.result, game.result
    assert codes.ROLE_OUTCOMES[found["outcome"]] == wanted.outcome
    assert codes.REASONS[found["reason"]] == wanted.reason
    assert found["rounds"] == wanted.rounds
    assert found["lead_changes"] == wanted.lead_changes
    assert found["goal_conflict"] == wanted.goal_conflict
    for player, role in enumerate(codes.ROLES):
        assert found[f"charm_{role}"] == wanted.charm[player]
        assert found[f"geishas_{role}"] == wanted.geishas[player]
        assert found[f"favor_{role}"] == wanted.favor[player]
        assert found[f"opening_{role}"] == wanted.opening[player]


# --- ways to choose ------------------------------------------------------------------------------


def any_choice(single: SingleGame, rng: Random) -> int:
    """Uniform over the legal ids."""
    return int(rng.choice(single.legal.tolist()))


def any_kind(single: SingleGame, rng: Random) -> int:
    """Uniform over the markers first, so that those with few moves come early, too."""
    ids = single.legal.tolist()
    tables = single.game.tables
    if single.view[ix.PHASE] == ix.RESPOND:
        return int(rng.choice(ids))
    kind_of = {number: int(tables[tables[ix.MOVE_KIND_AT] + number]) for number in ids}
    kind = rng.choice(sorted(set(kind_of.values())))
    return rng.choice([number for number in ids if kind_of[number] == kind])


def first_choice(single: SingleGame, rng: Random) -> int:
    """Always the first legal id."""
    return int(single.legal[0])


def last_choice(single: SingleGame, rng: Random) -> int:
    """Always the last legal id."""
    return int(single.legal[-1])


def followed(
    rules: Rules, deal: int, choose: Choose = any_kind, seed: int = 1, seating: int = 0
) -> Referee:
    """Play one game of these rules with the referee beside it."""
    single = SingleGame(Game.of(rules), ("a", "b"), seed, deal, seating)
    return follow(single, choose, Random(deal))


def by_word(single: SingleGame, rng: Random) -> int:
    """As `any_kind`, but by the decision's own random word."""
    return any_kind(single, _Word(single.word))


class _Word(Random):
    """A generator that only knows how to choose, by parts of one word."""

    def __init__(self, word: int) -> None:
        super().__init__(0)
        self._word = word

    def choice(self, items):  # type: ignore[no-untyped-def]
        self._word, pick = divmod(self._word, len(items))
        return items[pick]
