from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fake_engine import fake_games
from hanamikoji.errors import ResultsError
from hanamikoji.results import (
    CONVERTERS,
    AgentRecord,
    CellLabel,
    CellRecord,
    ChunkRecord,
    Manifest,
    Store,
    VariantRecord,
    canonical_digest,
    canonical_table,
    chunk_path,
    is_locked,
    look,
    open_dataset,
    open_store,
    role_terms,
    write_chunk,
)
from hanamikoji.results.journal import JOURNAL
from hanamikoji.results.manifest import MANIFEST, differing_keys, read_manifest

COMMAND = "hanamikoji run x.toml --resume"


RULES = {"charm": [2, 3], "markers": ["none", "starter"], "keep_markers": True}


def manifest(games: int = 40, **changes: Any) -> Manifest:
    """Of five cells of one match-up."""
    agents = [AgentRecord(n, "random", "compiled", "sim", "1", {}) for n in ("Ann & co", "Bob")]
    cells = [CellRecord(i, "thr<ee", "Ann & co", "Bob", games, games // 2) for i in range(5)]
    known: dict[str, Any] = {
        "identity": "id",
        "name": "x",
        "experiment": {"name": "x", "seed": 1, "rules": {"hand": 6}},
        "games": games,
        "seed": 1,
        "margin": 0.01,
        "baseline": None,
        "record": (),
        "command": "hanamikoji run x.toml",
        "versions": {"hanamikoji-sim": "1"},
        "platform": {},
        "agents": tuple(agents),
        "variants": {"thr<ee": VariantRecord("h3", ("base/secret",), RULES)},
        "cells": tuple(cells),
    }
    return Manifest(**known | changes)


def put(store: Store, label: CellLabel, first: int, last: int) -> None:
    table = CONVERTERS["games"](label, fake_games(1, first, last, 2))
    path = chunk_path("games", label.cell, first, last)
    fact = write_chunk(store.folder, path, table)
    store.add(ChunkRecord(label.cell, first, last, {"games": fact}))


def fill(folder: Path, label: CellLabel, cuts: list[int], state: str = "finished") -> None:
    with open_store(folder, manifest(), resume=False, command=COMMAND) as store:
        for first, last in itertools.pairwise(cuts):
            put(store, label, first, last)
        store.close(state)


def reopen(folder: Path, resume: bool = True, **changes: Any) -> list[tuple[int, int]]:
    with open_store(folder, manifest(**changes), resume=resume, command=COMMAND) as store:
        ranges = [(record.first, record.last) for record in store.records]
        store.close("interrupted")
        return ranges


@pytest.fixture
def folder(tmp_path: Path, label: CellLabel) -> Path:
    fill(tmp_path / "x", label, [0, 5, 20], "interrupted")
    return tmp_path / "x"


def test_store__lists_what_was_put(folder: Path) -> None:
    results = open_dataset(folder)
    assert not results.finished
    assert [(r.cell, r.first, r.last) for r in results.records] == [(3, 0, 5), (3, 5, 20)]
    assert results.scan().collect().height == 40
    assert read_manifest(folder) == results.manifest
    assert not is_locked(folder)


def test_store__resumes_with_what_is_whole(folder: Path) -> None:
    assert reopen(folder) == [(0, 5), (5, 20)]


@pytest.mark.parametrize("damage", ["cut", "flip", "delete"])
def test_store__forgets_a_damaged_chunk_and_deletes_it(folder: Path, damage: str) -> None:
    path = open_dataset(folder).paths()[1]
    data = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(data[:100])
    elif damage == "flip":
        data[50] ^= 4
        path.write_bytes(data)
    else:
        path.unlink()
    with pytest.raises(ResultsError, match=r"parquet .*hanamikoji run x.toml --resume"):
        open_dataset(folder)
    assert reopen(folder) == [(0, 5)]
    assert not path.exists()
    assert open_dataset(folder).scan().collect().height == 10


def test_store__deletes_what_was_never_listed(folder: Path) -> None:
    listed = open_dataset(folder).paths()
    orphan = folder / chunk_path("games", 3, 20, 30)
    orphan.write_bytes(listed[0].read_bytes())
    half = folder / "games" / "cell.parquet.1234.part"
    half.write_bytes(b"PAR1")
    stays = folder / "games" / "notes.txt"
    stays.write_text("mine")
    reopen(folder)
    assert sorted((folder / "games").iterdir()) == sorted([*listed, stays])


def test_store__survives_a_manifest_cut_in_half(folder: Path) -> None:
    data = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).write_bytes(data[: len(data) // 2])
    with pytest.raises(ResultsError, match=r"manifest.json is damaged; .*run x.toml --resume"):
        open_dataset(folder)
    assert reopen(folder) == [(0, 5), (5, 20)]
    assert open_dataset(folder).scan().collect().height == 40


def test_store__survives_a_journal_that_is_gone(folder: Path) -> None:
    (folder / JOURNAL).unlink()
    assert open_dataset(folder).scan().collect().height == 40
    assert reopen(folder) == [(0, 5), (5, 20)]


def test_store__finds_chunks_listed_after_the_last_manifest(
    tmp_path: Path, label: CellLabel
) -> None:
    class KilledError(Exception):
        pass

    with (
        contextlib.suppress(KilledError),
        open_store(tmp_path / "x", manifest(), resume=True, command=COMMAND) as store,
    ):
        put(store, label, 0, 5)
        raise KilledError
    assert open_dataset(tmp_path / "x").scan().collect().height == 10
    assert reopen(tmp_path / "x") == [(0, 5)]


def test_store__refuses_when_both_lists_are_damaged(folder: Path) -> None:
    (folder / MANIFEST).write_text("{")
    (folder / JOURNAL).write_text("?")
    with pytest.raises(ResultsError, match="both damaged"):
        reopen(folder)
    with pytest.raises(ResultsError, match="is damaged"):
        open_dataset(folder)


def test_store__altered_manifest_is_damaged(folder: Path) -> None:
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace('"games": 40', '"games": 90'))
    with pytest.raises(ResultsError, match=r"manifest.json is damaged$"):
        read_manifest(folder)


@pytest.mark.parametrize(
    ("changes", "resume", "sentence"),
    [
        ({"identity": "other"}, True, "has another experiment"),
        ({}, False, f"holds an unfinished run of this experiment; resume it with: {COMMAND}"),
        ({"games": 80}, False, "holds a run of 40 games a cell of this experiment; resume it"),
        ({"games": 20}, True, "40 games a cell, more than the 20"),
        ({"versions": {"hanamikoji-sim": "2"}}, True, "begun with hanamikoji-sim 1, not 2"),
        ({"versions": {"hanamikoji-sim": "1", "x": "3"}}, True, "begun with x none, not 3"),
    ],
)
def test_store__refuses(folder: Path, changes: dict[str, Any], resume: bool, sentence: str) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(ResultsError) as caught:
        reopen(folder, resume, **changes)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_store__extends(folder: Path) -> None:
    assert reopen(folder, games=80) == [(0, 5), (5, 20)]
    assert open_dataset(folder).manifest.games == 80


def test_store__remembers_at_which_sizes_it_was_looked_at(folder: Path) -> None:
    assert open_dataset(folder).manifest.looks == ()
    for games, looks in ((80, (40,)), (80, (40,)), (160, (40, 80))):
        reopen(folder, games=games)
        assert open_dataset(folder).manifest.looks == looks
    whole = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).write_bytes(whole[: len(whole) // 2])  # the journal knows them too
    reopen(folder, games=320)
    assert open_dataset(folder).manifest.looks == (40, 80, 160)


def test_store__names_the_keys_that_differ() -> None:
    mine = {"name": "x", "seed": 1, "games": 5, "rules": {"hand": 6, "goals": {"charm": 11}}}
    theirs = {"name": "y", "seed": 2, "rules": {"hand": 6, "goals": {"charm": 10}}, "record": []}
    assert differing_keys(mine, theirs) == ["record", "rules.goals.charm", "seed"]


def test_store__leaves_foreign_folders_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ResultsError, match="not a results folder"):
        reopen(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(ResultsError, match="not a results folder"):
        open_dataset(tmp_path)


def test_store__begins_in_a_folder_that_died_before_its_manifest(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / ".lock").touch()
    assert look(tmp_path).kind == "empty"
    assert reopen(tmp_path) == []


def test_store__refuses_a_second_writer(tmp_path: Path) -> None:
    with open_store(tmp_path, manifest(), resume=True, command=COMMAND) as store:
        assert is_locked(tmp_path)
        with pytest.raises(ResultsError, match=r"another run \(process \d+ on .*\) is writing"):
            reopen(tmp_path)
        store.close("interrupted")
    assert reopen(tmp_path) == []


def test_store__lock_dies_with_its_process(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys; from hanamikoji.results.lock import locked\n"
        f"with locked(pathlib.Path({str(tmp_path)!r})):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert is_locked(tmp_path)
        holder.kill()
        holder.wait()
        assert not is_locked(tmp_path)


def test_canonical__does_not_depend_on_chunks(tmp_path: Path, label: CellLabel) -> None:
    fill(tmp_path / "1", label, [0, 20])
    fill(tmp_path / "2", label, [0, 1, 7, 13, 20])
    fill(tmp_path / "3", label, [0, 1, 7, 13, 19])
    one, two, three = (open_dataset(tmp_path / name) for name in "123")
    assert canonical_table(one).equals(canonical_table(two))
    assert canonical_digest(one) == canonical_digest(two) != canonical_digest(three)
    keys = canonical_table(two).select(["cell", "deal", "seating"]).to_pylist()
    assert keys == sorted(keys, key=lambda row: (row["cell"], row["deal"], row["seating"]))


def test_canonical_digest__sees_every_column(tmp_path: Path, label: CellLabel) -> None:
    fill(tmp_path / "1", label, [0, 20])
    results = open_dataset(tmp_path / "1")
    digest = canonical_digest(results)
    path = results.paths()[0]
    table = pq.read_table(path)
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_dictionary(column.type):
            codes = column.indices.fill_null(0)
            words = [*column.dictionary.to_pylist(), "another"]
            last = pa.array([*codes.to_pylist()[:-1], len(words) - 1], codes.type)
            changed = pa.DictionaryArray.from_arrays(last, pa.array(words))
        else:
            values = column.to_pylist()
            changed = pa.array([*values[:-1], values[-1] ^ True], column.type)
        at = table.column_names.index(name)
        pq.write_table(table.set_column(at, table.schema.field(name), changed), path)
        assert canonical_digest(results) != digest, name


def test_role_terms__follow_the_starter(tmp_path: Path, label: CellLabel) -> None:
    fill(tmp_path / "1", label, [0, 20])
    swapped = CellLabel(0, "thr<ee", label.agent_b, label.agent_a, label.kinds)
    with open_store(tmp_path / "2", manifest(), resume=False, command=COMMAND) as store:
        games = fake_games(1, 0, 20, 2)
        order = [i ^ 1 for i in range(40)]  # a's and b's games change places
        games = {name: values[order] for name, values in games.items()}
        games["seating"] = games["seating"] ^ 1
        fact = write_chunk(
            store.folder, chunk_path("games", 0, 0, 20), CONVERTERS["games"](swapped, games)
        )
        store.add(ChunkRecord(0, 0, 20, {"games": fact}))
        store.close("finished")
    one, two = (role_terms(open_dataset(tmp_path / name)).collect() for name in "12")
    assert one.equals(two)
    assert one.columns[:4] == ["rules_hash", "deal", "agent_starter", "agent_second"]
    assert one.height == 40


def test_dataset__opens_as_it_stands(tmp_path: Path, label: CellLabel) -> None:
    fill(tmp_path / "x", label, [0, 7, 20])
    other = CellLabel(4, "five", "Bob", "Eve", ("base/secret", "other", "third", "fourth"))
    with open_store(tmp_path / "x", manifest(games=80), resume=True, command=COMMAND) as store:
        put(store, other, 0, 20)
        store.close("finished")
    lazy = open_dataset(tmp_path / "x").scan()
    expected = lazy.group_by("variant").agg(pl.col("charm_a").sum(), pl.len()).collect()
    expected = sorted((str(v), int(c), int(n)) for v, c, n in expected.rows())
    pattern = f"{tmp_path / 'x' / 'games'}/*.parquet"
    plain = pl.scan_parquet(pattern).group_by("variant").agg(pl.col("charm_a").sum(), pl.len())
    assert sorted((str(v), int(c), int(n)) for v, c, n in plain.collect().rows()) == expected
    query = f"select variant, sum(charm_a)::int, count(*) from '{pattern}' group by variant"
    assert sorted(duckdb.sql(query).fetchall()) == expected
    frame = pd.read_parquet(tmp_path / "x" / "games")
    by = frame.groupby("variant", observed=True)["charm_a"].agg(["sum", "size"])
    assert sorted((str(v), int(r["sum"]), int(r["size"])) for v, r in by.iterrows()) == expected


def test_scan__of_a_table_that_was_not_recorded(folder: Path) -> None:
    with pytest.raises(ResultsError, match=r'put record = \["rounds"\]'):
        open_dataset(folder).scan("rounds")
    with pytest.raises(ResultsError, match="games, rounds, moves"):
        open_dataset(folder).scan("plays")


def test_scan__of_a_run_without_chunks_has_the_columns(tmp_path: Path) -> None:
    reopen(tmp_path)
    assert open_dataset(tmp_path).scan().collect().shape == (0, 21)
