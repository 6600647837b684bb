"""Probes as files: what is written is read again, and nothing else is taken for one."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.results import PROBES, Probe, look, read_probe, write_probe
from hanamikoji.results.probes import FRESH, SEARCH, Attack, SeatScore

FOUND = Probe(
    "learned",
    "0.1.0",
    {"effort": "quick"},
    "0123456789abcdef",
    500_000,
    400,
    1,
    (
        Attack(
            FRESH, 20_000, 0.45, 0.44, 0.46, SeatScore(0.5, 0.48, 0.52), SeatScore(0.4, 0.38, 0.42)
        ),
        Attack(
            SEARCH, 1000, 0.6, 0.55, 0.65, SeatScore(0.51, 0.45, 0.57), SeatScore(0.69, 0.63, 0.75)
        ),
    ),
)


def kept(folder: Path, change: Any) -> Path:
    """A file with something else in it than was written."""
    path = write_probe(folder, FOUND)
    table = json.loads(path.read_text("utf-8"))
    change(table)
    path.write_text(json.dumps(table), "utf-8")
    return path


def test_probe__is_read_as_it_was_written(tmp_path: Path) -> None:
    path = write_probe(tmp_path / "deep" / "er", FOUND)
    assert read_probe(path) == FOUND
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    table = json.loads(path.read_text("utf-8"))
    assert (table["bound"], table["text"]) == (0.55, FOUND.sentence())


def test_probe__the_best_attack_of_each_seat_is_the_one_that_is_sure_of_most() -> None:
    """A search that was measured on few games does not count for its luck."""
    assert FOUND.from_starter == FOUND.attacks[0].as_starter
    assert FOUND.from_second == FOUND.attacks[1].as_second


def test_probe__each_target_has_a_file_and_keeps_it(tmp_path: Path) -> None:
    others = [
        {"agent": "a/b"},
        {"agent": "a:b"},
        {"options": {}},
        {"rules": "fedcba9876543210"},
    ]
    paths = {write_probe(tmp_path, dataclasses.replace(FOUND, **each)) for each in others}
    first = write_probe(tmp_path, FOUND)
    assert len(paths | {first}) == 5
    assert write_probe(tmp_path, dataclasses.replace(FOUND, seed=2)) == first
    assert read_probe(first).seed == 2
    assert all(p.parent == tmp_path and PROBES.fullmatch(p.name) for p in paths)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.pop("agent"),
        lambda table: table.update(format=1),
        lambda table: table.update(rounds=0),
        lambda table: table.update(rounds=10**20),
        lambda table: table.update(options=[]),
        lambda table: table.update(attacks=[]),
        lambda table: table["attacks"][0].update(how="<b>magic</b>"),
        lambda table: table["attacks"][0].update(score=1.01),
        lambda table: table["attacks"][0].update(low=float("nan")),
        lambda table: table["attacks"][0].update(low=0.6, high=0.5),
        lambda table: table["attacks"][0].pop("as_starter"),
        lambda table: table["attacks"][0]["as_second"].update(low=0.6, high=0.5),
        lambda table: table.update(seconds=-1),
    ],
)
def test_read_probe__refuses_what_no_probe_says(tmp_path: Path, change: Any) -> None:
    path = kept(tmp_path, change)
    with pytest.raises(ResultsError, match=f"{path.name} is damaged, or was not written by"):
        read_probe(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"{}", b"\xff\x00", b"[" * 100_000])
def test_read_probe__refuses_what_is_no_table(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "probe.json").write_bytes(text)
    with pytest.raises(ResultsError, match=r"probe\.json is damaged"):
        read_probe(tmp_path / "probe.json")


def test_read_probe__says_what_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="can't be read: not a plain file"):
        read_probe(tmp_path)


def test_write_probe__leaves_nothing_where_it_can_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(ResultsError, match=r"probe-learned-.* can't be written: No space left"):
            write_probe(tmp_path, FOUND)
    assert not list(tmp_path.iterdir())


def test_look__a_folder_of_probes_is_free_for_a_run(tmp_path: Path) -> None:
    write_probe(tmp_path, FOUND)
    assert look(tmp_path).kind == "empty"
    (tmp_path / "probed.json").touch()
    assert look(tmp_path).kind == "foreign"
