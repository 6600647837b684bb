"""Which trained agent a mirror rests on."""

from __future__ import annotations

from typing import Any

from hanamikoji.agents import LoadedAgent, load_agent
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.network.store import shipped_weights
from hanamikoji.rules import Rules

_TRAINING_OPTIONS = ("effort", "seed", "weights")  # that a search hands on to its guide


def trained_agent(loaded: LoadedAgent) -> LoadedAgent | None:
    """The `learned` agent that an agent is, or that guides it.

    Returns None if training has no part in its play. What a search is guided by stands for it: to
    attack the search itself takes hours.
    """
    if not loaded.shipped or loaded.options.get("guide", "learned") != "learned":
        return None
    if loaded.agent == "learned":
        return loaded
    if loaded.agent != "search":
        return None
    options = {key: loaded.options[key] for key in _TRAINING_OPTIONS if key in loaded.options}
    return _learned(loaded.name, {**options, "model": "network"})


def same_play(one: LoadedAgent, other: LoadedAgent, rules: Rules) -> bool:
    """Whether two trained agents play these rules by the same weights."""
    return _training(one, rules) == _training(other, rules)


def _training(loaded: LoadedAgent, rules: Rules) -> tuple[Any, ...]:
    model = loaded._make().model(rules)
    return model, *(loaded.options.get(key) for key in _TRAINING_OPTIONS)


def second_training(loaded: LoadedAgent, rules: Rules) -> LoadedAgent | None:
    """The same agent trained from the next seed.

    Returns None if its weights are not trained here: they are shipped for these rules, or a file.
    """
    if loaded.options.get("weights") is not None:
        return None
    shipped = shipped_weights(rules)
    if shipped is not None and not loaded.training(rules):
        mine = loaded.facts(rules)["weights"]
        if mine == shipped.hash:
            return None
    seed = int(loaded.options.get("seed", 1))
    return _learned(loaded.name, {**loaded.options, "seed": seed + 1})


def _learned(name: str, options: dict[str, Any]) -> LoadedAgent:
    return load_agent(AgentUse(name=name, agent="learned", options=options))
