"""What all tests share: how they run without compiled kernels, and how Hypothesis searches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from agents.bad_agents import install
from hanamikoji.learning.search import agent
from modes import JITTED

# The same examples in every run: a search that finds something new belongs to a soak, not to CI.
settings.register_profile("hanamikoji", deadline=None, derandomize=True)
settings.load_profile("hanamikoji")

if not JITTED:
    # Kernels count on unsigned integers that wrap, as compiled code's do; NumPy's scalars warn.
    np.seterr(over="ignore")
    # A likely determinization takes many tries, seconds each; test_belief makes some.
    agent.BELIEF = 0.0


_HEAVY = tuple(
    f"tests/{part}"
    for part in (
        "learning/",
        "agents/test_unseen",
        "api/test_package",
        "cli/test_ladder_command",
        "run/test_assurance",
        "cli/test_probe_command",
    )
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """What compiles the search or the trainer, a minute's work, goes to one worker, once."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "search and training" if nodeid.startswith(_HEAVY) else nodeid

    return Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes hours unless asked for, and what needs compiled kernels without them."""
    reasons = {}
    if "soak" not in config.getoption("markexpr"):
        reasons["soak"] = pytest.mark.skip(reason="takes long: pytest -m soak")
    if not JITTED:
        reasons["jit"] = pytest.mark.skip(reason="needs compiled kernels")
    for item in items:
        for name, skip in reasons.items():
            if item.get_closest_marker(name):
                item.add_marker(skip)


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
    from hanamikoji.learning.search import values

    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("values")
        patch.setattr(values, "cache_folder", lambda: folder)
        patch.setattr(values, "_rounds", lambda entries: 20)
        yield
