"""Progress of a run: discarded, or shown on a terminal."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from hanamikoji.learning.training.bar import TrainingBar
from hanamikoji.run.work import Task
from hanamikoji.text import escape_terminal, mute, say

_BAR = (
    "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} games "
    "[{elapsed}<{remaining}, {rate_fmt}{postfix}]"
)


class Progress(Protocol):
    """Called as a run advances, always in the thread that began it, except `note`."""

    def note(self, text: str) -> None:
        """A line about something slow, or something to know."""

    def train(self, agent: str, rounds: int, played: int) -> None:
        """Of the ``rounds`` of self-play that an agent is trained for, some have been played."""

    def begin(self, games: int, played: int, cells: int) -> None:
        """Of all ``games``, ``played`` are there already; the rest begins now."""

    def resize(self, games: int) -> None:
        """There are fewer games to be played in all than was thought."""

    def update(self, games: int, latest: Task | None, failures: int) -> None:
        """``games`` have been played since `begin`, ``latest`` was the last task to be finished."""

    def end(self) -> None:
        """No more games are played, for whatever reason."""


class Silence:
    """Discards all progress."""

    def note(self, text: str) -> None:
        """Nothing."""

    def train(self, agent: str, rounds: int, played: int) -> None:
        """Nothing."""

    def begin(self, games: int, played: int, cells: int) -> None:
        """Nothing."""

    def resize(self, games: int) -> None:
        """Nothing."""

    def update(self, games: int, latest: Task | None, failures: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


class Terminal:
    """Notes on stderr, and a bar over the whole run where that is a terminal."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._training = TrainingBar()
        self._cells = self._before = 0

    def note(self, text: str) -> None:
        """One line on stderr."""
        say(escape_terminal(text))

    def train(self, agent: str, rounds: int, played: int) -> None:
        """Draw a bar of its own."""
        self._training(agent, rounds, played)

    def begin(self, games: int, played: int, cells: int) -> None:
        """Draw the bar."""
        self._cells, self._before = cells, played
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=games, initial=played, unit="", unit_scale=True, bar_format=_BAR, leave=False
            )

    def resize(self, games: int) -> None:
        """Shorten the bar."""
        if self._bar is not None:
            self._bar.total = games

    def update(self, games: int, latest: Task | None, failures: int) -> None:
        """Bring the bar up to date."""
        if self._bar is None:
            return
        notes = (
            [f"cell {latest.cell.index + 1}/{self._cells}"] if latest and self._cells > 1 else []
        )
        if failures:
            notes.append(f"{failures} failures")
        self._bar.set_postfix_str(", ".join(notes), refresh=False)
        try:
            self._bar.update(max(0, self._before + games - self._bar.n))
        except OSError:  # the terminal is gone
            mute(sys.stderr)

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
