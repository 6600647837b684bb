"""Output for a terminal; names from files and plugins are escaped in tables and errors."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hanamikoji.text import align, escape_terminal, say


def echo(text: str = "") -> None:
    """Print to stdout at once."""
    print(text, flush=True)


def echo_error(sentence: str) -> None:
    """Print one escaped line to stderr."""
    say(escape_terminal(sentence))


def table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Aligned columns of escaped text, the first row being their headings."""
    return "\n".join(align([[escape_terminal(cell) for cell in row] for row in rows], right))


def escape_lines(text: str) -> str:
    """Several lines, each of them escaped."""
    return "\n".join(escape_terminal(line) for line in text.split("\n"))


def duration(seconds: float) -> str:
    """A time span for people: 45 s, 12 min, 3 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
