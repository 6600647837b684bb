"""Counter-based random numbers, integers only: a word is a function of what it is for.

Keys are derived by folding numbers into a key with SplitMix64's output function (Steele, Lea &
Flood 2014, "Fast splittable pseudorandom number generators"); the words of a key are the outputs
of the SplitMix64 generator that starts there. Nothing is carried along, so a word never depends
on batch, chunk, worker, executor, agent order or platform. `hanamikoji.splitmix` is the same in
plain Python.

======================  =====================================================================
key                     folded from
======================  =====================================================================
deal                    root seed, deal number
round's chance          deal, round and purpose (`SHUFFLE`, `CHANCE`, `STARTER`)
an agent in a game      root seed, the agent's name, its role in the game, deal number
its decisions           that, round; word number = decision number in the round
a round of training     the key of the agent `training`, number of the round
an iteration of a table the key of the agent `table`, number of the iteration
a search                its decision's word
a determinization       `SEARCH_WORLDS` folded into that; word number = number of the attempt
======================  =====================================================================

Every key that gives more than one stream is folded with a purpose; all purposes are listed here.
"""

from __future__ import annotations

import hashlib

import numpy as np

from hanamikoji._jit import inline, kernel, multiply

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_ONE = np.uint64(1)

# --- purposes ------------------------------------------------------------------------------------

DEALS, AGENTS = np.uint64(1), np.uint64(2)
"""Of the root seed; 3 are sweeps, see `hanamikoji.experiment.sweep.sampling`."""

SHUFFLE, CHANCE, STARTER = 0, 1, 2
"""Of chance within a round."""

TRAINING_GAME, TRAINING_START, ATTACK_SEAT, ATTACK_AGENT = (
    np.uint64(11), np.uint64(12), np.uint64(13), np.uint64(14),
)  # fmt: skip
"""Of a round of training: its game, where it starts; in an attack who begins, and the words of the
attacked agent. The word with a decision's number is the learner's."""

SEARCH_WORLDS, SEARCH_ROLLOUTS, SEARCH_SAMPLE = np.uint64(21), np.uint64(22), np.uint64(23)
"""Of a search: its determinizations, the rollouts in one, the candidates where there are many."""

WORLD_CARDS, WORLD_CHANCE, WORLD_DEAL, WORLD_MODEL, WORLD_BELIEF = (
    np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(5),
)  # fmt: skip
"""Of a determinization: which cards lie where, what chance chose, what it will choose, the words of
an opponent that is known, and whether one that is believed in would have decided so."""

TABLE_DEAL, TABLE_PLAY, TABLE_START = np.uint64(31), np.uint64(32), np.uint64(33)
"""Of an iteration of a table's training: its deal, the traversals (then by role; 2: the play to the
next round), and where it starts."""

VALUE_GAME, VALUE_START = np.uint64(1), np.uint64(2)
"""Of a round that the search's values are learned from: its game, and where it starts."""

# --- words and keys ------------------------------------------------------------------------------


@inline
def mix(z: np.uint64) -> np.uint64:
    """SplitMix64's output function: a bijection of 64 bits."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inline
def word(key: np.uint64, n: int) -> np.uint64:
    """The n-th (0, 1, ...) random word of a key."""
    return mix(key + (np.uint64(n) + _ONE) * _GOLDEN)


@inline
def fold(key: np.uint64, n: int | np.uint64) -> np.uint64:
    """The key derived from ``key`` and a number; apart from the key's words."""
    return mix(mix(key ^ _GOLDEN) + np.uint64(n) * _GOLDEN)


@inline
def below(bits: np.uint64, n: int) -> tuple[np.int64, np.uint64]:
    """A number in [0, n) from a word read as a 64-bit fraction, and the bits that are left.

    The fraction times n: whole part and new fraction. Draws from one word are uniform to within
    (product of all n) / 2^64, so a word serves until the product passes 2^32.
    """
    whole, rest = multiply(bits, np.uint64(n))
    return np.int64(whole), rest


@inline
def round_key(deal_key: np.uint64, round_number: int, purpose: int) -> np.uint64:
    """The key of one purpose of chance in one round of a deal."""
    return fold(deal_key, round_number * 4 + purpose)


@inline
def deal_key(seed: np.uint64, deal: int) -> np.uint64:
    """The key of a deal; the two games of a pair and all cells of an experiment share it."""
    return fold(fold(seed, DEALS), deal)


@inline
def agent_game_key(agent_key: np.uint64, role: int, deal: int) -> np.uint64:
    """The key of an agent (see `agent_key`) in one role of one game."""
    return fold(fold(agent_key, role), deal)


@kernel
def _agent_key(seed: np.uint64, name: np.uint64) -> np.uint64:
    return fold(fold(seed, AGENTS), name)


def agent_key(seed: int, name: str) -> np.uint64:
    """The key of an agent by its name in the experiment, whatever its seat or its opponent."""
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return np.uint64(_agent_key(np.uint64(seed), np.uint64(int.from_bytes(digest, "little"))))
