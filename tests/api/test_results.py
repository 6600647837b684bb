"""Results as objects: what they say, show, write and hold."""

from __future__ import annotations

import html
from pathlib import Path

import polars as pl
import pytest

import hanamikoji
from hanamikoji import ExperimentError, Results, ResultsError, RulesError

pytestmark = pytest.mark.jit

NASTY = "<script>alert(1)</script>"
TABLES = {
    "name": "trial",
    "games": 40,
    "agents": ["random", {"name": NASTY, "agent": "random-move"}],
    "matchups": [["random", NASTY]],
    "record": ["rounds", "moves"],
    "variants": {"plain": {}, "blind": {"actions": "serendipity"}},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return hanamikoji.run(TABLES, tmp_path_factory.mktemp("api") / "out")


def test_run__says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    results = hanamikoji.run(TABLES, tmp_path / "out")
    results.summary()
    results.report(["md", "html"])
    results._repr_html_()
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_run__tells_a_function_how_far_it_is(tmp_path: Path) -> None:
    heard: list[tuple[int, ...]] = []
    hanamikoji.run(
        TABLES,
        tmp_path / "out",
        workers=1,
        progress=lambda *share: heard.append(share),
    )
    assert heard[-1] == (80, 80)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_run__takes_a_file_a_dict_or_text(tmp_path: Path, results: Results) -> None:
    path = tmp_path / "x.toml"
    text = 'name = "x"\ngames = 10\nagents = ["random"]\n'
    path.write_text(text)
    tables = {"name": "x", "games": 10, "agents": ["random"]}
    frames = [
        hanamikoji.run(source, tmp_path / str(i)).games().collect()
        for i, source in enumerate((path, str(path), text, tables))
    ]
    assert frames[0].height == 10
    assert all(frame.equals(frames[0]) for frame in frames)
    with pytest.raises(ExperimentError, match="the text isn't readable as TOML"):
        hanamikoji.load_experiment("name = \n")


def test_run__resumes(tmp_path: Path) -> None:
    tables = {"name": "x", "games": 10, "agents": ["random"]}
    hanamikoji.run(tables, tmp_path)
    more = tables | {"games": 20}
    with pytest.raises(ResultsError, match=r"hanamikoji run EXPERIMENT.toml --out .* --resume"):
        hanamikoji.run(more, tmp_path)
    assert hanamikoji.run(more, tmp_path, resume=True).games().collect().height == 20


def test_rows__have_names(results: Results) -> None:
    games = results.games().collect()
    assert games.height == 80
    assert set(games["agent_b"].cast(pl.String)) == {NASTY}
    moves = results.moves().collect()
    assert moves["action"].null_count() == 0
    acts = moves.filter(pl.col("phase").cast(pl.String) == "act")
    assert (acts["groups"].list.len() > 0).all()
    answers = moves.filter(pl.col("phase").cast(pl.String) == "respond")
    assert (answers["taken"].list.len() > 0).all()
    key = ["cell", "deal", "seating", "round", "decision", "choice"]
    assert moves.select(key).equals(
        pl.read_parquet(sorted((results.folder / "moves").iterdir())).select(key)
    )
    used = set(moves.filter(variant="blind")["action"])
    assert used == {kind.name for kind in hanamikoji.rules("serendipity").kinds}
    assert results.rounds().select(pl.len()).collect().item() >= 80


def test_rows__that_were_not_recorded_are_refused(tmp_path: Path) -> None:
    bare = hanamikoji.run({"name": "x", "games": 10, "agents": ["random"]}, tmp_path)
    with pytest.raises(ResultsError, match="record"):
        bare.moves().collect()


def test_notebook__shows_the_verdict_and_escapes_names(results: Results) -> None:
    shown = results._repr_html_()
    start = shown.index('srcdoc="') + len('srcdoc="')
    frame, rest = shown[start : shown.index('"', start)], shown[shown.index('"', start) :]
    assert "<" not in frame
    assert rest.count("<") == 1  # the frame's own end
    page = html.unescape(frame)
    assert html.escape(results.verdict) in page
    assert html.escape(NASTY) in page
    assert NASTY not in page
    assert "<table" in page
    assert "<svg" not in page


def test_verdict__is_the_reports_first_line(results: Results) -> None:
    results.report(["md"])
    report = (results.folder / "report.md").read_text()
    level, _, variants = results.verdict.partition(": ")  # the level has an agent's nasty name
    assert level.startswith("Undecided at the level of random and ")
    assert variants in report.splitlines()[0]
    assert results.verdict in repr(results)
    with pytest.raises(ResultsError, match="format is 'pdf'; it must be one of md, json"):
        results.report(["pdf"])  # type: ignore[list-item]


def test_show__prints_when_asked(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    results.show()
    assert capsys.readouterr().out.startswith(results.verdict[:20])


def test_replay__is_the_game_of_the_row(results: Results) -> None:
    row = results.games().filter(cell=0, deal=3, seating=1).collect().row(0, named=True)
    text = results.replay(0, 3, 1)
    assert text.splitlines()[-1].startswith(f"{row['outcome']} wins after round {row['rounds']}")


def test_compare__refuses_and_compares(tmp_path: Path) -> None:
    first = hanamikoji.run({"name": "a", "games": 10, "agents": ["random"]}, tmp_path / "a")
    with pytest.raises(ResultsError, match="at least 2"):
        hanamikoji.compare(first)
    with pytest.raises(ResultsError, match=r"margin is 0\.5"):
        hanamikoji.compare(first, first, margin=0.5)
    second = hanamikoji.run(
        {"name": "b", "games": 10, "agents": ["random"], "rules": "health"}, tmp_path / "b"
    )
    both = hanamikoji.compare(first, second.folder)
    assert {cell.variant for cell in both.summary().cells} == {"base", "health"}
    assert [path.name for path in both.report(tmp_path / "c", ["json"])] == ["report.json"]
    assert "base" in both._repr_html_()


def test_rules__by_name_file_and_table(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("max_rounds = 3\n")
    assert hanamikoji.rules(path) == hanamikoji.rules({"max_rounds": 3})
    assert hanamikoji.rules("three-round") == hanamikoji.rules(str(path))
    assert hanamikoji.rules(hanamikoji.PRESETS["base"]) is hanamikoji.PRESETS["base"]
    with pytest.raises(RulesError, match="preset is 'bass'"):
        hanamikoji.rules("bass")
    path.write_text('name = "x"\nagents = ["random"]\n[variants.p]\n[variants.q]\n')
    with pytest.raises(RulesError, match="2 variants; it must have one"):
        hanamikoji.rules(path)
