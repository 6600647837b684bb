"""The packages under plugins/: declared right, and they pass the check from their sources."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from hanamikoji.agents import load_agent
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import load_rules
from hanamikoji.testing import check_agent
from plugins.installed import describe

PLUGINS = Path(__file__).parents[2] / "plugins"
PACKAGES = sorted(path.parent for path in PLUGINS.glob("*/pyproject.toml"))
KINDS = {"thrifty": "plain", "vector": "batched"}

FEW = {name: load_rules(name) for name in ("base", "health", "serendipity")}


def test_packages__are_there() -> None:
    assert [path.name for path in PACKAGES] == ["hanamikoji-thrifty", "hanamikoji-vector"]


@pytest.mark.jit
@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_package__brings_an_agent_that_passes(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (package / "pyproject.toml").read_text()
    agents = describe(tmp_path, text)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(package / "src"), *sys.path])
    for agent in agents:
        loaded = load_agent(AgentUse(name=agent, agent=agent))
        assert (loaded.distribution, loaded.kind) == (package.name, KINDS[agent])
        check_agent(agent, variants=FEW, deals=2)
    wheel = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert all((package / folder / "__init__.py").is_file() for folder in wheel["packages"])


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_readme__tells_how_to_install_and_what_options_there_are(package: Path) -> None:
    readme = (package / "README.md").read_text()
    assert f"pip install -e plugins/{package.name}" in readme
    source = next((package / "src").rglob("__init__.py")).read_text()
    if "def __init__(self, " in source:
        option = source.partition("def __init__(self, ")[2].partition(":")[0]
        assert f"| `{option}` |" in readme
    else:
        assert "no options" in readme
