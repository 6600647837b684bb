from __future__ import annotations

import csv
import io
from dataclasses import replace

import polars as pl
import pytest

from hanamikoji.report.flat import rows_of, to_csv, to_parquet
from report.made_up import made_up, origin, probes_of, with_rounds


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_rows__one_a_cell_with_what_the_cell_says():
    summary, _ = made_up()
    rows = rows_of(summary)
    assert [r["cell"] for r in rows] == [c.cell for c in summary.cells]
    for row, cell in zip(rows, summary.cells, strict=True):
        assert row["starter_score"] == cell.starter.value
        assert row["starter_score_low"] == cell.starter.interval.low
        assert row["verdict"] == cell.verdict.decision
        assert (row["agent_a_score"] is None) == cell.mirror
        assert (row["difference"] is None) == (cell.variant == "base")
        ends = [v for k, v in row.items() if k.startswith("ends_in_round_")]
        assert sum(ends) == pytest.approx(1)
    assert rows[-1]["set:rules.goals.charm"] == 11


def test_rows__tell_how_far_the_agents_can_be_exploited():
    summary, _ = made_up()
    cell = summary.cells[1]
    found = probes_of((cell.variant,), (cell.agent_a,))
    origins = (replace(origin([cell.variant], [cell.agent_a]), probes=found),)
    ((_, bound),) = found.bounds().items()
    for row in rows_of(summary, origins):
        for seat in "ab":
            probed = (row[f"agent_{seat}"], row["variant"]) == (cell.agent_a, cell.variant)
            assert row[f"agent_{seat}_exploited"] == (bound if probed else None)
    assert read(to_csv(summary, origins))[1]["agent_a_exploited"] == str(bound)
    frame = pl.read_parquet(io.BytesIO(to_parquet(summary, origins)))
    assert frame["agent_a_exploited"][1] == bound


def test_csv__and_parquet_hold_the_rows():
    summary, _ = made_up()
    rows = rows_of(summary)
    written = read(to_csv(summary))
    frame = pl.read_parquet(io.BytesIO(to_parquet(summary)))
    assert list(written[0]) == frame.columns == list(rows[0])
    assert frame.to_dicts() == rows
    assert float(written[2]["starter_score"]) == rows[2]["starter_score"]


def test_csv__names_survive_and_are_no_formulas():
    names = ('a,"b"', "=1+1", "+x", "@y", "-z", "two\nlines")
    summary, _ = made_up(names, ("random",), 40)
    written = [r["variant"] for r in read(to_csv(summary))]
    assert written == ['a,"b"', "'=1+1", "'+x", "'@y", "'-z", "two\\nlines"]
    frame = pl.read_parquet(io.BytesIO(to_parquet(summary)))
    assert tuple(frame["variant"]) == names


def test_parquet__types_do_not_depend_on_what_is_empty():
    frame = pl.read_parquet(io.BytesIO(to_parquet(with_rounds()[0])))
    assert frame["difference"].dtype == pl.Float64
    assert frame["legal_moves"].dtype == pl.Float64
    assert frame["mirror"].dtype == pl.Boolean
