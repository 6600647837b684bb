"""plugins/README.md: every code block is written to its file and used; the tables are complete."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest

from hanamikoji.agents import Observation
from hanamikoji.engine.seat import Batch
from hanamikoji.moves import index as ix
from hanamikoji.testing import check_agent
from plugins.installed import describe

GUIDE = (Path(__file__).parents[2] / "plugins" / "README.md").read_text()
BLOCKS = {
    match["file"]: match["code"]
    for match in re.finditer(
        r"^```\w+\n(?P<code>(?:#|//) (?P<file>[\w./]+)\n.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE
    )
}

pytestmark = pytest.mark.jit


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The guide's files, as if installed."""
    for name, code in BLOCKS.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(code)
    (tmp_path / "my_agents" / "__init__.py").touch()
    c_too = BLOCKS["pyproject.toml"].replace(
        "drifting =", 'first = "my_agents.in_c:First"\ndrifting ='
    )
    describe(tmp_path, c_too)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for module in [name for name in sys.modules if name.startswith("my_agents")]:
        monkeypatch.delitem(sys.modules, module)
    return tmp_path


def test_blocks__are_all_found() -> None:
    assert len(BLOCKS) == sum(GUIDE.count(f"```{kind}\n") for kind in ("python", "c", "toml", "js"))


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("agent", "kind", "options"),
    [
        ("hasty", "plain", {"boldness": 0.8}),
        ("drifting", "batched", {}),
        ("hoarding", "compiled", {"exponent": 2.0}),
        pytest.param(
            "first", "compiled", {},
            marks=pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler"),
        ),
    ],
)  # fmt: skip
def test_agents__pass_the_check(agent: str, kind: str, options: dict[str, float]) -> None:
    assert check_agent(agent, options, deals=2).agent.kind == kind


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_process__passes_the_check(written: Path) -> None:
    check_agent("process", {"command": ["node", "bot.mjs"], "folder": str(written)}, deals=2)


def test_test__runs(written: Path) -> None:
    found = runpy.run_path(str(written / "tests" / "test_my_agents.py"))
    found["test_agent__passes_the_check"]("hoarding")


# --- the tables ----------------------------------------------------------------------------------


def named(heading: str) -> set[str]:
    """All names in backquotes in the first column of a table with this first heading."""
    table = GUIDE.partition(f"| {heading} |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_observation__is_explained() -> None:
    public = {name for name in dir(Observation) if not name.startswith("_")}
    assert named("`observation.`") == public


def test_batch__is_explained() -> None:
    assert named("`batch.`") == set(Batch.__dataclass_fields__)


def test_view__is_explained() -> None:
    numbers = [
        name
        for name, place in vars(ix).items()
        if name.isupper() and isinstance(place, int) and list(vars(ix)).index(name)
        in range(list(vars(ix)).index("PHASE"), list(vars(ix)).index("HEADER"))
    ]  # fmt: skip
    assert named("number") == set(numbers) and len(numbers) == 15
    assert {name.lower() for name in named("block")} == set(ix.VIEW_BLOCKS)


@pytest.mark.parametrize("name", ix.VIEW_BLOCKS)
def test_blocks__have_the_shapes_that_are_told(name: str) -> None:
    row = next(line for line in GUIDE.splitlines() if line.startswith("| `") and
               re.search(rf"`{name.upper()}`", line.split("|")[1]))  # fmt: skip
    told = [int(number) for number in re.findall(r"\d+", row.split("|")[2])]
    assert tuple(told) == ix.VIEW_BLOCKS[name][1]
