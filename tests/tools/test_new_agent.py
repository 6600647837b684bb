"""``hanamikoji new-agent``: every kind of package installs, passes its own test and plays."""

from __future__ import annotations

import importlib
import runpy
import shutil
import sys
from pathlib import Path
from typing import get_args

import pytest

from hanamikoji.agents import load_agent
from hanamikoji.cli.agent_commands import Kind
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.tools.new_agent import AgentKind, new_agent
from plugins.installed import describe

KINDS: dict[AgentKind, str] = {
    "plain": "plain", "batched": "batched", "compiled": "compiled", "process": "batched",
    "c": "compiled",
}  # fmt: skip
"""Each kind that can be asked for, and what the loader takes it for."""


def test_kinds__are_all_offered() -> None:
    assert [kind.value for kind in Kind] == list(get_args(AgentKind)) == list(KINDS)


@pytest.mark.jit
@pytest.mark.parametrize("kind", KINDS)
def test_package__installs_and_passes_its_own_test(
    kind: AgentKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "c" and shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    name = f"new-{kind}"
    folder = new_agent(name, kind, tmp_path)
    assert folder == tmp_path / f"hanamikoji-new-{kind}"
    describe(tmp_path / "site", (folder / "pyproject.toml").read_text())
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), str(folder / "src"), *sys.path])
    importlib.invalidate_caches()
    assert load_agent(AgentUse(name=name, agent=name)).kind == KINDS[kind]
    (test,) = (folder / "tests").glob("test_*.py")
    runpy.run_path(str(test))[f"test_new_{kind}__passes_the_check"]()


@pytest.mark.parametrize(
    "name", ["", "Loud", "two words", "3d", "a--b", "-a", "../up", "none", "x" * 41]
)
def test_name__that_cannot_be_one(name: str, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"^an agent can't be called .*; its name must be up to"):
        new_agent(name, parent=tmp_path)
    assert not list(tmp_path.iterdir())


def test_name__that_is_taken(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="an agent called 'greedy' is installed already"):
        new_agent("greedy", parent=tmp_path)
    new_agent("mine", parent=tmp_path)
    with pytest.raises(PluginError, match=r"hanamikoji-mine' is there already"):
        new_agent("mine", parent=tmp_path)
