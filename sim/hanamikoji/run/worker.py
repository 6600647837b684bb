"""The worker's side of the process pool."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from hanamikoji.errors import HanamikojiError, MachineError
from hanamikoji.machine import resident_memory

BEAT, DONE, FAILED, STOP = "beat", "done", "failed", "stop"
FOR_THE_PARENT = {signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)}
"""Signals that reach parent and workers alike: the parent decides."""

MEMORY_EXIT = 77
ORPHAN_EXIT = 78
# No link, behind which a file elsewhere would be written to, and no pipe, which would block.
_THE_FILE_ITSELF = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LOOK_EVERY = 0.5  # seconds between looks at this process's memory


def serve(connection: Connection, log: str, memory: int | None) -> None:
    """Do tasks that come through ``connection`` until it closes."""
    for number in FOR_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FOR_THE_PARENT)
    _redirect(log)
    threading.Thread(target=_watch, args=(memory,), daemon=True).start()
    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            return
        if message[0] == STOP:
            continue  # it came after the task was done
        function, args, kwargs = message
        try:
            answer: tuple[str, Any] = (DONE, function(*args, beat=_beat(connection), **kwargs))
        except BaseException as error:
            answer = (FAILED, _sendable(error))
        connection.send(answer)
        sys.stdout.flush()


def _beat(connection: Connection) -> Any:
    def beat(first: int, last: int, decision: int | None = None) -> bool:
        connection.send((BEAT, first, last, decision))
        return not connection.poll()  # the parent sends nothing but STOP while a task runs

    return beat


def _sendable(error: BaseException) -> BaseException:
    """The error itself if it survives the way to the parent, else its text."""
    if isinstance(error, HanamikojiError):
        try:
            if str(pickle.loads(pickle.dumps(error))) == str(error):
                return error
        except Exception:
            return type(error)(str(error))
    if isinstance(error, MemoryError):
        return MachineError("a worker has no memory left")
    import traceback

    return RuntimeError("".join(traceback.format_exception(error)))


def _redirect(log: str) -> None:
    """Send what agents print, and the interpreter's last words, to a file; give them no input."""
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _THE_FILE_ITSELF)
    except OSError:
        file = nothing
    sys.stdout.flush()
    sys.stderr.flush()
    for number, target in enumerate((nothing, file, file)):
        os.dup2(target, number)
    faulthandler.enable()


def _watch(memory: int | None) -> None:
    """End this process when its parent is gone, or when it takes too much memory."""
    parent = parent_process()
    while parent is not None:
        if wait([parent.sentinel], _LOOK_EVERY):
            os._exit(ORPHAN_EXIT)
        if memory is not None and resident_memory() > memory:
            os._exit(MEMORY_EXIT)
