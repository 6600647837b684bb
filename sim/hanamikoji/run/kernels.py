"""Compile the engine in the parent, so that its workers only load it."""

from __future__ import annotations

import contextlib
import functools
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING

from hanamikoji._jit import cache_folder, is_compiled, tell_compiling
from hanamikoji.experiment import AgentUse
from hanamikoji.plan import Plan
from hanamikoji.rules import Rules
from hanamikoji.run.progress import Progress

if TYPE_CHECKING:
    from hanamikoji.agents import Batch, LoadedAgent
    from hanamikoji.engine.seat import Int64

_SOON = 1.0  # seconds; a small agent takes less
_WHY = "compiling the engine; this takes half a minute, once after an install or update"


class _FirstLegal:
    """A seat that Python asks and that answers at once; ``offset`` makes its answers illegal."""

    def __init__(self, offset: int) -> None:
        self.name = "first legal"
        self._offset = offset

    def choose(self, batch: Batch) -> tuple[Int64, dict[int, str]]:
        """The first legal id of each decision."""
        return batch.ids[batch.offsets[:-1]] - self._offset, {}


def compile_kernels(plan: Plan, agents: Mapping[str, LoadedAgent], progress: Progress) -> None:
    """Compile, or load from the cache, all kernels that the plan's workers will need.

    No code of an agent runs here but its preparation, so that one that crashes does so in a worker.
    """
    from hanamikoji.agents import Game

    players: dict[str, Rules] = {}  # and rules that they are ready for
    for cell in plan.cells:
        for use in (cell.agent_a, cell.agent_b):
            if agents[use.name].kind == "compiled":
                players.setdefault(use.name, cell.rules)
    with _noted(progress):
        with _compiling_beside([agents[name] for name in players]), _in_one_piece():
            load_kernels()
        for name, rules in players.items():
            with _in_one_piece():
                agents[name].seat(Game.of(rules))


@contextlib.contextmanager
def _noted(progress: Progress) -> Iterator[None]:
    """Say so when something is compiled in here, and is not done at once."""
    slow = threading.Timer(_SOON, progress.note, (_WHY,))

    def begin() -> None:
        if not slow.is_alive() and not slow.finished.is_set():
            slow.start()

    try:
        with tell_compiling(begin):
            yield
    finally:
        slow.cancel()


@contextlib.contextmanager
def _in_one_piece() -> Iterator[None]:
    """Ctrl-C waits until what is being compiled is done, unless it comes twice.

    LLVM calls back into Python, where an exception would be lost and leave a kernel half made.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _compiling_beside(agents: Collection[LoadedAgent]) -> Iterator[None]:
    """Have a child process compile our own agents into the cache while this one does the engine.

    Numba compiles one function at a time in a process. A child that fails costs nothing but time:
    whatever is missing then is compiled here.
    """
    from hanamikoji.engine import play

    ours = sorted({a.agent for a in agents if a.shipped})
    if not ours or is_compiled(play.run_slots):
        yield
        return
    cache_folder()  # a temporary one is the child's, too
    with subprocess.Popen(
        [sys.executable, "-m", __name__, *ours],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as child:
        try:
            yield
            child.wait()
        finally:
            child.kill()


@functools.cache
def load_kernels() -> None:
    """Have the engine's kernels ready in this process: compiled, or loaded from the cache."""
    from hanamikoji.agents import Game
    from hanamikoji.engine import Match

    game = Game.of(Rules())
    seats = (_FirstLegal(0), _FirstLegal(0))
    Match(game, seats, seed=0).play(0, 1)
    Match(game, (seats[0], _FirstLegal(10**6)), seed=0).play(0, 1, on_error="forfeit")


def _compile_agents(names: list[str]) -> None:
    """Compile our agents: the same code whatever the rules and options."""
    from hanamikoji.agents import Game, load_agent

    for name in names:
        load_agent(AgentUse(name=name, agent=name)).seat(Game.of(Rules()))


if __name__ == "__main__":
    _compile_agents(sys.argv[1:])
