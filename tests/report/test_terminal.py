from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from hanamikoji.report.sections import build_document
from hanamikoji.report.terminal import make_console, show_document
from hanamikoji.text import escape_terminal
from report.made_up import HOSTILE, made_up, with_rounds

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def shown(width: int, *names: tuple[str, ...], colour: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        force_terminal=colour,
        color_system="standard" if colour else None,
    )
    show_document(build_document(*made_up(*names), listed=12), console)
    return out.getvalue()


def test_show__verdict_first():
    first = shown(120).splitlines()[0]
    assert first.startswith("Undecided at the level of learned: base (")


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_show__no_line_is_wider_than_the_terminal(width):
    lines = shown(width).splitlines()
    assert max(len(line.rstrip()) for line in lines[1:]) <= width


def test_show__no_figure_is_cut_or_folded_at_120():
    text = shown(120)
    assert "…" not in text
    assert re.search(r"\d+\.\d to \d+\.\d", text)
    assert not re.search(r"\bto\s*$", text, re.MULTILINE)


@pytest.mark.parametrize("name", HOSTILE)
def test_show__names_are_text(name):
    text = shown(200, (name, "other"), ("random", "b" + name))
    assert escape_terminal(name) in text


def test_show__names_bring_no_control_characters():
    text = shown(120, HOSTILE[:4], HOSTILE[4:8])
    assert all(c.isprintable() or c == "\n" for c in text)
    coloured = shown(120, HOSTILE[:4], HOSTILE[4:8], colour=True)
    assert "\x1b[" in coloured
    assert all(c.isprintable() or c == "\n" for c in _STYLE.sub("", coloured))


def test_make_console__a_log_is_as_wide_as_a_good_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert make_console().width == 120
    show_document(build_document(*with_rounds()))
    assert capsys.readouterr().out.startswith("Undecided at the level of random and")
