"""What `pip install` makes of a plugin, without pip: entry points from its pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path


def describe(folder: Path, pyproject: str) -> dict[str, str]:
    """Write a distribution's metadata into ``folder``; returns its agents."""
    project = tomllib.loads(pyproject)["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    agents: dict[str, str] = project["entry-points"]["hanamikoji.agents"]
    lines = "".join(f"{name} = {value}\n" for name, value in agents.items())
    (info / "entry_points.txt").write_text(f"[hanamikoji.agents]\n{lines}")
    return agents
