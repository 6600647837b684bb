"""The information set of a plain agent as a readable object, its legal moves and randomness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hanamikoji import splitmix
from hanamikoji.engine.seat import Game, Int32
from hanamikoji.moves import index as ix

T = TypeVar("T")


class Random64:
    """A decision's own random numbers: SplitMix64 from the decision's word."""

    __slots__ = ("_drawn", "_key")

    def __init__(self, word: int) -> None:
        self._key = word
        self._drawn = -1

    def word(self) -> int:
        """The next integer in [0, 2^64)."""
        self._drawn += 1
        return splitmix.word(self._key, self._drawn)

    def below(self, n: int) -> int:
        """A uniform integer in [0, n), n below 2^32."""
        return splitmix.below(self.word(), n)

    def random(self) -> float:
        """A uniform float in [0, 1)."""
        return splitmix.fraction(self.word())

    def choice(self, items: Sequence[T]) -> T:
        """A uniform one of the items, of which there is at least one."""
        return items[self.below(len(items))]

    def shuffle(self, items: list[Any]) -> None:
        """Put a list in uniform random order."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


class Move(int):
    """A legal move: its id, and in words which marker it uses on which cards.

    ``action`` is the marker's ``set/marker`` name. For a move, ``groups`` are the cards (geisha
    indices), group by group. For a response, ``taken`` are the chosen groups' numbers in the offer.
    """

    action: str
    groups: tuple[tuple[int, ...], ...]
    taken: tuple[int, ...]

    def __repr__(self) -> str:
        if self.taken:
            return f"Move({int(self)}: take {self.taken} of {self.action})"
        return f"Move({int(self)}: {self.action} {self.groups})"


def describe_move(game: Game, number: int) -> Move:
    """The move or response with this id."""
    move = Move(number)
    tables = game.tables
    if number < game.moves:
        kind = int(tables[tables[ix.MOVE_KIND_AT] + number])
        action = game.rules.kinds[kind]
        at = int(tables[ix.MOVE_CARDS_AT]) + number * ix.MOST_CARDS
        cards = [int(card) for card in tables[at : at + action.cards]]
        groups = []
        for size in action.groups:
            groups.append(tuple(cards[:size]))
            cards = cards[size:]
        move.action, move.groups, move.taken = action.name, tuple(groups), ()
        return move
    mask = int(tables[tables[ix.RESPONSE_MASK_AT] + number - game.moves])
    rows = tables[ix.KIND_ROW : ix.KIND_GROUP].reshape(-1, ix.KIND_WIDTH)
    kind = max(
        k for k in range(len(game.rules.kinds))
        if rows[k, ix.KIND_RESPONSES] and rows[k, ix.KIND_RESPONSE] <= number - game.moves
    )  # fmt: skip
    move.action, move.groups = game.rules.kinds[kind].name, ()
    move.taken = tuple(j for j in range(ix.MOST_GROUPS) if mask >> j & 1)
    return move


class MoveBook(dict[int, Move]):
    """The moves of a game by id, described when first asked for."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.game = game

    def __missing__(self, number: int) -> Move:
        move = self[number] = describe_move(self.game, number)
        return move


class Observation:
    """Everything a player may know when it decides; counts are lists with one entry per geisha.

    ``view`` is the flat row it is read from (see `hanamikoji.moves.index`), ``legal_ids`` the
    legal moves' ids, ``rng`` the decision's own random numbers.
    """

    __slots__ = ("_book", "_rng", "_view", "_word", "legal_ids")

    def __init__(self, book: MoveBook, view: Any, legal_ids: list[int], word: int) -> None:
        self._book = book
        self._view = view
        self._word = word
        self._rng: Random64 | None = None
        self.legal_ids = legal_ids

    @property
    def game(self) -> Game:
        """The rules and their tables."""
        return self._book.game

    @property
    def view(self) -> Int32:
        """The flat row, int32 (F,)."""
        views, i = self._view
        return views[i]  # type: ignore[no-any-return]

    @property
    def legal_moves(self) -> list[Move]:
        """The legal moves, or responses when ``responding``."""
        book = self._book
        return [book[number] for number in self.legal_ids]

    @property
    def rng(self) -> Random64:
        """This decision's random numbers: a generator that starts with the decision."""
        if self._rng is None:
            self._rng = Random64(self._word)
        return self._rng

    @property
    def word(self) -> int:
        """The random word that ``rng`` starts from, in [0, 2^64)."""
        return self._word

    def _counts(self, at: int, n: int | None = None) -> list[int]:
        size = self._book.game.geishas if n is None else n
        return self.view[at : at + size].tolist()  # type: ignore[no-any-return]

    @property
    def responding(self) -> bool:
        """Whether an offer is to be answered."""
        return bool(self.view[ix.PHASE] == ix.RESPOND)

    @property
    def round(self) -> int:
        """The round, from 1."""
        return int(self.view[ix.ROUND])

    @property
    def turn(self) -> int:
        """Turns of this round that are over, both players together."""
        return int(self.view[ix.TURN])

    @property
    def role(self) -> str:
        """``"starter"`` or ``"second"``: who began the game."""
        return "second" if self.view[ix.ROLE] else "starter"

    @property
    def first(self) -> bool:
        """Whether this player began the round."""
        return bool(self.view[ix.FIRST])

    @property
    def deck(self) -> int:
        """Cards left in the deck."""
        return int(self.view[ix.DECK])

    @property
    def their_hand_size(self) -> int:
        """Cards in the opponent's hand."""
        return int(self.view[ix.THEIR_HAND_SIZE])

    @property
    def charm(self) -> int:
        """Charm held by victory markers now."""
        return int(self.view[ix.CHARM])

    @property
    def their_charm(self) -> int:
        """Charm of the opponent's victory markers."""
        return int(self.view[ix.THEIR_CHARM])

    @property
    def markers(self) -> list[int]:
        """Victory markers: +1 own, -1 the opponent's, 0 neutral."""
        return self._counts(ix.MARKERS)

    @property
    def hand(self) -> list[int]:
        """Own hand."""
        return self._counts(ix.HAND)

    @property
    def mine(self) -> list[int]:
        """Public items on the own side."""
        return self._counts(ix.MINE)

    @property
    def theirs(self) -> list[int]:
        """Public items on the opponent's side."""
        return self._counts(ix.THEIRS)

    @property
    def out(self) -> list[int]:
        """Items publicly out of the round."""
        return self._counts(ix.OUT)

    @property
    def down_mine(self) -> list[int]:
        """Own face-down items that will count for oneself."""
        return self._counts(ix.DOWN_MINE)

    @property
    def down_theirs(self) -> list[int]:
        """Own face-down items that will count for the opponent."""
        return self._counts(ix.DOWN_THEIRS)

    @property
    def down_out(self) -> list[int]:
        """Own face-down items out of the round."""
        return self._counts(ix.DOWN_OUT)

    @property
    def blind(self) -> list[int]:
        """Own face-down items whose fate another's blind choice hides."""
        return self._counts(ix.BLIND)

    @property
    def under(self) -> list[int]:
        """Own cards put under the deck and still there."""
        return self._counts(ix.UNDER)

    @property
    def left(self) -> dict[str, int]:
        """Own action markers not yet used, by name."""
        return self._markers_left(ix.LEFT)

    @property
    def their_left(self) -> dict[str, int]:
        """The opponent's action markers not yet used, by name."""
        return self._markers_left(ix.THEIR_LEFT)

    def _markers_left(self, at: int) -> dict[str, int]:
        kinds = self._book.game.rules.kinds
        return dict(zip((kind.name for kind in kinds), self._counts(at, len(kinds)), strict=True))

    @property
    def offer(self) -> list[list[int]]:
        """The face-up groups to choose from, each as counts per geisha; [] if there are none."""
        kind = int(self.view[ix.OFFER_KIND])
        if kind == 0 or self.view[ix.OFFER_MOVE] == 0:
            return []
        groups = len(self._book.game.rules.kinds[kind - 1].groups)
        return [self._counts(ix.OFFER + j * ix.MOST_GEISHAS) for j in range(groups)]

    @property
    def history(self) -> list[tuple[str, str, Move | None, int | None]]:
        """This round's turns in order: (``"me"`` or ``"opponent"``, marker, move, answer).

        The move is None where it is hidden; the answer is the id of the response (of what looks
        like it, if chance chose), for an exchange the drawn geisha, and None where there is none
        or it is hidden.
        """
        rows = self.view[ix.HISTORY :].reshape(-1, ix.HISTORY_WIDTH)
        kinds = self._book.game.rules.kinds
        return [
            (
                "me" if actor == ix.ONESELF else "opponent",
                kinds[kind - 1].name,
                self._book[move - 1] if move else None,
                answer - 1 if answer else None,
            )
            for actor, kind, move, answer in rows.tolist()
            if actor
        ]
