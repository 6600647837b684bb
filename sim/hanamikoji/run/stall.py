"""Give up a plain agent's decision that takes too long, inside the worker that waits for it.

A timer's signal looks at the clock a few times per limit and raises `StalledError` inside the
agent: that ends a loop, a sleep or a wait in Python, and costs the games nothing. Code that never
comes back to Python is beyond it; there the pool kills the worker, and the decision it hung in is
given up when the task is done again.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import Any

from hanamikoji.errors import StalledError

_LOOKS = 4  # per limit
_PULSE = 0.25  # seconds between signs of life, at least

Pulse = Callable[[int], object]
"""Told the number of the decision that begins, counted from the slice's first."""


class Watch:
    """Limits how long the plain agents that it guards may take for a decision."""

    def __init__(self) -> None:
        self._seconds = float("inf")
        self._since: float | None = None  # when the decision under way began
        self._heard = 0.0
        self.follow(lambda _decision: None)

    def guard(self, seat: object) -> None:
        """Let a seat's decisions be limited, if it is a plain agent's."""
        from hanamikoji.agents.asked import PlainSeat

        if isinstance(seat, PlainSeat):
            seat.act = self._guarded(seat.act)

    def follow(self, pulse: Pulse, *, each: bool = False, given_up: Collection[int] = ()) -> None:
        """Begin to count a slice's decisions.

        ``pulse`` is called for one now and then, or for ``each``; those in ``given_up`` are not
        asked for.
        """
        self._pulse, self._each, self._given_up = pulse, each, given_up
        self._decision = 0

    @contextlib.contextmanager
    def limit(self, seconds: float | None) -> Iterator[None]:
        """Limit decisions to so many seconds meanwhile; no number or no timer, no limit.

        Only a process's main thread can be interrupted by a signal.
        """
        mine = threading.current_thread() is threading.main_thread()
        if seconds is None or not mine or not hasattr(signal, "setitimer"):
            yield
            return
        self._seconds = seconds
        before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, seconds / _LOOKS, seconds / _LOOKS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _guarded(self, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def guarded(observation: Any) -> Any:
            now = time.monotonic()
            decision, self._decision = self._decision, self._decision + 1
            if decision in self._given_up:
                raise StalledError(self._sentence())
            if self._each or now - self._heard > _PULSE:
                self._heard = now
                self._pulse(decision)
            self._since = now
            try:
                return act(observation)
            finally:
                self._since = None

        return guarded

    def _look(self, _number: int, _frame: FrameType | None) -> None:
        if self._since is not None and time.monotonic() - self._since > self._seconds:
            self._since = None
            raise StalledError(self._sentence())

    def _sentence(self) -> str:
        return f"made no decision for {self._seconds:g} s"
