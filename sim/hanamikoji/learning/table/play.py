"""The table at play: its arrays for the kernel, and the kernel."""

from __future__ import annotations

import numpy as np

from hanamikoji._jit import address_of, address_of_agent, fixed, i32_at, i64_at, kernel, raw
from hanamikoji.agents.protocol import Game, Parameters
from hanamikoji.agents.random import random_choice
from hanamikoji.engine.rng import mix
from hanamikoji.engine.seat import CompiledSeat
from hanamikoji.learning.table.keys import find, information_key
from hanamikoji.learning.table.strategy import Strategy
from hanamikoji.moves import index as ix

_LANES = 64  # int16 in a row of the weights
SLOTS, CHOICES = 0, 1  # of the numbers: how many there are
_TOP = np.uint64(48)


@kernel
def _enter(keys, slots, places):
    """Enter keys into the empty open-addressing table ``slots``; ``places`` is whose each is."""
    for i in range(len(keys)):
        slot = find(slots, len(slots) - 1, keys[i])
        slots[slot] = keys[i]
        places[slot] = i


def table_parameters(strategy: Strategy) -> Parameters:
    """What the agent's kernel is handed.

    The weights' bytes are: by slot int64 keys (0: empty) and int64 spans, 2^32 times the end of the
    choices plus their beginning; then by choice int32 ids and int32 running chances.
    """
    n = len(strategy.keys)
    slots = np.zeros(1 << (2 * n + 1).bit_length(), np.int64)
    places = np.zeros(len(slots), np.int64)
    _enter(strategy.keys, slots, places)
    ends = strategy.ends.astype(np.int64)
    spans = np.zeros(len(slots), np.int64)
    if n:
        begins = np.concatenate([[0], ends[:-1]])
        spans = ((ends << 32) + begins)[places]
    parts = (slots, spans, strategy.ids, strategy.chances.astype(np.int32))
    content = b"".join(part.tobytes() for part in parts)
    rows = -(-len(content) // (2 * _LANES))
    weights = np.frombuffer(content.ljust(rows * 2 * _LANES, b"\0"), np.int16)
    numbers = np.array([len(slots), len(strategy.ids)], np.float64)
    return Parameters(weights.reshape(rows, _LANES), numbers)


def table_choice(view, tables, weights, numbers, lanes, memory, word):
    """Play the average strategy; at random where the table has nothing, which is seldom."""
    slots, choices = np.int64(numbers[SLOTS]), np.int64(numbers[CHOICES])
    at = address_of(weights)
    v, t = raw(view), fixed(tables)
    keys = i64_at(at, slots)
    key = information_key(v, t)
    slot = find(raw(keys), slots - 1, key)
    if keys[slot] == 0:
        return random_choice(v, t, mix(word))
    span = i64_at(at + 8 * slots, slots)[slot]
    ids = i32_at(at + 16 * slots, choices)
    chances = i32_at(at + 16 * slots + 4 * choices, choices)
    pick = np.int64(word >> _TOP)
    place = span & 0xFFFFFFFF
    while chances[place] < pick:
        place += 1
    return ids[place]


def table_seat(strategy: Strategy, game: Game, name: str = "learned") -> CompiledSeat:
    """A table, ready to play: what the loader makes of the agent."""
    address = address_of_agent(table_choice, "table", ix.VIEW_SIZE)
    return CompiledSeat(name, address, table_parameters(strategy))
