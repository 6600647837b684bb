"""The shape of [sweep]; the points are made of it where a plan is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanamikoji.errors import ExperimentError
from hanamikoji.rules.sentences import bare_key, show, unknown_key

SWEEP_KEYS = ("grid", "zip", "list", "sample", "skip_invalid")


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
    for key in ("grid", "zip"):
        if key in sweep:
            _check_values(key, sweep[key])
    if "sample" in sweep and not isinstance(sweep["sample"], Mapping):
        raise ExperimentError(f"sweep.sample is {show(sweep['sample'])}; it must be a table")
    points = sweep.get("list", [])
    if not isinstance(points, list | tuple) or not all(isinstance(p, Mapping) for p in points):
        raise ExperimentError(
            'sweep.list is not a list of tables; it must be one, such as [{ "rules.hand" = 5 }]'
        )


def _check_values(kind: str, table: Any) -> None:
    if not isinstance(table, Mapping):
        raise ExperimentError(
            f'sweep.{kind} is {show(table)}; it must be a table such as {{ "rules.hand" = [5, 6] }}'
        )
    for key, values in table.items():
        at = f"sweep.{kind}.{show(key) if '.' in key else bare_key(key)}"
        if isinstance(values, Mapping):
            raise ExperimentError(
                f'{at} is a table; a dotted key must stand in quotes, such as "rules.hand" = [5, 6]'
            )
        if not isinstance(values, list | tuple) or not values:
            raise ExperimentError(f"{at} is {show(values)}; it must be a list of at least 1 value")
    lengths = {len(values) for values in table.values()}
    if kind == "zip" and len(lengths) > 1:
        raise ExperimentError(
            f"sweep.zip has lists of {min(lengths)} to {max(lengths)} values; all must be as long"
        )
