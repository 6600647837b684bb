"""Runs that a stopping rule ends: where, with what left of them, and what is said of it."""

from __future__ import annotations

import random
import re
import shutil
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import hanamikoji
from fake_engine import FakeAgent, FakeMatch, fake_games
from hanamikoji.cli import main
from hanamikoji.errors import MachineError, ResultsError
from hanamikoji.experiment import build_experiment
from hanamikoji.plan import make_plan
from hanamikoji.report.source import read_source
from hanamikoji.results import (
    ChunkRecord,
    canonical_digest,
    damages_of,
    look,
    open_dataset,
)
from hanamikoji.results.journal import Journal
from hanamikoji.run import Options, Silence, run, work
from hanamikoji.run import main as run_main
from hanamikoji.run.crew import Crew, ProcessCrew, SerialCrew, ThreadCrew
from hanamikoji.run.work import Task, do_task
from hanamikoji.stats import summarise_parts
from hanamikoji.stats.stopping import BLOCK, block_counts, make_rule, stop_facts

PRECISION = {"precision": 0.03}
VERDICT: dict[str, Any] = {"verdict": {}}
SPRT = {"sprt": {"score0": 0.5, "score1": 0.52}}
TABLES = {
    "name": "trial",
    "games": 40_000,
    "agents": ["x", {"name": "y", "agent": "z"}],
    "matchups": [["x", "x"], ["x", "y"]],
    "variants": {"base": {}, "three": {"max_rounds": 3}},
    "record": ["rounds"],
    "stop": PRECISION,
    "margin": 0.04,
}


class Winning(FakeMatch):
    """Agent a wins every game."""

    starter_wins_in = 0

    def play(self, first: int, last: int, **options: Any) -> Any:
        played = super().play(first, last, **options)
        played.games["outcome"][:] = played.games["seating"] != self.starter_wins_in
        return played


class Fair(FakeMatch):
    """Every game has a winner, by chance."""

    def play(self, first: int, last: int, **options: Any) -> Any:
        played = super().play(first, last, **options)
        played.games["outcome"][:] %= 2
        return played


class Losing(Winning):
    """Agent a loses every game."""

    starter_wins_in = 1


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The engine and the agents are fakes; ``match`` makes a match, the rest goes to it."""
    settings: dict[str, Any] = {}

    def make_match(cell: Any, seed: int) -> FakeMatch:
        rest = {key: value for key, value in settings.items() if key != "match"}
        return settings.get("match", FakeMatch)(seed + cell.index, cell.seatings, **rest)

    monkeypatch.setattr(work, "make_match", make_match)
    monkeypatch.setattr(
        run_main,
        "load_agents",
        lambda experiment: {use.name: FakeAgent(use.agent) for use in experiment.agents},
    )
    monkeypatch.setattr(run_main, "compile_kernels", lambda *_, **__: None)
    work._kept.matches.clear()
    return settings


def play(
    folder: Path, tables: dict[str, Any] | None = None, crew: Crew | None = None, **options: Any
) -> Path:
    make_crew = None if crew is None else lambda _folder, _workers: crew
    experiment = build_experiment({**TABLES, **(tables or {})})
    command = "hanamikoji run t.toml"
    run(experiment, folder, Options(make_crew=make_crew, command=command, **options))
    return folder


def outcome(folder: Path) -> tuple[Any, ...]:
    """Everything that must be the same however a run came about."""
    results = open_dataset(folder)
    assert results.finished
    digests = canonical_digest(results), canonical_digest(results, "rounds")
    return (*digests, results.manifest.stops, results.manifest.failures)


def stops_by_hand(tables: dict[str, Any]) -> list[tuple[str, int]]:
    """Where the rule stops each cell of the fake engine's games, all games at once."""
    experiment = build_experiment({**TABLES, **tables})
    assert experiment.stop is not None
    facts = stop_facts(experiment.stop.model_dump(), experiment.margin)
    found = []
    for cell in make_plan(experiment).cells:
        games = fake_games(experiment.seed + cell.index, 0, cell.deals, cell.seatings)
        rule = make_rule(facts)
        assert rule is not None
        assert facts.rule != "fixed"
        outcomes, units = games["outcome"], 0
        said = "games ran out"
        for block in block_counts(outcomes, mirror=cell.mirror, rule=facts.rule):
            units += int(block.sum())
            decision = rule.update(block, last=units == cell.deals)
            if decision.stop:
                said = decision.outcome
                break
        found.append((said, units))
    return found


@pytest.fixture
def expected(tmp_path: Path, fake: dict[str, Any]) -> tuple[Any, ...]:
    return outcome(play(tmp_path / "expected", crew=SerialCrew()))


@pytest.mark.parametrize("stop", [PRECISION, VERDICT, SPRT], ids=["precision", "verdict", "sprt"])
def test_run__holds_exactly_the_deals_before_the_stop(
    tmp_path: Path, fake: dict[str, Any], stop: dict[str, Any]
) -> None:
    manifest = open_dataset(play(tmp_path / "r", {"stop": stop})).manifest
    by_hand = stops_by_hand({"stop": stop})
    rule = next(iter(stop))
    assert [(row.outcome, row.units) for row in manifest.stops] == by_hand
    assert [(row.cell, row.rule) for row in manifest.stops] == [(cell, rule) for cell in range(4)]
    assert all(units < 20_000 for _, units in by_hand)
    assert len(set(by_hand)) > 1
    whole = open_dataset(play(tmp_path / "whole", {"stop": None}))
    for table in ("games", "rounds"):
        rows = open_dataset(tmp_path / "r").scan(table).collect()
        ends = pl.DataFrame(
            {"cell": range(4), "units": [units for _, units in by_hand]},
            schema={"cell": pl.Int32, "units": pl.Int64},
        )
        kept = whole.scan(table).collect().join(ends, on="cell", maintain_order="left")
        kept = kept.filter(pl.col("deal") < pl.col("units")).drop("units")
        assert rows.equals(kept)
    listed = {path.name for path in open_dataset(tmp_path / "r").paths()}
    assert listed == {path.name for path in (tmp_path / "r" / "games").iterdir()}


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("chunk", [100, 777, 5000])
def test_run__stops_at_the_same_deal_for_any_workers_and_chunks(
    tmp_path: Path,
    expected: tuple[Any, ...],
    workers: int,
    chunk: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: chunk)
    assert outcome(play(tmp_path / "r", workers=workers)) == expected


class Late(ThreadCrew):
    """Tasks are done in another order than they were handed out, and some only in part."""

    def submit(self, task: Task) -> Future[ChunkRecord | None]:
        return self._executor.submit(self._late, task)

    def _late(self, task: Task) -> ChunkRecord | None:
        dice = random.Random(task.first)
        beats = iter(range(dice.choice([2, 3, 50])))
        record = do_task(task, lambda _first, _last: next(beats, None) is not None)
        time.sleep(dice.uniform(0, 0.1))
        return record


def test_run__stops_at_the_same_deal_for_any_order(
    tmp_path: Path, expected: tuple[Any, ...]
) -> None:
    assert outcome(play(tmp_path / "r", crew=Late(5), workers=5)) == expected


def test_run__killed_at_any_moment_resumes_to_the_same_bytes(
    tmp_path: Path, expected: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder as it is before each line of the journal is what a kill then leaves."""
    real, moments = Journal._write, 0

    def write(journal: Journal, row: dict[str, Any]) -> None:
        nonlocal moments
        half_written = shutil.ignore_patterns("*.part")  # may be gone before they are copied
        shutil.copytree(tmp_path / "r", tmp_path / f"killed-{moments:03d}", ignore=half_written)
        moments += 1
        real(journal, row)

    monkeypatch.setattr(Journal, "_write", write)
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: 700)
    play(tmp_path / "r", crew=Late(3), workers=3)
    monkeypatch.setattr(Journal, "_write", real)
    for folder in sorted(tmp_path.glob("killed-*"))[::3]:
        standing = look(folder)
        ends = {row.cell: row.units for row in standing.manifest.stops}
        assert all(r.last <= ends.get(r.cell, r.last) for r in standing.records)
        assert not any(damages_of(folder, r) for r in standing.records)
        assert outcome(play(folder, resume=True)) == expected
        shutil.rmtree(folder)
    assert moments > 12


def test_run__resumes_what_is_decided_without_a_worker(
    tmp_path: Path, expected: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_main, "_crew_for", None)
    assert outcome(play(tmp_path / "expected", resume=True)) == expected


def test_run__replays_what_was_damaged(tmp_path: Path, expected: tuple[Any, ...]) -> None:
    path = open_dataset(tmp_path / "expected").paths()[1]
    path.write_bytes(path.read_bytes()[:-3])
    assert outcome(play(tmp_path / "expected", resume=True)) == expected


def test_run__is_capped_by_games_and_can_be_extended(
    tmp_path: Path, expected: tuple[Any, ...]
) -> None:
    short = {"games": 500}
    stops = open_dataset(play(tmp_path / "r", short)).manifest.stops
    assert [(row.outcome, row.units) for row in stops] == stops_by_hand(short)
    assert {(row.outcome, row.games) for row in stops} == {("games ran out", 500)}
    assert outcome(play(tmp_path / "r", resume=True)) == expected


@pytest.mark.parametrize(
    ("match", "said"), [(Winning, "accepted H1"), (Losing, "accepted H0")], ids=["won", "lost"]
)
def test_run__a_one_sided_match_is_decided_at_the_first_look(
    tmp_path: Path, fake: dict[str, Any], match: type[FakeMatch], said: str
) -> None:
    fake["match"] = match
    tables = {"stop": {"sprt": {"elo0": 0, "elo1": 10}}, "matchups": [["x", "y"]], "games": 4000}
    stops = open_dataset(play(tmp_path / "r", tables)).manifest.stops
    assert [(row.outcome, row.units) for row in stops] == [(said, BLOCK)] * 2


def test_run__equal_agents_rarely_seem_unequal(tmp_path: Path, fake: dict[str, Any]) -> None:
    stop = {"sprt": {"elo0": 0, "elo1": 30}}
    variants = {f"v{i}": {} for i in range(30)}
    tables = {"stop": stop, "variants": variants, "matchups": [["x", "y"]], "record": []}
    stops = open_dataset(play(tmp_path / "r", tables)).manifest.stops
    outcomes = [row.outcome for row in stops]
    assert outcomes.count("accepted H0") >= 25
    assert outcomes.count("accepted H1") <= 5


def test_run__plays_little_beyond_the_stop(tmp_path: Path, fake: dict[str, Any]) -> None:
    handed: list[Task] = []

    class Counting(ThreadCrew):
        def submit(self, task: Task) -> Future[ChunkRecord | None]:
            handed.append(task)
            return super().submit(task)

    play(tmp_path / "r", {"stop": {"precision": 0.01}, "games": 10**6}, Counting(2), workers=2)
    stops = open_dataset(tmp_path / "r").manifest.stops
    for row in stops:
        mine = [task for task in handed if task.cell.index == row.cell]
        assert max(task.last for task in mine) <= 1.5 * row.units + 4 * BLOCK
        assert mine[0].last <= BLOCK


def test_run__the_rest_of_the_figures_agree(
    tmp_path: Path,
    fake: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    totals: list[int] = []
    updates: list[int] = []

    class Heard(Silence):
        def resize(self, games: int) -> None:
            totals.append(games)

        def update(self, games: int, latest: Task | None, failures: int) -> None:
            updates.append(games)

    facts = open_dataset(play(tmp_path / "r", crew=Late(3), workers=3, progress=Heard())).manifest
    games = open_dataset(tmp_path / "r").scan().select(pl.len()).collect().item()
    assert facts.planned_games == games == updates[-1] == totals[-1]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] < 4 * 40_000
    for command in ("status", "verify"):
        with pytest.raises(SystemExit):
            main([command, str(tmp_path / "r")])
    out = capsys.readouterr().out
    assert f"games: {games:,} of {games:,} (100.0%)" in out
    assert "cells ended by the stopping rule: 4 of 4" in out
    assert "files are as they were written" in out


def test_run__a_full_disk_is_told_and_mended(
    tmp_path: Path, expected: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from hanamikoji.results import cutting

    real = cutting.write_chunk

    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cutting, "write_chunk", full)
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: 100)
    with pytest.raises(MachineError, match=r"is full; resume with"):
        play(tmp_path / "r", workers=1)
    with pytest.raises(MachineError, match=r"is full; resume with"):
        play(tmp_path / "r", resume=True)
    monkeypatch.setattr(cutting, "write_chunk", real)
    assert outcome(play(tmp_path / "r", resume=True)) == expected


def test_report__quotes_the_interval_that_the_rule_looked_at(
    tmp_path: Path, fake: dict[str, Any]
) -> None:
    for sequence in (False, True):
        stop = {"precision": 0.03, "sequence": sequence}
        source = read_source(play(tmp_path / f"r{sequence}", {"stop": stop}))
        cells = summarise_parts(source.parts, source.facts).cells
        assert {cell.stopping.outcome for cell in cells} == {"precision reached"}
        for cell in cells:
            for score in (cell.starter, cell.agent, cell.agent_as_starter, cell.agent_as_second):
                assert score is None or ("sequence" in score.interval.method) == sequence
            assert cell.starter.interval.half_width <= 0.03
            assert ("sequence" in cell.verdict.wide.method) == sequence
            assert not cell.stopping.optionally_stopped


def test_report__of_a_run_until_its_verdict_has_one(tmp_path: Path, fake: dict[str, Any]) -> None:
    fake["match"] = Fair
    source = read_source(play(tmp_path / "r", {"stop": VERDICT}))
    cells = summarise_parts(source.parts, source.facts).cells
    assert {cell.stopping.outcome for cell in cells} == {"verdict reached"}
    assert {cell.verdict.decision for cell in cells} == {"balanced"}
    assert all(cell.games < 20_000 for cell in cells)


def test_run__the_margin_of_a_verdict_is_part_of_the_run(
    tmp_path: Path, fake: dict[str, Any]
) -> None:
    play(tmp_path / "r", {"stop": VERDICT})
    with pytest.raises(ResultsError, match="another experiment"):
        play(tmp_path / "r", {"stop": VERDICT, "margin": 0.02}, resume=True)


def test_report__tells_how_often_a_run_was_looked_at(tmp_path: Path, fake: dict[str, Any]) -> None:
    for games, number in ((1000, 1), (2000, 2), (4000, 3)):
        folder = play(tmp_path / "r", {"stop": None, "games": games}, resume=number > 1)
        assert open_dataset(folder).manifest.looks == (1000, 2000, 4000)[: number - 1]
        hanamikoji.open_results(folder).report(["md"])
        text = (folder / "report.md").read_text()
        assert ("look 3 of a run extended twice" in text) == (number == 3)
        assert ("look 2 of a run extended once" in text) == (number == 2)
    play(folder, {"stop": None, "games": 4000}, resume=True)
    assert open_dataset(folder).manifest.looks == (1000, 2000)


def test_report__advises_the_whole_command(tmp_path: Path, fake: dict[str, Any]) -> None:
    fake["match"] = Fair
    folder = play(tmp_path / "r", {"stop": None, "games": 300})
    hanamikoji.open_results(folder).report(["md"])
    text = (folder / "report.md").read_text()
    assert re.search(r"hanamikoji run t\.toml --games \d+ --resume\n", text)


def test_report__labels_what_a_test_has_stopped(tmp_path: Path, fake: dict[str, Any]) -> None:
    source = read_source(play(tmp_path / "r", {"stop": SPRT}))
    cells = summarise_parts(source.parts, source.facts).cells
    stops = open_dataset(tmp_path / "r").manifest.stops
    assert [cell.stopping.outcome for cell in cells] == [row.outcome for row in stops]
    assert all(cell.stopping.optionally_stopped for cell in cells)
    assert all(np.isfinite(cell.stopping.llr or np.nan) for cell in cells)
    hanamikoji.open_results(tmp_path / "r").report(["md"])
    text = (tmp_path / "r" / "report.md").read_text()
    assert text.count(", ended by a test of strength)") == len(cells)
    assert "ended by a sequential test" in text.splitlines()[0]
    assert "H0: the first-named agent scores 50 %" in text


def test_report__an_unfinished_cell_is_still_open(tmp_path: Path, fake: dict[str, Any]) -> None:
    fake["fails_at"] = 300
    with pytest.raises(Exception, match="no idea"):
        play(tmp_path / "r", {"matchups": [["x", "x"]]}, SerialCrew())
    source = read_source(tmp_path / "r")
    cells = summarise_parts(source.parts, source.facts).cells
    assert "still open" in {cell.stopping.outcome for cell in cells}


@pytest.mark.jit
def test_run__real_games_stop_at_the_same_deal_in_processes(tmp_path: Path) -> None:
    tables = {
        "agents": ["random", "random-move"],
        "matchups": [["random", "random"], ["random-move", "random"]],
        "variants": {"base": "base"},
    }
    first = outcome(play(tmp_path / "threads", tables, ThreadCrew(1), workers=1))
    crew = ProcessCrew(2, tmp_path)
    assert outcome(play(tmp_path / "processes", tables, crew, workers=2)) == first
    assert all(row.outcome != "games ran out" for row in first[2])
