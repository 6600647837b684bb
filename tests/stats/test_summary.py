"""The one call: what it holds, what it leaves out, and that memory and time stay flat."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hanamikoji.stats import Interval, Part, summarise, summarise_parts
from stats.simulated import detailed_games, mirror_games, pair_games, run_facts


def some_run():
    rng = np.random.default_rng(1)
    games = []
    for variant in ("base", "other"):
        for a, b in (("random", "random"), ("greedy", "greedy")):
            more = {"cell": len(games), "variant": variant}
            games.append(mirror_games(rng, 2000, 0.02, a=a, b=b, **more))
        games.append(detailed_games(rng, 1000, cell=len(games), variant=variant))
    return games, run_facts(*(g.cell for g in games))


def test_summarise__holds_every_part():
    games, facts = some_run()
    found = summarise_parts([g.part() for g in games], facts)
    assert [c.cell for c in found.cells] == [0, 1, 2, 3, 4, 5]
    assert [d.variant for d in found.differences] == ["other"] * 3
    assert len(found.screens) == 3
    assert [t.variant for t in found.ratings] == ["base", "other"]
    assert [x.variant for x in found.ladders] == ["base", "other"]
    assert found.sweep is None
    assert found.facts is facts


def test_summarise__frame_and_parts_agree():
    games, facts = some_run()
    frame = pl.concat([pl.from_arrow(g.table()) for g in games]).lazy()
    assert summarise(frame, None, facts) == summarise_parts(
        [p for g in games for p in g.chunks(300)], facts
    )


def test_summarise__cells_without_games_are_left_out():
    games, facts = some_run()
    found = summarise_parts([games[0].part()], facts)
    assert [c.cell for c in found.cells] == [0]
    assert found.differences == found.ratings == found.ladders == ()


def test_summarise__every_interval_is_proper():
    games, facts = some_run()
    found = summarise_parts([g.part() for g in games], facts)
    seen = 0

    def walk(thing):
        nonlocal seen
        if isinstance(thing, Interval):
            seen += 1
            assert thing.low < thing.high
            assert 0 < thing.level < 1
            assert thing.method
        elif is_dataclass(thing):
            for f in fields(thing):
                walk(getattr(thing, f.name))
        elif isinstance(thing, tuple):
            for item in thing:
                walk(item)

    walk(found)
    assert seen > 300


def test_summarise__is_plain_data():
    games, facts = some_run()
    found = summarise_parts([g.part() for g in games], facts)
    json.dumps(asdict(replace(found, facts=replace(facts, versions={}))), allow_nan=False)


def test_summarise__a_mirror_of_random_and_a_renamed_one_is_not_unbalanced():
    verdicts = []
    for seed in range(40):
        games = pair_games(np.random.default_rng(seed), 4000, b="random-again", luck=0.2)
        found = summarise_parts([games.part()], run_facts(games.cell))
        verdicts.append(found.cells[0].verdict.decision)
    assert "unbalanced" not in verdicts


def big_dataset(folder, files, rng):
    """Chunk files as a run writes them: 65,536 deals of a pair each."""
    games = detailed_games(rng, 1 << 16)
    table = pl.from_arrow(games.table())
    for i in range(files):
        shifted = table.with_columns(pl.col("deal") + i * (1 << 16))
        shifted.write_parquet(folder / f"{i:05d}.parquet")
    parts = [
        Part(0, i << 16, (i + 1) << 16, pl.scan_parquet(folder / f"{i:05d}.parquet"))
        for i in range(files)
    ]
    return parts, run_facts(games.cell)


@pytest.mark.soak
def test_summarise__twenty_million_games_in_ten_seconds(tmp_path):
    parts, facts = big_dataset(tmp_path, 153, np.random.default_rng(1))
    start = time.perf_counter()
    found = summarise_parts(parts, facts)
    assert found.cells[0].games == 153 << 17
    assert time.perf_counter() - start < 10


PEAK = """
import pathlib, resource, sys
import polars as pl
from hanamikoji.stats import Part, summarise_parts
from stats.simulated import cell_facts, run_facts
folder, files = pathlib.Path(sys.argv[1]), int(sys.argv[2])
parts = [Part(0, i << 16, (i + 1) << 16, pl.scan_parquet(folder / f"{i:05d}.parquet"))
         for i in range(files)]
summarise_parts(parts, run_facts(cell_facts(b="greedy")))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="resource is POSIX")
def test_summarise__memory_is_flat(tmp_path):
    big_dataset(tmp_path, 40, np.random.default_rng(1))

    def peak(files):
        done = subprocess.run(
            [sys.executable, "-c", PEAK, str(tmp_path), str(files)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        )
        return int(done.stdout)

    assert peak(40) < 1.25 * peak(8)
