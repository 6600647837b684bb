"""Whether rules can be played at all: card arithmetic, reachable goals, settings that agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hanamikoji.rules.action_sets import ACTIONS
from hanamikoji.rules.counting import (
    MOST_MOVES,
    MOST_MOVES_IN_ALL,
    count_distinct_moves,
    count_moves_at_most,
)
from hanamikoji.rules.sentences import choices, show

if TYPE_CHECKING:
    from hanamikoji.rules.action import Action
    from hanamikoji.rules.model import Rules

MOST_CARDS_IN_GAME = 200

Complaint = tuple[str, str]
"""A dotted key and the rest of the sentence about it."""


def find_fault(rules: Rules) -> Complaint | None:
    """The first reason why ``rules``, whose fields are each valid, make no game; else ``None``."""
    return next(_faults(rules), None)


def _faults(rules: Rules) -> Iterator[Complaint]:
    yield from _size_faults(rules)
    yield from _name_faults(rules)
    yield from _card_faults(rules)
    yield from _round_faults(rules)
    yield from _goal_faults(rules)
    yield from _move_faults(rules)


def _size_faults(rules: Rules) -> Iterator[Complaint]:
    geishas = len(rules.charm)
    for key, entries in (("items", rules.items), ("markers", rules.markers)):
        if len(entries) != geishas:
            yield (
                key,
                f"has {len(entries)} entries; it must have one for each of the {geishas} geishas "
                "that charm lists",
            )
    if rules.total_items > MOST_CARDS_IN_GAME:
        yield (
            "items",
            f"adds up to {rules.total_items} cards; it must be at most {MOST_CARDS_IN_GAME}",
        )


def _name_faults(rules: Rules) -> Iterator[Complaint]:
    rows: dict[str, Action] = dict(ACTIONS)
    for key, actions in (("actions", rules.actions), ("second_actions", rules.second_actions)):
        for i, action in enumerate(actions or ()):
            if rows.setdefault(action.name, action) != action:
                yield (
                    f"{key}.{i}",
                    f"is another row than the {show(action.name)} there is; a different action "
                    "must have a name of its own",
                )
    if len(set(rules.cap_tiebreak)) < len(rules.cap_tiebreak):
        yield (
            "cap_tiebreak",
            f"is {show(rules.cap_tiebreak)}; each of geishas, charm and highest-geisha may stand "
            "in it once",
        )


def _card_faults(rules: Rules) -> Iterator[Complaint]:
    total = rules.total_items
    dealt = f"{total} items less {rules.removed} removed"
    if rules.removed > total:
        yield "removed", f"is {rules.removed}; it must be at most {total}, the item cards there are"
    if rules.deck_size < 0:
        yield (
            "hand",
            f"is {rules.hand}; it must be at most {(total - rules.removed) // 2}, since {dealt} "
            "make two hands",
        )
    turns = len(rules.actions) + len(rules.second_actions or rules.actions)
    if rules.draw * turns > rules.deck_size:
        yield (
            "draw",
            f"is {rules.draw}; {turns} turns would draw {rules.draw * turns} cards, but {dealt} "
            f"and two hands of {rules.hand} leave a deck of {rules.deck_size}",
        )
    for key, actions in (("actions", rules.actions), ("second_actions", rules.second_actions)):
        sizes = tuple(sorted(action.cards for action in actions or ()))
        used = stuck_after(rules.hand, rules.draw, sizes)
        if used is not None:
            yield key, _stuck_text(rules, actions or (), used)


@lru_cache(maxsize=4096)
def stuck_after(hand: int, draw: int, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Sizes of the markers used, in order, when a hand has too few cards for any marker left.

    ``sizes`` are the cards of a player's markers. A player's hand depends on nothing but what that
    player used, so the walk is over the reachable sets of used markers: at most 2^8. ``None`` when
    every turn has a playable marker, whatever was played before.
    """
    seen = {sizes}
    waiting: list[tuple[tuple[int, ...], tuple[int, ...]]] = [(sizes, ())]
    while waiting:
        left, used = waiting.pop()
        if not left:
            continue
        held = hand + draw * (len(used) + 1) - sum(used)
        playable = [size for size in dict.fromkeys(left) if size <= held]
        if not playable:
            return used
        for size in playable:
            at = left.index(size)
            after = left[:at] + left[at + 1 :]
            if after not in seen:
                seen.add(after)
                waiting.append((after, (*used, size)))
    return None


def _stuck_text(rules: Rules, actions: Sequence[Action], used: tuple[int, ...]) -> str:
    left = list(actions)
    names = []
    for size in used:
        action = next(action for action in left if action.cards == size)
        left.remove(action)
        names.append(action.name)
    held = rules.hand + rules.draw * (len(used) + 1) - sum(used)
    after = f"after {' then '.join(names)}, " if names else ""
    which = choices(dict.fromkeys(f"{action.name} ({action.cards})" for action in left))
    return (
        f"can leave a player stuck: {after}a hand of {held} holds too few cards for {which}; "
        "hand, draw and the cards of the actions must leave a playable one at every turn"
    )


def _round_faults(rules: Rules) -> Iterator[Complaint]:
    limit = f"round_limit, which is {rules.round_limit}"
    if rules.max_rounds is not None:
        if rules.max_rounds > rules.round_limit:
            yield "max_rounds", f"is {rules.max_rounds}; it must be at most {limit}"
        if rules.min_rounds > rules.max_rounds:
            yield (
                "min_rounds",
                f"is {rules.min_rounds}; it must be at most max_rounds, which is "
                f"{rules.max_rounds}",
            )
    elif rules.min_rounds > rules.round_limit:
        yield "min_rounds", f"is {rules.min_rounds}; it must be at most {limit}"


def _goal_faults(rules: Rules) -> Iterator[Complaint]:
    goals = rules.goals
    if goals.charm is False and goals.geishas is False and rules.max_rounds is None:
        yield "goals", "has charm and geishas both off; max_rounds must then be set"
    cards = most_cards_on_a_side(rules)
    charm, geishas = most_held(rules)
    for key, goal, most in (("charm", goals.charm, charm), ("geishas", goals.geishas, geishas)):
        if goal is not False and goal > most:
            yield (
                f"goals.{key}",
                f"is {show(goal)}; it must be at most {most}, all that a player can hold when at "
                f"most {cards} cards a round land on one side, or false for no goal",
            )


def _move_faults(rules: Rules) -> Iterator[Complaint]:
    for key, actions in (("actions", rules.actions), ("second_actions", rules.second_actions)):
        for i, action in enumerate(actions or ()):
            if count_moves_at_most(action.groups, rules.items) <= MOST_MOVES:
                continue
            moves = count_distinct_moves(action.groups, rules.items)
            if moves > MOST_MOVES:
                yield (
                    f"{key}.{i}",
                    f"is {show(action.name)}, which has {moves:,} distinct moves with these items; "
                    f"it must be an action of at most {MOST_MOVES:,}: of fewer cards or groups, or "
                    "with fewer items or geishas",
                )
    kinds = [kind.groups for kind in rules.kinds]
    if sum(count_moves_at_most(groups, rules.items) for groups in kinds) > MOST_MOVES_IN_ALL:
        moves = sum(count_distinct_moves(groups, rules.items) for groups in kinds)
        if moves > MOST_MOVES_IN_ALL:
            yield (
                "actions",
                f"has actions of {moves:,} distinct moves in all with these items; they must have "
                f"at most {MOST_MOVES_IN_ALL:,}",
            )


def most_held(rules: Rules) -> tuple[int, int]:
    """Upper bounds on the charm and the geishas that a player can have at a round's end.

    A geisha changes hands for one card at least, so a round wins no more than the cards that land.
    """
    rounds = (rules.max_rounds or rules.round_limit) if rules.keep_markers else 1
    takes = rounds * most_cards_on_a_side(rules)
    held = [[owner == role for owner in rules.markers] for role in ("starter", "second")]
    ones = (1,) * len(rules.charm)
    return (
        max(_most_charm(rules.charm, own, takes) for own in held),
        max(_most_charm(ones, own, takes) for own in held),
    )


def _most_charm(charm: Sequence[int], held: Sequence[bool], takes: int) -> int:
    own = sum(c for c, mine in zip(charm, held, strict=True) if mine)
    free = sorted((c for c, mine in zip(charm, held, strict=True) if not mine), reverse=True)
    return own + sum(free[:takes])


def most_cards_on_a_side(rules: Rules) -> int:
    """The most cards that can land on one player's side in a round: an upper bound on new favor."""
    first = rules.actions
    second = rules.second_actions or first
    return max(
        sum(_most_to(a, "actor") for a in own) + sum(_most_to(a, "opponent") for a in others)
        for own, others in ((first, second), (second, first))
    )


def _most_to(action: Action, side: str) -> int:
    sizes = action.groups[::-1]  # largest first
    if action.chosen_to == side and action.rest_to == side:
        return action.cards
    if action.chosen_to == side:
        return sum(sizes[: action.choose])
    return sum(sizes[: len(sizes) - action.choose]) if action.rest_to == side else 0
