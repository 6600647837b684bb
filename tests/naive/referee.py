"""A slow, readable referee of the game, to check the engine against (compare stumpy's naive.py).

Written from docs/rules.md alone, without a look at the engine, and worth something only while it
stays so. It plays nothing itself: it is GIVEN all chance (the shuffled cards of each round, the
groups that a blind choice took, who begins when that is random) and all decisions, refuses what is
illegal, and answers what may be done, what each player may know, and how the game ends.

Players are numbered by their role in the game: 0 began round 1, 1 did not. Geishas are numbered
from 0; a card is the number of its geisha. ``Referee.waiting`` says what comes next::

    "deal"     deal(order)            the round's cards, see Referee.deal
    "act"      play(move)             a move of legal_moves(), by player ``to_act``
    "respond"  respond(take)          a take of legal_takes(), by player ``to_act``
    "chance"   chance_takes(groups)   one of chance_outcomes(): what a blind choice took
    "starter"  starts(player)         who begins the next round, where the rules say random
    "over"                            ``result`` is there
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from naive.moves import (
    Group,
    Groups,
    Move,
    Take,
    canonical,
    divisions,
    sizes_of,
    takes,
    without,
)
from naive.score import (
    ROLES,
    SHARED,
    Owner,
    Result,
    Verdict,
    charm_held,
    end_check,
    favor_mask,
    geishas_held,
    initial_markers,
    lead_changes,
    markers_after,
    next_starter,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hanamikoji.rules import Action, Rules

OUT = None
"""Where a card that has left the round lies; the sides are the players' numbers."""


class Event(NamedTuple):
    """A turn as everybody saw it."""

    player: int
    kind: int
    shown: Groups | None  # None where the cards were face down
    taken: Take | None  # None before the choice, and where there is none


@dataclass
class DeckCard:
    """A card of the deck and who put it under it, if anybody did."""

    geisha: int
    put_by: int | None = None


@dataclass
class DownCard:
    """A card played face down: who played it, which side it scores for, does its player know."""

    geisha: int
    owner: int
    side: int | None
    known: bool


@dataclass
class TurnRecord:
    """All there is to tell about one turn, for playthroughs."""

    player: int
    drew: tuple[int, ...]
    held: Group  # after the draw
    move: Move
    offered: Groups  # what was played: the move's groups, or the card an exchange drew
    taken: Groups | None = None
    take: Take | None = None


@dataclass
class RoundRecord:
    """A round from its deal to the markers after it."""

    number: int
    starter: int
    removed: Group
    hands: tuple[Group, Group]
    turns: list[TurnRecord] = field(default_factory=list)
    sides: tuple[Group, Group] = ((), ())  # the scored cards
    left: tuple[Group, Group, Group] = ((), (), ())  # hands and deck at the end
    markers: tuple[Owner, ...] = ()

    def order(self, player: int) -> tuple[int, ...]:
        """Return the kinds a player used, in order."""
        return tuple(turn.move.kind for turn in self.turns if turn.player == player)


class Referee:
    """One game under some rules; see the module's docstring for how to lead it."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        second_actions = rules.actions if rules.second_actions is None else rules.second_actions
        self.kinds: list[Action] = []
        for action in (*rules.actions, *second_actions):
            if action.name not in [kind.name for kind in self.kinds]:
                self.kinds.append(action)
        names = [kind.name for kind in self.kinds]
        # for the round's starter and for its second
        self._lists = [
            Counter(names.index(action.name) for action in actions)
            for actions in (rules.actions, second_actions)
        ]
        self.geishas = len(rules.charm)
        self.markers = initial_markers(rules)
        self.starter = 0
        self.to_act: int | None = None
        self.waiting = "deal"
        self.result: Result | None = None
        self.rounds: list[RoundRecord] = []
        self.hands: list[list[int]] = [[], []]
        self.deck: list[DeckCard] = []
        self.sides: list[list[int]] = [[], []]  # face up
        self.out: list[int] = []  # face up
        self.down: list[DownCard] = []
        self.markers_left: list[Counter[int]] = [Counter(), Counter()]
        self.history: list[Event] = []
        self.sizes_asked: tuple[int, ...] | None = None
        self._drew: tuple[int, ...] = ()

    @property
    def round(self) -> int:
        """The number of the round that is played or was played last, from 1; 0 before any."""
        return len(self.rounds)

    @property
    def turn(self) -> int:
        """How many turns of this round are finished."""
        open_offer = self.waiting in ("respond", "chance")
        return len(self.rounds[-1].turns) - open_offer if self.rounds else 0

    # -- chance and decisions -------------------------------------------------------------

    def deal(self, order: Sequence[int]) -> None:
        """Start a round with these shuffled cards.

        In order: the removed ones, the hand of the round's starter, the other's, the deck from
        its top to its bottom.
        """
        self._expect("deal")
        rules = self.rules
        if Counter(order) != Counter(dict(enumerate(rules.items))):
            raise ValueError(f"not the cards of this game: {order}")
        first = rules.removed + rules.hand
        second = first + rules.hand
        self.hands[self.starter] = sorted(order[rules.removed : first])
        self.hands[1 - self.starter] = sorted(order[first:second])
        self.deck = [DeckCard(geisha) for geisha in order[second:]]
        self.sides = [[], []]
        self.out = []
        self.down = []
        self.history = []
        self.markers_left[self.starter] = Counter(self._lists[0])
        self.markers_left[1 - self.starter] = Counter(self._lists[1])
        removed = tuple(sorted(order[: rules.removed]))
        hands = (tuple(self.hands[0]), tuple(self.hands[1]))
        self.rounds.append(RoundRecord(self.round + 1, self.starter, removed, hands))
        self._begin_turn(self.starter)

    def play(self, move: Move) -> None:
        """Use a marker: the player to act plays these cards."""
        self._expect("act")
        player = self.to_act
        action = self.kinds[move.kind]
        if self.markers_left[player][move.kind] < 1:
            raise ValueError(f"no marker left for {move}")
        if move.groups != canonical(move.groups) or sizes_of(move.groups) != action.groups:
            raise ValueError(f"not the groups of {action.name}: {move}")
        held = tuple(self.hands[player])
        self.hands[player] = list(without(held, [c for group in move.groups for c in group]))
        self.markers_left[player][move.kind] -= 1
        played = move.groups
        if action.exchange:
            # Onto an empty deck and off it again: the actor's own card comes back.
            self.deck.append(DeckCard(move.groups[0][0], put_by=player))
            played = ((self.deck.pop(0).geisha,),)
        self.rounds[-1].turns.append(TurnRecord(player, self._drew, held, move, played))
        shown = played if action.face == "up" else None
        self.history.append(Event(player, move.kind, shown, None))
        if action.chooser == "nobody":
            self._settle(())
        elif action.chooser == "opponent":
            self.waiting, self.to_act = "respond", 1 - player
        else:
            self.waiting, self.to_act = "chance", None

    def respond(self, take: Take) -> None:
        """Answer an offer: the opponent of who made it takes groups, or sizes if face down."""
        self._expect("respond")
        if take not in self.legal_takes():
            raise ValueError(f"not on offer: {take}")
        if take.groups is None:
            self.waiting, self.to_act = "chance", None
            self.sizes_asked = take.sizes
        else:
            self._settle(take.groups)

    def chance_takes(self, groups: Groups) -> None:
        """Say which groups a choice without knowledge took."""
        self._expect("chance")
        if groups not in self.chance_outcomes():
            raise ValueError(f"chance can't take {groups}")
        self._settle(groups)

    def starts(self, player: int) -> None:
        """Say who begins the next round."""
        self._expect("starter")
        self.starter = player
        self.waiting = "deal"

    # -- what may happen ------------------------------------------------------------------

    def playable(self, player: int) -> list[int]:
        """Return the kinds a player can use: a marker is left and the hand has the cards."""
        return [
            kind
            for kind, action in enumerate(self.kinds)
            if self.markers_left[player][kind] and len(self.hands[player]) >= action.cards
        ]

    def legal_moves(self) -> frozenset[Move]:
        """Return every distinct move of the player to act."""
        self._expect("act")
        hand = tuple(sorted(self.hands[self.to_act]))
        return frozenset(
            Move(kind, groups)
            for kind in self.playable(self.to_act)
            for groups in divisions(hand, self.kinds[kind].groups)
        )

    def legal_takes(self) -> frozenset[Take]:
        """Return every distinct answer to the offer."""
        self._expect("respond")
        action, groups = self.offer()
        face_up = action.face == "up"
        return frozenset(
            Take(sizes_of(taken), taken if face_up else None)
            for taken in takes(groups, action.choose)
        )

    def chance_outcomes(self) -> frozenset[Groups]:
        """Return what a blind choice may take; each way to take groups is equally likely."""
        self._expect("chance")
        action, groups = self.offer()
        found = takes(groups, action.choose)
        if self.sizes_asked is not None:
            found = frozenset(taken for taken in found if sizes_of(taken) == self.sizes_asked)
        return found

    # -- the machine ----------------------------------------------------------------------

    def _expect(self, step: str) -> None:
        if self.waiting != step:
            raise ValueError(f"the game waits for {self.waiting}, not for {step}")

    def offer(self) -> tuple[Action, Groups]:
        turn = self.rounds[-1].turns[-1]
        return self.kinds[turn.move.kind], turn.offered

    def _begin_turn(self, player: int) -> None:
        drawn = [self.deck.pop(0).geisha for _ in range(self.rules.draw)]
        self.hands[player] = sorted(self.hands[player] + drawn)
        self._drew = tuple(drawn)
        self.waiting, self.to_act = "act", player
        if not self.playable(player):
            raise ValueError("rules that leave a player without a legal move")

    def _settle(self, taken: Groups) -> None:
        """Lay down what was played: the taken groups, and the rest."""
        turn = self.rounds[-1].turns[-1]
        action, groups = self.offer()
        rest = list(groups)
        for group in taken:
            rest.remove(group)
        places = {"actor": turn.player, "opponent": 1 - turn.player, "out": OUT, None: OUT}
        for part, word in ((taken, action.chosen_to), (rest, action.rest_to)):
            for group in part:
                self._lay(turn.player, group, places[word], self._fate_known(group, taken))
        if action.chooser != "nobody":
            turn.taken = taken
            turn.take = Take(sizes_of(taken), taken if action.face == "up" else None)
        self.history[-1] = self.history[-1]._replace(taken=turn.take)
        self.sizes_asked = None
        self._end_turn(turn.player)

    def _fate_known(self, group: Group, taken: Groups) -> bool:
        """Tell whether the actor knows where a face-down group went.

        It sees how many groups of each size were taken: all or none of a size leaves no doubt.
        """
        action, groups = self.offer()
        offered = sizes_of(groups).count(len(group))
        chosen = sizes_of(taken).count(len(group))
        same_place = action.chosen_to == action.rest_to
        return action.actor_sees or same_place or chosen in (0, offered)

    def _lay(self, actor: int, group: Group, place: int | None, known: bool) -> None:
        action, _ = self.offer()
        if action.face == "down":
            self.down += [DownCard(card, actor, place, known) for card in group]
        elif place is OUT:
            self.out += group
        else:
            self.sides[place] += group

    def _end_turn(self, player: int) -> None:
        other = 1 - player
        if self.markers_left[other].total():
            self._begin_turn(other)
        elif self.markers_left[player].total():
            self._begin_turn(player)
        else:
            self._end_round()

    def _end_round(self) -> None:
        scored = [
            sorted(self.sides[p] + [card.geisha for card in self.down if card.side == p])
            for p in (0, 1)
        ]
        self.markers = markers_after(self.markers, scored[0], scored[1])
        record = self.rounds[-1]
        record.sides = (tuple(scored[0]), tuple(scored[1]))
        deck = tuple(card.geisha for card in self.deck)
        record.left = (tuple(self.hands[0]), tuple(self.hands[1]), deck)
        record.markers = self.markers
        self.to_act = None
        verdict = end_check(self.rules, self.markers, self.round)
        if verdict is not None:
            self.waiting = "over"
            self.result = self._result(verdict)
            return
        starter = next_starter(self.rules, self.markers, self.starter)
        if not self.rules.keep_markers:
            self.markers = initial_markers(self.rules)
        self.waiting = "starter"
        if starter is not None:
            self.starts(starter)

    def _result(self, verdict: Verdict | str) -> Result:
        if isinstance(verdict, str):
            outcome, reason, conflict = verdict, "round-limit", False
        else:
            outcome = "shared" if verdict.winner == SHARED else ROLES[verdict.winner]
            reason, conflict = verdict.reason, verdict.goal_conflict
        charms = [
            (charm_held(self.rules, r.markers, 0), charm_held(self.rules, r.markers, 1))
            for r in self.rounds
        ]
        opening = [-1, -1]
        for turn in reversed([turn for r in self.rounds for turn in r.turns]):
            opening[turn.player] = turn.move.kind
        return Result(
            outcome=outcome,
            reason=reason,
            rounds=self.round,
            charm=charms[-1],
            geishas=(geishas_held(self.markers, 0), geishas_held(self.markers, 1)),
            favor=(favor_mask(self.markers, 0), favor_mask(self.markers, 1)),
            lead_changes=lead_changes(charms),
            goal_conflict=conflict,
            opening=(opening[0], opening[1]),
        )
