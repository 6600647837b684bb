"""Plain text for people: untrusted names escaped, rows aligned."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence


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
