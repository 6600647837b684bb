"""The weights that an agent plays by are part of what a run is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.experiment import load_experiment
from hanamikoji.results import WeightsRecord, open_dataset, open_store
from hanamikoji.run import Options, run

pytestmark = pytest.mark.jit


def test_manifest__tells_the_weights_of_learned(tmp_path: Path) -> None:
    table = {"name": "w", "games": 4, "agents": ["learned", "random"], "attack": "none"}
    run(load_experiment(table), tmp_path / "w", Options())
    manifest = json.loads((tmp_path / "w" / "manifest.json").read_text())
    (weights,) = manifest["weights"]
    assert (weights["variant"], weights["agent"]) == ("base", "learned")
    assert len(weights["weights"]) >= 16
    assert weights["rounds"] > 0


def test_settle__refuses_other_weights(tmp_path: Path) -> None:
    table = {"name": "w", "games": 4, "agents": ["random"], "matchups": "mirror"}
    run(load_experiment(table), tmp_path / "w", Options())
    manifest = open_dataset(tmp_path / "w").manifest
    one, two = (WeightsRecord(variant="base", agent="random", weights=w) for w in ("one", "two"))
    with open_store(tmp_path / "w", manifest, resume=True, command="again") as store:
        store.settle((one,), 1.5)
    with open_store(tmp_path / "w", manifest, resume=True, command="again") as store:
        store.settle((one,), 0.25)
    assert open_dataset(tmp_path / "w").manifest.training_seconds == 1.75
    with (
        open_store(tmp_path / "w", manifest, resume=True, command="again") as store,
        pytest.raises(ResultsError, match="begun with other weights"),
    ):
        store.settle((two,))
