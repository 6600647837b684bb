"""Threads that share the parts of each step of a training."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait


class Team:
    """So many threads, the caller's among them: the fewer are woken, the less a step costs."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(max(threads - 1, 1), thread_name_prefix="training")

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def share(self, work: Callable[[int, int], None], parts: int) -> None:
        """Call ``work(begin, end)`` for stretches of ``range(parts)``, one for each thread.

        Returns, or raises what one of them raised, after all have ended.
        """
        n = min(self._threads, parts)
        ends = [parts * i // n for i in range(n + 1)]
        others = [self._pool.submit(work, ends[i], ends[i + 1]) for i in range(1, n)]
        try:
            work(0, ends[1])
        finally:
            wait(others)
        for other in others:
            other.result()
