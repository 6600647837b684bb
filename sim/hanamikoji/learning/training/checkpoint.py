"""An unfinished training as a file, from which it goes on to the same weights."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hanamikoji.learning.network.weights import FORMAT, TRAINER

if TYPE_CHECKING:
    from hanamikoji.learning.training.trainer import Training

_ARRAYS = (
    "theta", "first", "second", "steps", "bias", "bias_moments", "values", "visits", "states",
)  # fmt: skip


def _identity(training: Training) -> dict[str, Any]:
    return {
        "rules": training.rules.hash,
        "plan": training.plan.signature,
        "recipe": asdict(training.recipe),
        "trainer": TRAINER,
        "format": FORMAT,
    }


def save_checkpoint(path: Path, training: Training) -> None:
    """Write all that the rest of the training depends on, whole or not at all."""
    facts = _identity(training) | {"done": training.done, "steps_done": training.steps_done}
    arrays = {name: getattr(training, name) for name in _ARRAYS}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, facts=np.array(json.dumps(facts)), **arrays)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load_checkpoint(path: Path, training: Training) -> bool:
    """Go on where a checkpoint of the very same training stopped; False: there is none to use."""
    with contextlib.suppress(Exception), np.load(path, allow_pickle=False) as file:
        facts = json.loads(str(file["facts"][()]))
        if any(facts[key] != value for key, value in _identity(training).items()):
            return False
        arrays = {name: file[name] for name in _ARRAYS}
        for name, array in arrays.items():
            own = getattr(training, name)
            if array.shape != own.shape or array.dtype != own.dtype:
                return False
        for name, array in arrays.items():
            getattr(training, name)[...] = array
        training.done, training.steps_done = int(facts["done"]), int(facts["steps_done"])
        training.fold()
        return True
    return False
