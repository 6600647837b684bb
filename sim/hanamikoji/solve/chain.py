"""A game as a chain of rounds: at which positions a round may begin, and what its results lead to.

What carries over from round to round is public: the markers, who begins, and the round's number as
far as the rules look at it. So every position between rounds begins a subgame with a value of its
own, and a round is solved with those values as payoffs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hanamikoji._jit import fixed, kernel, raw
from hanamikoji.engine import codes
from hanamikoji.engine import state as st
from hanamikoji.engine.rounds import count_favor, end_round, next_starter
from hanamikoji.engine.seat import Float64, Game, Int32, Int64
from hanamikoji.engine.state import view_of
from hanamikoji.errors import SolveError
from hanamikoji.moves import index as ix

_SCORES = {codes.WON_STARTER: 1.0, codes.WON_SECOND: 0.0, codes.SHARED: 0.5, codes.UNFINISHED: 0.5}
_MOST_POSITIONS = 4000


class Position(NamedTuple):
    """Where a round begins; ``markers`` are +1 the game's starter's, -1 the second's, 0 nobody's.

    ``round`` stands for itself and, in a game without a cap, for all later ones that it repeats as.
    """

    round: int
    markers: tuple[int, ...]
    starter: int  # role that begins the round


@dataclass(frozen=True)
class Step:
    """What each result of a round at one position is worth: a score, plus what follows.

    In the game starter's terms: ``scores`` (results,) where the game is over, else 0;
    ``nexts`` (results, 2) positions that follow, each with probability 1/2, -1 where none does.
    """

    scores: Float64
    nexts: Int64


@dataclass(frozen=True)
class Chain:
    """All positions that may come up, the first one being the game's start."""

    positions: tuple[Position, ...]
    steps: tuple[Step, ...]
    repeats: int
    """The round from which on positions repeat; beyond the last where the rules cap the game."""
    horizon: int
    """The last round there may be."""

    def payoffs(self, n: int, values: Float64) -> Float64:
        """What the round's starter scores by each result at position n, given all values."""
        step = self.steps[n]
        follow = np.where(step.nexts >= 0, values[np.maximum(step.nexts, 0)], 0.0).mean(axis=1)
        score = step.scores + np.where(step.nexts[:, 0] >= 0, follow, 0.0)
        return score if self.positions[n].starter == 0 else 1.0 - score


@kernel
def conclude(state, keys, tables, signs, n):  # type: ignore[no-untyped-def]
    """End a round at a state's markers with the n-th result, in the round starter's terms.

    Returns the next starter, -1 where chance says; ``state`` tells how the game stands.
    """
    state, keys, tables = raw(state), raw(keys), fixed(tables)
    starter = state[st.STARTER]
    state[st.PHASE] = ix.ACT
    for g in range(tables[ix.GEISHAS]):
        sign = signs[n, g]
        state[st.BALANCE + g] = -sign if starter else sign
    end_round(state, tables, keys)
    if tables[ix.NEXT_STARTER] == ix.STARTER_RANDOM:
        return -1
    return next_starter(state, tables, keys)


@kernel
def place_markers(state, tables, markers):  # type: ignore[no-untyped-def]
    """Put the markers, game starter's +1, into a state that has begun."""
    state, tables = raw(state), fixed(tables)
    for g in range(tables[ix.GEISHAS]):
        view_of(state, 0)[ix.MARKERS + g] = markers[g]
        view_of(state, 1)[ix.MARKERS + g] = -markers[g]
    count_favor(state, tables)


class _RoundPlayer:
    """The engine, asked about single rounds."""

    def __init__(self, game: Game, signs: Int32, repeats: int) -> None:
        self._game, self._signs, self._repeats = game, signs, repeats
        self._state = np.zeros(st.SIZE, np.int32)
        self._keys = np.zeros(st.KEYS, np.uint64)
        markers = {"none": 0, "starter": 1, "second": -1}
        self.initial = tuple(markers[owner] for owner in game.rules.markers)

    def after(self, position: Position) -> list[tuple[float, list[Position]]]:
        """For each result a score and what may follow."""
        found: list[tuple[float, list[Position]]] = []
        state, tables = self._state, self._game.tables
        markers = np.array(position.markers, np.int32)
        view = st.VIEWS + ix.MARKERS
        for n in range(len(self._signs)):
            place_markers(state, tables, markers)
            state[st.ROUND], state[st.STARTER] = position.round, position.starter
            starter = conclude(state, self._keys, tables, self._signs, n)
            if state[st.PHASE] == ix.FINISHED:
                found.append((_SCORES[int(state[st.OUTCOME])], []))
                continue
            left = tuple(state[view : view + len(markers)].tolist())
            kept = left if self._game.rules.keep_markers else self.initial
            later = min(position.round + 1, self._repeats)
            starters = [starter, starter] if starter >= 0 else [0, 1]
            found.append((0.0, [Position(later, kept, s) for s in starters]))
        return found


def build_chain(game: Game, signs: Int32) -> Chain:
    """All positions that the results of rounds lead to.

    Raises `SolveError` when there are too many.
    """
    rules = game.rules
    last = min(rules.round_limit, rules.max_rounds or rules.round_limit)
    repeats = last if rules.max_rounds else min(rules.min_rounds, last)
    capped = rules.max_rounds is not None and rules.max_rounds <= rules.round_limit
    repeats = last + 1 if capped or repeats >= last else repeats
    ask = _RoundPlayer(game, signs, repeats)
    numbers = {Position(1, ask.initial, 0): 0}
    todo = list(numbers)
    steps: list[Step] = []
    while len(steps) < len(todo):
        after = ask.after(todo[len(steps)])
        nexts = np.full((len(after), 2), -1)
        for i, (_, following) in enumerate(after):
            for j, position in enumerate(following):
                if position not in numbers:
                    numbers[position] = len(todo)
                    todo.append(position)
                nexts[i, j] = numbers[position]
        if len(todo) > _MOST_POSITIONS:
            raise SolveError(
                f"rounds may begin at more than {_MOST_POSITIONS:,} positions of markers; "
                "a smaller max_rounds or fewer geishas would be accepted"
            )
        steps.append(Step(np.array([score for score, _ in after]), nexts))
    return Chain(tuple(todo), tuple(steps), repeats, last)
