"""Training fits into a small computer's memory, for the largest rules there are."""

from __future__ import annotations

import subprocess
import sys

import pytest

_TRAIN = """
import resource
from hanamikoji.rules import load_rules
from hanamikoji.learning.training import train

train(load_rules({rules!r}), 4096)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

VARIANTS = {
    "base": {"preset": "base"},
    "sixteen geishas": {
        "preset": "base", "charm": list(range(1, 17)), "items": [9] * 16,
        "goals": {"charm": 60, "geishas": 9},
    },
    "sixteen geishas, many cards": {
        "preset": "base", "charm": list(range(1, 17)), "items": [10] * 16, "hand": 12,
        "goals": {"charm": 60, "geishas": 9},
    },
}  # fmt: skip
UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_training__takes_less_than_a_gigabyte(name: str) -> None:
    """All of it: Python, the compiler and its libraries, too."""
    program = [sys.executable, "-c", _TRAIN.format(rules=VARIANTS[name])]
    told = subprocess.run(program, capture_output=True, text=True, check=True)
    most = int(told.stdout) * UNIT
    assert 50e6 < most < 1e9, f"{most:,} bytes"
