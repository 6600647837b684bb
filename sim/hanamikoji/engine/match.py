"""A match-up under one set of rules: plays ranges of deals and returns plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import RAISED
from hanamikoji.engine import codes, play, rng
from hanamikoji.engine import record as rec
from hanamikoji.engine import state as st
from hanamikoji.engine.seat import (
    STALLED,
    AskedSeat,
    Batch,
    CompiledSeat,
    Context,
    Game,
    Int64,
    Seat,
)
from hanamikoji.errors import AgentError
from hanamikoji.moves import index as ix
from hanamikoji.rules import Rules

Array = npt.NDArray[Any]

BATCH = 512
"""Games under way at once for agents that Python asks: their states fit a core's cache, and calls
of NumPy still cost little per game. Measured for a uniform batched agent's mirror, thousands of
games/s: 64: 90, 128: 115, 256: 123, 512: 119, 1024: 100, 2048: 59."""


@dataclass(frozen=True)
class Failure:
    """An agent that failed at a decision; under ``on_error = "forfeit"`` it lost that game."""

    agent: str
    deal: int
    seating: int
    role: int
    round: int
    decision: int
    reason: str
    message: str

    def sentence(self) -> str:
        """What happened, without a full stop."""
        return (
            f"agent '{self.agent}' {self.message} in deal {self.deal}, seating {self.seating}, "
            f"round {self.round}, decision {self.decision}"
        )

    def error(self) -> AgentError:
        """The failure as what stops a run."""
        return AgentError(self.sentence(), deal=self.deal, seating=self.seating)


@dataclass(frozen=True)
class Played:
    """The games of a range of deals in role terms, sorted by deal and seating.

    ``games``, ``rounds`` and ``moves`` are columns of equal length by name: those of
    `record.GAME_COLUMNS` and so on with ``deal`` and ``seating`` first; rounds and moves are empty
    unless recorded.
    """

    games: dict[str, Array]
    rounds: dict[str, Array]
    moves: dict[str, Array]
    failures: list[Failure] = field(default_factory=list)


_TYPES = {
    "round": np.int16, "round_starter": np.int8,
    "favor_starter": np.int32, "favor_second": np.int32,
    "order_starter": np.int64, "order_second": np.int64,
    "decisions_starter": np.int16, "decisions_second": np.int16,
    "legal_starter": np.int32, "legal_second": np.int32,
    "turn": np.int8, "decision": np.int16, "role": np.int8, "phase": np.int8,
    "choice": np.int32, "legal": np.int32,
}  # fmt: skip


class Match:
    """Two agents (or one against itself) under one set of rules and one seed.

    ``seats`` are a and b; the same object twice is a mirror match-up, which plays each deal once,
    with a as starter. Two different agents play each deal in both seatings (0: a starts; 1: b).
    A match may be played from several threads at once if both agents are compiled.
    """

    def __init__(self, game: Game | Rules, seats: tuple[Seat, Seat], seed: int) -> None:
        self.game = game if isinstance(game, Game) else Game.of(game)
        self.seats = seats
        self.seed = seed
        self.mirror = seats[0] is seats[1]
        self.agent_keys = np.array([rng.agent_key(seed, seat.name) for seat in seats], np.uint64)

    @property
    def seatings(self) -> int:
        """Games per deal."""
        return 1 if self.mirror else 2

    def play(
        self,
        first_deal: int,
        last_deal: int,
        *,
        record: Collection[str] = (),
        on_error: str = "stop",
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
    ) -> Played:
        """Play deals ``first_deal`` up to, not including, ``last_deal``.

        ``record``: "rounds" and "moves" are kept beside the games. ``on_error``: "stop" raises at
        an agent's first failure, "forfeit" counts a loss for that game alone. ``progress`` is
        called with the number of finished games after every round of decisions that Python makes.

        Raises:
            AgentError: an agent failed and ``on_error`` is "stop".
        """
        return _Session(self, first_deal, last_deal, set(record), on_error == "forfeit").run(
            batch, progress
        )


class _Session:
    """One call of `Match.play`: its states, scratch memory and output arrays."""

    def __init__(
        self, match: Match, first: int, last: int, record: set[str], forfeits: bool
    ) -> None:
        self.match = match
        self.tables = match.game.tables
        self.first = first
        self.count = (last - first) * match.seatings
        self.record = rec.new_record(self.count, rounds="rounds" in record, moves="moves" in record)
        self.failures: list[Failure] = []
        self._contexts: list[Context] = []
        self.controls = play.Controls(np.zeros(2, np.int64), np.zeros(2, np.int64), forfeits)
        for i, seat in enumerate(match.seats):
            if isinstance(seat, CompiledSeat):
                self._contexts.append(Context(self.tables, seat.parameters))
                self.controls.addresses[i] = seat.address
                self.controls.contexts[i] = self._contexts[-1].address

    def run(self, batch: int, progress: Callable[[int], None] | None) -> Played:
        asked = [i for i in range(2) if not self.controls.addresses[i]]
        width = max(1, min(batch, self.count)) if asked else 1
        self._play(width, [-1] if asked and self.match.mirror else asked, progress)
        return self._played()

    def _play(self, width: int, asked: list[int], progress: Callable[[int], None] | None) -> None:
        """Play all games, ``width`` at a time; ``asked`` seats (-1: both as one) decide here."""
        match = self.match
        slots = play.new_slots(width)
        queue = np.array([0, self.count], np.int64)
        schedule = play.Schedule(
            np.uint64(match.seed), match.agent_keys, self.first, match.seatings, queue
        )
        collector = _Collector(match.game, slots)
        problems: dict[int, str] = {}
        # A round ends with a decision: of a game that is asked for one, few rounds end before the
        # next; one that is not is played to its end.
        rounds = 3 * width if asked else int(self.tables[ix.ROUND_LIMIT])
        if self._records and not asked:
            self.record = self.record._replace(spare=rounds)
        while queue[0] < queue[1] or slots.status.any():
            self._make_room(rounds)
            held = play.run_slots(slots, self.tables, schedule, self.controls, self.record)
            if held < 0:
                raise self._failed(slots).error()
            for slot in np.flatnonzero(slots.status == play.REFUSED):
                self._give_up(slots, int(slot), problems)
            if progress is not None:
                progress(int(queue[0] - held))
            problems.clear()
            for i in asked:
                waiting, batch = collector.collect(i)
                if len(waiting):
                    seat = cast(AskedSeat, match.seats[max(i, 0)])
                    slots.answers[waiting], failed = seat.choose(batch)
                    slots.status[waiting] = play.ANSWERED
                    problems |= {int(waiting[number]): text for number, text in failed.items()}

    @property
    def _records(self) -> bool:
        return self.record.keeps_rounds or self.record.keeps_moves

    def _make_room(self, rounds: int) -> None:
        """Grow the record so that this many more rounds fit."""
        if self._records:
            record, written = self.record, self.record.written
            moves = rounds * 2 * int(self.tables[ix.TURNS])
            self.record = record._replace(
                rounds=_grown(record.rounds, written[rec.ROUNDS] + rounds),
                moves=_grown(record.moves, written[rec.MOVES] + moves),
            )

    def _failed(self, slots: play.Slots) -> Failure:
        """The failure of a compiled agent that stops the run."""
        slot = int(np.flatnonzero(slots.status == play.FAILED)[0])
        choice = int(slots.answers[slot])
        message = "raised an exception" if choice == RAISED else _illegal(choice)
        return self._failure(slots, slot, message)

    def _give_up(self, slots: play.Slots, slot: int, problems: dict[int, str]) -> None:
        """A game whose agent gave no legal answer: stop, or let it forfeit the game."""
        choice = int(slots.answers[slot])
        failure = self._failure(slots, slot, problems.get(slot, _illegal(choice)), choice)
        if not self.controls.forfeits:
            raise failure.error()
        self.failures.append(failure)
        play.give_up(slots, slot, codes.REASONS.index(failure.reason))

    def _failure(self, slots: play.Slots, slot: int, message: str, choice: int = RAISED) -> Failure:
        state = slots.states[slot * st.SIZE : (slot + 1) * st.SIZE]
        role, seating = int(state[st.DECIDER]), int(state[st.SEATING])
        return Failure(
            agent=self.match.seats[role ^ seating].name,
            deal=self.first + int(state[st.GAME]) // self.match.seatings,
            seating=seating,
            role=role,
            round=int(state[st.ROUND]),
            decision=int(state[st.DECISIONS + role]),
            reason=_REASON.get(choice, "forfeit-illegal"),
            message=message,
        )

    # --- results ----------------------------------------------------------------------------------

    def _played(self) -> Played:
        record, (rounds, moves) = self.record, self.record.written
        games = self._which(np.arange(self.count)) | rec.game_columns(record.games)
        return Played(
            games,
            self._sorted(rec.ROUND_COLUMNS, record.rounds[:rounds], (1,)),
            self._sorted(rec.MOVE_COLUMNS, record.moves[:moves], (1, 2, 5)),
            self.failures + self._compiled_failures(games),
        )

    def _sorted(self, names: tuple[str, ...], rows: Array, order: tuple[int, ...]) -> Any:
        """Games run interleaved: sort their rows by game, then by the columns of ``order``."""
        rows = rows[np.lexsort([rows[:, i] for i in (*reversed(order), 0)])]
        columns = zip(names[1:], rows.T[1:], strict=True)
        return self._which(rows[:, 0]) | {n: values.astype(_TYPES[n]) for n, values in columns}

    def _which(self, game: Array) -> dict[str, Array]:
        """Deal and seating of games by number."""
        seatings = self.match.seatings
        return {
            "deal": self.first + game.astype(np.int64) // seatings,
            "seating": (game % seatings).astype(np.int8),
        }

    def _compiled_failures(self, games: dict[str, Array]) -> list[Failure]:
        """Compiled agents that failed under "forfeit": the kernel kept the reason, no more."""
        known = {(failure.deal, failure.seating) for failure in self.failures}
        found = []
        for row in np.flatnonzero(games["reason"] >= codes.FORFEIT_ERROR):
            deal, seating = int(games["deal"][row]), int(games["seating"][row])
            if (deal, seating) in known:
                continue
            role = int(games["outcome"][row] == codes.WON_STARTER)
            reason = codes.REASONS[games["reason"][row]]
            message = "raised an exception" if reason == "forfeit-error" else "made an illegal move"
            agent = self.match.seats[role ^ seating].name
            rounds = int(games["rounds"][row])
            found.append(Failure(agent, deal, seating, role, rounds, -1, reason, message))
        return found


class _Collector:
    """Buffers for the decisions that an agent is asked at once."""

    def __init__(self, game: Game, slots: play.Slots) -> None:
        self._game = game
        self._slots = slots
        self._decisions = play.new_decisions(len(slots.status), 64 * len(slots.status))

    def collect(self, seat: int) -> tuple[Int64, Batch]:
        """The waiting decisions of a seat (-1: of both), and the slots they belong to."""
        while True:
            found = self._decisions
            n = play.gather(self._slots, self._game.tables, seat, found)
            ids = int(found.offsets[n])
            if ids <= len(found.ids):
                break
            self._decisions = found._replace(ids=np.zeros(2 * ids, np.int64))
        return found.slots[:n], Batch(
            self._game, found.views[:n], found.words[:n], found.offsets[: n + 1], found.ids[:ids]
        )


_REASON = {RAISED: "forfeit-error", STALLED: "forfeit-stall"}


def _illegal(choice: int) -> str:
    return f"answered {choice}, which is no legal move,"


def _grown(array: Array, rows: int) -> Array:
    """The array, with room for this many rows (its own rows kept)."""
    if rows <= len(array):
        return array
    larger = np.zeros((max(int(rows), 2 * len(array)), array.shape[1]), array.dtype)
    larger[: len(array)] = array
    return larger
