"""Compiling for a run: the engine in the parent, our own agents in a child beside it."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import numba
import pytest

from hanamikoji.agents import load_agent
from hanamikoji.experiment import AgentUse
from hanamikoji.run import Silence, kernels

pytestmark = pytest.mark.jit

AGENTS = [load_agent(AgentUse(name="r", agent="random"))]


@pytest.fixture(autouse=True)
def nothing_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kernels, "is_compiled", lambda _: False)
    monkeypatch.setenv("HANAMIKOJI_CACHE", str(tmp_path))


def test_beside__the_child_leaves_agents_in_the_cache(tmp_path: Path) -> None:
    with kernels._compiling_beside(AGENTS):
        assert not list(tmp_path.rglob("agents.agent_*.nbc"))
    assert len(list(tmp_path.rglob("agents.agent_*.nbc"))) == 1


def test_beside__a_child_that_fails_is_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels.sys, "executable", shutil.which("false"))
    with kernels._compiling_beside(AGENTS):
        pass


def test_beside__an_interruption_does_not_wait_for_the_child(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt), kernels._compiling_beside(AGENTS):
        raise KeyboardInterrupt
    assert time.monotonic() - begun < 2
    assert not list(tmp_path.rglob("agents.agent_*.nbc"))


def test_in_one_piece__an_interruption_waits_for_its_end_and_a_second_does_not() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), kernels._in_one_piece():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("the rest")
    assert done == ["the rest"]
    with pytest.raises(KeyboardInterrupt), kernels._in_one_piece():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        done.append("never")
    assert done == ["the rest"]
    with pytest.raises(KeyboardInterrupt):  # the usual handler is back
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def test_beside__nothing_is_begun_where_the_engine_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernels, "is_compiled", lambda _: True)
    monkeypatch.setattr(kernels.subprocess, "Popen", None)  # would be called to begin a child
    with kernels._compiling_beside(AGENTS):
        pass


class Notes(Silence):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_noted__what_is_loaded_slowly_is_not_said_to_be_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernels, "_SOON", 0.01)
    heard = Notes()
    with kernels._noted(heard):
        time.sleep(0.2)
    assert heard.notes == []


def test_noted__what_is_compiled_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_SOON", 0.01)
    heard = Notes()
    with kernels._noted(heard):
        numba.njit(lambda x: x + 1)(1)
        time.sleep(0.2)
    assert len(heard.notes) == 1
    assert heard.notes[0].startswith("compiling")
