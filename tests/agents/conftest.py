from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.bad_agents import install
from modes import JITTED


@pytest.fixture(scope="session")
def _bad_agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("bad"))


@pytest.fixture
def bad(_bad_agents: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bad agents are installed."""
    monkeypatch.setattr(sys, "path", [str(_bad_agents), *sys.path])
    return _bad_agents


@pytest.fixture(scope="session", autouse=not JITTED)
def _short_values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """As plain Python V under random play is learned from a few rounds, and not kept for others."""
    from hanamikoji.agents.search import values

    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("values")
        patch.setattr(values, "cache_folder", lambda: folder)
        patch.setattr(values, "_rounds", lambda entries: 20)
        yield
