"""Other worlds that a player can't tell from the one it is in.

Follow where each physical card of a round is and who has seen it. The cards that a player has not
seen may be dealt in any other order; the opponent's hidden moves are then made with what lies in
the same places, blind choices fall as they like, and everything that was public stays as it was.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np

from engine.drive import any_kind, book_of, cards_of
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules
from naive import Move
from naive.moves import canonical

Card = int
"""A physical card: its place in the round's shuffle."""


@dataclass
class Act:
    """A decision of the round, and what was seen of it.

    ``role`` made the move ``groups`` of physical cards, or offered what ``response`` answers.
    """

    role: int
    kind: int
    groups: tuple[tuple[Card, ...], ...] = ()
    response: int = -1
    answers: tuple[int, ...] = (0, 0)  # in the history as each role sees it
    chosen: int = 0  # which groups chance took


@dataclass
class Table:
    """A round up to now, card by card."""

    start: SingleGame  # at the round's first decision
    labels: list[int]  # the geisha of each card
    hands: list[list[Card]]
    deck: list[Card]
    seen: list[set[Card]]  # by each role
    acts: list[Act] = field(default_factory=list)

    @classmethod
    def of(cls, single: SingleGame) -> Table:
        rules = single.game.rules
        labels = cards_of(single)
        cards = list(range(len(labels)))
        first = rules.removed + rules.hand
        hands = [cards[rules.removed : first], cards[first : first + rules.hand]]
        if single.state[st.STARTER] == 1:
            hands.reverse()
        seen = [set(hand) for hand in hands]
        return cls(clone(single), labels, hands, cards[first + rules.hand :], seen)

    def draw(self, role: int) -> Card:
        card = self.deck.pop(0)
        self.seen[role].add(card)
        return card

    def act(self, role: int, move: Move, single: SingleGame, rng: Random) -> None:
        """Note a move, made with any of the cards in hand that look like it."""
        action = single.game.rules.kinds[move.kind]
        hand = self.hands[role]
        rng.shuffle(hand)
        groups = []
        for group in move.groups:
            cards = []
            for label in group:
                cards.append(next(card for card in hand if self.labels[card] == label))
                hand.remove(cards[-1])
            groups.append(tuple(cards))
        self.acts.append(Act(role, move.kind, tuple(groups)))
        shown = [card for group in groups for card in group]
        if action.exchange:
            self.deck += shown
            shown = [self.draw(role)]
        if action.face == "up":
            self.seen[1 - role].update(shown)

    def elsewhere(self, role: int, rng: Random) -> SingleGame:
        """The same round where all that ``role`` hasn't seen is otherwise, at the same decision."""
        labels = list(self.labels)
        unseen = [card for card in range(len(labels)) if card not in self.seen[role]]
        shuffled = [labels[card] for card in unseen]
        rng.shuffle(shuffled)
        for card, label in zip(unseen, shuffled, strict=True):
            labels[card] = label
        world = clone(self.start)
        deal_anew(world, labels)
        for act in self.acts:
            make(world, act, labels, role, rng)
        return world


def clone(single: SingleGame) -> SingleGame:
    return copy.deepcopy(single, {id(single.game): single.game})


def deal_anew(world: SingleGame, labels: list[int]) -> None:
    """At a round's first decision: as if the shuffle had given these cards."""
    rules, state = world.game.rules, world.state
    state[st.DECK : st.DECK + len(labels)] = labels
    first = rules.removed + rules.hand
    second = first + rules.hand
    starter = int(state[st.STARTER])
    hands = {
        starter: labels[rules.removed : first] + labels[second : second + rules.draw],
        1 - starter: labels[first:second],
    }
    for role, hand in hands.items():
        counts = world.view_of(role)[ix.HAND : ix.HAND + ix.MOST_GEISHAS]
        counts[:] = np.bincount(hand, minlength=ix.MOST_GEISHAS)
    world.look_again()


def make(world: SingleGame, act: Act, labels: list[int], role: int, rng: Random) -> None:
    """Repeat a decision; chance falls anew until it looks to ``role`` as it did."""
    book = book_of(world.game)
    choice = act.response
    if choice < 0:
        groups = canonical([labels[card] for card in group] for group in act.groups)
        choice = book.ids[Move(act.kind, groups)]
    turn = int(world.state[st.TURN])
    kind = book.kinds[act.kind]
    settled = kind.chooser == "chance" or act.response >= 0
    sees = settled and kind.actor_sees and act.role == role
    before = clone(world)
    for _ in range(1000):
        world._slots.keys[st.DEAL_KEY] = np.uint64(rng.getrandbits(64))
        assert world.decide(choice)
        same = answer_of(world, role, turn) == act.answers[role]
        if same and (not sees or int(world.state[st.CHOSEN]) == act.chosen):
            return
        world.__dict__.update(clone(before).__dict__)
    raise AssertionError(f"never looked like {act}")


def answer_of(single: SingleGame, role: int, turn: int) -> int:
    """What a role's history of this round says came of a turn."""
    return int(single.view_of(role)[ix.HISTORY + turn * ix.HISTORY_WIDTH + ix.HISTORY_ANSWER])


def decisions(rules: Rules, deal: int, worlds: int) -> Iterator[tuple[SingleGame, SingleGame]]:
    """At each decision of a game: the game, and one that its decider can't tell from it."""
    rng = Random(deal)
    single = SingleGame(Game.of(rules), ("a", "b"), 1, deal)
    book, table = book_of(single.game), Table.of(single)
    while not single.finished:
        role, acting = single.decider, single.view[ix.PHASE] == ix.ACT
        if acting:
            table.hands[role] += [table.draw(role) for _ in range(rules.draw)]
        for _ in range(worlds):
            yield single, table.elsewhere(role, rng)
        choice = any_kind(single, rng)
        if acting:
            table.act(role, book.moves[choice], single, rng)
        else:
            kind = int(single.view[ix.OFFER_KIND]) - 1
            table.acts.append(Act(1 - role, kind, response=choice))
        played, turn = int(single.state[st.ROUND]), int(single.state[st.TURN])
        assert single.decide(choice)
        if single.state[st.ROUND] != played:
            table = Table.of(single)
        else:
            table.acts[-1].answers = tuple(answer_of(single, seer, turn) for seer in (0, 1))
            table.acts[-1].chosen = int(single.state[st.CHOSEN])
