"""Agents of a distribution that is made up on the spot, most of them badly behaved."""

from __future__ import annotations

from pathlib import Path

_MODULE = '''
import ctypes, itertools, os, random, sys, time
import numpy as np

class Uniform:
    """Plays any legal move."""
    def act(self, observation):
        return observation.rng.choice(observation.legal_ids)

class UniformBatch:
    """Plays any legal move, many games at once."""
    def act_batch(self, batch):
        counts = np.diff(batch.offsets)
        picks = (batch.words % counts.astype(np.uint64)).astype(np.int64)
        return batch.ids[batch.offsets[:-1] + picks]

def _now(observation, when):
    """Whether it is time to misbehave: rarely, and the same games each time."""
    return observation._word % when == 0

class _Odd(Uniform):
    def __init__(self, when=2000):
        self.when = when
    def act(self, observation):
        if _now(observation, self.when):
            return self.misbehave(observation)
        return super().act(observation)

class Raises(_Odd):
    def misbehave(self, observation):
        raise ValueError("no <b>idea</b>\\nat all")

class Illegal(_Odd):
    def misbehave(self, observation):
        return 10**6

class Garbage(_Odd):
    def misbehave(self, observation):
        return "secret"

class Exits(_Odd):
    def misbehave(self, observation):
        os._exit(5)

class Leaves(_Odd):
    def misbehave(self, observation):
        sys.exit("bye")

class Crashes(_Odd):
    def misbehave(self, observation):
        ctypes.string_at(0)

class Hangs(_Odd):
    def misbehave(self, observation):
        while True:
            time.sleep(0.01)

class HangsHard(_Odd):
    """Hangs in C, where no signal is looked at."""
    def misbehave(self, observation):
        sum(itertools.repeat(0))

class Hoards(_Odd):
    def misbehave(self, observation):
        hoard = []
        while True:
            hoard.append(b"x" * 2**24)
            time.sleep(0.001)

class Chatters(_Odd):
    def misbehave(self, observation):
        print("I am thinking")
        sys.stdout.flush()
        os.write(1, b"hard\\n")
        return observation.legal_ids[0]

class Scribbles(Uniform):
    """Writes into its observation before it answers."""
    def act(self, observation):
        answer = super().act(observation)
        observation.view[:] = 77
        observation.legal_ids.clear()
        return answer

class Slow(Uniform):
    """Takes its time."""
    def __init__(self, seconds=0.001):
        self.seconds = seconds
    def act(self, observation):
        time.sleep(self.seconds)
        return super().act(observation)

class Moody(Uniform):
    """Draws from a random source of its own."""
    def act(self, observation):
        return random.choice(observation.legal_ids)

class Remembers(Uniform):
    """Counts its decisions from game to game."""
    def __init__(self):
        self.decisions = 0
    def act(self, observation):
        self.decisions += 1
        return observation.legal_ids[self.decisions % len(observation.legal_ids)]

class MoodyBatch(UniformBatch):
    """Depends on which games are asked together."""
    def act_batch(self, batch):
        counts = np.diff(batch.offsets)
        return batch.ids[batch.offsets[:-1] + len(counts) % counts]

class HangsBatch(UniformBatch):
    def act_batch(self, batch):
        if (batch.words % np.uint64(2000) == 0).any():
            while True:
                time.sleep(0.01)
        return super().act_batch(batch)
'''

NAMES = {
    "uniform": "Uniform",
    "uniform-batch": "UniformBatch",
    "raises": "Raises",
    "illegal": "Illegal",
    "garbage": "Garbage",
    "exits": "Exits",
    "leaves": "Leaves",
    "crashes": "Crashes",
    "hangs": "Hangs",
    "hangs-hard": "HangsHard",
    "hoards": "Hoards",
    "chatters": "Chatters",
    "scribbles": "Scribbles",
    "slow": "Slow",
    "hangs-batch": "HangsBatch",
    "moody": "Moody",
    "remembers": "Remembers",
    "moody-batch": "MoodyBatch",
}


def install(folder: Path, version: str = "1.0", **more: str) -> Path:
    """Make a distribution ``odd-agents`` in ``folder``; put that on the path to have it.

    ``more`` are further entry points, name to value.
    """
    info = folder / f"odd_agents-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: odd-agents\nVersion: {version}\n")
    entries = {name: f"odd_agents_plugin:{value}" for name, value in NAMES.items()} | more
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[hanamikoji.agents]\n{lines}")
    (folder / "odd_agents_plugin.py").write_text(_MODULE)
    return folder
