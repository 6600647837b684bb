from __future__ import annotations

from pathlib import Path

import pytest

from hanamikoji.experiment import load_experiment
from hanamikoji.rules import PRESETS

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


def test_configs__are_those_we_ship() -> None:
    shipped = {path.stem for path in CONFIGS}
    official = {"quickstart", "base", "three-round", "avoid-misfortune"}
    assert official | {"mixed-actions", "custom-action"} <= shipped


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configs__load_and_write_to_a_folder_of_their_name(path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment.name == path.stem
    assert path.read_text().startswith("#"), "an example begins by saying what it shows"


def test_configs__quickstart_has_the_official_variants() -> None:
    variants = load_experiment(next(p for p in CONFIGS if p.stem == "quickstart")).variants
    assert variants == {name: PRESETS[name] for name in ("base", "three-round", "avoid-misfortune")}


def test_configs__base_spells_out_the_base_game() -> None:
    experiment = load_experiment(next(p for p in CONFIGS if p.stem == "base"))
    assert experiment.variants["base"].hash == PRESETS["base"].hash
    assert set(experiment.source["rules"]) == {"preset", *type(PRESETS["base"]).model_fields}
