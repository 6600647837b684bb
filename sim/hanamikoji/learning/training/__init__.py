"""Self-play training of the `learned` agent, on any rules.

`train` returns weights, `train_to_cache` keeps them where `learned` looks for them,
`ensure_weights` does so for agents that have none. Imported by name so that this page
stays free of Numba.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanamikoji.learning.training.main import ensure_weights, train, train_to_cache
    from hanamikoji.learning.training.pace import training_pace
    from hanamikoji.learning.training.trainer import Recipe, Training

__all__ = ["Recipe", "Training", "ensure_weights", "train", "train_to_cache", "training_pace"]


def __getattr__(name: str) -> Any:
    if name in ("ensure_weights", "train", "train_to_cache"):
        from hanamikoji.learning.training import main

        return getattr(main, name)
    if name == "training_pace":
        from hanamikoji.learning.training import pace

        return getattr(pace, name)
    if name in ("Recipe", "Training"):
        from hanamikoji.learning.training import trainer

        return getattr(trainer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
