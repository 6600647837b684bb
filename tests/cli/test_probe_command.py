"""``hanamikoji probe``: attacks an agent, keeps what it finds, and a run's report quotes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli, Said
from hanamikoji.results import Probe, read_probe
from hanamikoji.rules import PRESETS

pytestmark = pytest.mark.jit

LITTLE = ("--effort", "2000", "--games", "200", "--search-games", "4", "--rollouts", "4")
TWO = 'name = "x"\nagents = ["random"]\n[variants.a]\n[variants.b]\ngoals = { charm = 10 }\n'


def found_in(folder: Path) -> Probe:
    (path,) = folder.glob("probe*.json")
    return read_probe(path)


def test_probe__random_play_is_beaten_and_the_report_quotes_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text('name = "t"\ngames = 20\nagents = ["random"]\n')
    assert cli("run", "t.toml", "--quiet").code == 0
    out = tmp_path / "results" / "t"
    said = cli("probe", "random", *LITTLE, "--out", out)
    assert said.code == 0, said.err
    found = found_in(out)
    assert (found.agent, found.rules) == ("random", PRESETS["base"].hash)
    assert (found.rounds, found.rollouts, found.seed) == (2000, 4, 1)
    assert [attack.games for attack in found.attacks] == [200, 200, 4]
    assert found.bound > 0.7
    lines = said.out.splitlines()
    assert lines[0].split()[:3] == ["opponent", "games", "score"]
    assert lines[0].endswith("as starter              as second")
    assert [line.split("  ")[0] for line in lines[1:4]] == [a.how for a in found.attacks]
    assert lines[5] == found.sentence()
    assert lines[6].startswith(f"written: {out}")
    report = cli("report", out, "--md", "--json")
    assert f"- random in base: an attacker scores at least {100 * found.bound:.1f} %" in report.out
    assert "random in base: an attacker scores" in (out / "report.md").read_text()
    quoted = json.loads((out / "report.json").read_text())["origins"][0]["probes"]["quoted"]
    assert [quote["bound"] for quote in quoted] == [found.bound]


def test_probe__same_words_for_the_same_seed_and_no_file_unasked(cli: Cli, tmp_path: Path) -> None:
    first, second = (cli("probe", "random", *LITTLE, "--quiet") for _ in range(2))
    assert (first.code, first.err) == (0, "")
    assert first == second
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("nobody",), "no agent is called 'nobody'"),
        (("",), "no agent is called ''"),
        (("uniform",), "agent 'uniform' is plain; only a compiled one can be probed"),
        (("uniform-batch",), "agent 'uniform-batch' is batched; only a compiled one"),
        (("random", "--rules", "two.toml"), "two.toml has 2 variants; it must have one"),
        (("random", "--rules", "bass"), "preset is 'bass'; "),
        (("random", "--option", "depth"), "--option 'depth' isn't KEY=VALUE"),
        (("random", "--option", "depth=3"), "agent 'random' has no option 'depth'"),
        (("random", "--effort", "much"), "effort is 'much'"),
        (("random", "--games", "1"), "--games"),
        (("random", "--seed", "-1"), "--seed"),
    ],
)
@pytest.mark.usefixtures("odd")
def test_probe__bad_input(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], word: str) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    _is_one_sentence(cli("probe", *arguments, "--out", "kept"), word)
    assert [path.name for path in tmp_path.iterdir()] == ["two.toml"]


@pytest.mark.parametrize("out", ["thesis", "thesis/below", "thesis/below/it"])
def test_probe__out_that_can_not_be_written_is_told_at_once(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.setattr(
        "hanamikoji.learning.attack.probe.probe", lambda *_: pytest.fail("it went to work")
    )
    (tmp_path / "thesis").write_text("1")
    _is_one_sentence(cli("probe", "random", "--out", out), f"--out is {out}, but ")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis"]


def test_probe__disk_that_is_full_at_the_end(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hanamikoji.results.probes.write_whole", full)
    said = cli("probe", "random", *LITTLE, "--out", "kept")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "can't be written: No space left on device" in said.err
    assert "can be beaten" in said.out  # what was found is told all the same


def _is_one_sentence(said: Said, word: str) -> None:
    assert (said.code, said.out) == (2, ""), said
    assert said.err.count("\n") == 1, said.err
    assert word in said.err
