"""One policy in an agent's three forms: a legal id that the sum of the view and a word pick."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable

import numpy as np

from hanamikoji._jit import address_of_agent, njit, raw
from hanamikoji.agents.asked import BatchedSeat, PlainSeat
from hanamikoji.agents.observation import Observation
from hanamikoji.engine.seat import Batch, CompiledSeat, Game, Parameters
from hanamikoji.engine.turns import legal_moves
from hanamikoji.moves import index as ix


def _pick(view, tables, weights, numbers, lanes, memory, word):  # type: ignore[no-untyped-def]
    total = np.int64(word >> np.uint64(40))
    for i in range(ix.VIEW_SIZE):
        total += view[i] * (i + 1)
    legal = legal_moves(raw(view), raw(tables), raw(memory), len(memory))
    return memory[total % legal]


_jitted_pick = njit(_pick)


def illegal_at_times(view, tables, weights, numbers, lanes, memory, word):  # type: ignore[no-untyped-def]
    if word % np.uint64(40) == 0:
        return 10**6
    return _jitted_pick(view, tables, weights, numbers, lanes, memory, word)


def raises_at_times(view, tables, weights, numbers, lanes, memory, word):  # type: ignore[no-untyped-def]
    if word % np.uint64(40) == 0:
        raise ValueError
    return _jitted_pick(view, tables, weights, numbers, lanes, memory, word)


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


def compiled(game: Game, name: str = "policy", kernel: Callable[..., int] = _pick) -> CompiledSeat:
    """Pass `illegal_at_times` or `raises_at_times` for a kernel that fails."""
    sources = inspect.getsource(_pick) + inspect.getsource(kernel)
    key = hashlib.sha256(sources.encode()).hexdigest()[:16]
    address = address_of_agent(kernel, key, ix.VIEW_SIZE)
    return CompiledSeat(name, address, Parameters(memory=game.moves + game.responses))


def plain(game: Game, name: str = "policy") -> PlainSeat:
    return PlainSeat(name, Plain(), game)


def batched(game: Game, name: str = "policy") -> BatchedSeat:
    return BatchedSeat(name, Batched())


FORMS = {"compiled": compiled, "plain": plain, "batched": batched}
