"""Files that are whole or absent, and nothing but plain files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hanamikoji.files import read_plain, write_whole


def test_write_whole__leaves_the_old_file_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_read_plain__reads_no_more_than_it_may(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read_plain(tmp_path / "x", 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_plain(tmp_path / "x", 4)


def test_read_plain__refuses_links_devices_pipes_and_folders(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"1")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "link", tmp_path / "zero", tmp_path / "pipe", tmp_path):
        with pytest.raises(OSError):
            read_plain(path, 5)
    with pytest.raises(OSError, match="not a plain file"):
        read_plain(Path("/dev/zero"), 5)
