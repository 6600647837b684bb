"""What a run tells its user while it runs: one bar over the whole plan, and a few notes."""

from __future__ import annotations

import sys
from typing import Any, Self

from hanamikoji.run.work import Task

_BAR = (
    "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} games "
    "[{elapsed}<{remaining}, {rate_fmt}{postfix}]"
)


class Progress:
    """A bar on stderr when that is a terminal, else nothing; notes too unless ``quiet``."""

    def __init__(self, total: int, done: int, *, quiet: bool, cells: int) -> None:
        self._cells = cells
        self._done = done
        self._bar: Any = None
        if not quiet and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, initial=done, unit="", unit_scale=True, bar_format=_BAR, leave=False
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def resize(self, total: int) -> None:
        """There are ``total`` games to be played in all, fewer than was thought."""
        if self._bar is not None:
            self._bar.total = total

    def update(self, games: int, latest: Task | None, failures: int) -> None:
        """``games`` have been played in this run, ``latest`` was the last task to be finished."""
        if self._bar is None:
            return
        notes = (
            [f"cell {latest.cell.index + 1}/{self._cells}"] if latest and self._cells > 1 else []
        )
        if failures:
            notes.append(f"{failures} failures")
        self._bar.set_postfix_str(", ".join(notes), refresh=False)
        self._bar.update(max(0, self._done + games - self._bar.n))


def note(text: str, *, quiet: bool = False) -> None:
    """One line on stderr for people who wait."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)
