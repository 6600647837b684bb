from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanamikoji.results import ChunkRecord, FailureTally, FileFact, Header, chunk_path
from hanamikoji.results.journal import JOURNAL, Journal, read_journal
from hanamikoji.results.ranges import covered, disjoint, missing

HEADER = Header(
    identity="x",
    name="name",
    experiment={"name": "näme"},
    games=40,
    versions={},
    command="hanamikoji run x",
)


def chunk(first: int, last: int, cell: int = 0, sha: str = "0" * 64) -> ChunkRecord:
    path = chunk_path("games", cell, first, last)
    failure = FailureTally(cell, "Bob", "forfeit-error", 2, first, 0, 1, 3, "lied")
    return ChunkRecord(
        cell, first, last, {"games": FileFact(path, last - first, 10, sha)}, (failure,)
    )


def _filled(folder: Path, n: int) -> list[ChunkRecord]:
    journal = Journal(folder, HEADER, [chunk(0, 10)])
    records = [chunk(0, 10)]
    for i in range(1, n):
        records.append(chunk(10 * i, 10 * i + 10))
        journal.append(records[-1])
    journal.close()
    return records


def test_journal__reads_back(tmp_path: Path) -> None:
    records = _filled(tmp_path, 5)
    assert read_journal(tmp_path) == (HEADER, records, {})


def test_journal__is_empty_where_there_is_none(tmp_path: Path) -> None:
    assert read_journal(tmp_path) == (None, [], {})


def test_journal__cut_anywhere_keeps_the_lines_before_the_cut(tmp_path: Path) -> None:
    records = _filled(tmp_path, 4)
    data = (tmp_path / JOURNAL).read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(len(data)):
        (tmp_path / JOURNAL).write_bytes(data[:cut])
        header, kept, _ = read_journal(tmp_path)
        whole = sum(end - 1 <= cut for end in ends)  # a line needs no newline to be whole
        assert header == (HEADER if whole else None)
        assert kept == records[: max(0, whole - 1)]


@given(st.data())
def test_journal__with_a_flipped_bit_loses_that_line_only(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    records = _filled(folder, 4)
    text = bytearray((folder / JOURNAL).read_bytes())
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] ^= 1 << data.draw(st.integers(0, 7))
    (folder / JOURNAL).write_bytes(text)
    header, kept, _ = read_journal(folder)
    assert header in (HEADER, None)
    assert len(kept) >= len(records) - 2  # a newline that is hit joins two lines
    assert all(record in records for record in kept)


def test_journal__notices_a_short_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, HEADER, [])

    class Full:
        def write(self, line: bytes) -> int:
            return len(line) - 1

    real = journal._file
    monkeypatch.setattr(journal, "_file", Full())
    with pytest.raises(OSError, match="space"):
        journal.append(chunk(0, 1))
    real.close()


def test_disjoint__keeps_the_latest_of_equal_ranges_and_drops_overlaps() -> None:
    old, new = chunk(0, 10, sha="a" * 64), chunk(0, 10, sha="b" * 64)
    records = [chunk(20, 30), old, chunk(5, 15), new, chunk(0, 4, cell=1), chunk(3, 3, cell=1)]
    assert disjoint(records) == [new, chunk(20, 30), chunk(0, 4, cell=1)]
    assert disjoint(records)[0].files["games"].sha256 == "b" * 64


def test_covered__joins_neighbours() -> None:
    records = [chunk(0, 5), chunk(5, 9), chunk(12, 14), chunk(0, 1, cell=2)]
    assert covered(records) == {0: [(0, 9), (12, 14)], 2: [(0, 1)]}


@given(st.lists(st.integers(0, 60), unique=True), st.integers(0, 60), st.integers(0, 60))
def test_missing__is_what_is_not_covered(ends: list[int], first: int, last: int) -> None:
    ends = sorted(ends)[: len(ends) // 2 * 2]
    ranges = list(zip(ends[::2], ends[1::2], strict=True))
    there = {deal for have in ranges for deal in range(*have)}
    gaps = missing(ranges, first, last)
    absent = [deal for gap in gaps for deal in range(*gap)]
    assert absent == [deal for deal in range(first, last) if deal not in there]
    assert all(a < b for a, b in gaps)
