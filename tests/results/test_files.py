from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fake_engine import fake_games
from hanamikoji.results import CONVERTERS, CellLabel, chunk_path, write_chunk
from hanamikoji.results.files import damage_of, sha256_of, write_atomically


def _write(folder: Path, label: CellLabel):
    (folder / "games").mkdir()
    table = CONVERTERS["games"](label, fake_games(1, 0, 500, 2))
    return table, write_chunk(folder, chunk_path("games", 3, 0, 500), table)


def test_write_chunk__reads_back_and_tells_what_it_wrote(tmp_path: Path, label: CellLabel) -> None:
    table, fact = _write(tmp_path, label)
    path = tmp_path / fact.path
    assert fact.path == "games/cell-00003-000000000000-000000000500.parquet"
    assert pq.read_table(path).equals(table)
    assert (fact.rows, fact.size) == (1000, path.stat().st_size)
    assert fact.sha256 == sha256_of(path)
    assert [p.name for p in (tmp_path / "games").iterdir()] == [path.name]


def test_write_chunk__is_deterministic(tmp_path: Path, label: CellLabel) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    assert _write(tmp_path / "1", label)[1] == _write(tmp_path / "2", label)[1]


def test_write_atomically__leaves_the_old_file_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_damage_of__finds_each_kind(tmp_path: Path, label: CellLabel) -> None:
    _, fact = _write(tmp_path, label)
    path = tmp_path / fact.path
    data = path.read_bytes()
    assert damage_of(tmp_path, fact) is None
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    path.write_bytes(flipped)
    assert damage_of(tmp_path, fact) == "has other bytes than were written"
    assert damage_of(tmp_path, fact, thorough=False) is None
    path.write_bytes(data[:-1])
    assert "bytes instead of" in str(damage_of(tmp_path, fact, thorough=False))
    path.unlink()
    assert damage_of(tmp_path, fact) == "is missing"
