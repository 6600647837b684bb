from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agents.bad_agents import install


@pytest.fixture(scope="session")
def _bad_agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("bad"))


@pytest.fixture
def bad(_bad_agents: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bad agents are installed."""
    monkeypatch.setattr(sys, "path", [str(_bad_agents), *sys.path])
    return _bad_agents
