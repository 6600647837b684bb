"""From [sweep] to its points: each a value for every swept key."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.settings import Setting, parse_key
from hanamikoji.experiment.sweep.sampling import count_values, draw
from hanamikoji.experiment.sweep.shape import FORMS, MOST_POINTS, keys_of
from hanamikoji.rules.sentences import show

Path = tuple[str, ...]
Point = dict[Path, Any]
"""The swept keys' paths and this point's values."""

_MOST_DRAWS = 50
"""Draws for each point of a sample: a hundred thousand of a hundred thousand take twelve each."""


def make_points(sweep: Mapping[str, Any], seed: int) -> list[Point]:
    """All points of a [sweep] of the right shape.

    ``grid``, ``zip``, ``list`` and ``sample`` each make points; where several stand, each point of
    one is combined with each of the others, the first in the file changing slowest.

    Raises `hanamikoji.errors.ExperimentError` when there are too many, one stands twice, or one
    key's value contains another key's.
    """
    forms = [form for form in sweep if form in FORMS]
    size = math.prod(_count(form, sweep[form]) for form in forms)
    if size > MOST_POINTS:
        raise ExperimentError(
            f"sweep makes {show(size)} points; it must be at most {MOST_POINTS:,}"
        )
    made = [_MAKERS[form](sweep[form], seed) for form in forms]
    for form, points in zip(forms, made, strict=True):
        _check_different(form, points)
    found = [{k: v for part in parts for k, v in part.items()} for parts in product(*made)]
    for point in found:
        _check_apart(point)
    return found


def token(values: Any) -> str:
    """What two equal values, tables or points have in common; 1, 1.0 and true are different."""
    return repr(values)


def settings_of(point: Point) -> list[Setting]:
    """A point as settings of an experiment's tables."""
    return [Setting(path, value) for path, value in point.items()]


def _count(form: str, table: Any) -> int:
    if form == "grid":
        return math.prod(len(values) for values in table.values())
    if form == "zip":
        return len(next(iter(table.values())))
    return len(table) if form == "list" else int(table["points"])


def _grid(table: Mapping[str, Any], _seed: int) -> list[Point]:
    paths = [parse_key(key) for key in table]
    return [dict(zip(paths, values, strict=True)) for values in product(*table.values())]


def _zip(table: Mapping[str, Any], _seed: int) -> list[Point]:
    paths = [parse_key(key) for key in table]
    rows = zip(*table.values(), strict=True)
    return [dict(zip(paths, values, strict=True)) for values in rows]


def _list(table: Iterable[Mapping[str, Any]], _seed: int) -> list[Point]:
    paths = {key: parse_key(key) for key in keys_of("list", table)}
    return [{paths[key]: value for key, value in point.items()} for point in table]


def _sample(table: Mapping[str, Any], seed: int) -> list[Point]:
    """Different points, drawn until there are enough of them."""
    wanted = table["points"]
    values = {parse_key(key): table[key] for key in keys_of("sample", table)}
    there_are = math.prod(count_values(each) for each in values.values())
    found: dict[str, Point] = {}
    if wanted <= there_are:
        for number in range(_MOST_DRAWS * wanted):
            point = {
                path: draw(seed, ".".join(path), each, number) for path, each in values.items()
            }
            found.setdefault(token(list(point.values())), point)
            if len(found) == wanted:
                return list(found.values())
    most = show(there_are) if wanted > there_are else f"too few ({len(found):,} found)"
    raise ExperimentError(
        f"sweep.sample.points is {wanted}; it must be at most the number of different points that "
        f"the values make, which is {most}"
    )


_MAKERS: dict[str, Callable[[Any, int], list[Point]]] = {
    "grid": _grid,
    "zip": _zip,
    "list": _list,
    "sample": _sample,
}


def _check_apart(point: Point) -> None:
    """Check that no key's value contains another key's: one of the two would be lost."""
    for path in point:
        for n in range(1, len(path)):
            if path[:n] in point and _holds(point[path[:n]], path[n:]):
                raise ExperimentError(
                    f"sweep has {show('.'.join(path))} and, at the same point, a value of "
                    f"{show('.'.join(path[:n]))} that holds it too; give it only once"
                )


def _holds(value: Any, path: Path) -> bool:
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            return False
        value = value[part]
    return True


def _check_different(form: str, points: list[Point]) -> None:
    seen: dict[str, int] = {}
    for i, point in enumerate(points):
        first = seen.setdefault(token([[".".join(k), v] for k, v in sorted(point.items())]), i)
        if first != i:
            raise ExperimentError(
                f"sweep.{form} has points {first} and {i} (the first is 0) with the same values; "
                "each must be different"
            )
