"""The agent `process`: any executable, asked through its standard streams."""

from __future__ import annotations

import math
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hanamikoji._jit import RAISED
from hanamikoji.agents.asked import DecisionError, part_of
from hanamikoji.agents.messages import printable
from hanamikoji.agents.process.child import Child, Log
from hanamikoji.agents.process.wire import WIRES, hello, refusal
from hanamikoji.engine.seat import Batch, Game, Int64
from hanamikoji.errors import AgentError, PluginError
from hanamikoji.rules.sentences import choices, show

__all__ = ["Process"]

_MOST_BARREN = 10  # processes in a row that end without an answer
_LONGEST_READY = 1 << 16  # bytes of the answer to a hello
_LONGEST_ID = 32  # bytes of an answer's line per decision, beside the same again


class Process:
    """Any executable that speaks lines of JSON; docs/process-agents.md is its protocol.

    ``command`` is run in ``folder`` with the environment ``env`` and the variables named by
    ``inherit``; nothing else of the environment reaches it. ``format`` is json or binary. A
    question holds at most ``batch`` decisions. The limits are seconds: ``start_limit`` for the
    answer to the hello, ``decision_limit`` for each decision, and ``line_limit`` for a question of
    many. A process that ends is replaced, and a decision that it ended at is asked again
    ``restarts`` times. ``log`` is how many bytes of its standard error are kept.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        inherit: Sequence[str] = (),
        folder: str = ".",
        format: str = "json",
        batch: int = 256,
        start_limit: float = 10.0,
        decision_limit: float = 10.0,
        line_limit: float = 60.0,
        restarts: int = 1,
        log: int = 1 << 16,
    ) -> None:
        if format not in WIRES:
            raise ValueError(f"format is {show(format)}; it must be {choices(WIRES)}")
        self._folder = _folder(folder)
        self._command = _command(command, self._folder)
        self._environment = _environment(env or {}, inherit)
        self._wire = WIRES[format]
        self._most = _count("batch", batch, 1)
        self._start_limit = _seconds("start_limit", start_limit)
        self._decision_limit = _seconds("decision_limit", decision_limit)
        self._line_limit = _seconds("line_limit", line_limit)
        self._restarts = _count("restarts", restarts, 0)
        self._log = Log(_count("log", log, 0))
        self._child: Child | None = None
        self._number = 0
        self._barren = 0

    def prepare(self, game: Game) -> None:
        """Start the process and tell it the rules.

        Raises:
            PluginError: It can't be started, doesn't answer, or doesn't play these rules.
        """
        self._hello = hello(game, self._wire)
        try:
            reason = self._start()
        except DecisionError as error:
            self.close()
            raise PluginError(f"{self._what} {error}, when it was told the rules") from None
        if reason is not None:
            self.close()
            raise PluginError(
                f"{self._what} doesn't play the rules {game.rules.hash}: {printable(reason)}"
            )

    def act_batch(self, batch: Batch) -> Int64:
        """The process's decisions, asked ``batch`` at a time.

        Raises:
            DecisionError: It ended, took too long, or answered with something else.
            AgentError: Ten processes in a row gave no answer at all.
        """
        n = len(batch.words)
        parts = range(0, n, self._most)
        return np.concatenate(
            [self._ask(part_of(batch, first, min(first + self._most, n))) for first in parts]
        )

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close(self._wire.bye)
            self._child = None

    @property
    def _what(self) -> str:
        return f"the process {show(shlex.join(self._command))}"

    def _start(self) -> str | None:
        """Start a process. Returns None, or why it doesn't play the rules."""
        self._child = Child(self._command, self._folder, self._environment, self._log)
        ready = self._child.ask(
            self._hello, size=None, most=_LONGEST_READY, seconds=self._start_limit
        )
        return refusal(ready)

    def _ask(self, batch: Batch) -> Int64:
        """Ask a question; a single decision again if the process ended at it."""
        tries = 1 + self._restarts if len(batch.words) == 1 else 1
        for left in reversed(range(tries)):
            try:
                ids = self._answer(batch)
            except DecisionError as error:
                self._give_up(error)
                if error.choice != RAISED or not left:
                    raise
            else:
                self._barren = 0
                return ids
        raise AssertionError

    def _answer(self, batch: Batch) -> Int64:
        n = len(batch.words)
        if self._child is None:
            reason = self._start()
            if reason is not None:
                raise DecisionError(f"doesn't play these rules any more: {printable(reason)}")
        assert self._child is not None
        self._number += 1
        seconds = max(self._decision_limit, min(n * self._decision_limit, self._line_limit))
        message = self._child.ask(
            self._wire.question(batch, self._number),
            size=self._wire.size(n),
            most=_LONGEST_ID * (n + _LONGEST_ID),
            seconds=seconds,
        )
        return self._wire.answer(message, n, self._number)

    def _give_up(self, error: DecisionError) -> None:
        """End a process that failed; what it would say next belongs to no question."""
        if self._child is not None:
            self._child.close()
            self._child = None
        self._barren += 1
        if self._barren >= _MOST_BARREN:
            raise AgentError(
                f"{self._what} is given up, since {self._barren} in a row gave no valid answer; "
                f"the last one {error}"
            )


def _command(command: Any, folder: Path) -> list[str]:
    """A command with its executable found: in ``folder`` if it has a slash, else on the PATH."""
    if (
        not isinstance(command, list | tuple)
        or not command
        or not all(isinstance(part, str) and part and "\0" not in part for part in command)
    ):
        raise ValueError(
            f'command is {show(command)}; it must be a list of texts such as ["node", "bot.mjs"]'
        )
    name = str(folder / command[0]) if "/" in command[0] else command[0]
    found = shutil.which(name)
    if found is None:
        raise ValueError(f"command names {show(command[0])}, which is no executable here")
    return [found, *command[1:]]


def _folder(folder: Any) -> Path:
    path = Path(folder).absolute() if isinstance(folder, str) else None
    if path is None or not path.is_dir():
        raise ValueError(f"folder is {show(folder)}; it must be a folder that is there")
    return path


def _environment(env: Any, inherit: Any) -> dict[str, str]:
    if not isinstance(env, Mapping) or not all(isinstance(value, str) for value in env.values()):
        raise ValueError(f'env is {show(env)}; it must be a table of texts such as {{ A = "1" }}')
    if not isinstance(inherit, list | tuple):
        raise ValueError(f"inherit is {show(inherit)}; it must be a list of variables' names")
    for name in inherit:
        if not isinstance(name, str) or name not in os.environ:
            raise ValueError(f"inherit names {show(name)}, which isn't set in the environment")
    return {name: os.environ[name] for name in inherit} | dict(env)


def _count(name: str, value: Any, least: int) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"{name} is {show(value)}; it must be a whole number, {least} or more")
    return value


def _seconds(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value <= 0:
        raise ValueError(f"{name} is {show(value)}; it must be a number of seconds above 0")
    return float(value)
