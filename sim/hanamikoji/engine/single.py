"""One game as an environment to step through, for replays, and for tests between decisions."""

from __future__ import annotations

import numpy as np

from hanamikoji.engine import play, rng
from hanamikoji.engine import record as rec
from hanamikoji.engine import state as st
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
        self.finished = False
        self._slots = play.new_slots(1)
        self.state: Int32 = self._slots.states
        self._schedule = play.Schedule(
            seed=np.uint64(seed),
            agent_keys=np.array([rng.agent_key(seed, name) for name in names], np.uint64),
            first=deal,
            seatings=2,
            queue=np.array([seating, seating + 1], np.int64),
        )
        nobody = np.zeros(2, np.int64)
        self._controls = play.Controls(nobody, nobody, forfeits=False)
        rounds = np.zeros((game.rules.round_limit, len(rec.ROUND_COLUMNS)), np.int64)
        self._record = rec.new_record(2, rounds=True, moves=False)._replace(rounds=rounds)
        self._decisions = play.new_decisions(1, game.moves + game.responses)
        self._advance()

    def _advance(self) -> None:
        """Go on to the next decision, or to the end."""
        held = play.run_slots(
            self._slots, self.game.tables, self._schedule, self._controls, self._record
        )
        self.finished = held == 0
        self._gather()

    def _gather(self) -> None:
        play.gather(self._slots, self.game.tables, -1, self._decisions)

    @property
    def decider(self) -> int:
        """The role that decides: 0 the game's starter, 1 its second."""
        return int(self.state[st.DECIDER])

    @property
    def view(self) -> Int32:
        """What the decider sees, int32 (F,)."""
        view: Int32 = self._decisions.views[0]
        return view

    @property
    def word(self) -> int:
        """The decision's random word."""
        return int(self._decisions.words[0])

    @property
    def legal(self) -> Int64:
        """The decider's legal ids, ascending."""
        ids: Int64 = self._decisions.ids[: self._decisions.offsets[1]]
        return ids

    def view_of(self, role: int) -> Int32:
        """A role's live view, int32 (F,); some of its header is only right when it decides."""
        at = st.VIEWS + role * ix.VIEW_SIZE
        return self.state[at : at + ix.VIEW_SIZE]

    def decide(self, choice: int) -> bool:
        """Carry out the decider's choice; returns False, and changes nothing, if it is illegal."""
        self._slots.answers[0] = choice
        self._slots.status[0] = play.ANSWERED
        self._advance()
        refused = bool(self._slots.status[0] == play.REFUSED)
        if refused:
            self._slots.status[0] = play.WAITING
        return not refused

    def look_again(self) -> None:
        """Read view and legal ids again, after ``state`` was changed from outside."""
        self._gather()

    @property
    def rounds(self) -> list[dict[str, int]]:
        """The rounds that are over: `hanamikoji.engine.record.ROUND_COLUMNS`, by name."""
        rows = self._record.rounds[: self._record.written[rec.ROUNDS]].tolist()
        return [dict(zip(rec.ROUND_COLUMNS, row, strict=True)) for row in rows]

    @property
    def result(self) -> dict[str, int]:
        """Of a finished game: `hanamikoji.engine.record.GAME_COLUMNS`, by name."""
        seating = self.state[st.SEATING]
        columns = rec.game_columns(self._record.games)
        return {name: int(column[seating]) for name, column in columns.items()}
