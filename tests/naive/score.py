"""The end of a round and of a game, read straight from docs/rules.md: the oracle's second half.

Players are numbered by their role in the game: 0 began round 1, 1 did not. Written without a look
at the engine; nothing here is meant to be fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hanamikoji.rules import Rules

Owner = int | None
"""Who holds a marker: player 0, player 1, or None while it lies in the centre."""

SHARED = -1
"""Stands for both players where a winner is asked for."""

ROLES = ("starter", "second")


@dataclass(frozen=True)
class Result:
    """A finished game, in the terms of the results table. Pairs are (player 0, player 1)."""

    outcome: str  # "starter" | "second" | "shared" | "unfinished"
    reason: str
    rounds: int
    charm: tuple[int, int]
    geishas: tuple[int, int]
    favor: tuple[int, int]  # bit g is set where the player holds geisha g
    lead_changes: int
    goal_conflict: bool
    opening: tuple[int, int]  # kind of the first action each used; -1 where it never acted


@dataclass(frozen=True)
class Verdict:
    """What a goal check or a cap found: who wins (SHARED for both) and why."""

    winner: int
    reason: str
    goal_conflict: bool = False


def initial_markers(rules: Rules) -> tuple[Owner, ...]:
    """Return the owner of each marker before round 1."""
    owners: dict[str, Owner] = {"starter": 0, "second": 1, "none": None}
    return tuple(owners[word] for word in rules.markers)


def markers_after(
    markers: Sequence[Owner], cards_0: Sequence[int], cards_1: Sequence[int]
) -> tuple[Owner, ...]:
    """Move each marker to the side with more of that geisha's items; level counts leave it."""
    after = list(markers)
    for geisha in range(len(markers)):
        count_0 = list(cards_0).count(geisha)
        count_1 = list(cards_1).count(geisha)
        if count_0 > count_1:
            after[geisha] = 0
        elif count_1 > count_0:
            after[geisha] = 1
    return tuple(after)


def charm_held(rules: Rules, markers: Sequence[Owner], player: int) -> int:
    """Return the sum of the charm of the geishas whose marker is on the player's side."""
    return sum(c for c, owner in zip(rules.charm, markers, strict=True) if owner == player)


def geishas_held(markers: Sequence[Owner], player: int) -> int:
    """Return how many geishas' markers are on the player's side."""
    return sum(owner == player for owner in markers)


def favor_mask(markers: Sequence[Owner], player: int) -> int:
    """Return the bit mask of the geishas a player holds."""
    return sum(1 << geisha for geisha, owner in enumerate(markers) if owner == player)


def goals_reached(rules: Rules, markers: Sequence[Owner], player: int) -> frozenset[str]:
    """Return which goals ("charm", "geishas") the player has reached; a False goal never is."""
    reached = set()
    charm_goal, geishas_goal = rules.goals.charm, rules.goals.geishas
    if charm_goal is not False and charm_held(rules, markers, player) >= charm_goal:
        reached.add("charm")
    if geishas_goal is not False and geishas_held(markers, player) >= geishas_goal:
        reached.add("geishas")
    return frozenset(reached)


def more(rules: Rules, markers: Sequence[Owner], measure: str) -> int | None:
    """Return the player who has more by one measure, None when level."""
    values = []
    for player in (0, 1):
        if measure == "charm":
            values.append(charm_held(rules, markers, player))
        elif measure == "geishas":
            values.append(geishas_held(markers, player))
        elif measure == "highest-geisha":
            held = (c for c, o in zip(rules.charm, markers, strict=True) if o == player)
            values.append(max(held, default=0))
        else:
            raise ValueError(measure)
    if values[0] == values[1]:
        return None
    return 0 if values[0] > values[1] else 1


def goal_check(rules: Rules, markers: Sequence[Owner]) -> Verdict | None:
    """Decide whether the goals end the game with these markers; None when nobody reached one.

    The prevailing goal outranks the other. Where that settles nothing (both hold it, or both hold
    only the other): more of the prevailing measure, then more of the other, then a shared win.
    """
    prevailing = rules.goals.prevails
    other = "geishas" if prevailing == "charm" else "charm"
    reached = [goals_reached(rules, markers, player) for player in (0, 1)]
    if not reached[0] and not reached[1]:
        return None

    def won_by(player: int, conflict: bool = False) -> Verdict:
        reason = prevailing if prevailing in reached[player] else other
        return Verdict(player, reason, conflict)

    if not reached[1]:
        return won_by(0)
    if not reached[0]:
        return won_by(1)
    holders = [player for player in (0, 1) if prevailing in reached[player]]
    if len(holders) == 1:
        # a conflict is one goal each, and not the same
        return won_by(holders[0], conflict=len(reached[holders[0]]) == 1)
    for measure in (prevailing, other):
        ahead = more(rules, markers, measure)
        if ahead is not None:
            return won_by(ahead)
    return Verdict(SHARED, "shared")


def cap_check(rules: Rules, markers: Sequence[Owner]) -> Verdict:
    """Decide a game that reached its last round without a goal, by the list of tie-breaks."""
    for measure in rules.cap_tiebreak:
        ahead = more(rules, markers, measure)
        if ahead is not None:
            return Verdict(ahead, f"cap-{measure}")
    return Verdict(SHARED, "shared")


def end_check(rules: Rules, markers: Sequence[Owner], rounds: int) -> Verdict | str | None:
    """Decide whether the game ends after this many rounds.

    Returns a Verdict, the word "unfinished" at the safety limit, or None to go on.
    """
    if rounds >= rules.min_rounds:
        verdict = goal_check(rules, markers)
        if verdict is not None:
            return verdict
    if rules.max_rounds is not None and rounds >= rules.max_rounds:
        return cap_check(rules, markers)
    if rounds >= rules.round_limit:
        return "unfinished"
    return None


def next_starter(rules: Rules, markers: Sequence[Owner], starter: int) -> int | None:
    """Return who begins the next round, None when chance says; winner and loser by charm."""
    ahead = more(rules, markers, "charm")
    if rules.next_starter == "random":
        return None
    if rules.next_starter == "same":
        return starter
    if rules.next_starter == "winner" and ahead is not None:
        return ahead
    if rules.next_starter == "loser" and ahead is not None:
        return 1 - ahead
    return 1 - starter


def lead_changes(charms: Iterable[tuple[int, int]]) -> int:
    """Count how often the charm lead changed hands from round to round, level rounds ignored."""
    leaders = [0 if one > two else 1 for one, two in charms if one != two]
    return sum(before != after for before, after in pairwise(leaders))
