"""What the agent reads off the rules before it plays: fates, shares and worths."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hanamikoji.agents.greedy import layout as lay
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.rules import Action, Rules

Float64 = npt.NDArray[np.float64]

_MINOR = 0.2
"""A geisha counts so much of her share of the goal that does not prevail; 0 to 0.3 play alike."""

_SIDES = {"actor": 1, "opponent": -1, "out": 0, None: 0}


def parameters_of(game: Game) -> Parameters:
    """The arrays that the agent's kernel is handed."""
    kinds = game.rules.kinds
    rows: list[list[int]] = []
    fates: list[list[int]] = []
    for kind in kinds:
        rows.append(_kind_row(kind, len(kinds) + len(fates)))
        fates += [fate + [0] * (lay.WIDTH - len(fate)) for fate in _fates(kind)]
    return Parameters(
        weights=np.array(rows + fates, np.int16).reshape(1, -1),
        numbers=_numbers(game.rules),
        memory=lay.LEGAL + game.moves + game.responses,
    )


def _fates(action: Action) -> list[list[int]]:
    """All ways to choose, in the order of the responses: of each card the side it goes to."""
    if action.chooser == "nobody":
        return [[0 if action.exchange else _SIDES[action.rest_to]] * action.cards]
    return [
        [
            _SIDES[action.chosen_to if j in chosen else action.rest_to]
            for j, size in enumerate(action.groups)
            for _ in range(size)
        ]
        for chosen in combinations(range(len(action.groups)), action.choose)
    ]


def _kind_row(action: Action, first_fate: int) -> list[int]:
    """A kind's row in `weights`."""
    sides = sorted({side for fate in _fates(action) for side in fate})
    step = sides[1] - sides[0] if len(sides) == 2 else 1
    # Whoever chooses among cards face down chooses as good as by chance.
    chance = action.chooser == "chance" or action.face == "down"
    row = [first_fate, first_fate + len(_fates(action)), int(chance), sides[0], sides[-1], step]
    return row + [0] * (lay.WIDTH - len(row))


def _shares(action: Action) -> tuple[float, float]:
    """How many cards of a move will count for its actor and for the other, on average."""
    if action.exchange:
        return float(action.rest_to == "actor"), float(action.rest_to == "opponent")
    fates = _fates(action)
    return (
        sum(fate.count(1) for fate in fates) / len(fates),
        sum(fate.count(-1) for fate in fates) / len(fates),
    )


def _worth(rules: Rules) -> Float64:
    """What each geisha's marker brings towards the goals, else in the first tie-break."""
    charm, count = np.array(rules.charm, np.float64), np.ones(len(rules.charm))
    goals = rules.goals
    if not goals.charm and not goals.geishas:
        return count if rules.cap_tiebreak[:1] == ("geishas",) else charm
    for_charm = charm / goals.charm if goals.charm else 0 * charm
    for_count = count / goals.geishas if goals.geishas else 0 * count
    if goals.charm and goals.geishas:
        minor = for_charm if goals.prevails == "geishas" else for_count
        minor *= _MINOR
    worth: Float64 = for_charm + for_count
    return worth


def _numbers(rules: Rules) -> Float64:
    """`numbers`."""
    numbers = np.zeros(lay.NUMBERS)
    numbers[lay.WORTH : lay.WORTH + len(rules.charm)] = _worth(rules) * lay.UNIT
    for k, kind in enumerate(rules.kinds):
        actor, other = _shares(kind)
        numbers[lay.ACTOR + k], numbers[lay.OTHER + k] = actor, other
        if kind.face == "down":
            numbers[lay.DOWN_ACTOR + k], numbers[lay.DOWN_OTHER + k] = actor, other
            if kind.chooser != "nobody" and not kind.actor_sees:
                numbers[lay.BLIND_ACTOR + k], numbers[lay.BLIND_OTHER + k] = actor, other
                numbers[lay.BLIND_CARDS + k] = kind.cards
    # Rounded, so that the last bits of a platform's erf don't matter.
    numbers[lay.NORMAL :] = [
        round(0.5 + 0.5 * math.erf(i / lay.STEPS / math.sqrt(2)), 9)
        for i in range(-lay.END, lay.END + 1)
    ]
    return numbers
