"""Weights as files: whole, the same bytes, and one sentence for whatever else is found there."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hanamikoji.errors import PluginError
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.agent import Learned
from hanamikoji.learning.network.features import build_features
from hanamikoji.learning.network.packing import pack
from hanamikoji.learning.network.store import EFFORTS, rounds_of
from hanamikoji.learning.network.weights import (
    Weights,
    WeightsOrigin,
    load_weights,
    quantise,
    save_weights,
)
from hanamikoji.rules import PRESETS, Rules
from learning.network.test_network import random_weights

BASE = PRESETS["base"]


@pytest.fixture
def weights() -> Weights:
    features = build_features(BASE)
    origin = WeightsOrigin(BASE.hash, features.signature, 1000, 1)
    return dataclasses.replace(random_weights(features), origin=origin)


def test_save__reads_back_and_repeats_its_bytes(tmp_path: Path, weights: Weights) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "deep" / "two.npz"
    save_weights(one, weights)
    save_weights(two, weights)
    assert one.read_bytes() == two.read_bytes()
    read = load_weights(one)
    assert read.origin == weights.origin
    assert read.hash == weights.hash
    assert np.array_equal(read.rows, weights.rows)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["one.npz"]


def test_hash__notices_a_single_weight_and_the_origin(weights: Weights) -> None:
    rows = weights.rows.copy()
    rows[5, 7] += 1
    other = dataclasses.replace(weights.origin, rounds=2000)
    changed = [dataclasses.replace(weights, rows=rows), dataclasses.replace(weights, origin=other)]
    assert len({weights.hash, *(each.hash for each in changed)}) == 3


def assert_refused(path: Path, *words: str, rules: Rules = BASE) -> None:
    with pytest.raises(PluginError) as caught:
        Learned(weights=str(path)).weights(rules)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert all(word in sentence for word in (path.name, *words))


def test_load__one_sentence_for_what_is_no_file(tmp_path: Path) -> None:
    assert_refused(tmp_path / "none.npz", "there is no")
    assert_refused(tmp_path, "can't be read")


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all", b"\x93NUMPY" * 20])
def test_load__one_sentence_for_rubbish(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    assert_refused(path, "damaged")


def test_load__one_sentence_for_flipped_and_cut_files(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "bad.npz"
    save_weights(path, weights)
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for cut in random.integers(0, len(whole), 10).tolist():
        path.write_bytes(whole[:cut])
        assert_refused(path, "damaged")
    for at in random.integers(0, len(whole) // 2, 10).tolist():
        flipped = bytearray(whole)
        flipped[at] ^= 0x55
        path.write_bytes(flipped)
        assert_refused(path)


def rewrite(path: Path, **arrays: np.ndarray | None) -> None:
    """Replace or leave out some of a file's arrays."""
    with np.load(path) as file:
        content = dict(file) | arrays
    np.savez(path, **{name: array for name, array in content.items() if array is not None})


def test_load__one_sentence_for_other_content(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "bad.npz"
    bad: list[tuple[dict[str, np.ndarray | None], str]] = [
        ({"heads": None}, "damaged"),
        ({"rows": np.zeros((3, 64), np.float32)}, "its rows are unusable"),
        ({"values": np.full(540, np.nan)}, "its values are unusable"),
        ({"origin": np.array("no json")}, "damaged"),
        ({"origin": np.array("[]")}, "damaged"),
        ({"rows": np.zeros((3, 64), np.int16)}, "another version"),
    ]
    for arrays, word in bad:
        save_weights(path, weights)
        rewrite(path, **arrays)
        assert_refused(path, word)


def test_load__never_unpickles(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "bad.npz"
    save_weights(path, weights)
    content = io.BytesIO()
    np.lib.format.write_array(content, np.array([{"a": 1}], object), allow_pickle=True)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("rows.npy", content.getvalue())
    assert_refused(path, "damaged")


def test_load__refuses_other_rules_and_other_versions(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "mine.npz"
    save_weights(path, weights)
    assert_refused(path, weights.origin.rules, "not for", rules=PRESETS["wealth"])
    old = dataclasses.asdict(weights.origin) | {"format": 0}
    rewrite(path, origin=np.array(json.dumps(old)))
    assert_refused(path, "format 0")
    save_weights(path, dataclasses.replace(
        weights, origin=dataclasses.replace(weights.origin, plan="0123456789ab")
    ))  # fmt: skip
    assert_refused(path, "another version")


def test_options__one_sentence_for_what_makes_no_sense() -> None:
    for options, word in [
        ({"effort": "hard"}, "quick, standard, long"),
        ({"effort": 0}, "from 1 to"),
        ({"effort": True}, "from 1 to"),
        ({"seed": -1}, "seed is -1"),
        ({"weights": "x.npz", "effort": "quick"}, "leave out effort and seed"),
    ]:
        with pytest.raises(PluginError, match=word):
            Learned(**options)  # type: ignore[arg-type]
    assert rounds_of("quick") == EFFORTS["quick"]
    assert rounds_of("12345") == rounds_of(12345) == 12345


def test_quantise__sums_keep_their_meaning_and_cannot_overflow() -> None:
    features = build_features(BASE)
    random = np.random.default_rng(3)
    rows = random.normal(size=(features.rows, lay.LANES)).astype(np.float32) * 0.7
    heads = random.normal(size=(features.heads, lay.LANES)).astype(np.float32)
    origin = WeightsOrigin(BASE.hash, features.signature, 1, 1)
    made = quantise(features, rows, heads, np.zeros(features.heads), np.zeros(540), 0.1, origin)
    above, below = np.zeros(64, np.int64), np.zeros(64, np.int64)
    for first, end, most in features.slots:
        above += most * np.maximum(made.rows[first:end].max(axis=0), 0).astype(np.int64)
        below += most * np.minimum(made.rows[first:end].min(axis=0), 0).astype(np.int64)
    assert above.max() <= 32767
    assert below.min() >= -32768
    assert (np.abs(made.heads.astype(np.int64)) @ above).max() < 2**31
    assert max(above.max(), -below.min()) > 32767 // 2  # and no bit is wasted
    for _ in range(50):
        chosen = [
            first + int(random.integers(end - first))
            for first, end, n in features.slots
            for _ in range(n)
        ]
        head = int(random.integers(features.heads))
        exact = np.maximum(rows[chosen].sum(axis=0), 0) @ heads[head]
        sums = made.rows[chosen].astype(np.int64).sum(axis=0)
        found = (np.maximum(sums, 0) @ made.heads[head].astype(np.int64)) * made.scales[head]
        assert found == pytest.approx(exact, abs=0.15)


def test_pack__keeps_every_part_where_the_layout_says(weights: Weights) -> None:
    features = build_features(BASE)
    arrays, numbers = pack(features, weights)
    first = int(numbers[lay.FEATURES_ROW])
    size = int(numbers[lay.FEATURES_SIZE])
    assert np.array_equal(arrays[: features.rows], weights.rows)
    assert np.array_equal(arrays[features.rows : first], weights.heads)
    assert np.array_equal(arrays[first:].ravel().view(np.int32)[:size], features.array)
    for place, part in ((lay.SCALES_AT, weights.scales), (lay.VALUES_AT, weights.values)):
        at = int(numbers[place])
        assert np.array_equal(numbers[at : at + len(part)], part)
    assert numbers[lay.TEMPERATURE] == weights.temperature[0]
