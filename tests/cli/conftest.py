from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hanamikoji.cli import main
from odd_agents import install


@dataclass
class Said:
    code: int
    out: str
    err: str


Cli = Callable[..., Said]


@pytest.fixture
def odd(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The odd agents are installed."""
    folder = install(tmp_path_factory.mktemp("odd"))
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Said:
        words = [str(argument) for argument in arguments]
        monkeypatch.setattr("sys.argv", ["hanamikoji", *words])
        with pytest.raises(SystemExit) as caught:
            main(words)
        captured = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return Said(caught.value.code, captured.out, captured.err)

    return run
