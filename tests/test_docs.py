"""The documentation: complete, with links that lead somewhere, and true to the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from hanamikoji.cli.app import app
from hanamikoji.experiment.loader import EXPERIMENT_KEYS
from hanamikoji.rules.loader import ACTION_KEYS, RULES_KEYS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXPERIMENTS = (ROOT / "docs" / "experiments.md").read_text()
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {".venv", "results", "node_modules"} & set(path.relative_to(ROOT).parts)
)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links__lead_to_a_file_and_a_heading(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text()):
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), f"{page}: {target}"
        assert not anchor or anchor in anchors(linked), f"{page}: {target}#{anchor}"


def test_readme__names_every_command() -> None:
    from hanamikoji import cli  # noqa: F401 - registers the commands

    for name in get_command(app).commands:  # type: ignore[attr-defined]
        assert re.search(rf"`(hanamikoji )?{name}\b", README), name


def test_readme__names_every_shipped_agent() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name in project["entry-points"]["hanamikoji.agents"]:
        assert f"`{name}`" in README


@pytest.mark.parametrize("key", [*EXPERIMENT_KEYS, *RULES_KEYS, *ACTION_KEYS])
def test_experiments_page__explains_every_key(key: str) -> None:
    assert re.search(rf"^\| [^|]*`{key}(\.NAME)?`", EXPERIMENTS, re.M)


def test_readme__draws_the_floors_that_the_linter_enforces() -> None:
    """The architecture picture has one line per layer of the import contract, in its order."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [
        [part.strip().removeprefix("hanamikoji.") for part in layer.split("|")]
        for layer in contracts["contracts"][0]["layers"]
    ]
    picture = README.partition("<!-- floors -->")[2].split("```")[1].strip().splitlines()
    drawn = [re.split(r"\s{2,}", line)[0].split(" | ") for line in picture]
    assert drawn == layers
