"""Functions that the process pool's tests have worker processes do."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

from hanamikoji.errors import AgentError

Beat = Callable[[int, int], bool]


def double(number: int, beat: Beat) -> int:
    assert beat(0, 1)
    return 2 * number


def die(how: str, beat: Beat) -> None:
    beat(5, 6)
    if how == "exit":
        os._exit(3)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "memory":
        hoard = []
        while True:
            hoard.append(bytearray(b"x") * 2**22)
            time.sleep(0.01)


def hang(beat: Beat) -> None:
    beat(7, 8)
    time.sleep(1000)


def sleep_until_told(beat: Beat) -> str:
    while beat(0, 1):
        time.sleep(0.02)
    return "told"


def fail(kind: str, beat: Beat) -> None:
    if kind == "agent":
        raise AgentError("the agent 'x' is no good")
    raise ZeroDivisionError("x")


def chatter(beat: Beat) -> str:
    print("to stdout")
    print("to stderr", file=sys.stderr)
    os.write(1, b"to the handle\n")
    return sys.stdin.read()


def pid(beat: Beat) -> int:
    return os.getpid()
