"""Chunks cut short, and what a stop leaves of a folder, whenever one looks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from fake_engine import fake_games, fake_rounds
from hanamikoji.engine.codes import REASONS
from hanamikoji.results import (
    CONVERTERS,
    CellLabel,
    CellStop,
    ChunkRecord,
    FailureTally,
    chunk_path,
    cut_short,
    damages_of,
    look,
    open_dataset,
    open_store,
    winner_roles,
    write_chunk,
)
from results.test_store import COMMAND, manifest, put

STOP = CellStop(3, "sprt", "accepted H1", 7, 14)
ILLEGAL = REASONS.index("forfeit-illegal")


def written(folder: Path, label: CellLabel, first: int, last: int) -> ChunkRecord:
    """A chunk with rounds, in which seat a forfeits deal 4 and seat b deals 4 (again) and 8."""
    games = fake_games(1, first, last, 2)
    for deal, seating, winner in ((4, 0, 1), (4, 1, 1), (8, 0, 0)):
        row = (games["deal"] == deal) & (games["seating"] == seating)
        games["reason"][row], games["outcome"][row] = ILLEGAL, winner
    files = {}
    for name, rows in (("games", games), ("rounds", fake_rounds(games))):
        (folder / name).mkdir(exist_ok=True)
        path = chunk_path(name, label.cell, first, last)
        files[name] = write_chunk(folder, path, CONVERTERS[name](label, rows))
    failures = (
        FailureTally(label.cell, "Ann & co", "forfeit-illegal", 1, 4, 0, 1, 2, "lied"),
        FailureTally(label.cell, "Bob", "forfeit-illegal", 2, 4, 1, 1, 3, "lied"),
    )
    return ChunkRecord(label.cell, first, last, files, failures)


def test_winner_roles__are_as_the_engine_says(tmp_path: Path, label: CellLabel) -> None:
    (tmp_path / "games").mkdir()
    games = fake_games(1, 0, 30, 2)
    path = chunk_path("games", 3, 0, 30)
    fact = write_chunk(tmp_path, path, CONVERTERS["games"](label, games))
    roles = winner_roles(tmp_path, ChunkRecord(3, 0, 30, {"games": fact}))
    assert roles.tolist() == np.minimum(games["outcome"], 2).tolist()


def test_cut_short__is_what_a_shorter_chunk_is(tmp_path: Path, label: CellLabel) -> None:
    long = written(tmp_path, label, 3, 12)
    cut = cut_short(tmp_path, long, 7)
    assert (cut.cell, cut.first, cut.last) == (3, 3, 7)
    assert not damages_of(tmp_path, cut)
    assert not damages_of(tmp_path, long)
    there = tmp_path / "there"
    there.mkdir()
    short = written(there, label, 3, 7)
    for name in ("games", "rounds"):
        mine = pq.read_table(tmp_path / cut.files[name].path, partitioning=None)
        theirs = pq.read_table(there / short.files[name].path, partitioning=None)
        assert mine.schema.equals(theirs.schema)
        assert mine.to_pylist() == theirs.to_pylist()


@pytest.mark.parametrize(("last", "counts"), [(4, []), (5, [1, 1]), (9, [1, 2])])
def test_cut_short__counts_the_failures_that_are_left(
    tmp_path: Path, label: CellLabel, last: int, counts: list[int]
) -> None:
    left = cut_short(tmp_path, written(tmp_path, label, 3, 12), last).failures
    assert [failure.count for failure in left] == counts
    assert [failure.agent for failure in left] == ["Ann & co", "Bob"][: len(counts)]


def test_store__lists_nothing_beyond_a_stop(tmp_path: Path, label: CellLabel) -> None:
    folder = tmp_path / "x"
    with open_store(folder, manifest(), resume=False, command=COMMAND) as store:
        for first, last in ((0, 5), (10, 15), (5, 10), (5, 7)):
            put(store, label, first, last)
        assert look(folder).manifest.planned_games == 5 * 40
        store.stop(STOP)
        for standing in (look(folder), look(folder)):  # as the journal tells it
            assert [(r.first, r.last) for r in standing.records] == [(0, 5), (5, 7)]
            assert standing.manifest.planned_games == 14 + 4 * 40
        store.close("interrupted")
    results = open_dataset(folder)
    assert results.manifest.stops == (STOP,)
    assert results.manifest.planned_games == 14 + 4 * 40
    assert results.scan().collect()["deal"].unique().to_list() == list(range(7))
    names = {path.name for path in (folder / "games").iterdir()}
    assert names == {path.name for path in results.paths()}


def test_store__forgets_stops_when_it_is_opened_again(tmp_path: Path, label: CellLabel) -> None:
    """They are worked out again, since more games may be asked for."""
    folder = tmp_path / "x"
    with open_store(folder, manifest(), resume=False, command=COMMAND) as store:
        put(store, label, 0, 7)
        store.stop(STOP)
        store.close("finished")
    with open_store(folder, manifest(games=80), resume=True, command=COMMAND) as store:
        put(store, label, 7, 9)
        assert [(r.first, r.last) for r in look(folder).records] == [(0, 7), (7, 9)]
        assert not look(folder).manifest.stops
        store.close("interrupted")
    assert not open_dataset(folder).manifest.stops
