from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.results import is_locked
from hanamikoji.results.lock import HOLDER, LOCK, locked

fcntl = pytest.importorskip("fcntl")


@pytest.fixture(params=[errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def no_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks."""

    def flock(*_: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", flock)


def hold_and_die(folder: Path) -> str:
    """The file that a process leaves which is killed while it writes to a folder without locks."""
    code = (
        "import os, sys, fcntl, errno, pathlib\n"
        "from hanamikoji.results.lock import locked\n"
        "def flock(*_): raise OSError(errno.ENOLCK, '')\n"
        "fcntl.flock = flock\n"
        "with locked(pathlib.Path(sys.argv[1])): os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=False)
    return (folder / HOLDER).read_text()


@pytest.mark.usefixtures("no_locks")
def test_locked__without_locks_one_process_holds_the_folder(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    for _ in range(2):
        with locked(tmp_path):
            assert is_locked(tmp_path)
            with pytest.raises(ResultsError, match=r"another run .process .* is writing to"):
                locked(tmp_path).__enter__()
        assert not is_locked(tmp_path)
        assert not (tmp_path / HOLDER).exists()


@pytest.mark.usefixtures("no_locks")
def test_locked__without_locks_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    left = hold_and_die(tmp_path)
    assert not is_locked(tmp_path)
    with locked(tmp_path):
        assert (tmp_path / HOLDER).read_text() != left
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@pytest.mark.usefixtures("no_locks")
def test_locked__without_locks_a_number_used_again_holds_nothing(tmp_path: Path) -> None:
    mine = f"process {os.getpid()} on {socket.gethostname()} since 1.00"
    (tmp_path / HOLDER).write_text(mine)
    assert not is_locked(tmp_path)
    with locked(tmp_path):
        pass


@pytest.mark.usefixtures("no_locks")
@pytest.mark.parametrize("holder", ["process 1 on elsewhere since 1.00", "", "\x1b[2J", "x" * 900])
def test_locked__without_locks_an_unknown_holder_is_told_with_its_file(
    tmp_path: Path, holder: str
) -> None:
    (tmp_path / LOCK).touch()
    (tmp_path / HOLDER).write_text(holder)
    assert is_locked(tmp_path)
    with pytest.raises(ResultsError, match=f"delete .*{HOLDER} if it has ended") as caught:
        locked(tmp_path).__enter__()
    assert str(caught.value).isprintable()


def test_locked__another_failure_is_no_other_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        locked(tmp_path).__enter__()
