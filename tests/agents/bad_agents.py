"""Agents of a distribution made up on the spot: a few good ones, and each way to be bad.

The good ones are one policy in three forms, ``steady-*``: a legal id that a sum of the view, the
random word and the option ``shift`` pick.
"""

from __future__ import annotations

import re
from pathlib import Path

_GOOD = '''
"""Good agents."""
import numpy as np
from hanamikoji.agents import Parameters
from hanamikoji.agents.kernels import legal_moves
from hanamikoji.moves import index as ix

class _Steady:
    def __init__(self, shift=0):
        self.shift = shift

class Plain(_Steady):
    """One policy, plain."""
    def act(self, observation):
        total = (observation.word >> 40) + int(observation.view.sum()) + self.shift
        return observation.legal_moves[total % len(observation.legal_moves)]

class Batched(_Steady):
    """One policy, batched."""
    def act_batch(self, batch):
        total = (batch.words >> np.uint64(40)).astype(np.int64) + batch.views.sum(axis=1)
        return batch.ids[batch.offsets[:-1] + (total + self.shift) % np.diff(batch.offsets)]

def _steady(view, tables, weights, numbers, lanes, memory, word):
    total = np.int64(word >> np.uint64(40)) + np.int64(numbers[0])
    for i in range(ix.VIEW_SIZE):
        total += view[i]
    return memory[total % legal_moves(view, tables, memory)]

class Compiled(_Steady):
    """One policy, compiled."""
    kernel = staticmethod(_steady)
    def prepare(self, game):
        return Parameters(numbers=np.array([self.shift], np.float64),
                          memory=game.moves + game.responses)

class Needs:
    """Has an option without a default."""
    def __init__(self, depth, *, width=3):
        self.depth = depth
    def act(self, observation):
        return observation.legal_ids[0]
'''

_BAD = '''
"""Agents that misbehave, now and then or always."""
import itertools
import sys
import numpy as np
from hanamikoji.agents import Parameters
from hanamikoji.agents.kernels import legal_moves
from hanamikoji.moves import index as ix

class _Odd:
    def __init__(self, rarely=20):
        self.rarely = rarely
    def act(self, observation):
        if observation.word % self.rarely == 0:
            return self.slip(observation)
        return observation.rng.choice(observation.legal_ids)

def _odd(name, slip):
    return type(name, (_Odd,), {"slip": slip, "__module__": __name__})

def _raise(error):
    raise error

class _Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")

class _Odder:
    def __index__(self):
        raise RuntimeError("no number")

Raises = _odd("Raises", lambda self, observation: _raise(ValueError("no idea\\nat all")))
Mutes = _odd("Mutes", lambda self, observation: _raise(_Mute()))
Leaves = _odd("Leaves", lambda self, observation: sys.exit("bye"))
Illegal = _odd("Illegal", lambda self, observation: 10**6)
Negative = _odd("Negative", lambda self, observation: -5)
Huge = _odd("Huge", lambda self, observation: 10**30)
Sign = _odd("Sign", lambda self, observation: -(2**31))
Float = _odd("Float", lambda self, observation: 1.0)
Bool = _odd("Bool", lambda self, observation: True)
Nothing = _odd("Nothing", lambda self, observation: None)
Text = _odd("Text", lambda self, observation: "secret")
OddIndex = _odd("OddIndex", lambda self, observation: _Odder())

class _OddBatch:
    def __init__(self, rarely=20):
        self.rarely = rarely
    def act_batch(self, batch):
        wrong = batch.words % np.uint64(self.rarely) == 0
        begin = batch.offsets[:-1]
        count = np.diff(batch.offsets).astype(np.uint64)
        good = batch.ids[begin + (batch.words % count).astype(np.int64)]
        return self.slip(good, wrong) if wrong.any() else good

def _odd_batch(name, slip):
    return type(name, (_OddBatch,), {"slip": slip, "__module__": __name__})

BatchRaises = _odd_batch("BatchRaises", lambda self, good, wrong: _raise(KeyError("who")))
BatchIllegal = _odd_batch("BatchIllegal", lambda self, good, wrong: np.where(wrong, 10**6, good))
BatchHuge = _odd_batch(
    "BatchHuge", lambda self, good, wrong: np.where(wrong, 2**63, good).astype(np.uint64))
BatchFloat = _odd_batch("BatchFloat", lambda self, good, wrong: good.astype(float))
BatchBool = _odd_batch("BatchBool", lambda self, good, wrong: good > 3)
BatchNone = _odd_batch("BatchNone", lambda self, good, wrong: None)
BatchShort = _odd_batch("BatchShort", lambda self, good, wrong: good[:-1])
BatchSquare = _odd_batch("BatchSquare", lambda self, good, wrong: good[:, None])
BatchRagged = _odd_batch("BatchRagged", lambda self, good, wrong: [[1], [2, 3]])

class Scribbles:
    """Writes into its observation."""
    def act(self, observation):
        answer = observation.legal_ids[0]
        observation.view[ix.HAND] += 1
        return answer

class BatchScribbles:
    """Sorts its argument ids, the largest first."""
    def act_batch(self, batch):
        answer = batch.ids[batch.offsets[:-1]]
        batch.ids[:] = batch.ids[::-1].copy()
        return answer

class Redraws:
    """Writes into the rules' tables."""
    def act(self, observation):
        observation.game.tables[ix.GOAL_CHARM] += 1
        return observation.legal_ids[0]

class Remembers:
    """Carries a count from decision to decision."""
    def __init__(self):
        self.count = itertools.count()
    def act(self, observation):
        return observation.legal_ids[next(self.count) % len(observation.legal_ids)]

class Hashes:
    """Decides by a hash that is another one in each process."""
    def act(self, observation):
        return observation.legal_ids[hash(str(observation.hand)) % len(observation.legal_ids)]

class Averages:
    """Decides by the batch as a whole."""
    def act_batch(self, batch):
        n = np.diff(batch.offsets)
        return batch.ids[batch.offsets[:-1] + len(batch.words) % n]

class Unprepared:
    """Raises where it sees the rules."""
    def prepare(self, game):
        raise LookupError("nothing of the kind")
    def act(self, observation):
        return 0

class LeavesEarly(Unprepared):
    """Ends the process where it sees the rules."""
    def prepare(self, game):
        sys.exit(1)

class Picky:
    """Takes no option that it is given."""
    def __init__(self, level=1):
        if level != 1:
            raise ValueError(f"level is {level}; it must be 1")
    def act(self, observation):
        return observation.legal_ids[0]

class TwoForms:
    def act(self, observation):
        return 0
    def act_batch(self, batch):
        return batch.ids[:0]

class NoForm:
    pass

def not_a_class(observation):
    return 0

# --- compiled ---

def _prepared(self, game):
    return Parameters(numbers=np.zeros(1), memory=game.moves + game.responses)

def _compiled(name, kernel, prepare=_prepared):
    return type(name, (), {"kernel": staticmethod(kernel), "prepare": prepare,
                           "__module__": __name__})

def _illegal(view, tables, weights, numbers, lanes, memory, word):
    if word % np.uint64(20) == 0:
        return np.int64(10**6)
    return memory[np.int64(word % np.uint64(legal_moves(view, tables, memory)))]

def _huge(view, tables, weights, numbers, lanes, memory, word):
    return np.int64(2**32) + memory[legal_moves(view, tables, memory) - 1]

def _raises(view, tables, weights, numbers, lanes, memory, word):
    if word % np.uint64(20) == 0:
        raise ValueError
    return memory[np.int64(word % np.uint64(legal_moves(view, tables, memory)))]

def _float(view, tables, weights, numbers, lanes, memory, word):
    return numbers[0]

def _bool(view, tables, weights, numbers, lanes, memory, word):
    return view[0] == 0

def _none(view, tables, weights, numbers, lanes, memory, word):
    return None

def _broken(view, tables, weights, numbers, lanes, memory, word):
    return view.nonsense()

def _few(view, tables):
    return 0

def _closure():
    choice = 3
    def kernel(view, tables, weights, numbers, lanes, memory, word):
        return choice
    return kernel

def _writes_view(view, tables, weights, numbers, lanes, memory, word):
    view[ix.ROUND] += 1
    return memory[legal_moves(view, tables, memory) - 1]

def _writes_numbers(view, tables, weights, numbers, lanes, memory, word):
    numbers[0] += 1.0
    return memory[legal_moves(view, tables, memory) - 1]

def _recalls(view, tables, weights, numbers, lanes, memory, word):
    last = memory[len(memory) - 1]
    legal = legal_moves(view, tables, memory)
    memory[len(memory) - 1] = word >> np.uint64(32)
    return memory[last % legal]

KernelIllegal = _compiled("KernelIllegal", _illegal)
KernelHuge = _compiled("KernelHuge", _huge)
KernelRaises = _compiled("KernelRaises", _raises)
KernelFloat = _compiled("KernelFloat", _float)
KernelBool = _compiled("KernelBool", _bool)
KernelNone = _compiled("KernelNone", _none)
KernelBroken = _compiled("KernelBroken", _broken)
KernelFew = _compiled("KernelFew", _few)
KernelClosure = _compiled("KernelClosure", _closure())
KernelBuiltin = _compiled("KernelBuiltin", print)
KernelScribbles = _compiled("KernelScribbles", _writes_view)
KernelForgets = _compiled("KernelForgets", _writes_numbers)
KernelRecalls = _compiled("KernelRecalls", _recalls)
KernelUnprepared = _compiled("KernelUnprepared", _huge, lambda self, game: 3)
KernelFlat = _compiled("KernelFlat", _huge, lambda self, game: Parameters(np.zeros(3, np.int16)))
KernelDouble = _compiled("KernelDouble", _huge, lambda self, game: Parameters(numbers=[1.0]))
KernelLess = _compiled("KernelLess", _huge, lambda self, game: Parameters(memory=-1))
'''

GOOD = {
    "steady-plain": "Plain",
    "steady-batched": "Batched",
    "steady-compiled": "Compiled",
    "needs": "Needs",
}
BAD = [*re.findall(r"^(?:class )?([A-Z]\w+)(?=[:(]| = )", _BAD, re.MULTILINE), "not_a_class"]


def _dashed(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).strip("-").replace("_", "-")


def declare(folder: Path, distribution: str, entries: dict[str, str]) -> None:
    """A distribution of this name in ``folder`` that claims these agents, without any files."""
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[hanamikoji.agents]\n{lines}")


def install(folder: Path) -> Path:
    """Make the distribution ``bad-agents`` in ``folder``; put that on the path to have it."""
    package = folder / "bad_agents_plugin"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "good.py").write_text(_GOOD)
    (package / "bad.py").write_text(_BAD)
    (package / "at_import.py").write_text("raise RuntimeError('not today')\n")
    (package / "exits.py").write_text("import sys\nsys.exit('closed')\n")
    entries = {name: f"bad_agents_plugin.good:{value}" for name, value in GOOD.items()}
    entries |= {_dashed(name): f"bad_agents_plugin.bad:{name}" for name in BAD}
    entries |= {
        "lost": "bad_agents_plugin.nowhere:Lost",
        "nameless": "bad_agents_plugin.bad:Lost",
        "not-today": "bad_agents_plugin.at_import:Any",
        "closed": "bad_agents_plugin.exits:Any",
    }
    declare(folder, "bad-agents", entries)
    return folder
