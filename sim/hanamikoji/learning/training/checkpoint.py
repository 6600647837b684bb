"""Checkpoints: files from which an interrupted training continues to the same weights."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hanamikoji.files import write_whole
from hanamikoji.learning.network.weights import FORMAT, TRAINER

if TYPE_CHECKING:
    from hanamikoji.learning.training.trainer import Training


def _arrays(training: Training) -> dict[str, npt.NDArray[Any]]:
    """What training has changed so far."""
    trained = training.trained
    return {
        "theta": trained.theta, "first": trained.first, "second": trained.second,
        "steps": trained.steps, "bias": training.bias, "bias_moments": training.bias_moments,
        "values": training.values, "visits": training.visits, "states": training.games.states,
        "bits": training.bits,
    }  # fmt: skip


def _identity(training: Training) -> dict[str, Any]:
    return {
        "rules": training.rules.hash,
        "plan": training.features.signature,
        "recipe": asdict(training.recipe),
        "trainer": TRAINER,
        "format": FORMAT,
    }


def save_checkpoint(path: Path, training: Training) -> None:
    """Write everything that the rest of the training depends on; a file is whole or absent."""
    facts = _identity(training) | {"done": training.done, "steps_done": training.steps_done}
    arrays: dict[str, Any] = dict(_arrays(training))
    content = io.BytesIO()
    np.savez(content, facts=np.array(json.dumps(facts)), **arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getbuffer())


def load_checkpoint(path: Path, training: Training) -> bool:
    """Continue from a checkpoint of the very same training; False if there is no usable one."""
    with contextlib.suppress(Exception), np.load(path, allow_pickle=False) as file:
        facts = json.loads(str(file["facts"][()]))
        if any(facts[key] != value for key, value in _identity(training).items()):
            return False
        own = _arrays(training)
        arrays = {name: file[name] for name in own}
        if any(a.shape != own[n].shape or a.dtype != own[n].dtype for n, a in arrays.items()):
            return False
        for name, array in arrays.items():
            own[name][...] = array
        training.done, training.steps_done = int(facts["done"]), int(facts["steps_done"])
        training.fold()
        return True
    return False
