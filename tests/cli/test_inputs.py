"""Bad input: exit code 2, one sentence on stderr, nothing written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.conftest import Cli

GOOD = """
name = "trial"
games = 100
agents = ["random"]
"""

BAD = {
    "unknown key": (GOOD + "gmaes = 5", "gmaes"),
    "unknown key in rules": (GOOD + "[rules]\nhnad = 5", "hand"),
    "key of a wrong type": (GOOD + "[rules]\nhand = 'six'", "rules.hand"),
    "impossible cards": (GOOD + "[rules]\nhand = 9", "21 items"),
    "unreachable goal": (GOOD + "[rules]\ngoals = { charm = 99, geishas = false }", "goals.charm"),
    "unknown preset": (GOOD + "[rules]\npreset = 'bass'", "base"),
    "unknown action": (GOOD + "[rules]\nactions = ['base/secrets']", "base/secret"),
    "unknown agent": ('name = "x"\nagents = ["rando"]', "random"),
    "unknown option": ('name = "x"\nagents = [{ agent = "random", depth = 3 }]', "depth"),
    "option that is refused": ('name = "x"\nagents = [{ agent = "slow", when = 3 }]', "when"),
    "agent that can't be imported": ('name = "x"\nagents = ["gone"]', "gone"),
    "agent that is no class": ('name = "x"\nagents = ["nothing"]', "nothing"),
    "no agents": ('name = "x"', "agents"),
    "unreadable": ("name = ", "end of document"),
    "not text": (b"\xff\xfe\x00", "TOML"),
    "empty": ("", "name"),
    "name with a slash": (GOOD.replace("trial", "../trial"), "name"),
    "name with a dot first": (GOOD.replace("trial", ".trial"), "name"),
    "seed too large": (GOOD + f"seed = {2**63}", "seed"),
    "negative seed": (GOOD + "seed = -1", "seed"),
    "odd games": (
        'name = "x"\ngames = 3\nagents = ["random", "greedy"]\nmatchups = "round-robin"',
        "even",
    ),
    "unknown match-up": (GOOD + 'matchups = [["random", "rando"]]', "random"),
    "unknown recording": (GOOD + 'record = ["runds"]', "record"),
    "unknown baseline": (GOOD + 'baseline = "bass"', "base"),
}


@pytest.mark.parametrize("case", BAD)
def test_run__bad_experiment(cli: Cli, odd: Path, tmp_path: Path, case: str) -> None:
    lines = (odd / "odd_agents-1.0.dist-info" / "entry_points.txt").read_text()
    lines += "gone = odd_agents_plugin_gone:Gone\nnothing = odd_agents_plugin:NAMES\n"
    (odd / "odd_agents-1.0.dist-info" / "entry_points.txt").write_text(lines)
    text, word = BAD[case]
    path = tmp_path / "x.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = cli("run", "x.toml")
    _is_one_sentence(said, word)
    assert [p.name for p in tmp_path.iterdir()] == ["x.toml"]


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("rules.hand=9", "21 items"),
        ("rules", "KEY=VALUE".lower()),
        ("rules.hnad=6", "hand"),
        ("agents.7=random", "agents"),
        ("=5", "key"),
        ("games=1e3", "games"),
    ],
)
def test_run__bad_setting(cli: Cli, tmp_path: Path, setting: str, word: str) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    _is_one_sentence(cli("run", "x.toml", "--set", setting), word)
    assert [p.name for p in tmp_path.iterdir()] == ["x.toml"]


def test_run__file_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    _is_one_sentence(cli("run", "x.toml"), "x.toml")
    _is_one_sentence(cli("run", tmp_path), "TOML")
    assert list(tmp_path.iterdir()) == []


def test_run__refused_seed_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    _is_one_sentence(cli("run", "x.toml", "--seed", "-1"), "seed")


def test_run__two_distributions_with_one_name(cli: Cli, odd: Path, tmp_path: Path) -> None:
    other = odd / "other_agents-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other-agents\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[hanamikoji.agents]\nuniform = x:Y\n")
    (tmp_path / "x.toml").write_text(GOOD.replace("random", "uniform"))
    said = cli("run", "x.toml")
    _is_one_sentence(said, "odd-agents")
    assert "other-agents" in said.err


def test_run__output_folder_that_is_something_else(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("1")
    _is_one_sentence(cli("run", "x.toml", "--out", "thesis"), "thesis")
    _is_one_sentence(cli("run", "x.toml", "--out", "thesis/chapter"), "thesis/chapter")
    _is_one_sentence(cli("run", "x.toml", "--out", "thesis/chapter/below"), "thesis/chapter")
    assert [p.name for p in (tmp_path / "thesis").iterdir()] == ["chapter"]


def test_run__read_only_disk(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    if os.geteuid() == 0:
        out = Path("/proc/self/results")  # root may write nearly everywhere, but not there
    else:
        out = tmp_path / "locked" / "results"
        out.parent.mkdir(mode=0o500)
    _is_one_sentence(cli("run", "x.toml", "--out", out), "can't be written to")


def test_replay__of_what_is_not_there(cli: Cli, tmp_path: Path) -> None:
    _is_one_sentence(cli("replay", "x", "--cell", "0", "--deal", "0"), "is not a results folder")
    _is_one_sentence(cli("status", "x"), "not a results folder")
    _is_one_sentence(cli("verify", tmp_path), "not a results folder")
    _is_one_sentence(cli("report", "x"), "not a results folder")


def _is_one_sentence(said: object, word: str) -> None:
    assert said.code == 2, said
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    assert word in said.err
    assert "Traceback" not in said.err
    assert len(said.err) < 600
