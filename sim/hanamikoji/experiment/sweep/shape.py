"""The shape of [sweep]: which tables it may contain, with which kinds of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.settings import parse_key
from hanamikoji.rules.sentences import bare_key, choices, show, unknown_key

FORMS = ("grid", "zip", "list", "sample")
"""The ways to make points."""

SWEEP_KEYS = (*FORMS, "skip_invalid")

ROOTS = ("rules", "variants", "actions", "agents", "matchups")
"""The tables of an experiment whose keys may be swept."""

MOST_POINTS = 100_000
"""Points that a sweep may have: more is a mistake, or a few sweeps."""

_MOST_NUMBER = 10**15
_RANGE = ("from", "to", "scale")
_QUOTES = 'a dotted key must stand in quotes, such as "rules.hand" = [5, 6]'


def check_sweep(sweep: Any) -> None:
    """See that [sweep] has the keys and kinds of values that it may have.

    Raises `hanamikoji.errors.ExperimentError` with one sentence.
    """
    if not isinstance(sweep, Mapping):
        raise ExperimentError(f"sweep is {show(sweep)}; it must be a table")
    unknown = unknown_key(sweep, SWEEP_KEYS)
    if unknown:
        raise ExperimentError(f"sweep.{unknown[0]} {unknown[1]}")
    if not isinstance(sweep.get("skip_invalid", False), bool):
        raise ExperimentError(
            f"sweep.skip_invalid is {show(sweep['skip_invalid'])}; it must be true or false"
        )
    forms = [form for form in FORMS if form in sweep]
    for form in forms:
        _CHECKS[form](f"sweep.{form}", sweep[form])
    if not forms:
        raise ExperimentError(f"sweep has no points; it must have {choices(FORMS)}")
    _check_keys(sweep)


def _check_grid(at: str, table: Any) -> None:
    for key, values in _entries(at, table):
        _check_listed(key, values)


def _check_zip(at: str, table: Any) -> None:
    _check_grid(at, table)
    lengths = {len(values) for values in table.values()}
    if len(lengths) > 1:
        raise ExperimentError(
            f"{at} has lists of {min(lengths)} to {max(lengths)} values; all must have the same "
            "length"
        )


def _check_list(at: str, points: Any) -> None:
    if not isinstance(points, list | tuple) or not all(isinstance(p, Mapping) for p in points):
        raise ExperimentError(
            f'{at} is not a list of tables; it must be one, such as [{{ "rules.hand" = 5 }}]'
        )
    if not points:
        raise ExperimentError(f"{at} is []; it must have at least 1 point")
    for i, point in enumerate(points):
        for key, value in point.items():
            if isinstance(value, Mapping) and key in ROOTS:
                raise ExperimentError(f"{at}.{i}.{key} is a table; {_QUOTES}")


def _check_sample(at: str, table: Any) -> None:
    entries = dict(_entries(at, table))
    points = entries.pop(f"{at}.points", None)
    if type(points) is not int or not 1 <= points <= MOST_POINTS:
        found = "is missing" if points is None else f"is {show(points)}"
        raise ExperimentError(
            f"{at}.points {found}; it must be a whole number from 1 to {MOST_POINTS}"
        )
    if not entries:
        raise ExperimentError(f"{at} has no key to sample; {_QUOTES}")
    for key, values in entries.items():
        if isinstance(values, Mapping):
            _check_range(key, values)
        else:
            _check_listed(key, values, ' or a range such as { "from" = 5, "to" = 9 }')


_CHECKS = {"grid": _check_grid, "zip": _check_zip, "list": _check_list, "sample": _check_sample}


def _entries(at: str, table: Any) -> Iterator[tuple[str, Any]]:
    """A table's entries under the keys that a message shows."""
    if not isinstance(table, Mapping) or not table:
        found = "empty" if table == {} else show(table)
        raise ExperimentError(
            f'{at} is {found}; it must be a table such as {{ "rules.hand" = [5, 6] }}'
        )
    for key, values in table.items():
        yield f"{at}.{show(key) if '.' in key else bare_key(key)}", values


def _check_listed(at: str, values: Any, other: str = "") -> None:
    if isinstance(values, Mapping):
        raise ExperimentError(f"{at} is a table; {_QUOTES}")
    if not isinstance(values, list | tuple) or not values:
        raise ExperimentError(
            f"{at} is {show(values)}; it must be a list of at least 1 value{other}"
        )


def _check_range(at: str, table: Mapping[str, Any]) -> None:
    if not {"from", "to"} & set(table):
        raise ExperimentError(f"{at} is a table without from and to; {_QUOTES}")
    unknown = unknown_key(table, _RANGE)
    if unknown:
        raise ExperimentError(f"{at}.{unknown[0]} {unknown[1]}")
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise ExperimentError(f"{at}.scale is {show(scale)}; it must be linear or log")
    ends: list[Any] = [table.get("from"), table.get("to")]
    for name, end in zip(("from", "to"), ends, strict=True):
        number = isinstance(end, int | float) and not isinstance(end, bool)
        if not number or not -_MOST_NUMBER <= end <= _MOST_NUMBER:
            found = "missing" if end is None else show(end)
            raise ExperimentError(f"{at}.{name} is {found}; it must be a number up to 10^15")
    low, high = ends
    if not low < high:
        raise ExperimentError(f"{at}.from is {show(low)}; it must be less than to, {show(high)}")
    if scale == "log" and low <= 0:
        raise ExperimentError(f"{at}.from is {show(low)}; it must be above 0 for scale = 'log'")


def keys_of(form: str, table: Any) -> Sequence[str]:
    """The keys that one way to make points sets, as they are written."""
    if form == "list":
        return list(dict.fromkeys(key for point in table for key in point))
    return [key for key in table if (form, key) != ("sample", "points")]


def _check_keys(sweep: Mapping[str, Any]) -> None:
    """See that each key can be swept and is set in one place."""
    seen: dict[tuple[str, ...], str] = {}
    for form in FORMS:
        for key in keys_of(form, sweep[form]) if form in sweep else ():
            path = parse_key(key)
            if path[0] not in ROOTS:
                raise ExperimentError(
                    f"sweep.{form} has the key {show(key)}, which can't be swept; it must begin "
                    f"with {choices(ROOTS)}"
                )
            if path in seen:
                raise ExperimentError(
                    f"sweep.{form} has the key {show(key)}, which stands in sweep.{seen[path]} "
                    "too; it may stand once"
                )
            seen[path] = form
