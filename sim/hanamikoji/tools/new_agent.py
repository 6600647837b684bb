"""A package for a new agent, from the templates beside this file: it installs, plays and passes."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal, get_args

from hanamikoji.agents import list_agents
from hanamikoji.errors import PluginError
from hanamikoji.rules.sentences import show

__all__ = ["AgentKind", "new_agent"]

AgentKind = Literal["plain", "batched", "compiled", "process", "c"]
"""How an agent is written; see plugins/README.md."""

_BESIDE = {"process": "bot.py", "c": "agent.c"}
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40


def new_agent(name: str, kind: AgentKind = "plain", parent: Path | str = ".") -> Path:
    """Write the package of a new agent.

    Args:
        name: The agent's name, as experiments will use it.
        kind: How it is written.
        parent: Where to put the package's folder, ``hanamikoji-NAME``.

    Returns:
        The package's folder.

    Raises:
        PluginError: The name can't be an agent's or is taken, or the folder is there already.
    """
    _check(name)
    if kind not in get_args(AgentKind):
        raise PluginError(
            f"kind is {show(kind)}; it must be one of {', '.join(get_args(AgentKind))}"
        )
    folder = Path(parent) / f"hanamikoji-{name}"
    if folder.exists():
        raise PluginError(f"{show(folder.name)} is there already; it must be a new folder")
    word = name.replace("-", "_")
    words = {
        "name": name,
        "word": word,
        "module": f"hanamikoji_{word}",
        "class_": _class_name(name),
    }
    source = folder / "src" / words["module"]
    parts = {
        folder / "pyproject.toml": "pyproject.toml",
        folder / "README.md": "README.md",
        source / "__init__.py": f"{kind}.py",
        folder / "tests" / f"test_{word}.py": "test.py",
    }
    if kind in _BESIDE:
        parts[source / _BESIDE[kind]] = _BESIDE[kind]
    for path, template in parts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (files(__package__) / "templates" / f"{template}.in").read_text("utf-8")
        path.write_text(Template(text).substitute(words), encoding="utf-8")
    return folder


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _check(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST or keyword.iskeyword(_class_name(name)):
        raise PluginError(
            f"an agent can't be called {show(name)}; its name must be up to {_LONGEST} small "
            "letters and digits, with hyphens between them, such as my-agent"
        )
    if name in {info.name for info in list_agents()}:
        raise PluginError(f"an agent called '{name}' is installed already; choose another name")
