"""Text for people: escapes and aligned columns."""

from __future__ import annotations

from hanamikoji.text import align, escape_terminal


def test_escape_terminal__leaves_only_printable_text():
    text = escape_terminal("a\nb\r\x1b[31m\x07\u202e\u200b\ud800 é 漢 ·")
    assert text == "a\\nb\\r\\x1b[31m\\x07\\u202e\\u200b\\ud800 é 漢 ·"
    assert text.isprintable()


def test_align__columns_are_flush_left_or_right() -> None:
    rows = [("name", "n", "note"), ("a", "10", ""), ("long one", "5", "x")]
    assert align(rows, right={1}) == ["name       n  note", "a         10", "long one   5  x"]
    assert align(rows)[1] == "a         10"
    assert align(rows)[2] == "long one  5   x"
