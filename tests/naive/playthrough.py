"""Render a finished game of the referee as text, for golden playthroughs.

Geishas are letters, A the first; a group of an offer is a word (``AB CD`` are two pairs).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive.score import ROLES, charm_held, geishas_held

if TYPE_CHECKING:
    from collections.abc import Iterable

    from naive.referee import Referee, RoundRecord, TurnRecord
    from naive.score import Owner


def letters(cards: Iterable[int]) -> str:
    """Return cards as letters, a dash for none."""
    return "".join(chr(ord("A") + card) for card in cards) or "-"


def words(groups: Iterable[Iterable[int]]) -> str:
    """Return groups as words."""
    return " ".join(letters(group) for group in groups) or "-"


def playthrough(game: Referee, title: str) -> str:
    """Return a whole game as text: every turn, what was scored, and the end."""
    geishas = range(game.geishas)
    lines = [title]
    lines.append("charm: " + " ".join(f"{letters([g])}{game.rules.charm[g]}" for g in geishas))
    lines.append("items: " + " ".join(f"{letters([g])}{game.rules.items[g]}" for g in geishas))
    for record in game.rounds:
        lines += ["", *_round_lines(game, record)]
    if game.result is not None:
        lines += ["", *_result_lines(game)]
    return "\n".join(lines) + "\n"


def _round_lines(game: Referee, record: RoundRecord) -> list[str]:
    lines = [f"Round {record.number}: {ROLES[record.starter]} begins"]
    lines.append(f"  removed {letters(record.removed)}")
    for player in (record.starter, 1 - record.starter):
        lines.append(f"  {ROLES[player]} is dealt {letters(record.hands[player])}")
    for number, turn in enumerate(record.turns, start=1):
        lines += _turn_lines(game, turn, number)
    for player in (0, 1):
        lines.append(f"  {ROLES[player]} scores {letters(record.sides[player])}")
    left = [
        f"{words([cards])} {where}"
        for cards, where in zip(
            record.left, ("with starter", "with second", "in the deck"), strict=True
        )
        if cards
    ]
    if left:
        lines.append("  left over: " + ", ".join(left))
    lines.append("  markers: " + _markers(game, record.markers))
    return lines


def _turn_lines(game: Referee, turn: TurnRecord, number: int) -> list[str]:
    action = game.kinds[turn.move.kind]
    who, other = ROLES[turn.player], ROLES[1 - turn.player]
    draws = f" with the drawn {letters(turn.drew)}" if turn.drew else ""
    lines = [f"  {number} {who} holds {letters(turn.held)}{draws}"]
    place = {"actor": f"to {who}", "opponent": f"to {other}", "out": "out"}
    played = f"{action.name}: {words(turn.offered)} face {action.face}"
    if action.exchange:
        played = f"{action.name}: {words(turn.move.groups)} under the deck, " + (
            f"{words(turn.offered)} face {action.face}"
        )
    if turn.taken is None:
        lines.append(f"    {played}, {place[action.rest_to]}")
        return lines
    rest = list(turn.offered)
    for group in turn.taken:
        rest.remove(group)
    chooser = other if action.chooser == "opponent" else "chance"
    unseen = " unseen" if action.face == "down" and action.chooser == "opponent" else ""
    lines.append(f"    {played}")
    lines.append(
        f"    {chooser} takes {words(turn.taken)}{unseen}: "
        f"{words(turn.taken)} {place[action.chosen_to]}, {words(rest)} {place[action.rest_to]}"
    )
    return lines


def _markers(game: Referee, markers: tuple[Owner, ...]) -> str:
    parts = []
    for player in (0, 1):
        held = [g for g, owner in enumerate(markers) if owner == player]
        charm, geishas = charm_held(game.rules, markers, player), geishas_held(markers, player)
        parts.append(f"{ROLES[player]} {letters(held)} (charm {charm}, geishas {geishas})")
    centre = [g for g, owner in enumerate(markers) if owner is None]
    parts.append(f"centre {letters(centre)}")
    return ", ".join(parts)


def _result_lines(game: Referee) -> list[str]:
    result = game.result
    if result.outcome in ROLES:
        line = f"{result.outcome} wins"
    elif result.outcome == "shared":
        line = "both win"
    else:
        line = "unfinished"
    line += f" after round {result.rounds} by {result.reason}"
    line += f", lead changes {result.lead_changes}"
    if result.goal_conflict:
        line += ", goals in conflict"
    return [line]
