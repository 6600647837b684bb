"""Connected components, paths and cycles among agents that met."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

_SHOWN = 10


def connected_groups(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Connected components, each sorted, in order of their first names."""
    group: dict[str, set[str]] = {}
    for one, two in edges:
        merged = group.get(one, {one}) | group.get(two, {two})
        for name in merged:
            group[name] = merged
    return sorted(sorted(names) for names in {id(g): g for g in group.values()}.values())


def reachable(start: str, edges: Iterable[tuple[str, str]]) -> set[str]:
    """Where paths along the edges lead from ``start``, itself included."""
    onward: dict[str, list[str]] = {}
    for one, two in edges:
        onward.setdefault(one, []).append(two)
    found, waiting = {start}, [start]
    while waiting:
        for name in onward.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def beat_cycles(beats: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Shortest cycles through each winner: x beats y beats z beats x. At most ten, short first.

    Args:
        beats: (winner, loser).
    """
    below: dict[str, list[str]] = {}
    for winner, loser in beats:
        below.setdefault(winner, []).append(loser)
    found = {
        _from_least(cycle) for name in below if (cycle := _shortest_cycle(name, below)) is not None
    }
    return tuple(sorted(found, key=lambda cycle: (len(cycle), cycle))[:_SHOWN])


def _shortest_cycle(start: str, below: dict[str, list[str]]) -> tuple[str, ...] | None:
    queue: deque[tuple[str, ...]] = deque([(start,)])
    seen = {start}
    while queue:
        path = queue.popleft()
        for name in below.get(path[-1], ()):
            if name == start:
                return path
            if name not in seen:
                seen.add(name)
                queue.append((*path, name))
    return None


def _from_least(cycle: tuple[str, ...]) -> tuple[str, ...]:
    least = cycle.index(min(cycle))
    return cycle[least:] + cycle[:least]
