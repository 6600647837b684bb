"""Whatever bytes an experiment file holds, it is an experiment or one clear sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hanamikoji.errors import HanamikojiError
from hanamikoji.experiment import Experiment, Setting, apply_settings, build_experiment
from hanamikoji.experiment.loader import EXPERIMENT_KEYS
from hanamikoji.experiment.settings import parse_setting
from hanamikoji.experiment.toml import decode_toml
from hanamikoji.rules.loader import ACTION_KEYS, RULES_KEYS
from hanamikoji.rules.presets import ACTIONS, PRESETS
from strategies import action_rows

ROOT = Path(__file__).parents[2]
FILES = [path.read_bytes() for path in sorted((ROOT / "configs").glob("*.toml"))]
FILES.append((Path(__file__).parent / "house-rules.toml").read_bytes())

TOKENS = [
    *(key.encode() for key in (*EXPERIMENT_KEYS, *RULES_KEYS, *ACTION_KEYS)),
    *(name.encode() for name in (*PRESETS, *ACTIONS)),
    *b"[ ] { } = . , # \" ' \\ \n \r \0 \xff".split(b" "),
    *(b"0", b"-1", b"1e999", b"nan", b"9" * 30, b"0x" + b"f" * 5000, b"true", b"1979-05-27"),
    *(b"[[", b"]]", b'"""', b"\xef\xbb\xbf", "賄賂".encode(), b"[" * 400, b"a." * 400),
]


@st.composite
def mutated_files(draw: st.DrawFn) -> bytes:
    """A shipped experiment with a few bytes cut, doubled, swapped or written over."""
    data = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        to = at + draw(st.integers(0, 12))
        token = draw(st.sampled_from(TOKENS) | st.binary(max_size=4))
        data[at:to] = draw(st.sampled_from((b"", token, bytes(data[at:to]) * 2)))
    return bytes(data)


def _experiment_or_sentence(data: bytes) -> Experiment | None:
    """Loads or says one sentence; anything else that is raised fails the test."""
    try:
        experiment = build_experiment(decode_toml(data, "'file.toml'"))
    except HanamikojiError as error:
        text = str(error)
        assert text.isprintable()
        assert 10 < len(text) < 700
        assert "pydantic" not in text
        return None
    assert len(experiment.digest) == 64
    return experiment


def _files(examples: int) -> Any:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


@_files(1_000)
@given(mutated_files())
def test_fuzz__mutated_files(data: bytes) -> None:
    _experiment_or_sentence(data)


@pytest.mark.soak
@_files(20_000)
@given(mutated_files())
def test_fuzz__many_mutated_files(data: bytes) -> None:
    _experiment_or_sentence(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates()
    | st.sampled_from([*PRESETS, *ACTIONS, "mirror", "60s", 10**4000, 2**63]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from((*EXPERIMENT_KEYS, *RULES_KEYS, *ACTION_KEYS)) | st.text(max_size=5),
        inner,
        max_size=4,
    )
    | action_rows(),
    max_leaves=6,
)  # fmt: skip
PARTS = st.sampled_from(
    [*EXPERIMENT_KEYS, *RULES_KEYS, *ACTION_KEYS, *"0123", "bribe", "base", "goals", "sprt", "grid"]
)


@_files(500)
@given(
    st.sampled_from(FILES),
    st.lists(st.tuples(st.lists(PARTS, min_size=1, max_size=4), VALUES), min_size=1, max_size=3),
)
def test_fuzz__any_value_at_any_key(data: bytes, points: list[tuple[list[str], Any]]) -> None:
    raw = decode_toml(data, "'file.toml'")
    try:
        build_experiment(apply_settings(raw, [Setting(tuple(p), value) for p, value in points]))
    except HanamikojiError as error:
        assert str(error).isprintable()
        assert "pydantic" not in str(error)


@_files(200)
@given(st.text(max_size=30), st.text(max_size=30))
def test_fuzz__any_text_after_set(key: str, value: str) -> None:
    try:
        parse_setting(f"{key}={value}")
    except HanamikojiError as error:
        assert str(error).isprintable()
