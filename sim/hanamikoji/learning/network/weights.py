"""What training leaves behind: integer weights, V, and where they come from; as a file, too."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.errors import PluginError
from hanamikoji.learning.archive import read_archive, write_archive
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.features import FeatureLayout

Array = npt.NDArray[Any]

FORMAT = 2
"""Of the file."""

TRAINER = 3
"""Raised whenever training gives other weights than before."""

_MOST_BYTES = 200_000_000
_ARRAYS: dict[str, tuple[Any, int]] = {
    "rows": (np.int16, 2),
    "heads": (np.int16, 2),
    "scales": (np.float64, 1),
    "biases": (np.float64, 1),
    "values": (np.float64, 1),
    "temperature": (np.float64, 1),
}


@dataclass(frozen=True)
class WeightsOrigin:
    """Where weights come from: the same origin, the same weights."""

    rules: str
    """The rules' hash."""
    plan: str
    """`FeatureLayout.signature`."""
    rounds: int
    seed: int
    trainer: int = TRAINER
    format: int = FORMAT


@dataclass(frozen=True, eq=False)
class Weights:
    """A trained network: int16 rows (rows, 64) and heads (heads, 64), and float64 vectors.

    A head's score times its entry of ``scales``, plus that of ``biases``, are the log-odds of
    winning the game. ``values`` is V, see `hanamikoji.learning.network.values`. Choices are drawn
    with probabilities in proportion to exp(log-odds / temperature), or the best one is taken where
    that is 0; ``temperature`` is (1,).
    """

    rows: Array
    heads: Array
    scales: Array
    biases: Array
    values: Array
    temperature: Array
    origin: WeightsOrigin

    @property
    def hash(self) -> str:
        """16 hex digits of everything in it; what the manifest records."""
        digest = hashlib.sha256(json.dumps(asdict(self.origin), sort_keys=True).encode())
        for name, (dtype, _) in _ARRAYS.items():
            digest.update(np.ascontiguousarray(getattr(self, name), dtype).tobytes())
        return digest.hexdigest()[:16]


def quantise(
    features: FeatureLayout,
    rows: Array,
    heads: Array,
    biases: Array,
    values: Array,
    temperature: float,
    origin: WeightsOrigin,
) -> Weights:
    """Integer weights from float ones, such that no sum can overflow.

    The hidden layer is at most the sum over the layout's slots of the largest rows, which decides
    the rows' scale (a power of two); that bound and a head's weights bound its output, which
    decides the head's scale.
    """
    above, below = np.zeros(lay.LANES), np.zeros(lay.LANES)
    for first, end, most in features.slots:
        above += most * np.maximum(rows[first:end].max(axis=0), 0)
        below -= most * np.minimum(rows[first:end].min(axis=0), 0)
    active = sum(most for _, _, most in features.slots)
    bound = max(above.max(), below.max(), 1e-3)
    scale = 2.0 ** np.floor(np.log2((32767 - active) / bound))
    int_rows = np.floor(rows.astype(np.float64) * scale + 0.5).astype(np.int16)
    most_hidden = above * scale + active
    reach = np.abs(heads.astype(np.float64)) @ most_hidden + 1e-9
    largest = np.abs(heads).max(axis=1) + 1e-9
    head_scales = np.minimum((2.0**31 - 65 * 32768) / reach, 32766 / largest)
    head_scales = 2.0 ** np.floor(np.log2(head_scales))
    int_heads = np.floor(heads * head_scales[:, None] + 0.5).astype(np.int16)
    return Weights(
        int_rows, int_heads, 1.0 / (scale * head_scales), biases.astype(np.float64),
        values.astype(np.float64), np.array([temperature]), origin,
    )  # fmt: skip


# --- files ---------------------------------------------------------------------------------------


def save_weights(path: Path, weights: Weights) -> None:
    """Write an .npz without pickles, whole or not at all; the same weights give the same bytes."""
    arrays = {name: getattr(weights, name) for name in _ARRAYS}
    write_archive(path, arrays, asdict(weights.origin), level=9)


def load_weights(path: Path) -> Weights:
    """Read a file of weights, whatever rules it is for.

    Raises:
        PluginError: there is no such file, it is damaged, or another version wrote it.
    """
    try:
        facts, arrays = read_archive(path, _ARRAYS, _MOST_BYTES)
        origin = _origin(facts)
    except FileNotFoundError:
        raise PluginError(f"there is no weights file {str(path)!r}") from None
    except (_OldError, IsADirectoryError, PermissionError) as error:
        why = error.args[0] if isinstance(error, _OldError) else "can't be read"
        raise PluginError(f"weights file {str(path)!r} {why}") from None
    except Exception:
        raise PluginError(
            f"weights file {str(path)!r} is damaged or not a weights file; write one with: "
            "hanamikoji train RULES --out FILE"
        ) from None
    for name, (dtype, dimensions) in _ARRAYS.items():
        array = arrays[name]
        finite = array.dtype != np.float64 or np.isfinite(array).all()
        if array.dtype != dtype or array.ndim != dimensions or not finite:
            raise PluginError(f"weights file {str(path)!r} is damaged: its {name} are unusable")
    return Weights(**arrays, origin=origin)


class _OldError(Exception):
    pass


def _origin(table: dict[str, Any]) -> WeightsOrigin:
    if table["format"] != FORMAT:
        raise _OldError(
            f"has format {table['format']}, not {FORMAT}: another version of hanamikoji wrote it; "
            "train again"
        )
    types = {"rules": str, "plan": str}
    if any(type(table[f.name]) is not types.get(f.name, int) for f in fields(WeightsOrigin)):
        raise ValueError
    return WeightsOrigin(**table)


def check_weights(weights: Weights, features: FeatureLayout, rules: str, where: str) -> Weights:
    """The same weights, if they are for this layout of the rules with this hash.

    Raises:
        PluginError: they aren't; ``where`` names them.
    """
    if weights.origin.rules != rules:
        raise PluginError(
            f"{where} were trained for the rules {weights.origin.rules}, not for {rules}; train "
            "others with: hanamikoji train RULES --out FILE"
        )
    shapes = (
        (features.rows, lay.LANES), (features.heads, lay.LANES),
        (features.heads,), (features.heads,), (int(features.array[lay.VALUES]),), (1,),
    )  # fmt: skip
    found = tuple(getattr(weights, name).shape for name in _ARRAYS)
    if weights.origin.plan != features.signature or found != shapes:
        raise PluginError(
            f"{where} belong to another version of hanamikoji; train others with: hanamikoji "
            "train RULES --out FILE"
        )
    return weights
