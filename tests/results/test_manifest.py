"""A manifest from anybody is rejected with one sentence, or is what a run could have left."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanamikoji.errors import ResultsError
from hanamikoji.results import (
    CellLabel,
    find_run,
    look,
    merge,
    open_dataset,
    open_store,
    resume_line,
)
from hanamikoji.results.journal import JOURNAL
from hanamikoji.results.lock import LOCK
from hanamikoji.results.manifest import MANIFEST, _checksum, read_manifest
from results.test_store import COMMAND, fill, manifest, put

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def folder(tmp_path: Path, label: CellLabel) -> Path:
    fill(tmp_path / "x", label, [0, 10, 20])
    return tmp_path / "x"


def sign(folder: Path, change: Change) -> None:
    """Change the manifest and give it the right checksum, as somebody who means harm would."""
    body = json.loads((folder / MANIFEST).read_text())
    del body["checksum"]
    change(body)
    (folder / MANIFEST).write_text(json.dumps(body | {"checksum": _checksum(body)}))
    (folder / JOURNAL).unlink()


def chunk_file(body: dict[str, Any], **changes: Any) -> None:
    body["chunks"][0]["files"]["games"] |= changes


OUTSIDE = "../payload.parquet"

FORGED: dict[str, Change] = {
    "path outside": lambda body: chunk_file(body, path=OUTSIDE),
    "absolute path": lambda body: chunk_file(body, path="/dev/zero"),
    "another chunk's path": lambda body: chunk_file(
        body, path="games/cell-00003-000000000010-000000000020.parquet"
    ),
    "size is text": lambda body: chunk_file(body, size="10"),
    "size is negative": lambda body: chunk_file(body, size=-1),
    "rows are true": lambda body: chunk_file(body, rows=True),
    "rows are too many": lambda body: chunk_file(body, rows=21),
    "no hash": lambda body: chunk_file(body, sha256="x"),
    "unknown table": lambda body: body["chunks"][0]["files"].update(
        x=body["chunks"][0]["files"].pop("games")
    ),
    "unknown cell": lambda body: body["chunks"][0].update(cell=99),
    "deals beyond the cell": lambda body: body["cells"][3].update(games=30, deals=15),
    "games that aren't the deals'": lambda body: body["cells"][0].update(games=41),
    "cells in disorder": lambda body: body["cells"].reverse(),
    "cell of no variant": lambda body: body["cells"][0].update(variant="y"),
    "cell of no agent": lambda body: body["cells"][0].update(agent_b="y"),
    "unknown key": lambda body: body.update(more=1),
    "missing key": lambda body: body.pop("seed"),
    "games is null": lambda body: body.update(games=None),
    "games is huge": lambda body: body.update(games=10**400),
    "state is new": lambda body: body.update(state="done"),
    "two commands": lambda body: body.update(command="hanamikoji run x; rm -rf y"),
    "another command": lambda body: body.update(command="rm -rf y"),
    "unclosed quote": lambda body: body.update(command="hanamikoji 'run"),
    "name with a path": lambda body: body.update(name="../x"),
    "rules without charm": lambda body: body["variants"]["thr<ee"].update(rules={}),
    "stop of a shape": lambda body: body["experiment"].update(stop={"sprt": 3}),
    "stop beyond": lambda body: body.update(
        stops=[{"cell": 3, "rule": "sprt", "outcome": "x", "units": 99, "games": 198}]
    ),
    "chunks is a table": lambda body: body.update(chunks={}),
    "seconds is not a number": lambda body: body.update(seconds=float("nan")),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_read_manifest__refuses_what_no_run_writes(folder: Path, change: Change) -> None:
    sign(folder, change)
    with pytest.raises(ResultsError, match=r"manifest.json is damaged") as caught:
        open_dataset(folder)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500 + len(str(folder))
    assert look(folder).kind == "damaged"


def test_read_manifest__reads_what_was_signed_anew(folder: Path) -> None:
    before = read_manifest(folder)
    sign(folder, lambda body: None)
    assert read_manifest(folder) == before


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"null", b'{"checksum": 1}', b"[" * 100_000, b"\xff", b"9" * 10_000]
)
def test_read_manifest__refuses_other_files(folder: Path, data: bytes) -> None:
    (folder / MANIFEST).write_bytes(data)
    with pytest.raises(ResultsError, match="is damaged"):
        read_manifest(folder)


def test_read_manifest__refuses_a_device(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    (folder / MANIFEST).symlink_to("/dev/zero")
    with pytest.raises(ResultsError, match="not a plain file"):
        read_manifest(folder)


def test_merge__does_not_follow_a_path_out_of_a_shard(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "payload.parquet").write_bytes(b"payload")
    sign(folder, lambda body: chunk_file(body, path=OUTSIDE))
    (tmp_path / "deep").mkdir()
    with pytest.raises(ResultsError, match="names another file"):
        merge(tmp_path / "deep" / "out", [folder], "hanamikoji run x")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep", "payload.parquet", "x"]


def test_open_results__does_not_follow_a_link_to_a_device(folder: Path) -> None:
    path = open_dataset(folder).paths()[0]
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(ResultsError, match="not a plain file"):
        open_dataset(folder)


def test_open_store__deletes_nothing_behind_a_linked_folder(folder: Path, tmp_path: Path) -> None:
    (folder / "games").rename(tmp_path / "elsewhere")
    (folder / "games").symlink_to(tmp_path / "elsewhere")
    kept = tmp_path / "elsewhere" / "cell-00009-000000000000-000000000001.parquet"
    kept.touch()
    with (
        pytest.raises(ResultsError, match="games is a link"),
        open_store(folder, manifest(), resume=True, command=COMMAND),
    ):
        pass
    assert kept.exists()


def test_open_store__overwrites_nothing_behind_a_linked_lock(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / LOCK).symlink_to(tmp_path / "precious")
    with (
        pytest.raises(ResultsError, match="can't be written to"),
        open_store(tmp_path / "x", manifest(), resume=True, command=COMMAND),
    ):
        pass
    assert (tmp_path / "precious").read_text() == "kept"


def test_read_journal__lists_no_chunk_that_the_manifest_can_not_hold(
    folder: Path, label: CellLabel
) -> None:
    with open_store(folder, manifest(), resume=True, command=COMMAND) as store:
        put(store, label, 20, 30)  # a cell has 20 deals
    assert [(record.first, record.last) for record in find_run(folder).records] == [
        (0, 10),
        (10, 20),
    ]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"))))
def test_resume_line__is_one_line_that_bash_reads_as_it_was_typed(words: list[str]) -> None:
    line = resume_line(shlex.join(["printf", r"%s\0", *words]))
    assert line.isprintable()
    assert line.endswith(" --resume")
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env=environment)
    assert done.stdout.decode().split("\0")[:-1] == [*words, "--resume"]
