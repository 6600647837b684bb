"""A stand-in for the engine: games that are a function of seed, deal and seating, and no game."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hanamikoji.errors import AgentError

GEISHAS = 7


@dataclass
class FakePlayed:
    games: dict[str, np.ndarray]
    rounds: dict[str, np.ndarray] | None = None
    moves: dict[str, np.ndarray] | None = None
    failures: list[Any] = field(default_factory=list)


def _word(seed: int, *parts: np.ndarray | int) -> np.ndarray:
    state = np.full(1, seed, np.uint64)
    for part in parts:
        mixed = np.asarray(part).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ mixed) * np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(29)
    return state


def fake_games(seed: int, first: int, last: int, seatings: int) -> dict[str, np.ndarray]:
    deal = np.repeat(np.arange(first, last, dtype=np.int64), seatings)
    seating = np.tile(np.arange(seatings, dtype=np.int8), last - first)

    def draw(purpose: int, below: int, dtype: type) -> np.ndarray:
        return (_word(seed, deal, seating, purpose) % np.uint64(below)).astype(dtype)

    favor_starter = draw(1, 2**GEISHAS, np.int32)
    favor_second = draw(2, 2**GEISHAS, np.int32) & ~favor_starter
    return {
        "deal": deal,
        "seating": seating,
        "outcome": draw(3, 4, np.int8),
        "reason": draw(4, 7, np.int8),
        "rounds": draw(5, 5, np.int16) + np.int16(1),
        "charm_starter": draw(6, 22, np.int16),
        "charm_second": draw(7, 22, np.int16),
        "geishas_starter": np.bitwise_count(favor_starter).astype(np.int8),
        "geishas_second": np.bitwise_count(favor_second).astype(np.int8),
        "favor_starter": favor_starter,
        "favor_second": favor_second,
        "lead_changes": draw(8, 3, np.int16),
        "goal_conflict": draw(9, 10, np.int8) == 0,
        "opening_starter": draw(10, 5, np.int8) - np.int8(1),
        "opening_second": draw(11, 4, np.int8),
    }


def fake_rounds(games: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    index = np.repeat(np.arange(len(games["deal"])), games["rounds"])
    number = np.concatenate([np.arange(1, n + 1) for n in games["rounds"]])
    order = 1 | 2 << 5 | 3 << 10 | 4 << 15
    return {
        "deal": games["deal"][index],
        "seating": games["seating"][index],
        "round": number.astype(np.int16),
        "round_starter": ((number - 1) % 2).astype(np.int8),
        "favor_starter": games["favor_starter"][index],
        "favor_second": games["favor_second"][index],
        "order_starter": np.full(len(index), order, np.int64),
        "order_second": np.where(number % 2, order, 4 | 1 << 5).astype(np.int64),
        "decisions_starter": np.full(len(index), 6, np.int16),
        "decisions_second": np.full(len(index), 7, np.int16),
        "legal_starter": np.full(len(index), 100, np.int32),
        "legal_second": np.full(len(index), 200, np.int32),
    }


class FakeMatch:
    """``pace`` seconds a call; ``fails_at`` is a deal at which the starter's agent raises."""

    def __init__(self, seed: int, seatings: int, pace: float = 0.0, fails_at: int = -1) -> None:
        self.seed, self.seatings, self.pace, self.fails_at = seed, seatings, pace, fails_at
        self.calls: list[tuple[int, int]] = []

    def play(
        self,
        first: int,
        last: int,
        *,
        record: frozenset[str] = frozenset(),
        on_error: str = "stop",
        progress: Any = None,
        batch: int = 1,
    ) -> FakePlayed:
        self.calls.append((first, last))
        time.sleep(self.pace)
        if first <= self.fails_at < last and on_error == "stop":
            sentence = "the agent 'fake' raised ValueError: no idea"
            raise AgentError(sentence, deal=self.fails_at, seating=0)
        games = fake_games(self.seed, first, last, self.seatings)
        return FakePlayed(games, fake_rounds(games) if "rounds" in record else None)


@dataclass
class FakeAgent:
    agent: str
    kind: str = "compiled"
    shipped: bool = True
    distribution: str = "hanamikoji-sim"
    version: str = "0"
    options: dict[str, Any] = field(default_factory=dict)

    def training(self, rules: Any) -> int:
        """It can play at once."""
        return 0

    def facts(self, rules: Any) -> dict[str, Any]:
        """It plays by no weights."""
        return {}
