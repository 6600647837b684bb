"""What training leaves behind as a file: an .npz of arrays, without pickles, and their origin."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.files import write_whole

Array = npt.NDArray[Any]

_ORIGIN = "origin"  # the entry with JSON


def write_archive(
    path: Path, arrays: Mapping[str, Array], origin: Mapping[str, Any], level: int
) -> None:
    """Write arrays and their origin; the same ones give the same bytes.

    Args:
        path: The file, whole or absent; its folder is made.
        arrays: By name.
        origin: What can be written as JSON.
        level: Of the compression, 0 to 9.

    Raises:
        OSError: The file can't be written.
    """
    text = np.array(json.dumps(origin, sort_keys=True))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in (*arrays.items(), (_ORIGIN, text)):
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            data = io.BytesIO()
            np.lib.format.write_array(data, np.asarray(array, order="C"), allow_pickle=False)
            archive.writestr(entry, data.getvalue(), compresslevel=level)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getbuffer())


def read_archive(path: Path, names: Iterable[str], most_bytes: int) -> tuple[Any, dict[str, Array]]:
    """The origin, unchecked, and the arrays of these names.

    Raises:
        Exception: Whatever zipfile, NumPy and json raise for a damaged file, or one that unpacks to
            more than ``most_bytes``.
    """
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > most_bytes:
            raise ValueError(f"{path} unpacks to more than {most_bytes:,} bytes")
    with np.load(path, allow_pickle=False) as file:
        return json.loads(str(file[_ORIGIN][()])), {name: file[name] for name in names}
