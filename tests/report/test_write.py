"""From a real run's folder to every file of its report."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import hanamikoji
from hanamikoji.errors import MachineError, ResultsError
from hanamikoji.experiment import load_experiment
from hanamikoji.report import FORMATS
from hanamikoji.report import write as writing
from hanamikoji.report.source import read_source, run_facts
from hanamikoji.results import open_dataset
from hanamikoji.run import Options, run

pytestmark = pytest.mark.jit

FILES = {"report.md", "report.json", "report.csv", "summary.parquet", "report.html"}
TABLES = {
    "name": "made-up",
    "seed": 5,
    "games": 60,
    "agents": ["random", {"name": "<b>move</b>", "agent": "random-move"}],
    "matchups": [["random", "random"], ["random", "<b>move</b>"]],
    "record": ["rounds"],
    "margin": 0.02,
    "variants": {
        "plain": {"preset": "base"},
        "lead": {
            "preset": "three-round",
            "markers": ["starter", "second", *["none"] * 4, "starter"],
        },
    },
    "baseline": "lead",
    "stop": {"sprt": {"elo0": 0, "elo1": 30, "alpha": 0.1}},
}


def play(folder: Path, **changes: object) -> Path:
    tables = {key: value for key, value in (TABLES | changes).items() if value is not None}
    run(load_experiment(tables), folder, Options(command="hanamikoji run x.toml"))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return play(tmp_path_factory.mktemp("run") / "made-up", stop=None)


def test_read_source__facts_are_the_manifest_s(folder):
    facts = read_source(folder).facts
    assert (facts.name, facts.seed, facts.margin, facts.baseline) == ("made-up", 5, 0.02, "lead")
    assert [c.variant for c in facts.cells] == ["plain", "plain", "lead", "lead"]
    assert [c.start_lead for c in facts.cells] == [0, 0, 5, 5]
    assert facts.cells[0].charm == (2, 2, 2, 3, 3, 4, 5)
    assert facts.cells[1].agent_b == "<b>move</b>"
    assert [a.agent for a in facts.agents] == ["random", "random-move"]
    assert facts.sweep is None


def test_read_source__parts_are_the_chunks(folder):
    source = read_source(folder)
    assert sum(pq.read_metadata(part.games).num_rows for part in source.parts) == 240
    assert all(part.rounds is not None for part in source.parts)


def test_stop_facts__elo_becomes_score(folder):
    manifest = open_dataset(folder).manifest
    tables = manifest.experiment | {"stop": TABLES["stop"]}
    stop = run_facts(manifest.model_copy(update={"experiment": tables})).stop
    assert (stop.rule, stop.alpha, stop.beta) == ("sprt", 0.1, 0.05)
    assert stop.score0 == 0.5
    assert stop.score1 == pytest.approx(1 / (1 + 10 ** (-30 / 400)))


def test_write_report__writes_what_is_asked_for(folder, capsys):
    results = hanamikoji.open_results(folder)
    written = results.report(FORMATS)
    results.show()
    assert {path.name for path in written} == FILES
    assert all(path.stat().st_size > 1000 for path in written)
    assert not list(folder.glob("*.part"))
    assert capsys.readouterr().out.startswith(("Undecided", "Balanced", "Unbalanced"))
    report = json.loads((folder / "report.json").read_text())
    assert report["summary"]["facts"]["seed"] == 5
    assert report["origins"][0]["command"] == "hanamikoji run x.toml"
    text = (folder / "report.md").read_text()
    assert "hanamikoji run x.toml" in text
    assert read_source(folder).origin.identity in text


def test_write_report__a_small_run_is_not_made_to_wait_for_pictures(folder, monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] in ("altair", "vl_convert")]:
        monkeypatch.delitem(sys.modules, module)
    written = hanamikoji.open_results(folder).report()
    assert {path.name for path in written} == FILES - {"report.html"}
    assert "altair" not in sys.modules
    monkeypatch.setattr(writing, "LARGE", 240)
    monkeypatch.setattr(writing, "_render", lambda *_: b"x")
    assert {path.name for path in hanamikoji.open_results(folder).report()} == FILES


def test_write_report__says_when_it_can_not_write(folder, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(writing, "write_whole", refuse)
    with pytest.raises(ResultsError, match=r"report\.md can't be written: Read-only file system"):
        hanamikoji.open_results(folder).report(["md"])


def test_compare__pairs_two_folders(folder, tmp_path, capsys):
    other = play(
        tmp_path / "other",
        name="other",
        stop=None,
        variants={"eleven": {"preset": "base", "goals": {"charm": 12}}},
        baseline=None,
    )
    comparison = hanamikoji.compare(folder, other)
    written = comparison.report(tmp_path / "out" / "here")
    comparison.show()
    assert {path.name for path in written} == FILES
    assert "Against the baseline lead" in capsys.readouterr().out
    report = json.loads((tmp_path / "out" / "here" / "report.json").read_text())
    shared = {
        (d["variant"], d["agent_b"]): d["shared_deals"] for d in report["summary"]["differences"]
    }
    assert shared == {
        ("plain", "random"): 60,
        ("plain", "<b>move</b>"): 30,
        ("eleven", "random"): 60,
        ("eleven", "<b>move</b>"): 30,
    }
    assert len(report["origins"]) == 2


def test_compare__the_same_folder_twice_is_refused(folder):
    with pytest.raises(ResultsError, match="has only cells and deals of"):
        hanamikoji.compare(folder, folder)


def test_write_report__a_full_disk_is_the_machine_s_fault_and_the_games_are_safe(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    results = hanamikoji.open_results(folder)
    monkeypatch.setattr(writing, "write_whole", full)
    with pytest.raises(MachineError, match=r"is full; report.md is missing, the games are safe$"):
        results.report(["md"])
