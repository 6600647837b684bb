"""Lead the referee through whole games by Python's own random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naive.moves import Groups, Move, Take, canonical, sizes_of
from naive.referee import Referee

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from hanamikoji.rules import Rules

    Act = Callable[[Referee, Random], Move]
    Respond = Callable[[Referee, Random], Take]


def shuffled(rules: Rules, rng: Random) -> list[int]:
    """Return all the cards of the game in random order."""
    cards = [geisha for geisha, items in enumerate(rules.items) for _ in range(items)]
    rng.shuffle(cards)
    return cards


def random_move(game: Referee, rng: Random) -> Move:
    """Play as docs/rules.md's figures do.

    A marker uniform among those left, then cards uniform among those in hand, grouped in the
    order they came.
    """
    player = game.to_act
    kinds = [k for k in game.playable(player) for _ in range(game.markers_left[player][k])]
    kind = rng.choice(kinds)
    action = game.kinds[kind]
    cards = rng.sample(game.hands[player], action.cards)
    groups = [[cards.pop() for _ in range(size)] for size in action.groups]
    return Move(kind, canonical(groups))


def random_take(game: Referee, rng: Random) -> Take:
    """Take groups uniform among the physical ones."""
    action, groups = game.offer()
    taken = canonical(rng.sample(groups, action.choose))
    return Take(sizes_of(taken), taken if action.face == "up" else None)


def any_move(game: Referee, rng: Random) -> Move:
    """Play uniformly over the distinct moves."""
    return rng.choice(sorted(game.legal_moves()))


def any_take(game: Referee, rng: Random) -> Take:
    """Answer uniformly over the distinct answers."""
    return rng.choice(sorted(game.legal_takes()))


def blind_choice(game: Referee, rng: Random) -> Groups:
    """Let chance take groups, uniform among the physical ones that it may take."""
    action, groups = game.offer()
    while True:
        taken = canonical(rng.sample(groups, action.choose))
        if taken in game.chance_outcomes():
            return taken


def step(
    game: Referee, rng: Random, act: Act = random_move, respond: Respond = random_take
) -> None:
    """Do the next thing that the game waits for."""
    if game.waiting == "deal":
        game.deal(shuffled(game.rules, rng))
    elif game.waiting == "act":
        game.play(act(game, rng))
    elif game.waiting == "respond":
        game.respond(respond(game, rng))
    elif game.waiting == "chance":
        game.chance_takes(blind_choice(game, rng))
    else:
        game.starts(rng.randrange(2))


def play_game(
    rules: Rules, rng: Random, act: Act = random_move, respond: Respond = random_take
) -> Referee:
    """Play a whole game; return the referee with its result and records."""
    game = Referee(rules)
    while game.waiting != "over":
        step(game, rng, act, respond)
    return game
