from __future__ import annotations

import datetime
import tracemalloc
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from hanamikoji.errors import ExperimentError
from hanamikoji.experiment.toml import MOST_BYTES, check_plain, decode_toml, read_toml


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a = ", "the file isn't readable as TOML: Invalid value (at end of document)"),
        (b"a = 1\nb = x", "the file isn't readable as TOML: Invalid value (at line 2, column 5)"),
        (b"a = 1\na = 2\n", "the file isn't readable as TOML: Cannot overwrite a value (at line 2"),
        (b"a = 2020-02-31", "the file isn't readable as TOML: Invalid date or datetime (at line 1"),
        (b"a = " + b"9" * 5000, "the file isn't readable as TOML: a number or date that is out of"),
        (b"a = " + b"[" * 5000, "the file isn't readable as TOML: more than 20 levels of nesting"),
        (b"a = 1\nb = '\xff'", "the file isn't UTF-8 text (line 2); a TOML file must be"),
        (b"\x00", "the file isn't readable as TOML: Invalid statement (at line 1, column 1)"),
    ],
)
def test_decode_toml__one_sentence_for_what_is_no_toml(data: bytes, message: str) -> None:
    with pytest.raises(ExperimentError) as error:
        decode_toml(data, "the file")
    assert str(error.value).startswith(message)
    assert str(error.value).isprintable()


BAD = [
    b"a" + b".a" * 20_000 + b" = 1",
    b"[a" + b'."a"' * 20_000 + b"]",
    b"x = {a" + b".'a'" * 20_000 + b" = 1}",
    b"x = " + b"[" * 20_000,
    b"x = " + b"{a = " * 20_000,
    b'x = "[[" # [[\n' + b"y = [" * 20_000,
    b'"""' + b'\\"""' * 200_000,
    b"x = " + b'"' * 900_000,
    b"'" * 900_003,
]


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_decode_toml__takes_little_time_and_memory_before_it_refuses(data: bytes) -> None:
    """40 kB of dotted keys took half a minute and 1.6 GB."""
    tracemalloc.start()
    begun = process_time()
    with pytest.raises(ExperimentError, match="isn't readable as TOML"):
        decode_toml(data, "the file")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert process_time() - begun < 3
    assert used < 50_000_000


def test_decode_toml__only_nesting_counts_as_nesting() -> None:
    dots = ".".join("a" * 40)
    text = f"x = '{dots} [[[' # {dots}\ny = [{'[1.5], ' * 50}]\n" + "[[t]]\nz = 1.5\n" * 30
    text += f'm = """{dots}\n[[[[\\""" [["" """\nn = \'\'\'[\n{dots}""" \'\'\'\n'
    assert decode_toml(text.encode(), "x")["x"] == f"{dots} [[["


def test_decode_toml__byte_order_mark_and_windows_lines() -> None:
    assert decode_toml(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n", "x") == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "is a folder; it must be a TOML file"),
        ("missing.toml", "isn't there; it must be a TOML file"),
        ("x" * 300, "can't be read (File name too long); it must be a TOML file"),
        ("\0", "can't be read (not a file name); it must be a TOML file"),
        ("file.toml/x", "can't be read (Not a directory); it must be a TOML file"),
        ("huge.toml", "is larger than 1,000,000 bytes; no experiment is"),
    ],
)
def test_read_toml__one_sentence_for_what_is_no_file(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "file.toml").write_text("a = 1")
    (tmp_path / "huge.toml").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(ExperimentError) as error:
        read_toml(tmp_path / name)
    assert str(error.value).endswith(message)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": datetime.date(2020, 1, 1)}, "a is a date; it must be text, a number, true or false"),
        ({"a": {"b": [0, float("inf")]}}, "a.b.1 is inf; it must be a finite number"),
        ({"a": 2**65}, "a is 36893488147419103232; it must fit in 64 bits"),
        ({1: 2}, "a table has the key 1; use a string"),
        ({"a": b"x"}, "a is a bytes; it must be text"),
    ],
)
def test_check_plain__names_the_key(value: Any, message: str) -> None:
    with pytest.raises(ExperimentError) as error:
        check_plain(value)
    assert str(error.value).startswith(message)


def test_check_plain__refuses_depth_and_cycles() -> None:
    cycle: dict[str, Any] = {}
    cycle["a"] = cycle
    with pytest.raises(ExperimentError, match="is nested deeper than 20 levels"):
        check_plain(cycle)
    check_plain({"a": [1, 2.5, "x", None, True, {"b": {}}]})
