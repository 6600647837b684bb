"""``hanamikoji check-agent`` and ``hanamikoji agents``."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli

pytestmark = [pytest.mark.usefixtures("odd"), pytest.mark.jit]


def test_check__passes_and_tells_what_was_seen(cli: Cli) -> None:
    said = cli("check-agent", "uniform", "--rules", "base", "--deals", "2")
    assert (said.code, said.err) == (0, "")
    assert "agent 'uniform', plain, of odd-agents 1.0" in said.out
    assert "passed: only legal moves" in said.out


def test_check__of_a_file_with_own_actions(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'name = "own"\nagents = ["random"]\n'
        '[rules]\nactions = ["bow", "base/trade-off", "base/gift", "base/competition"]\n'
        '[actions.bow]\ncards = 1\nface = "up"\n'
    )
    said = cli("check-agent", "greedy", "--rules", "own.toml", "--rules", "health", "--deals", "2")
    assert said.code == 0
    assert "own " in said.out and "health " in said.out


def test_check__fails_in_one_sentence(cli: Cli) -> None:
    said = cli("check-agent", "illegal", "--option", "when=3", "--rules", "base")
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("agent 'illegal' answered 1000000, which is no legal move, in deal ")
    assert said.err.endswith("under the rules 'base'\n") and said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gredy"], "no agent is called 'gredy'; it must be one of "),
        (["greedy", "--option", "depth=1"], "agent 'greedy' has no option 'depth'; "),
        (["greedy", "--option", "depth"], "--option 'depth' isn't KEY=VALUE"),
        (["greedy", "--option", "a.b=1"], "--option 'a.b=1' isn't KEY=VALUE"),
        (["greedy", "--rules", "bass"], "preset is 'bass'; "),
        (["greedy", "--rules", "none.toml"], "'none.toml' isn't there"),
    ],
)
def test_check__bad_input(cli: Cli, arguments: list[str], sentence: str) -> None:
    said = cli("check-agent", *arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(sentence) and said.err.count("\n") == 1


def test_agents__lists_them_all(cli: Cli) -> None:
    said = cli("agents")
    assert said.code == 0
    lines = {line.split()[0]: line for line in said.out.splitlines()}
    assert "compiled" in lines["greedy"] and "hanamikoji-sim" in lines["greedy"]
    assert "plain" in lines["uniform"] and "odd-agents" in lines["uniform"]
    assert "when = 2000" in lines["raises"]


def test_new__writes_a_package_and_says_what_is_next(cli: Cli, tmp_path: Path) -> None:
    said = cli("new-agent", "my-bot", "--kind", "process")
    assert (said.code, said.err) == (0, "")
    assert "pip install -e hanamikoji-my-bot && hanamikoji check-agent my-bot" in said.out
    written = tmp_path / "hanamikoji-my-bot"
    assert (written / "src" / "hanamikoji_my_bot" / "bot.py").is_file()
    again = cli("new-agent", "my-bot")
    assert again.code == 2 and again.err.count("\n") == 1
