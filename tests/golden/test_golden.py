"""Golden playthroughs: a change in what a game is or shows must be seen in a diff, and meant."""

from __future__ import annotations

import pytest

from golden.games import FOLDER, GAMES, render
from hanamikoji.rules import PRESETS


@pytest.mark.parametrize("name", GAMES)
def test_playthrough__is_the_golden_one(name: str) -> None:
    """If the change is meant: ``PYTHONPATH=tests python -m golden``."""
    assert render(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_playthroughs__one_for_each_preset() -> None:
    assert set(GAMES) == set(PRESETS)
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PRESETS)
