"""A child process that is asked: bytes in, bytes out, and no wait without a limit.

It inherits nothing but the pipes of its standard streams, its folder and the environment that it
is given. It is the leader of a session of its own, which is ended with it.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from hanamikoji._jit import RAISED
from hanamikoji.agents.asked import DecisionError
from hanamikoji.agents.messages import printable
from hanamikoji.engine.seat import STALLED

_READ = 1 << 16
_FAREWELL = 1.0  # seconds to end by itself
_LAST_WORDS = 500  # bytes of its standard error that are kept for a message


@dataclass
class Log:
    """Passes on what children write to their standard error, up to ``room`` bytes in all."""

    room: int
    last: bytes = field(default=b"", init=False)

    def write(self, text: bytes) -> None:
        """Pass on some text, or as much as there is room for."""
        self.last = (self.last + text)[-_LAST_WORDS:]
        if self.room <= 0:
            return
        kept = text[: self.room].decode(errors="backslashreplace")
        self.room -= len(text)
        if self.room <= 0:
            kept += "\n(what the agent wrote after this was left out)\n"
        shown = "".join(c if c.isprintable() or c == "\n" else " " for c in kept)
        with contextlib.suppress(OSError):
            os.write(2, shown.encode(errors="backslashreplace"))

    def last_line(self) -> str:
        """The last line of it that is not empty, else an empty text."""
        lines = [line for line in self.last.decode(errors="replace").splitlines() if line.strip()]
        return printable(lines[-1].strip()) if lines else ""


class Child:
    """A running command.

    Raises:
        DecisionError: It can't be started.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Log
    ) -> None:
        self._log = log
        log.last = b""
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DecisionError(f"can't be started: {printable(reason)}", RAISED) from None
        self._end = weakref.finalize(self, _end, self._process)
        self._selector = selectors.DefaultSelector()
        for pipe in self._pipes():
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._pipes()[1], selectors.EVENT_READ, "answer")
        self._selector.register(self._pipes()[2], selectors.EVENT_READ, "log")

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        return process.stdin, process.stdout, process.stderr

    def ask(self, question: bytes, *, size: int | None, most: int, seconds: float) -> bytes:
        """Write a question and read its answer: ``size`` bytes, or a line of at most ``most``.

        Raises:
            DecisionError: It ended, took longer than ``seconds``, or wrote more than one answer.
        """
        until = time.monotonic() + seconds
        unsent = memoryview(question)
        answer = bytearray()
        stdin = self._pipes()[0]
        self._selector.register(stdin, selectors.EVENT_WRITE, "question")
        try:
            while not _complete(answer, size, most):
                left = until - time.monotonic()
                if left <= 0:
                    raise DecisionError(f"gave no answer for {seconds:g} s", STALLED)
                for key, _ in self._selector.select(left):
                    if key.data == "question":
                        unsent = self._send(unsent)
                    elif key.data == "log":
                        self._hear()
                    else:
                        answer += self._receive()
        finally:
            if stdin in self._selector.get_map():
                self._selector.unregister(stdin)
        return bytes(answer)

    def _send(self, unsent: memoryview) -> memoryview:
        """Write what the pipe takes; a child that reads no more shows by what it answers."""
        stdin = self._pipes()[0]
        with contextlib.suppress(BlockingIOError):
            try:
                unsent = unsent[os.write(stdin.fileno(), unsent[: 16 * _READ]) :]
            except BrokenPipeError:
                unsent = unsent[:0]
        if not unsent:
            self._selector.unregister(stdin)
        return unsent

    def _receive(self) -> bytes:
        part = os.read(self._pipes()[1].fileno(), _READ)
        if not part:
            raise DecisionError(self._how_it_ended(), RAISED)
        return part

    def _hear(self) -> None:
        stderr = self._pipes()[2]
        part = os.read(stderr.fileno(), _READ)
        if part:
            self._log.write(part)
        else:
            self._selector.unregister(stderr)

    def _how_it_ended(self) -> str:
        """Why there is no more to read, with the last it said."""
        try:
            code = self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            what = "closed its output"
        else:
            what = f"ended with exit code {code}" if code >= 0 else f"was ended by {_name(-code)}"
        stderr = self._pipes()[2]
        with contextlib.suppress(BlockingIOError):
            while stderr in self._selector.get_map():
                self._hear()
        last = self._log.last_line()
        return f"{what} ({last})" if last else what

    def close(self, farewell: bytes = b"") -> None:
        """End it: with a word it may end by itself, without one at once."""
        self._selector.close()
        if farewell and self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.write(self._pipes()[0].fileno(), farewell)
            self._pipes()[0].close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_FAREWELL)
        self._end()


def _complete(answer: bytearray, size: int | None, most: int) -> bool:
    """Whether an answer is all there.

    Raises:
        DecisionError: There is more than that.
    """
    if size is not None:
        end = size
    else:
        end = answer.find(b"\n") + 1
        if len(answer) > most:
            raise DecisionError(f"answered with more than {most:,} bytes in a line")
    if end and len(answer) > end:
        raise DecisionError("wrote more than one answer")
    return bool(end) and len(answer) == end


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a child and its session if it still runs, and close its pipes."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_FAREWELL)
