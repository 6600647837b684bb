"""Threads that share the parts of a step."""

from __future__ import annotations

import threading

import pytest

from hanamikoji.learning.training.team import Team


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("parts", [1, 2, 7, 8])
def test_share__does_each_part_once(threads: int, parts: int) -> None:
    done: list[int] = []
    with Team(threads) as team:
        for _ in range(20):
            team.share(lambda begin, end: done.extend(range(begin, end)), parts)
    assert sorted(done) == sorted(list(range(parts)) * 20)


def test_share__works_on_parts_at_the_same_time() -> None:
    met = threading.Barrier(3, timeout=30)
    with Team(3) as team:
        team.share(lambda begin, end: met.wait() and None, 3)


@pytest.mark.parametrize("failing", [0, 1])
def test_share__raises_when_all_have_ended(failing: int) -> None:
    ended: list[int] = []
    begun = threading.Barrier(2, timeout=30)

    def work(begin: int, end: int) -> None:
        begun.wait()
        if begin == failing:
            raise ValueError(f"part {begin}")
        ended.append(begin)

    with Team(2) as team, pytest.raises(ValueError, match=f"part {failing}"):
        team.share(work, 2)
    assert ended == [1 - failing]
