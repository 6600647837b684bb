"""What went wrong inside an agent, as short printable text."""

from __future__ import annotations

_LONGEST = 200


def printable(text: str) -> str:
    """Text of unknown origin on one line, without control characters, cut where it is too long."""
    return "".join(c if c.isprintable() else " " for c in text)[:_LONGEST]


def describe_exception(error: BaseException) -> str:
    """An exception's type and the first lines of its message."""
    try:
        text = str(error)
    except Exception:  # an exception's own text may fail, too
        text = ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    name = type(error).__name__
    return printable(f"{name}: {' '.join(lines[:3])}" if lines else name)


def describe_numba_error(error: BaseException) -> str:
    """The line of Numba's page that matters: the innermost cause, else the first that says what."""
    if isinstance(error, TypeError):
        return printable(str(error))
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line.partition("TypingError: ")[2] for line in lines if "TypingError: " in line]
    others = [line for line in lines if not line.startswith("Failed in nopython mode")]
    return printable((causes or others or [type(error).__name__])[0])
