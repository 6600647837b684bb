"""A TOML file as plain tables, or one sentence on why it can't be read."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

from hanamikoji.errors import ExperimentError
from hanamikoji.rules.sentences import bare_key, show

MOST_BYTES = 1_000_000
"""Size of an experiment file: a larger one is no experiment."""

MOST_DEPTH = 20
"""Tables inside tables."""

# What TOML is made of, as far as nesting goes; each alternative reads on without going back.
_TOKENS = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*+'{3,5}"
    r'|"(?!"")(?:[^"\\\n]|\\.)*+"'
    r"|'(?!'')[^'\n]*+'"
    r"|#[^\n]*+|[^\s\"'#.=,\[\]{}]++|[.=,\[\]{}\n\"']",
    re.DOTALL,
)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file in UTF-8.

    Raises `hanamikoji.errors.ExperimentError` with one sentence that names the file.
    """
    name = show(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise ExperimentError(f"{name} is a folder; it must be a TOML file") from None
    except FileNotFoundError:
        raise ExperimentError(f"{name} isn't there; it must be a TOML file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise ExperimentError(f"{name} can't be read ({reason}); it must be a TOML file") from None
    if len(data) > MOST_BYTES:
        raise ExperimentError(f"{name} is larger than {MOST_BYTES:,} bytes; no experiment is")
    return decode_toml(data, name)


def decode_toml(data: bytes, name: str) -> dict[str, Any]:
    """The tables of TOML in UTF-8 ``data``, which messages call ``name``.

    Raises `hanamikoji.errors.ExperimentError` with one sentence.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ExperimentError(
            f"{name} isn't UTF-8 text (line {line}); a TOML file must be"
        ) from None
    check_nesting(text, name)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = " ".join(str(error).split())
    except ValueError:  # int() refuses digits by the thousand, datetime a 31st of February
        reason = "a number or date that is out of range"
    raise ExperimentError(f"{name} isn't readable as TOML: {reason}")


def check_nesting(text: str, name: str) -> None:
    """See that nothing in TOML ``text``, which messages call ``name``, is nested too deeply.

    That is done before it is parsed: the parser takes the square of a dotted key's length in time
    and memory.

    Raises `hanamikoji.errors.ExperimentError`.
    """
    dots = brackets = 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token == ".":
            dots += 1
        elif token in ("[", "{"):
            brackets += 1
        elif token in ("]", "}"):
            brackets -= 1
        elif token in ("=", ",", "\n"):
            dots = 0
        elif token in ("'", '"'):
            return  # a string without an end: the parser gets no further
        if max(dots, brackets) > MOST_DEPTH:
            line = text.count("\n", 0, match.start()) + 1
            raise ExperimentError(
                f"{name} isn't readable as TOML: more than {MOST_DEPTH} levels of nesting (at line "
                f"{line})"
            )


def check_plain(value: Any, key: str = "", depth: int = 0) -> None:
    """See that ``value`` can be written down as JSON and read back: no dates, no NaN, no cycles.

    Raises `hanamikoji.errors.ExperimentError` that names the dotted key.
    """
    if depth > MOST_DEPTH:
        raise ExperimentError(f"{key[:60]}... is nested deeper than {MOST_DEPTH} levels")
    if isinstance(value, dict):
        for inner, item in value.items():
            if not isinstance(inner, str):
                raise ExperimentError(f"{key or 'a table'} has the key {show(inner)}; use a string")
            _check_scalar(inner, key or "a key")
            check_plain(item, f"{key}.{bare_key(inner)}" if key else bare_key(inner), depth + 1)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            check_plain(item, f"{key}.{i}", depth + 1)
    else:
        _check_scalar(value, key)


def _check_scalar(value: Any, key: str) -> None:
    if isinstance(value, str):
        if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            raise ExperimentError(f"{key} is {show(value)}; it must be text in UTF-8")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ExperimentError(f"{key} is {show(value)}; it must be a finite number")
    elif isinstance(value, int):
        if value.bit_length() > 64:
            raise ExperimentError(f"{key} is {show(value)}; it must fit in 64 bits")
    elif value is not None:
        raise ExperimentError(
            f"{key} is {show(value)}; it must be text, a number, true or false, a list or a table"
        )
