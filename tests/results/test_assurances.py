"""Assurances as files: what is written is read again, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.results import (
    Assurance,
    ExactValue,
    SeatScore,
    TrainedMirror,
    Trainings,
    look,
    read_assurance,
    write_assurance,
)

FOUND = Assurance(
    "0123456789abcdef",
    ExactValue(0.5001, 0.5003, 1.5),
    "",
    (
        Trainings(
            "learned",
            TrainedMirror(1, "a1", 20_000, SeatScore(0.42, 0.41, 0.43)),
            TrainedMirror(2, "b2", 20_000, SeatScore(0.57, 0.56, 0.58)),
            30.0,
        ),
    ),
)


def test_assurance__is_read_as_it_was_written(tmp_path: Path) -> None:
    path = write_assurance(tmp_path / "deep" / "er", FOUND)
    assert read_assurance(path) == FOUND
    unsolved = Assurance(FOUND.rules, None, "too large")
    assert write_assurance(path.parent, unsolved) == path
    assert read_assurance(path) == unsolved


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.pop("rules"),
        lambda table: table.update(format=2),
        lambda table: table["exact"].update(low=0.6, high=0.5),
        lambda table: table["exact"].update(low=-0.1),
        lambda table: table["trainings"][0]["first"].update(seed=-1),
        lambda table: table["trainings"][0]["second"]["score"].update(low=0.6, high=0.5),
        lambda table: table["trainings"][0].update(agent="x" * 1000),
    ],
)
def test_read_assurance__refuses_what_no_run_says(tmp_path: Path, change: Any) -> None:
    path = write_assurance(tmp_path, FOUND)
    table = json.loads(path.read_text("utf-8"))
    change(table)
    path.write_text(json.dumps(table), "utf-8")
    with pytest.raises(ResultsError, match=r"is damaged, or was not written by hanamikoji run"):
        read_assurance(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"{}", b"\xff\x00", b"[" * 100_000])
def test_read_assurance__refuses_what_is_no_table(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "assurance-x.json").write_bytes(text)
    with pytest.raises(ResultsError, match="is damaged"):
        read_assurance(tmp_path / "assurance-x.json")


def test_look__a_folder_of_assurances_is_free_for_a_run(tmp_path: Path) -> None:
    write_assurance(tmp_path, FOUND)
    assert look(tmp_path).kind == "empty"
