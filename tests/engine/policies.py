"""One policy in an agent's three forms: a legal id that the sum of the view and a word pick."""

from __future__ import annotations

import hashlib
import inspect

import numpy as np

from hanamikoji._jit import address_of_agent, raw
from hanamikoji.agents.asked import BatchedSeat, PlainSeat
from hanamikoji.agents.observation import Observation
from hanamikoji.engine.seat import Batch, CompiledSeat, Game, Parameters
from hanamikoji.engine.turns import legal_moves
from hanamikoji.moves import index as ix


def _pick(view, tables, weights, numbers, lanes, memory, word):  # type: ignore[no-untyped-def]
    total = np.int64(word >> np.uint64(40))
    for i in range(ix.VIEW_SIZE):
        total += view[i] * (i + 1)
    legal = legal_moves(raw(view), 0, raw(tables), raw(memory), 0, len(memory))
    return memory[total % legal]


class Plain:
    def act(self, observation: Observation) -> int:
        total = observation._word >> 40
        total += int(observation.view @ np.arange(1, ix.VIEW_SIZE + 1))
        return observation.legal_ids[total % len(observation.legal_ids)]


class Batched:
    def act_batch(self, batch: Batch) -> np.ndarray:
        totals = (batch.words >> np.uint64(40)).astype(np.int64)
        totals += batch.views @ np.arange(1, ix.VIEW_SIZE + 1)
        return batch.ids[batch.offsets[:-1] + totals % np.diff(batch.offsets)]


def compiled(game: Game, name: str = "policy") -> CompiledSeat:
    key = hashlib.sha256(inspect.getsource(_pick).encode()).hexdigest()[:16]
    address = address_of_agent(_pick, key, ix.VIEW_SIZE)
    return CompiledSeat(name, address, Parameters(memory=game.moves + game.responses))


def plain(game: Game, name: str = "policy") -> PlainSeat:
    return PlainSeat(name, Plain(), game)


def batched(game: Game, name: str = "policy") -> BatchedSeat:
    return BatchedSeat(name, Batched())


FORMS = {"compiled": compiled, "plain": plain, "batched": batched}
