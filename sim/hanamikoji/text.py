"""Plain text for people: untrusted names escaped, rows aligned."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import TextIO


def escape_terminal(text: str) -> str:
    """One line of text: control characters, line ends and other unprintable ones as escapes."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def two_numbers(text: str, separator: str) -> tuple[int, int] | None:
    """The two whole numbers in ``2/8`` or ``0:64``; None if ``text`` is anything else."""
    parts = text.split(separator)
    if len(parts) != 2 or not all(re.fullmatch("[0-9]{1,18}", part) for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def shell_line(words: Iterable[str]) -> str:
    r"""A command line that a shell reads as these words, on one line whatever they hold.

    Words with control characters are quoted as bash and zsh do it: ``$'a\x0ab'``.
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def say(line: str) -> None:
    """Print one line to stderr; what can't be written there is no reason to fail."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        mute(sys.stderr)


def mute(stream: TextIO) -> None:
    """Send what is still to come from a stream, or waits in it, nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def align(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Rows as lines of columns two spaces apart.

    Args:
        rows: Cells; all rows have as many.
        right: Columns that are set flush right; the others are flush left.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
