"""What a player may know, in readable form: the oracle's side of the observation.

Everything is told from one player's own view; counts are per geisha. Whatever isn't here the
player doesn't know, but for what it could work out from these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from naive.moves import Groups, Take, sizes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from naive.referee import Referee

Counts = tuple[int, ...]
"""How many cards of each geisha."""


@dataclass(frozen=True)
class SeenOffer:
    """An offer that waits for its answer."""

    mine: bool
    kind: int
    sizes: tuple[int, ...]
    groups: Groups | None  # None for whoever may not see them


@dataclass(frozen=True)
class SeenTurn:
    """A turn of this round as everybody saw it."""

    mine: bool
    kind: int
    shown: Groups | None
    taken: Take | None


@dataclass(frozen=True)
class Knowledge:
    """All a player may know at some moment of a round."""

    markers: tuple[int, ...]  # 1 mine, -1 theirs, 0 nobody's
    hand: Counts
    my_side: Counts  # face up
    their_side: Counts
    out: Counts  # face up, out of the round
    down_mine: Counts  # my face-down cards that score for me
    down_theirs: Counts
    down_out: Counts
    down_blind: Counts  # my face-down cards of unknown fate
    under: Counts  # put under the deck by me and still there
    markers_left: tuple[int, ...]  # per kind
    their_markers_left: tuple[int, ...]
    offer: SeenOffer | None
    deck: int
    hand_size: int
    their_hand_size: int
    round: int  # from 1
    turn: int  # turns finished in this round
    began_round: bool  # by me
    began_game: bool
    history: tuple[SeenTurn, ...]


def knowledge(game: Referee, player: int) -> Knowledge:
    """Return what a player may know of a round that is being played."""
    other = 1 - player

    def counts(cards: Iterable[int]) -> Counts:
        held = list(cards)
        return tuple(held.count(geisha) for geisha in range(game.geishas))

    def my_down(side: int | None) -> Counts:
        mine = (card for card in game.down if card.owner == player)
        return counts(card.geisha for card in mine if card.known and card.side == side)

    blind = (card.geisha for card in game.down if card.owner == player and not card.known)
    kinds = range(len(game.kinds))
    return Knowledge(
        markers=tuple(0 if o is None else 1 if o == player else -1 for o in game.markers),
        hand=counts(game.hands[player]),
        my_side=counts(game.sides[player]),
        their_side=counts(game.sides[other]),
        out=counts(game.out),
        down_mine=my_down(player),
        down_theirs=my_down(other),
        down_out=my_down(None),
        down_blind=counts(blind),
        under=counts(card.geisha for card in game.deck if card.put_by == player),
        markers_left=tuple(game.markers_left[player][kind] for kind in kinds),
        their_markers_left=tuple(game.markers_left[other][kind] for kind in kinds),
        offer=_offer(game, player),
        deck=len(game.deck),
        hand_size=len(game.hands[player]),
        their_hand_size=len(game.hands[other]),
        round=game.round,
        turn=game.turn,
        began_round=game.starter == player,
        began_game=player == 0,
        history=tuple(
            SeenTurn(event.player == player, event.kind, event.shown, event.taken)
            for event in game.history
        ),
    )


def _offer(game: Referee, player: int) -> SeenOffer | None:
    if game.waiting not in ("respond", "chance"):
        return None
    turn = game.rounds[-1].turns[-1]
    mine = turn.player == player
    face_up = game.kinds[turn.move.kind].face == "up"
    groups = turn.offered if mine or face_up else None
    return SeenOffer(mine, turn.move.kind, sizes_of(turn.offered), groups)
