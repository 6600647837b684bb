"""One game, decision by decision: for replays, and for tests that look between the decisions."""

from __future__ import annotations

import numpy as np

from hanamikoji.engine import play, rng
from hanamikoji.engine import state as st
from hanamikoji.engine.match import game_arrays, game_columns
from hanamikoji.engine.seat import Game, Int32, Int64
from hanamikoji.moves import index as ix


class SingleGame:
    """A game of a deal that the kernels play, with all decisions made by the caller.

    ``names`` are the agents' by seat; they only matter for the decisions' random words. ``state``
    is the game's live state, int32 (`hanamikoji.engine.state.SIZE`,): read what you like of it.
    """

    def __init__(
        self, game: Game, names: tuple[str, str], seed: int, deal: int, seating: int = 0
    ) -> None:
        self.game = game
        self.state = np.zeros(st.SIZE, np.int32)
        self.finished = False
        self._keys = np.zeros(st.KEYS, np.uint64)
        self._status = np.zeros(1, np.int8)
        self._answer = np.zeros(1, np.int64)
        self._plan = np.zeros(play.PLAN_SIZE, np.int64)
        self._plan[play.RECORD_ROUNDS] = 1
        self._start = (
            np.array([rng.agent_key(seed, name) for name in names], np.uint64),
            np.uint64(seed), deal, 2, np.array([seating, seating + 1], np.int64),
        )  # fmt: skip
        self._games = game_arrays(2)
        self._rounds = np.zeros((game.rules.round_limit, len(play.ROUND_COLUMNS)), np.int64)
        self._moves = np.zeros((1, len(play.MOVE_COLUMNS)), np.int32)
        self._slots = np.zeros(1, np.int64)
        self._views = np.zeros((1, ix.VIEW_SIZE), np.int32)
        self._words = np.zeros(1, np.uint64)
        self._offsets = np.zeros(2, np.int64)
        self._ids = np.zeros(game.moves + game.responses, np.int64)
        self._advance()

    def _advance(self) -> None:
        """Go on to the next decision, or to the end."""
        plan_keys, seed, deal, seatings, queue = self._start
        waiting = play.run_slots(
            self.state, self.game.tables, self._keys, self._plan, plan_keys, seed, deal, seatings,
            queue, self._status, self._answer, self._games, self._rounds, self._moves,
        )  # fmt: skip
        self.finished = waiting == 0
        self._gather()

    def _gather(self) -> None:
        play.gather(
            self.state, self.game.tables, self._keys, self._status, -1, self._slots,
            self._views, self._words, self._offsets, self._ids,
        )  # fmt: skip

    @property
    def decider(self) -> int:
        """The role that decides: 0 the game's starter, 1 its second."""
        return int(self.state[st.DECIDER])

    @property
    def view(self) -> Int32:
        """What the decider sees, int32 (F,)."""
        view: Int32 = self._views[0]
        return view

    @property
    def word(self) -> int:
        """The decision's random word."""
        return int(self._words[0])

    @property
    def legal(self) -> Int64:
        """The decider's legal ids, ascending."""
        return self._ids[: self._offsets[1]]

    def view_of(self, role: int) -> Int32:
        """A role's live view, int32 (F,); some of its header is only right when it decides."""
        at = int(st.view_at(0, role))
        return self.state[at : at + ix.VIEW_SIZE]

    def decide(self, choice: int) -> bool:
        """Carry out the decider's choice; returns False, and changes nothing, if it is illegal."""
        self._answer[0] = choice
        self._status[0] = play.ANSWERED
        self._advance()
        refused = self._status[0] == play.REFUSED
        if refused:
            self._status[0] = play.WAITING
        return not refused

    def look_again(self) -> None:
        """Read view and legal ids anew, after ``state`` was changed from outside."""
        self._gather()

    @property
    def rounds(self) -> list[dict[str, int]]:
        """The rounds that are over: `hanamikoji.engine.play.ROUND_COLUMNS`, by name."""
        rows = self._rounds[: self._plan[play.ROUND_ROWS]].tolist()
        return [dict(zip(play.ROUND_COLUMNS, row, strict=True)) for row in rows]

    @property
    def result(self) -> dict[str, int]:
        """Of a finished game: `hanamikoji.engine.play.GAME_COLUMNS`, by name."""
        seating = self.state[st.SEATING]
        return {name: int(column[seating]) for name, column in game_columns(self._games).items()}
