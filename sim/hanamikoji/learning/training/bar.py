"""A training's progress on a terminal."""

from __future__ import annotations

from typing import Any


class TrainingBar:
    """Rounds of self-play as a bar on stderr, for `ensure_weights`; nothing if that is no terminal.

    It goes away when a training is over; as a context manager, also when one is interrupted.
    """

    def __init__(self) -> None:
        self._bar: Any = None

    def __enter__(self) -> TrainingBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __call__(self, name: str, rounds: int, played: int) -> None:
        """Show that the agent of this name has played so many of its rounds."""
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(
                total=rounds, unit=" rounds", unit_scale=True, leave=False, disable=None,
                desc=f"training {name}",
            )  # fmt: skip
        self._bar.update(min(played, rounds) - self._bar.n)
        if played >= rounds:
            self.__exit__()
