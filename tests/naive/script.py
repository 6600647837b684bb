"""Write hand-worked games in letters: A is the first geisha, words are groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanamikoji.rules import load_rules
from naive.moves import Groups, Move, Take, canonical, sizes_of
from naive.referee import Referee
from naive.view import Knowledge, knowledge

if TYPE_CHECKING:
    from hanamikoji.rules import Rules

DEAL = "G AABBCC DDDEEE FFFFGGGG"
"""A deal of the base game's cards: removed, the round's starter, its second, the deck."""


def rules(**changes: object) -> Rules:
    """Return base rules with some keys changed, as a TOML table would."""
    return load_rules({"preset": "base", **changes})


def cards(text: str) -> list[int]:
    """Read cards; blanks are for the eye."""
    return [ord(letter) - ord("A") for letter in text if letter.isalpha()]


def groups(text: str) -> Groups:
    """Read groups from words."""
    return canonical(cards(word) for word in text.split())


def counts(text: str, geishas: int) -> tuple[int, ...]:
    """Read cards into how many there are of each geisha."""
    return tuple(cards(text).count(geisha) for geisha in range(geishas))


class Script:
    """A game that is led by words; ``deal`` orders its cards as Referee.deal wants them."""

    def __init__(self, rules: Rules, deal: str = "") -> None:
        self.game = Referee(rules)
        if deal:
            self.deal(deal)

    def deal(self, text: str) -> None:
        self.game.deal(cards(text))

    def play(self, kind: str | int, text: str) -> Script:
        """Use the marker whose name ends so, with these groups."""
        if isinstance(kind, str):
            names = [action.name.split("/")[-1] for action in self.game.kinds]
            kind = names.index(kind)
        self.game.play(Move(kind, groups(text)))
        return self

    def take(self, text: str) -> Script:
        """Take face-up groups."""
        taken = groups(text)
        self.game.respond(Take(sizes_of(taken), taken))
        return self

    def take_sizes(self, *sizes: int) -> Script:
        """Take face-down groups."""
        self.game.respond(Take(sizes, None))
        return self

    def chance(self, text: str) -> Script:
        self.game.chance_takes(groups(text))
        return self

    def knows(self, player: int) -> Knowledge:
        return knowledge(self.game, player)

    def c(self, text: str) -> tuple[int, ...]:
        """Read cards into counts over this game's geishas."""
        return counts(text, self.game.geishas)
