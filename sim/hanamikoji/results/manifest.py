"""manifest.json: what a results folder holds, where it came from, and its list of chunks.

Keys: ``format`` (of this file), ``identity`` (`Experiment.digest`: equal when deal N of cell C is
the same game), ``name``, ``state`` (running | interrupted | failed | finished), ``games`` (per
cell), ``experiment`` (its tables), ``seed``, ``record``, ``shard`` (where it is
one, such as 2/8), ``command``, ``versions``, ``platform``,
``agents``, ``variants`` (rules and their hash), ``cells``, ``sweep`` (its points), ``failures``,
``stops`` (of cells that a rule ended, see `hanamikoji.results.stops`), ``seconds`` (spent in all),
``chunks`` and ``checksum`` (of everything else in the file).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hanamikoji.results.files import write_atomically

MANIFEST = "manifest.json"
FORMAT = 1

_GAMELESS_KEYS = ("name", "games", "margin", "baseline", "stall")  # see Experiment.digest


def differing_keys(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Dotted keys, sorted, in which two experiments' tables are different games."""
    flat_mine, flat_theirs = _flat(mine), _flat(theirs)
    missing = object()
    return sorted(
        key
        for key in {*flat_mine, *flat_theirs}
        if key not in _GAMELESS_KEYS
        and flat_mine.get(key, missing) != flat_theirs.get(key, missing)
    )


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write manifest.json, whole or not at all. Raises `OSError`."""
    body = {key: value for key, value in manifest.items() if key != "checksum"}
    whole = body | {"checksum": _checksum(body)}
    lines = (f"{json.dumps(key)}: {_lines(value)}" for key, value in whole.items())
    write_atomically(folder / MANIFEST, ("{\n " + ",\n ".join(lines) + "\n}\n").encode())


def _lines(value: Any) -> str:
    """JSON with an entry a line, one level deep: people can read it, and ten thousand cells take no
    time (JSON's own indenting is a hundred times slower)."""
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
    if isinstance(value, dict) and value:
        rows = (f"{json.dumps(key)}: {json.dumps(row)}" for key, row in value.items())
        return "{\n  " + ",\n  ".join(rows) + "\n }"
    return json.dumps(value)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest, or none when it is missing, cut, or altered."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        checksum = manifest.pop("checksum")
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    if checksum != _checksum(manifest) or manifest.get("format") != FORMAT:
        return None
    return dict(manifest)


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(body)).hexdigest()


def _canonical(table: Mapping[str, Any]) -> bytes:
    return json.dumps(table, sort_keys=True, separators=(",", ":")).encode()


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
