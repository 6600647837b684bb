"""Runs with the real engine: the same bytes however they come about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hanamikoji.errors import AgentError, HanamikojiError, MachineError, ResultsError
from hanamikoji.experiment import build_experiment
from hanamikoji.results import canonical_digest, canonical_table, open_dataset, role_terms
from hanamikoji.run import Options, Terminal, play_alone, run, twice
from hanamikoji.run import main as run_main
from hanamikoji.run.crew import Crew, ProcessCrew, SerialCrew, ThreadCrew
from odd_agents import install

pytestmark = pytest.mark.jit

TABLES = {
    "name": "trial",
    "games": 600,
    "seed": 7,
    "agents": ["random", {"name": "other", "agent": "random-move"}],
    "matchups": [["random", "random"], ["random", "other"]],
    "variants": {"base": {}, "mixed": {"preset": "serendipity", "max_rounds": 2}},
    "record": ["rounds"],
}
CREWS: dict[str, Callable[[Path, int], Crew]] = {
    "serial": lambda _folder, _workers: SerialCrew(),
    "1 thread": lambda _folder, _workers: ThreadCrew(1),
    "3 threads": lambda _folder, _workers: ThreadCrew(3),
    "2 processes": lambda folder, _workers: ProcessCrew(2, folder),
}


def play(folder: Path, tables: dict[str, Any] | None = None, **options: Any) -> Path:
    experiment = build_experiment({**TABLES, **(tables or {})})
    run(experiment, folder, Options(command="hanamikoji run t.toml", **options))
    return folder


def digests(folder: Path) -> list[str]:
    results = open_dataset(folder)
    return [canonical_digest(results, table) for table in ("games", *results.manifest.record)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("expected") / "r", make_crew=CREWS["serial"])


@pytest.fixture
def odd(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = install(tmp_path_factory.mktemp("odd"))
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.mark.parametrize("crew", [name for name in CREWS if name != "serial"])
@pytest.mark.parametrize("chunk", [37, 1000])
def test_run__gives_the_same_bytes(
    tmp_path: Path, expected: Path, monkeypatch: pytest.MonkeyPatch, crew: str, chunk: int
) -> None:
    monkeypatch.setattr(run_main, "_chunk_size", lambda *_: chunk)
    play(tmp_path / "r", make_crew=CREWS[crew])
    assert digests(tmp_path / "r") == digests(expected)
    one, two = (canonical_table(open_dataset(path)) for path in (tmp_path / "r", expected))
    assert one.equals(two)


def test_run__keeps_its_prefix_when_extended(tmp_path: Path, expected: Path) -> None:
    play(tmp_path / "r", {"games": 200})
    play(tmp_path / "r", resume=True)
    assert digests(tmp_path / "r") == digests(expected)


def test_run__reordered_is_the_same_in_role_terms(tmp_path: Path, expected: Path) -> None:
    turned = {
        "agents": [{"name": "other", "agent": "random-move"}, "random"],
        "matchups": [["other", "random"], ["random", "random"]],
        "variants": dict(reversed(list(TABLES["variants"].items()))),
    }
    play(tmp_path / "r", turned)
    one, two = (role_terms(open_dataset(path)).collect() for path in (tmp_path / "r", expected))
    assert one.equals(two)
    assert digests(tmp_path / "r") != digests(expected)


@pytest.mark.slow
def test_run__plays_plain_and_batched_agents_in_processes(tmp_path: Path, odd: Path) -> None:
    for kind in ("uniform", "uniform-batch"):
        agents = [{"name": "x", "agent": kind}, "random"]
        play(tmp_path / kind, {"agents": agents, "matchups": [["x", "random"]], "games": 200})
    frames = [
        open_dataset(tmp_path / kind).scan().collect() for kind in ("uniform", "uniform-batch")
    ]
    assert frames[0].height == 400
    assert {len(frame.filter(pl.col("reason") == "charm")) > 100 for frame in frames} == {True}


FAILURES = {
    "raises": ("forfeit-error", r"raised ValueError: no <b>idea</b> at all in deal \d+, seating"),
    "leaves": ("forfeit-error", r"raised SystemExit: bye in deal \d+"),
    "illegal": ("forfeit-illegal", r"answered 1000000, which is no legal move, in deal \d+"),
    "garbage": ("forfeit-illegal", r"answered with str where a move's id belongs in deal \d+"),
    "hangs": ("forfeit-stall", r"made no decision for 0.5 s in deal \d+"),
}
HARD = "hangs-hard"  # where no signal reaches it


def _odd_tables(agent: str, when: int, **more: Any) -> dict[str, Any]:
    odd = {"name": "x", "agent": agent, **({"when": when} if when else {})}
    return {
        "games": 400,
        "agents": [odd, "random"],
        "matchups": [["x", "random"]],
        "variants": {"base": {}},
        "record": [],
        **more,
    }


@pytest.mark.parametrize(
    "agent", [a if a == "raises" else pytest.param(a, marks=pytest.mark.slow) for a in FAILURES]
)
def test_run__stops_at_an_agent_that_fails(tmp_path: Path, odd: Path, agent: str) -> None:
    with pytest.raises(AgentError, match=FAILURES[agent][1]) as caught:
        play(tmp_path / "r", _odd_tables(agent, 500, stall=0.5))
    sentence = str(caught.value)
    assert "in cell 0 (base: x - random)" in sentence
    assert f"hanamikoji replay {tmp_path / 'r'} --cell 0 --deal " in sentence
    assert sentence.endswith("resume with: hanamikoji run t.toml --resume")
    assert open_dataset(tmp_path / "r").manifest.state == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("agent", [*FAILURES, HARD])
def test_run__forfeits_the_games_of_an_agent_that_fails(
    tmp_path: Path, odd: Path, agent: str
) -> None:
    """Each other game is as the same agent without the fault plays it."""
    play(tmp_path / "fine", _odd_tables("uniform", 0))
    when = 2000 if agent == HARD else 1000  # each hang takes seconds
    play(tmp_path / "r", _odd_tables(agent, when, on_error="forfeit", stall=0.5))
    results = open_dataset(tmp_path / "r")
    reason = "forfeit-stall" if agent == HARD else FAILURES[agent][0]
    games = results.scan().collect()
    lost = games.filter(pl.col("reason").cast(pl.String) == reason)
    assert 0 < lost.height < 40
    assert set(lost["outcome"].cast(pl.String)) == {"b"}
    (row,) = results.manifest.failures
    assert (row.cell, row.agent, row.reason) == (0, "x", reason)
    assert row.count == lost.height
    first = lost.row(0, named=True)
    assert (row.deal, row.seating) == (first["deal"], first["seating"])
    fine = open_dataset(tmp_path / "fine").scan().collect()
    keys = ["deal", "seating"]
    assert games.join(lost, on=keys, how="anti").equals(fine.join(lost, on=keys, how="anti"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("exits", "exited with code 5"),
        ("crashes", "was killed by signal SIGSEGV"),
        ("hoards", "took more memory than a worker may"),
    ],
)
def test_run__names_the_deal_that_kills_workers(
    tmp_path: Path, odd: Path, agent: str, why: str
) -> None:
    make_crew = lambda folder, _workers: ProcessCrew(1, folder, memory=2**29)  # noqa: E731
    with pytest.raises(MachineError) as caught:
        play(tmp_path / "r", _odd_tables(agent, 500), make_crew=make_crew)
    sentence = str(caught.value)
    assert f"the last {why}; reproduce it with: hanamikoji run t.toml --cell 0 --deals " in sentence
    first, last = sentence.split("--deals ")[1].split(";", maxsplit=1)[0].split(":")
    assert int(last) == int(first) + 1


@pytest.mark.slow
@pytest.mark.parametrize("agent", [HARD, "hangs-batch"])
def test_run__stops_where_only_the_worker_can_be_killed(
    tmp_path: Path, odd: Path, agent: str
) -> None:
    when = 500 if agent == "hangs-hard" else 0
    with pytest.raises(AgentError, match=r"an agent made no decision for 3.0 s in deals \d+:\d+"):
        play(tmp_path / "r", _odd_tables(agent, when, stall=0.5))


def test_run__what_agents_print_goes_to_a_file(
    tmp_path: Path, odd: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    play(tmp_path / "r", _odd_tables("chatters", 500), progress=Terminal())
    out, err = capfd.readouterr()
    assert out == ""
    assert "thinking" not in err
    assert f"what agents printed is in {tmp_path / 'r' / 'agents.log'}" in err
    assert "I am thinking\nhard\n" in (tmp_path / "r" / "agents.log").read_text()


@pytest.mark.slow
def test_run__an_agent_may_not_change_the_game_through_its_observation(
    tmp_path: Path, odd: Path
) -> None:
    play(tmp_path / "fine", _odd_tables("uniform", 0))
    play(tmp_path / "r", _odd_tables("scribbles", 0))
    assert digests(tmp_path / "r") == digests(tmp_path / "fine")


@pytest.mark.slow
def test_run__refuses_to_resume_with_another_version_of_an_agent(
    tmp_path: Path, odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = _odd_tables("raises", 500)
    with pytest.raises(AgentError):
        play(tmp_path / "r", tables)
    newer = install(tmp_path / "newer", "2.0")
    monkeypatch.setattr(
        "sys.path", [str(newer), *[p for p in __import__("sys").path if p != str(odd)]]
    )
    with pytest.raises(ResultsError, match=r"begun with odd-agents 1.0, not 2.0"):
        play(tmp_path / "r", tables, resume=True)


def test_play_alone__shows_the_failure_and_writes_nothing(tmp_path: Path, odd: Path) -> None:
    experiment = build_experiment({**TABLES, **_odd_tables("raises", 20)})
    with pytest.raises(AgentError, match="raised ValueError"):
        play_alone(experiment, 0, 0, 100)
    fine = build_experiment({**TABLES, **_odd_tables("uniform", 0)})
    assert play_alone(fine, 0, 5, 8) == 6
    with pytest.raises(HanamikojiError, match="--cell is 1; the last of this experiment is 0"):
        play_alone(fine, 1, 5, 8)


@pytest.mark.parametrize("on_error", ["stop", "forfeit"])
@pytest.mark.parametrize("agent", ["moody", "remembers", "moody-batch"])
def test_run__says_when_an_agent_can_not_be_reproduced(
    tmp_path: Path, odd: Path, agent: str, on_error: str
) -> None:
    """They ran without a word, and a resumed run was another."""
    tables = {
        "agents": ["random", {"name": "x", "agent": agent}],
        "matchups": [["random", "x"]],
        "on_error": on_error,
        "record": [],
    }
    with pytest.raises(AgentError, match=r"^agent 'x' can't be reproduced: it decided otherwise"):
        play(tmp_path / "r", tables, make_crew=CREWS["serial"])


def test_run__plays_twice_what_an_agent_from_elsewhere_plays_first(
    tmp_path: Path, odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[tuple[Any, int]] = []
    monkeypatch.setattr(
        twice, "compare", lambda match, one, two: again.append((match.game, len(one.games["deal"])))
    )
    agents = ["random", "uniform", "uniform-batch"]
    tables = {"agents": agents, "matchups": "round-robin", "games": 300, "record": []}
    play(tmp_path / "r", tables, make_crew=CREWS["serial"])
    assert sum(games for _, games in again) == 2 * 300
    assert all(record.files.keys() == {"games"} for record in open_dataset(tmp_path / "r").records)
