"""Short names of points, made of what is different between them.

``charm-12_geishas-4`` for two keys; entries of a list of actions speak for themselves, so a mix is
``secret_trade-off_reveal_competition``. A value that makes no short text is numbered within its
key, and points with too many keys for a name are numbered as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hanamikoji.experiment.sweep.points import Path, Point, token

LONGEST_NAME = 80
_LONGEST_VALUE = 32
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.]+")


class Labels:
    """The short text of every value of every swept key."""

    def __init__(self, points: Sequence[Point]) -> None:
        values: dict[Path, dict[str, Any]] = {}
        for point in points:
            for path, value in point.items():
                values.setdefault(path, {})[token(value)] = value
        common = set.intersection(*(set(point) for point in points))
        self._constant = {path for path in common if len(values[path]) == 1}
        if len(self._constant) == len(values):
            self._constant.clear()
        self._keys = _key_names(list(values))
        self._values = {path: _value_names(list(each.values())) for path, each in values.items()}

    def of(self, path: Path, value: Any) -> str:
        """``charm-12``; only ``secret`` where the value is clear without its key.

        Empty where all points have the same value and differ in others.
        """
        if path in self._constant:
            return ""
        name = self._values[path][token(value)]
        return name if _speaks(path) and not name.isdecimal() else f"{self._keys[path]}-{name}"

    def phrase(self, path: Path, value: Any) -> str:
        """``budget=100``, for the name of an agent."""
        return f"{self._keys[path]}={self._values[path][token(value)]}"


def join_names(parts: Iterable[str]) -> str:
    """The parts of a point's name as one; they contain no underscores."""
    return "_".join(part for part in parts if part)


def numbered_if_long(names: Sequence[str], most: int = LONGEST_NAME) -> list[str]:
    """The names as they are, or all numbered if one is too long: ``point-007``."""
    if all(len(name) <= most for name in names):
        return list(names)
    digits = len(str(len(names)))
    return [f"point-{i:0{digits}}" for i in range(1, len(names) + 1)]


def all_different(names: Sequence[str]) -> list[str]:
    """The names, with a number where one stands again."""
    taken = set(names)
    seen: set[str] = set()
    different = []
    for name in names:
        chosen, number = name, 2
        while chosen in seen or (chosen != name and chosen in taken):
            chosen, number = f"{name}-{number}", number + 1
        seen.add(chosen)
        different.append(chosen)
    return different


def _speaks(path: Path) -> bool:
    """Whether a value is clear without its key: a preset, or an action in a list."""
    whole = path == ("rules",) or (len(path) == 2 and path[0] == "variants")
    return whole or path[-1] == "preset" or path[-2:-1] == ("actions",)


def _key_names(paths: Sequence[Path]) -> dict[Path, str]:
    """The shortest tail of each path that no other path ends in."""
    names = {}
    for path in paths:
        own = _inner(path)
        others = [inner for other in paths if (inner := _inner(other)) != own]
        least = 2 if own[-1].isdecimal() and len(own) > 1 else 1
        tails = (own[-length:] for length in range(least, len(own) + 1))
        tail = next((t for t in tails if all(o[-len(t) :] != t for o in others)), own)
        names[path] = _clean(".".join(tail)) or "key"
    return names


def _inner(path: Path) -> Path:
    """A path without the table that it stands in: that is in the variant's or the agent's name."""
    outer = 2 if path[0] in ("variants", "agents") else 1
    return path[outer:] or path[-1:]


def _value_names(values: Sequence[Any]) -> dict[str, str]:
    """A short text for each value by its token: all different, else numbers."""
    tokens = [token(value) for value in values]
    for write in (_brief, _full):
        texts = [write(value) for value in values]
        short = all(0 < len(text) <= _LONGEST_VALUE for text in texts)
        if short and len(set(texts)) == len(texts):
            return dict(zip(tokens, texts, strict=True))
    return {each: str(i) for i, each in enumerate(tokens, 1)}


def _brief(value: Any) -> str:
    return _text(value, lambda text: text.rsplit("/", 1)[-1])


def _full(value: Any) -> str:
    return _text(value, str)


def _text(value: Any, shorten: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, str):
        return _clean(shorten(value))
    if isinstance(value, int | float):
        return repr(value).replace("+", "")
    if isinstance(value, Mapping):
        return "-".join(f"{_clean(str(k))}-{_text(v, shorten)}" for k, v in value.items())
    return "-".join(_text(each, shorten) for each in value)


def _clean(text: str) -> str:
    return _NOT_IN_NAMES.sub("-", text).strip("-.")
