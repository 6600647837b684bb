"""Text for a terminal: names from files and plugins are shown as text, whatever is in them."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def shown(text: str) -> str:
    """One line, with control characters, line ends and other unprintable ones as escapes."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def table(rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first row being their headings."""
    clean = [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in clean) for i in range(len(clean[0]))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in clean
    )
    return "\n".join(lines)


def say(text: str) -> None:
    """Print what was asked for."""
    print(text, flush=True)


def tell_error(sentence: str) -> None:
    """Print one line on stderr."""
    print(shown(sentence), file=sys.stderr, flush=True)


def span(seconds: float) -> str:
    """A time span for people: 45 s, 12 min, 3 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
