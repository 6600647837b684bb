from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hanamikoji
from cli.conftest import Cli
from hanamikoji.cli.app import app
from hanamikoji.cli.text import duration, table
from hanamikoji.results import TABLES

HEAVY = ("numba", "numpy", "polars", "pyarrow", "scipy", "pydantic", "altair", "tqdm", "rich")


def test_help__is_light() -> None:
    code = (
        "import sys, json\nfrom hanamikoji.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_help__is_what_no_command_gives_too(cli: Cli) -> None:
    bare, asked = cli(), cli("--help")
    assert (bare.code, asked.code) == (0, 0)
    assert bare.out == asked.out
    for command in ("run", "report", "replay", "rules", "agents", "schema", "status", "verify"):
        assert f"\n  {command} " in bare.out
    assert "130: interrupted" in bare.out


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"hanamikoji {hanamikoji.__version__}\n"


def test_module__is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hanamikoji", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"hanamikoji {hanamikoji.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fly"], "No such command 'fly'"),
        (["run"], "Missing argument 'EXPERIMENT.toml'"),
        (["run", "x.toml", "--fast"], "No such option: --fast"),
        (["run", "x.toml", "--games", "0"], "greater than or equal to 1"),
        (["run", "x.toml", "--games", "many"], "Invalid value for '--games'"),
        (["run", "x.toml", "--workers", "0"], "Invalid value for '--workers'"),
        (["replay", "x", "--cell", "0"], "Missing option '--deal'"),
    ],
)
def test_usage__mistakes_are_one_line(cli: Cli, arguments: list[str], sentence: str) -> None:
    said = cli(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert sentence in said.err
    assert said.err.endswith("; see --help\n")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "line", "code"),
    [
        (OSError(28, "No space left on device", "x/y"), "x/y: No space left on device", 4),
        (PermissionError(13, "Permission denied"), "Permission denied", 4),
        (MemoryError(), "out of memory", 4),
        (KeyboardInterrupt(), "interrupted", 130),
    ],
)
def test_boundary__makes_a_line_of_what_the_system_says(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, line: str, code: int
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("hanamikoji.api.folders.find_run", fail)
    said = cli("status", "x")
    assert (said.code, said.err) == (code, line + "\n")


def test_boundary__does_not_hide_our_bugs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("hanamikoji.api.folders.find_run", fail)
    with pytest.raises(ZeroDivisionError, match="ours"):
        app(["status", "x"], standalone_mode=False)


def test_output__may_end_early() -> None:
    command = f"{sys.executable} -m hanamikoji schema | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "games/\n0\n"
    assert done.stderr == ""


def test_table__aligns_and_escapes() -> None:
    assert table([("a", "b"), ("long\n", "c")]) == "a       b\nlong\\n  c"


def test_duration__is_for_people() -> None:
    assert [duration(45), duration(700), duration(12_000)] == ["45 s", "12 min", "3 h 20 min"]


def test_schema__has_every_column(cli: Cli) -> None:
    out = cli("schema").out
    for name, columns in TABLES.items():
        assert f"{name}/\n" in out
        for column in columns:
            assert f"\n{column.name} " in out
            assert column.meaning.split()[0] in out
    assert max(len(line) for line in out.splitlines()) <= 100


def test_rules__lists_presets_and_shows_one(cli: Cli) -> None:
    assert "avoid-misfortune" in cli("rules").out
    base = cli("rules", "base").out
    assert "base/competition" in base
    assert "383" in base
    assert "21 items - 1 removed - 2 x 6 in hand = 8" in base


def test_rules__shows_the_variants_of_a_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        'name = "x"\nagents = ["random"]\n[variants.p]\n[variants.q]\n'
    )
    out = cli("rules", "x.toml", "--set", "rules.max_rounds=4").out
    assert out.startswith("p  (rules hash")
    assert "\nq  (rules hash" in out
    assert "at most 4" in out


def test_rules__refuses_what_it_does_not_know(cli: Cli) -> None:
    said = cli("rules", "bass")
    assert said.code == 2
    assert said.err.startswith("preset is 'bass'; ")
    assert cli("rules", "gone.toml").code == 2


def test_agents__lists_ours_and_others(cli: Cli, odd: Path) -> None:
    out = cli("agents").out
    assert any(line.split()[:2] == ["random", "compiled"] for line in out.splitlines())
    (slow,) = [line for line in out.splitlines() if line.startswith("slow ")]
    assert "plain" in slow
    assert "odd-agents" in slow
    assert "seconds = 0.001" in slow
