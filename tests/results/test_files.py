from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet as pq

from fake_engine import fake_games
from hanamikoji.results import CONVERTERS, CellLabel, chunk_path, write_chunk
from hanamikoji.results.files import damage_of


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
    assert fact.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [p.name for p in (tmp_path / "games").iterdir()] == [path.name]


def test_write_chunk__is_deterministic(tmp_path: Path, label: CellLabel) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    assert _write(tmp_path / "1", label)[1] == _write(tmp_path / "2", label)[1]


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
