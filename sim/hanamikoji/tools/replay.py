"""One game turn by turn as text, from its seed alone: the hands, offers and choices.

Geishas are letters, A the first; ``AB CD`` are two groups, ``-`` is no card. Drawn cards and those
left in the deck stand as they came. The agents decide again, so it is what they do now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji.errors import ResultsError
from hanamikoji.experiment import build_experiment
from hanamikoji.plan import Cell, make_plan
from hanamikoji.results import find_run
from hanamikoji.run.work import make_match

if TYPE_CHECKING:
    from hanamikoji.engine import Failure
    from hanamikoji.engine.seat import Game
    from hanamikoji.engine.single import SingleGame
    from hanamikoji.rules import Action

Cards = Sequence[int]
Groups = Sequence[Cards]


def replay_game(folder: Path, cell: int, deal: int, seating: int) -> str:
    """Play a game of a results folder again and narrate it.

    Raises `HanamikojiError`: The run, cell or seating doesn't exist, or an agent can't be loaded.
    """
    experiment = build_experiment(find_run(folder).header.experiment)
    cells = make_plan(experiment).cells
    if cell >= len(cells):
        raise ResultsError(f"--cell is {cell}; the last cell of {folder} is {len(cells) - 1}")
    if seating >= cells[cell].seatings:
        raise ResultsError(f"{cells[cell].label} is a mirror match-up: it has only seating 0")
    deals = cells[cell].deals
    if deal >= deals:
        raise ResultsError(f"--deal is {deal}; the last deal of cell {cell} is {deals - 1}")
    a, b = cells[cell].agent_a.name, cells[cell].agent_b.name
    title = (
        f"{cells[cell].label}, deal {deal}, seating {seating}, seed {experiment.seed}: "
        f"a is {a}, b is {b}"
    )
    return "\n".join([title, *narrate(cells[cell], experiment.seed, deal, seating)])


def narrate(cell: Cell, seed: int, deal: int, seating: int) -> list[str]:
    """Play a game of a cell and narrate it line by line, up to an agent's failure if there is one.

    Raises `hanamikoji.errors.PluginError` when an agent can't be had.
    """
    from hanamikoji.engine.single import SingleGame

    match = make_match(cell, seed)
    played = match.play(deal, deal + 1, record=("moves",), on_error="forfeit")
    mine = played.moves["seating"] == seating
    choices = played.moves["choice"][mine].tolist()
    failure = next((f for f in played.failures if f.seating == seating), None)
    names = (cell.agent_a.name, cell.agent_b.name)
    single = SingleGame(match.game, names, seed, deal, seating)
    narrator = _Narrator(single, ("a", "b") if seating == 0 else ("b", "a"))
    return list(narrator.narrate(choices, failure))


def letters(cards: Iterable[int]) -> str:
    """Cards as letters, a dash for none."""
    return "".join(chr(ord("A") + card) for card in cards) or "-"


def words(groups: Groups) -> str:
    """Groups of cards as words."""
    return " ".join(letters(group) for group in groups) or "-"


class _Narrator:
    """Leads a game along its choices and keeps account of every card, by role."""

    def __init__(self, single: SingleGame, names: tuple[str, str]) -> None:
        self._single = single
        self._game: Game = single.game
        self._rules = single.game.rules
        self._names = names
        self._hands: list[list[int]] = [[], []]
        self._sides: list[list[int]] = [[], []]
        self._deck: list[int] = []
        self._turn = 0

    def narrate(self, choices: Sequence[int], failure: Failure | None) -> list[str]:
        charm, items = self._rules.charm, self._rules.items
        lines = [f"{what}: {_row(row)}" for what, row in (("charm", charm), ("items", items))]
        before = 0
        for choice in choices:
            if self._turn == 0:
                lines += ["", *self._round_begins()]
            lines += self._decide(choice)
            rounds = self._single.rounds
            if len(rounds) > before:
                before = len(rounds)
                lines += self._round_ends(rounds[-1])
        if failure is not None:
            return [*lines, "", failure.sentence()]
        return [*lines, "", self._result()]

    # --- a round --------------------------------------------------------------------------------

    def _round_begins(self) -> list[str]:
        from hanamikoji.engine import state as st

        state, rules = self._single.state, self._rules
        cards = state[st.DECK : st.DECK + rules.total_items].tolist()
        starter = int(state[st.STARTER])
        removed, dealt = rules.removed, rules.removed + 2 * rules.hand
        self._hands[starter] = sorted(cards[removed : removed + rules.hand])
        self._hands[1 - starter] = sorted(cards[removed + rules.hand : dealt])
        self._sides = [[], []]
        self._deck = cards[dealt:]
        lines = [f"Round {state[st.ROUND]}: {self._names[starter]} begins"]
        lines.append(f"  removed {letters(sorted(cards[:removed]))}")
        for role in (starter, 1 - starter):
            lines.append(f"  {self._names[role]} is dealt {letters(self._hands[role])}")
        return lines

    def _round_ends(self, row: dict[str, int]) -> list[str]:
        self._turn = 0
        sides = zip(self._names, self._sides, strict=True)
        lines = [f"  {name} scores {letters(sorted(cards))}" for name, cards in sides]
        places = [f"with {name}" for name in self._names]
        left = zip([*self._hands, self._deck], [*places, "in the deck"], strict=True)
        over = [f"{letters(cards)} {where}" for cards, where in left if cards]
        if over:
            lines.append("  left over: " + ", ".join(over))
        favor = [row["favor_starter"], row["favor_second"]]
        held = [[g for g in range(self._game.geishas) if mask >> g & 1] for mask in favor]
        parts = [
            f"{name} {letters(mine)} (charm {sum(self._rules.charm[g] for g in mine)}, "
            f"geishas {len(mine)})"
            for name, mine in zip(self._names, held, strict=True)
        ]
        centre = [g for g in range(self._game.geishas) if not (favor[0] | favor[1]) >> g & 1]
        return [*lines, f"  markers: {', '.join(parts)}, centre {letters(centre)}"]

    # --- a decision -----------------------------------------------------------------------------

    def _decide(self, choice: int) -> list[str]:
        from hanamikoji.agents.observation import describe_move
        from hanamikoji.engine import state as st

        single = self._single
        role = single.decider
        if choice < self._game.moves:
            offered = describe_move(self._game, choice)
            action = self._action(offered.action)
            lines = self._act(role, action, offered.groups)
        else:
            role = 1 - role  # of whoever made the offer
            offered = describe_move(self._game, int(single.state[st.MOVE]))
            action = self._action(offered.action)
            lines = []
        single.decide(choice)
        if action.exchange or action.chooser == "nobody":
            return lines
        if choice < self._game.moves and action.chooser == "opponent":
            return lines  # the answer comes next
        mask = int(single.state[st.CHOSEN])
        return [*lines, self._taken(role, action, offered.groups, mask)]

    def _act(self, role: int, action: Action, groups: Groups) -> list[str]:
        """The actor draws and plays; the cards move unless someone must choose."""
        self._turn += 1
        name, hand = self._names[role], self._hands[role]
        drawn = [self._deck.pop(0) for _ in range(self._rules.draw)]
        draws = f" with the drawn {letters(drawn)}" if drawn else ""
        hand += drawn
        hand.sort()
        lines = [f"  {self._turn} {name} holds {letters(hand)}{draws}"]
        for group in groups:
            for card in group:
                hand.remove(card)
        played = f"{action.name}: {words(groups)} "
        if action.exchange:
            self._deck.append(groups[0][0])
            groups = [[self._deck.pop(0)]]
            played += f"under the deck, {words(groups)} "
        played += f"face {action.face}"
        if action.chooser == "nobody":
            played += f", {self._place(role, action.rest_to, groups)}"
        return [*lines, f"    {played}"]

    def _taken(self, role: int, action: Action, groups: Groups, mask: int) -> str:
        """An offer's groups go where the choice sends them; ``role`` is whose offer it was."""
        chosen = [group for j, group in enumerate(groups) if mask >> j & 1]
        rest = [group for j, group in enumerate(groups) if not mask >> j & 1]
        by = self._names[1 - role] if action.chooser == "opponent" else "chance"
        unseen = " unseen" if action.face == "down" and action.chooser == "opponent" else ""
        to = self._place(role, action.chosen_to or "out", chosen)
        others = self._place(role, action.rest_to, rest)
        return (
            f"    {by} takes {words(chosen)}{unseen}: {words(chosen)} {to}, {words(rest)} {others}"
        )

    def _place(self, role: int, place: str, groups: Groups) -> str:
        """Place cards, and return where they went."""
        if place == "out":
            return "out"
        side = role if place == "actor" else 1 - role
        for group in groups:
            self._sides[side] += group
        return f"to {self._names[side]}"

    def _action(self, name: str) -> Action:
        return next(kind for kind in self._rules.kinds if kind.name == name)

    def _result(self) -> str:
        from hanamikoji.engine.codes import REASONS, ROLE_OUTCOMES

        row = self._single.result
        outcome = ROLE_OUTCOMES[row["outcome"]]
        by_role = dict(zip(("starter", "second"), self._names, strict=True))
        won = {"shared": "both win", "unfinished": "unfinished"}
        line = won.get(outcome) or f"{by_role[outcome]} wins"
        line += f" after round {row['rounds']} by {REASONS[row['reason']]}"
        line += f", lead changes {row['lead_changes']}"
        return line + (", goals in conflict" if row["goal_conflict"] else "")


def _row(numbers: Sequence[int]) -> str:
    return " ".join(f"{letters([g])}{number}" for g, number in enumerate(numbers))
