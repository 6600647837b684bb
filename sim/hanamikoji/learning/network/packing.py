"""A network and its feature layout as the two arrays that a compiled agent is handed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FeatureLayout
from hanamikoji.learning.network.weights import Weights

Array = npt.NDArray[Any]


def pack(features: FeatureLayout, weights: Weights) -> tuple[Array, Array]:
    """int16 (R, 64) and float64 (N,), see `layout`: `hanamikoji.engine.seat.Parameters`.

    The layout's int32 lie behind the heads, in rows of int16.
    """
    rows = np.concatenate([weights.rows, weights.heads, _as_rows(features.array)])
    numbers = _numbers(features, len(rows), weights.scales, weights.biases, weights.values)
    numbers[lay.TEMPERATURE] = weights.temperature[0]
    return rows, numbers


def pack_values(features: FeatureLayout, values: Array) -> tuple[Array, Array]:
    """The same without a network: V alone."""
    rows, none = _as_rows(features.array), np.zeros(0)
    return rows, _numbers(features, len(rows), none, none, values)


def _as_rows(array: Array) -> Array:
    rows = np.zeros((-(-2 * len(array) // lay.LANES), lay.LANES), np.int16)
    rows.ravel()[: 2 * len(array)] = array.view(np.int16)
    return rows


def _numbers(features: FeatureLayout, rows: int, *parts: Array) -> Array:
    header = np.zeros(lay.NUMBERS_HEADER)
    header[lay.FEATURES_SIZE] = len(features.array)
    header[lay.FEATURES_ROW] = rows - len(_as_rows(features.array))
    at = lay.NUMBERS_HEADER
    for place, part in zip((lay.SCALES_AT, lay.BIASES_AT, lay.VALUES_AT), parts, strict=True):
        header[place] = at
        at += len(part)
    return np.concatenate([header, *parts])
