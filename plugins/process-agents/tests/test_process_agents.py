"""The two agents pass the check, and speak the protocol to somebody who writes it by hand."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanamikoji.agents import Game, load_agent
from hanamikoji.engine import Match
from hanamikoji.experiment import AgentUse
from hanamikoji.rules import load_rules
from hanamikoji.testing import check_agent

FOLDER = Path(__file__).parents[1]
RULES = {name: load_rules(name) for name in ("base", "avoid-misfortune", "serendipity")}

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture(scope="module")
def uniform(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The agent in C, compiled."""
    program = tmp_path_factory.mktemp("c") / "uniform"
    source = FOLDER / "uniform.c"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", program, source], check=True)
    return str(program)


@needs_node
def test_fair__passes_the_check() -> None:
    command = ["node", str(FOLDER / "fair.mjs")]
    check_agent("process", {"command": command}, variants=RULES, deals=2)


@needs_cc
def test_uniform__passes_the_check(uniform: str) -> None:
    options = {"command": [uniform], "format": "binary"}
    check_agent("process", options, variants=RULES, deals=2)


@needs_node
def test_fair__beats_random() -> None:
    game = Game.of(RULES["base"])
    options = {"command": ["node", str(FOLDER / "fair.mjs")]}
    fair = load_agent(AgentUse(name="fair", agent="process", options=options)).seat(game)
    random = load_agent(AgentUse(name="random", agent="random")).seat(game)
    games = Match(game, (fair, random), seed=1).play(0, 200).games
    assert np.mean(games["outcome"] == games["seating"]) > 0.6


@needs_cc
def test_uniform__refuses_json(uniform: str) -> None:
    hello = b'{"type":"hello","protocol":1,"format":"json"}\n'
    done = subprocess.run([uniform], input=hello, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"binary" in done.stderr


# --- the protocol by hand: two geishas of 1 and 3 charm, keep a card or give one of two ----------

HELLO: dict[str, Any] = {
    "type": "hello",
    "protocol": 1,
    "format": "json",
    "rules": {"charm": [1, 3]},
    "kinds": [
        {"name": "keep", "chooser": "nobody", "chosen_to": None, "rest_to": "actor"},
        {"name": "give", "chooser": "opponent", "chosen_to": "opponent", "rest_to": "actor"},
    ],
    "moves": [[0, [[0]]], [0, [[1]]], [1, [[0], [0]]], [1, [[0], [1]]]],
    "responses": [[1, [0]], [1, [1]]],
}


@needs_node
def test_fair__by_hand() -> None:
    """Keep 1 or 3 charm, or give of 1 + 3 (the opponent takes 3): 3 is best. Take 3, not 1."""
    act = {"responding": False, "offer": [], "legal": [0, 1, 3], "word": "0" * 16}
    respond = {"responding": True, "offer": [[1, 0], [0, 1]], "legal": [4, 5], "word": "f" * 16}
    messages = [
        HELLO,
        {"type": "decisions", "number": 1, "decisions": [act, respond]},
        {"type": "decisions", "number": 2, "decisions": [act | {"legal": [0, 3]}]},
        {"type": "bye"},
    ]
    done = subprocess.run(
        ["node", FOLDER / "fair.mjs"],
        input="".join(json.dumps(message) + "\n" for message in messages).encode(),
        capture_output=True,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"type": "ready", "protocol": 1},
        {"type": "answers", "number": 1, "ids": [1, 5]},
        {"type": "answers", "number": 2, "ids": [0]},
    ]


@needs_cc
def test_uniform__by_hand(uniform: str) -> None:
    """Views of two integers; words at the ends of their range choose the first and the last id."""
    hello = b'{"type":"hello","protocol":1,"format":"binary","view":{"size":2}}\n'
    views, words, offsets, ids = [1, 0, 1, 0], [0, 2**64 - 1], [0, 2, 5], [7, 8, 1, 2, 3]
    question = struct.pack("<IIQ4i2Q3q5q", 2, 5, 9, *views, *words, *offsets, *ids)
    bye = struct.pack("<IIQ", 0, 0, 0)
    done = subprocess.run([uniform], input=hello + question + bye, capture_output=True, check=True)
    ready, _, answer = done.stdout.partition(b"\n")
    assert json.loads(ready) == {"type": "ready", "protocol": 1}
    assert struct.unpack("<Q2i", answer) == (9, 7, 3)
