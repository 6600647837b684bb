"""What the search takes the players to be: the network that guides it, and the opponent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import address_of, call_agent, flat, inline, raw, shifted
from hanamikoji.engine import rng
from hanamikoji.learning.network import layout as lay
from hanamikoji.learning.network.network import Network, features_in
from hanamikoji.learning.network.values import Values
from hanamikoji.learning.search import places as pl


class Guide(NamedTuple):
    """Who proposes candidates, judges decisions and plays on, and V for such play."""

    network: Any
    """`Network`; not read where ``guided`` is False."""
    scales: Any
    """float64 (heads,): see `hanamikoji.learning.network.weights.Weights`."""
    biases: Any
    values: Any
    """`Values`."""
    guided: Any
    """False: without a network; random moves and greedy answers."""


class Opponent(NamedTuple):
    """What is known or believed of how the opponent decides."""

    address: Any
    """Of the compiled agent that it is known to be; 0: it isn't known."""
    context: Any
    """Address of that agent's arrays, see `hanamikoji._jit.agents.CONTEXT`."""
    belief: Any
    """How well an unknown opponent plays, see `belief`; 0: anyhow."""


@inline
def guide_in(weights, numbers, lanes, scratch, choices, guided):
    """The guide in an agent's arrays (see `packing.pack`) and `places` of its scratch memory.

    ``choices``: how many move and response ids there are.
    """
    features, floats = features_in(weights, numbers), raw(numbers)
    return Guide(
        Network(
            features, flat(weights), flat(lanes),
            shifted(scratch, pl.IDS + 4 * choices), shifted(scratch, pl.IDS + 2 * choices),
        ),
        shifted(floats, np.int64(numbers[lay.SCALES_AT])),
        shifted(floats, np.int64(numbers[lay.BIASES_AT])),
        Values(
            features,
            shifted(floats, np.int64(numbers[lay.VALUES_AT])),
            shifted(scratch, pl.VALUES),
        ),
        guided,
    )  # fmt: skip


@inline
def answer_of(opponent, view, key, n):
    """What the agent that the opponent is known to be decides; ``n``: which random word it gets."""
    asked = call_agent(opponent.address, address_of(view), opponent.context, rng.word(key, n))
    return np.int64(asked)
