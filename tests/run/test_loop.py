from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_engine import FakeAgent, FakeMatch
from hanamikoji.errors import (
    AgentError,
    ExperimentError,
    InterruptedRunError,
    MachineError,
    ResultsError,
)
from hanamikoji.experiment import build_experiment
from hanamikoji.plan import Shard
from hanamikoji.results import ChunkRecord, canonical_digest, merge, merging, open_dataset
from hanamikoji.results import look as open_standing
from hanamikoji.run import Options, Silence, run, work
from hanamikoji.run import main as run_main
from hanamikoji.run.crew import SerialCrew, ThreadCrew
from hanamikoji.run.loop import Loop
from hanamikoji.run.pool import WorkerLostError
from hanamikoji.run.work import Task, do_task

TABLES = {
    "name": "trial",
    "games": 4000,
    "agents": ["x", {"name": "y", "agent": "z"}],
    "matchups": [["x", "x"], ["x", "y"]],
    "variants": {"base": {}, "three": {"max_rounds": 3}},
    "record": ["rounds"],
}


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The engine and the agents are fakes; the dictionary's entries go to each fake match."""
    settings: dict[str, Any] = {}

    def make_match(cell: Any, seed: int) -> FakeMatch:
        return FakeMatch(seed + cell.index, cell.seatings, **settings)

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
    folder: Path, crew: Any = None, tables: dict[str, Any] | None = None, **options: Any
) -> None:
    make_crew = None if crew is None else lambda _folder, _workers: crew
    experiment = build_experiment({**TABLES, **(tables or {})})
    run(
        experiment, folder, Options(make_crew=make_crew, command="hanamikoji run t.toml", **options)
    )


def digests(folder: Path) -> tuple[str, str]:
    results = open_dataset(folder)
    assert results.finished
    return canonical_digest(results), canonical_digest(results, "rounds")


@pytest.fixture
def expected(tmp_path: Path) -> tuple[str, str]:
    play(tmp_path / "expected", SerialCrew())
    return digests(tmp_path / "expected")


def test_run__plays_every_deal_once(tmp_path: Path) -> None:
    play(tmp_path / "r")
    results = open_dataset(tmp_path / "r")
    frame = results.scan().collect()
    assert frame.height == 4 * 4000
    assert not frame.select("cell", "deal", "seating").is_duplicated().any()
    by_cell = {int(cell): rows for (cell,), rows in frame.group_by("cell")}
    for cell, facts in enumerate(results.manifest.cells):
        assert by_cell[cell]["deal"].max() == facts.deals - 1
        mirror = facts.agent_a == facts.agent_b
        assert by_cell[cell]["seating"].n_unique() == (1 if mirror else 2)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_run__bytes_do_not_depend_on_workers(
    tmp_path: Path, expected: tuple[str, str], workers: int
) -> None:
    play(tmp_path / "r", workers=workers)
    assert digests(tmp_path / "r") == expected


@pytest.mark.parametrize("chunk", [1, 777, 10_000])
def test_run__bytes_do_not_depend_on_chunks(
    tmp_path: Path, expected: tuple[str, str], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: chunk * 100 if chunk == 1 else chunk)
    play(tmp_path / "r", ThreadCrew(2))
    assert digests(tmp_path / "r") == expected


def test_run__bytes_do_not_depend_on_how_long_a_chunk_may_take(tmp_path: Path) -> None:
    class Hasty(SerialCrew):
        def submit(self, task: Task) -> Future[ChunkRecord | None]:
            return super().submit(replace(task, seconds=0.0))

    play(tmp_path / "expected", SerialCrew(), {"games": 100})
    work._kept.matches.clear()
    play(tmp_path / "r", Hasty(), {"games": 100})
    assert digests(tmp_path / "r") == digests(tmp_path / "expected")
    assert len(open_dataset(tmp_path / "r").records) > 12


class Interrupting(ThreadCrew):
    """Interrupts the run when ``after`` tasks have been handed out."""

    def __init__(self, after: int) -> None:
        super().__init__(1)
        self.after = after

    def submit(self, task: Task) -> Future[ChunkRecord | None]:
        future = super().submit(task)
        self.after -= 1
        if self.after == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return future


def test_run__interrupted_keeps_what_is_finished_and_resumes_to_the_same_bytes(
    tmp_path: Path, expected: tuple[str, str], fake: dict[str, Any]
) -> None:
    fake["pace"] = 0.02
    folder = tmp_path / "r"
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(InterruptedRunError) as caught:
        play(folder, Interrupting(2))
    assert signal.getsignal(signal.SIGINT) is before
    assert str(caught.value).endswith("are kept, resume with: hanamikoji run t.toml --resume")
    assert caught.value.exit_code == 130
    kept = open_dataset(folder)
    assert kept.manifest.state == "interrupted"
    assert 0 < kept.scan().collect().height < 16_000
    with pytest.raises(ResultsError, match="unfinished run"):
        play(folder)
    play(folder, resume=True)
    assert digests(folder) == expected


def test_run__resume_on_an_empty_folder_runs(tmp_path: Path, expected: tuple[str, str]) -> None:
    play(tmp_path / "r", resume=True)
    assert digests(tmp_path / "r") == expected


def test_run__a_finished_run_is_left_alone(tmp_path: Path, fake: dict[str, Any]) -> None:
    play(tmp_path / "r")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "r").rglob("*")}
    play(tmp_path / "r", tables={"margin": 0.02})
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "r").rglob("*")} == before


def test_run__extends_to_what_a_longer_run_gives(tmp_path: Path, expected: tuple[str, str]) -> None:
    play(tmp_path / "r", tables={"games": 1000})
    short = open_dataset(tmp_path / "r").paths()
    times = [path.stat().st_mtime_ns for path in short]
    with pytest.raises(ResultsError, match="1,000 games a cell"):
        play(tmp_path / "r")
    play(tmp_path / "r", resume=True)
    assert digests(tmp_path / "r") == expected
    assert [path.stat().st_mtime_ns for path in short] == times


def test_run__recomputes_damaged_chunks(tmp_path: Path, expected: tuple[str, str]) -> None:
    play(tmp_path / "r")
    paths = open_dataset(tmp_path / "r").paths()
    paths[0].write_bytes(paths[0].read_bytes()[:-5])
    paths[1].unlink()
    play(tmp_path / "r", resume=True)
    assert digests(tmp_path / "r") == expected


def test_run__stops_at_an_agents_failure_and_says_where(
    tmp_path: Path, fake: dict[str, Any]
) -> None:
    fake["fails_at"] = 1500
    with pytest.raises(AgentError) as caught:
        play(tmp_path / "r")
    sentence = str(caught.value)
    assert sentence.startswith("the agent 'fake' raised ValueError: no idea, in cell ")
    assert f"hanamikoji replay {tmp_path / 'r'} --cell" in sentence
    assert "--deal 1500 --seating 0" in sentence
    assert sentence.endswith("resume with: hanamikoji run t.toml --resume")
    assert "\n" not in sentence
    assert open_dataset(tmp_path / "r").manifest.state == "failed"
    fake.clear()
    work._kept.matches.clear()
    play(tmp_path / "r", resume=True)
    assert open_dataset(tmp_path / "r").finished


class Dying(SerialCrew):
    """Workers die over the deals that ``bad`` lists, ``times`` times."""

    def __init__(self, times: int, stalled: bool = False) -> None:
        self.times, self.stalled = times, stalled
        self.careful: list[bool] = []

    def submit(self, task: Task) -> Future[ChunkRecord | None]:
        bad = task.cell.index == 2 and task.first == 0
        if bad:
            self.careful.append(task.careful)
        if bad and self.times:
            self.times -= 1
            future: Future[ChunkRecord | None] = Future()
            future.set_exception(
                WorkerLostError("was killed by signal SIGSEGV", (0, 64), stalled=self.stalled)
            )
            return future
        return super().submit(task)


def test_run__requeues_the_chunk_of_a_worker_that_died(
    tmp_path: Path, expected: tuple[str, str]
) -> None:
    crew = Dying(3)
    play(tmp_path / "r", crew)
    assert crew.careful == [False, False, False, True]
    assert digests(tmp_path / "r") == expected


def test_run__gives_up_on_a_chunk_that_keeps_killing(tmp_path: Path) -> None:
    with pytest.raises(MachineError) as caught:
        play(tmp_path / "r", Dying(4))
    sentence = str(caught.value)
    assert "4 workers in a row ended over deals 0:64 of cell 2 (three: x - x)" in sentence
    assert "; the last was killed by signal SIGSEGV; reproduce it with" in sentence
    assert "hanamikoji run t.toml --cell 2 --deals 0:64" in sentence
    assert len(open_dataset(tmp_path / "r").records) > 0


def test_run__stops_when_a_worker_stalls(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"in deals 0:64 of cell 2 .*--cell 2 --deals 0:64"):
        play(tmp_path / "r", Dying(1, stalled=True))


class Hanging(SerialCrew):
    """Workers hang in decision 7 of deal 130 of cell 2, unless that decision is given up."""

    def __init__(self, *, tells: bool = True) -> None:
        self.tells = tells
        self.given_up: list[tuple[int, int]] = []

    def submit(self, task: Task) -> Future[ChunkRecord | None]:
        if task.cell.index != 2 or not task.first <= 130 < task.last:
            return super().submit(task)
        if 7 in task.given_up:
            self.given_up.append((task.first, task.last))
            return super().submit(task)
        at, decision = ((130, 131), 7) if task.careful else ((100, 200), None)
        future: Future[ChunkRecord | None] = Future()
        lost = WorkerLostError("hung", at, stalled=True, decision=decision if self.tells else None)
        future.set_exception(lost)
        return future


def test_run__gives_up_the_decision_that_hangs_its_worker(
    tmp_path: Path, expected: tuple[str, str]
) -> None:
    crew = Hanging()
    play(tmp_path / "r", crew, {"on_error": "forfeit"})
    assert crew.given_up == [(130, 131)]
    assert open_dataset(tmp_path / "r").scan().collect().height == 16_000


@pytest.mark.parametrize("on_error", ["stop", "forfeit"])
def test_run__stops_where_no_decision_can_be_given_up(tmp_path: Path, on_error: str) -> None:
    where = "100:200" if on_error == "stop" else "130:131"
    with pytest.raises(AgentError, match=f"an agent hung in deals {where} of cell 2"):
        play(tmp_path / "r", Hanging(tells=False), {"on_error": on_error})


def test_run__stops_when_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: tuple[str, str]
) -> None:
    real, room = work.write_chunk, iter(range(5))

    def write_chunk(*arguments: Any) -> Any:
        if next(room, None) is None:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(work, "write_chunk", write_chunk)
    with pytest.raises(MachineError, match=r"full; resume with: hanamikoji run t.toml --resume"):
        play(tmp_path / "r")
    monkeypatch.setattr(work, "write_chunk", real)
    play(tmp_path / "r", resume=True)
    assert digests(tmp_path / "r") == expected


def test_run__hands_out_no_more_than_it_can_use(tmp_path: Path) -> None:
    most = 0

    class Counting(ThreadCrew):
        out = 0
        lock = threading.Lock()

        def submit(self, task: Task) -> Future[ChunkRecord | None]:
            nonlocal most
            with self.lock:
                self.out += 1
                most = max(most, self.out)
            future = super().submit(task)
            future.add_done_callback(lambda _: self._done())
            return future

        def _done(self) -> None:
            with self.lock:
                self.out -= 1

    play(tmp_path / "r", Counting(2), {"variants": {f"v{i}": {} for i in range(40)}})
    assert most <= 4


def test_do_task__grows_its_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_SLICE_SECONDS", 1000.0)  # on any machine, all are fast
    (tmp_path / "games").mkdir()
    match = FakeMatch(1, 1)
    cell = next(iter(_cells()))
    key = (0, cell.variant, "x", "x", 1, True)
    work._kept.matches[key] = work._KeptMatch(cell, match)
    beats: list[tuple[int, int]] = []

    def beat(first: int, last: int, *_: int) -> bool:
        beats.append((first, last))
        return True

    record = do_task(Task(cell, 100, 4000, 1, frozenset(), "stop", tmp_path), beat)
    assert record is not None
    assert (record.first, record.last) == (100, 4000)
    assert beats == match.calls == [(100, 101), (101, 117), (117, 373), (373, 4000)]


def test_do_task__careful_plays_deal_by_deal(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    match = FakeMatch(1, 1)
    cell = next(iter(_cells()))
    key = (0, cell.variant, "x", "x", 1, True)
    work._kept.matches[key] = work._KeptMatch(cell, match)
    do_task(Task(cell, 5, 8, 1, frozenset(), "stop", tmp_path, careful=True))
    assert match.calls == [(5, 6), (6, 7), (7, 8)]


def test_do_task__stopped_before_the_first_deal_leaves_nothing(tmp_path: Path) -> None:
    cell = next(iter(_cells()))
    task = Task(cell, 5, 8, 1, frozenset(), "stop", tmp_path)
    assert do_task(task, lambda *_: False) is None
    assert list(tmp_path.iterdir()) == []


def _cells() -> Iterator[Any]:
    from hanamikoji.plan import make_plan

    yield from make_plan(build_experiment(TABLES)).cells


def shards(tmp_path: Path, count: int) -> list[Path]:
    folders = [tmp_path / f"s{number}" for number in range(1, count + 1)]
    for number, folder in enumerate(folders, start=1):
        play(folder, shard=Shard(number, count))
    return folders


def test_shards__merge_to_the_same_bytes(tmp_path: Path, expected: tuple[str, str]) -> None:
    folders = shards(tmp_path, 3)
    games = [open_dataset(folder).scan().collect().height for folder in folders]
    assert max(games) - min(games) <= 2 * 4
    assert merge(tmp_path / "out", folders[::-1], "hanamikoji run t.toml --out out") == 16_000
    assert digests(tmp_path / "out") == expected
    manifest = open_dataset(tmp_path / "out").manifest
    assert manifest.shard == "1/1"
    assert manifest.command == "hanamikoji run t.toml --out out"
    parts = [open_dataset(folder).manifest.seconds for folder in folders]
    assert manifest.seconds == pytest.approx(sum(parts))
    assert merge(tmp_path / "out", folders, "hanamikoji run again") == 16_000
    play(tmp_path / "out")  # a finished run like any other


def test_merge__goes_on_after_it_was_interrupted(
    tmp_path: Path, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = shards(tmp_path, 2)
    real, room = merging._bring, iter(range(3))

    def bring(source: Path, target: Path) -> None:
        if next(room, None) is None:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(merging, "_bring", bring)
    with pytest.raises(MachineError, match=r"the disk that holds .* is full"):
        merge(tmp_path / "out", folders, "hanamikoji run x")
    monkeypatch.setattr(merging, "_bring", real)
    merge(tmp_path / "out", folders, "hanamikoji run x")
    assert digests(tmp_path / "out") == expected


def test_merge__copies_where_it_can_not_link(
    tmp_path: Path, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    folders = shards(tmp_path, 2)
    monkeypatch.setattr(os, "link", link)
    merge(tmp_path / "out", folders, "hanamikoji run x")
    assert digests(tmp_path / "out") == expected


def test_merge__refuses_what_is_not_all_of_one_experiment(tmp_path: Path) -> None:
    one, two, three = shards(tmp_path, 3)
    play(tmp_path / "other", tables={"seed": 9}, shard=Shard(3, 3))
    play(tmp_path / "longer", tables={"games": 8000}, shard=Shard(3, 3))
    play(tmp_path / "halves", shard=Shard(2, 2))
    out = tmp_path / "out"
    refused = {
        "1 of 3 shards are missing: 3/3": [one, two],
        "both are shard 1/3": [one, one, two],
        "another experiment": [one, two, tmp_path / "other"],
        "other games": [one, two, tmp_path / "longer"],
        "different divisions: 1/3, 2/2": [one, tmp_path / "halves"],
        "is not a results folder": [one, two, tmp_path],
        "nothing to merge": [],
    }
    for sentence, folders in refused.items():
        with pytest.raises(ResultsError, match=sentence):
            merge(out, folders, "hanamikoji run x")
    path = open_dataset(three).paths()[0]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ResultsError, match="bytes instead of"):
        merge(out, [one, two, three], "hanamikoji run x")
    assert not out.exists()


def test_shards__live_in_folders_of_their_own(tmp_path: Path) -> None:
    play(tmp_path / "r", shard=Shard(1, 2))
    with pytest.raises(ResultsError, match="holds shard 1/2, not 2/2"):
        play(tmp_path / "r", shard=Shard(2, 2), resume=True)
    with pytest.raises(ResultsError, match="holds shard 1/2, not 1/1"):
        play(tmp_path / "r", resume=True)
    before = open_dataset(tmp_path / "r").manifest
    play(tmp_path / "r", shard=Shard(1, 2))
    assert open_dataset(tmp_path / "r").manifest == before
    with pytest.raises(ExperimentError, match="stop"):
        play(tmp_path / "s", tables={"stop": {"precision": 0.01}}, shard=Shard(1, 2))


def test_events__tell_the_run_to_machines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    play(tmp_path / "r", Dying(1), log=str(log))
    events = [json.loads(line) for line in log.read_text().splitlines()]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    assert kinds.count("lost") == 1
    assert events[0]["games"] == 16_000
    chunks = [event for event in events if event["event"] == "chunk"]
    assert sum(chunk["games"] for chunk in chunks) == chunks[-1]["played"] == 16_000
    assert events[-1]["state"] == "finished"
    with pytest.raises(MachineError):
        play(tmp_path / "s", Dying(4), log=str(log))
    last = json.loads(log.read_text().splitlines()[-1])
    assert last["state"] == "failed"
    assert last["error"].startswith("4 workers in a row ended")


def test_run__does_not_call_finished_what_is_not_there(
    tmp_path: Path, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that was replaced in mid-run ended 'finished, 100 %'."""
    real = Loop.run

    def replaced(loop: Loop) -> bool:
        finished = real(loop)
        for path in list((tmp_path / "r" / "games").iterdir())[:2]:
            path.unlink()
        return finished

    monkeypatch.setattr(Loop, "run", replaced)
    with pytest.raises(MachineError, match=r"is missing, though it was written; .*; resume with"):
        play(tmp_path / "r", SerialCrew())
    assert not open_standing(tmp_path / "r").finished
    monkeypatch.setattr(Loop, "run", real)
    play(tmp_path / "r", SerialCrew(), resume=True)
    assert digests(tmp_path / "r") == expected


def test_run__notes_that_the_cache_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []

    class Listener(Silence):
        def note(self, text: str) -> None:
            notes.append(text)

    monkeypatch.setattr(run_main, "cache_trouble", lambda: "/x can't be written")
    play(tmp_path / "r", SerialCrew(), progress=Listener())
    assert notes == ["what is compiled and trained is kept for this run only: /x can't be written"]
