"""Hypothesis strategies that several packages' tests share."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from hanamikoji.rules import ACTIONS, Action, Rules
from hanamikoji.rules.arithmetic import most_held, stuck_after
from hanamikoji.rules.model import MOST_ITEMS

PLACES = ("actor", "opponent", "out")


def moves_at_most(geishas: int, action: Action) -> int:
    """An upper bound on an action's distinct moves: multisets of cards x ways to group them."""
    multisets = math.comb(geishas + action.cards - 1, action.cards)
    groupings = math.factorial(action.cards)
    for size, alike in Counter(action.groups).items():
        groupings //= math.factorial(size) ** alike * math.factorial(alike)
    return multisets * groupings


@st.composite
def group_sizes(draw: st.DrawFn, cards: int) -> tuple[int, ...]:
    """At least two group sizes that add up to ``cards``."""
    cuts = draw(st.sets(st.integers(1, cards - 1), min_size=1, max_size=cards - 1))
    edges = [0, *sorted(cuts), cards]
    return tuple(sorted(b - a for a, b in itertools.pairwise(edges)))


@st.composite
def action_rows(draw: st.DrawFn, most_cards: int = 5) -> dict[str, Any]:
    """A custom action as its TOML table: any row that the rules language has."""
    cards = draw(st.integers(1, most_cards))
    face = draw(st.sampled_from(("up", "down")))
    row: dict[str, Any] = {"cards": cards, "face": face, "rest_to": draw(st.sampled_from(PLACES))}
    if cards == 1:
        return row | {"exchange": draw(st.booleans())}
    if draw(st.sampled_from((False, False, True))):
        return row
    groups = draw(group_sizes(cards))
    row |= {
        "chooser": draw(st.sampled_from(("opponent", "chance"))),
        "groups": list(groups),
        "choose": draw(st.integers(1, len(groups) - 1)),
        "chosen_to": draw(st.sampled_from(PLACES)),
    }
    return row | ({"actor_sees": draw(st.booleans())} if face == "down" else {})


@st.composite
def _action_pool(draw: st.DrawFn, geishas: int, most_moves: int) -> list[Action]:
    """A few actions, published and own, none with more than ``most_moves`` moves."""
    rows = draw(st.lists(action_rows(), min_size=3, max_size=4))
    own = [Action(name=f"own-{i}", **row) for i, row in enumerate(rows)]
    published = draw(st.lists(st.sampled_from(list(ACTIONS.values())), max_size=4))
    fitting = [a for a in (*own, *published) if moves_at_most(geishas, a) <= most_moves]
    return fitting or [ACTIONS["base/secret"]]


@st.composite
def rules(
    draw: st.DrawFn, most_geishas: int = 16, most_moves: int = 5_000, most_rounds: int = 12
) -> Rules:
    """Valid rules of any shape: 1 to 16 geishas, any rows, handicaps, goals, caps, starters.

    ``most_moves`` bounds each action's move table, ``most_rounds`` a game's length: both keep a
    test's games short, and neither is a limit of the rules.
    """
    geishas = draw(st.integers(1, most_geishas))
    pool = draw(_action_pool(geishas, most_moves))
    fewest = draw(st.sampled_from((1, 2, 3, 4)))
    lists = st.lists(st.sampled_from(pool), min_size=fewest, max_size=5)
    actions = draw(lists)
    second = draw(st.none() | lists)
    per_turn = draw(st.sampled_from((1, 1, 1, 0, 2)))
    items = draw(st.lists(st.integers(1, 5), min_size=geishas, max_size=geishas))
    table: dict[str, Any] = {
        "charm": draw(st.lists(st.integers(0, 9), min_size=geishas, max_size=geishas)),
        "draw": per_turn,
        "removed": draw(st.integers(0, 2)),
        "actions": actions,
        "second_actions": second,
        "min_rounds": draw(st.sampled_from((1, 1, 1, 2, 3))),
        "cap_tiebreak": draw(_tie_breaks()),
        "next_starter": draw(st.sampled_from(("alternate", "same", "winner", "loser", "random"))),
        "keep_markers": draw(st.sampled_from((True, True, False))),
        "markers": draw(_owners(geishas)),
        "round_limit": most_rounds,
    }
    table["hand"] = _smallest_hand(per_turn, actions, second) + draw(st.sampled_from((0, 0, 1, 2)))
    turns = len(actions) + len(second or actions)
    needed = 2 * table["hand"] + per_turn * turns + table["removed"]
    while sum(items) < needed and min(items) < MOST_ITEMS:
        items[items.index(min(items))] += 1
    if sum(items) < needed:  # too few geishas for such hands: the smallest game there is
        table |= {"actions": [ACTIONS["base/secret"]], "second_actions": None}
        table |= {"hand": 1, "draw": 0, "removed": 0}
        items = [max(2, count) for count in items]
    return _with_an_end(draw, table | {"items": items}, most_rounds)


def _smallest_hand(per_turn: int, actions: list[Action], second: list[Action] | None) -> int:
    sizes = [tuple(sorted(a.cards for a in each)) for each in (actions, second or actions)]
    return next(
        hand
        for hand in range(100)
        if all(stuck_after(hand, per_turn, each) is None for each in sizes)
    )


def _with_an_end(draw: st.DrawFn, table: dict[str, Any], most_rounds: int) -> Rules:
    """The rules with goals that can be reached, and a cap where they have none."""
    cap = draw(st.none() | st.integers(table["min_rounds"], min(5, most_rounds)))
    no_goals = {"charm": False, "geishas": False}
    endless = Rules(**table, max_rounds=cap or most_rounds, goals=no_goals)
    charm, geishas = (
        draw(st.integers(1, most)) if most and draw(st.sampled_from((True, True, False))) else False
        for most in most_held(endless)
    )
    if charm is False and geishas is False:
        cap = cap or most_rounds
    prevails = draw(st.sampled_from(("charm", "geishas")))
    goals = {"charm": charm, "geishas": geishas, "prevails": prevails}
    return Rules(**table, max_rounds=cap, goals=goals)


def _tie_breaks() -> st.SearchStrategy[list[str]]:
    entries = st.sampled_from(("geishas", "charm", "highest-geisha"))
    return st.lists(entries, max_size=3, unique=True)


def _owners(geishas: int) -> st.SearchStrategy[list[str]]:
    owner = st.sampled_from(("none", "none", "none", "starter", "second"))
    nobody = st.just(["none"] * geishas)
    return nobody | st.lists(owner, min_size=geishas, max_size=geishas)
