"""`process` agents: their games don't depend on how they are asked; what goes wrong has a name."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import hanamikoji
from agents.use import BASE, mirror, seat
from hanamikoji.agents import Game, Observation
from hanamikoji.agents.asked import PlainSeat
from hanamikoji.agents.loading import options_of
from hanamikoji.agents.process import Process
from hanamikoji.engine import Match, codes
from hanamikoji.engine.seat import Seat
from hanamikoji.errors import AgentError, PluginError
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS

ODD = Path(__file__).with_name("odd_process.py")
SCHEMA = Path(__file__).parents[2] / "docs" / "process-agents.schema.json"
DEALS = 12

pytestmark = pytest.mark.jit


def odd(habit: str, name: str = "odd", **options: Any) -> Seat:
    command = [sys.executable, "-I", str(ODD), habit]
    return seat("process", name, command=command, **options)


class Good:
    """The odd process's policy without its habits."""

    def act(self, observation: Observation) -> int:
        return observation.legal_ids[observation.word % len(observation.legal_ids)]


@pytest.mark.parametrize("options", [{}, {"batch": 1}, {"batch": 7}], ids=str)
def test_games__are_those_of_the_same_policy_in_python(options: dict[str, int]) -> None:
    theirs = mirror(odd("none", **options), DEALS, batch=5)
    ours = mirror(PlainSeat("odd", Good(), BASE), DEALS)
    for column, values in ours.moves.items():
        assert np.array_equal(values, theirs.moves[column]), column


FAULTS = {
    "dies": ("error", "ended with exit code 3 (out of ideas)"),
    "aborts": ("error", "was ended by SIGABRT"),
    "closes": ("error", "closed its output"),
    "hangs": ("stall", "gave no answer for 0.3 s"),
    "garbage": ("illegal", "answered \"I'd rather not\", which isn't JSON in UTF-8,"),
    "other-bytes": (
        "illegal",
        "answered '{\"type\":\"answers\",\"\\\\xff\\\\xfe', which isn't JSON in UTF-8,",
    ),
    "endless": ("illegal", "answered with more than 1,056 bytes in a line"),
    "other-type": (
        "illegal", "answered with 'moves' where a message of type 'answers' belongs",
    ),
    "no-ids": ("illegal", "answered with 'none' where 1 ids belong"),
    "few": ("illegal", "answered with 0 ids where 1 ids belong"),
    "twice": ("illegal", "wrote more than one answer"),
    "illegal": ("illegal", "answered 1000000, which is no legal move,"),
    "text": ("illegal", "answered with str where a move's id belongs"),
    "float": ("illegal", "answered with float where a move's id belongs"),
    "bool": ("illegal", "answered with bool where a move's id belongs"),
    "huge": ("illegal", "answered a number of 100 bits, which is no legal move,"),
}  # fmt: skip
"""What each habit counts as, and how it is told."""


@pytest.mark.parametrize("habit", FAULTS)
def test_fault__loses_that_game_alone(habit: str) -> None:
    kind, message = FAULTS[habit]
    limit = {"decision_limit": 0.3, "line_limit": 0.3} if habit == "hangs" else {}
    played = mirror(odd(habit, restarts=0, **limit), DEALS, on_error="forfeit")
    well = mirror(PlainSeat("odd", Good(), BASE), DEALS)
    lost = played.games["reason"] == codes.REASONS.index(f"forfeit-{kind}")
    assert 0 < lost.sum() < DEALS
    assert {failure.message for failure in played.failures} == {message}
    assert sorted(failure.deal for failure in played.failures) == np.flatnonzero(lost).tolist()
    for column, values in well.games.items():  # the other games are as if nothing had happened
        assert np.array_equal(values[~lost], played.games[column][~lost]), column


@pytest.mark.parametrize("habit", ["deep", "other-number"])
def test_fault__stops_with_a_sentence(habit: str) -> None:
    with pytest.raises(AgentError, match=r"agent 'odd' answered .* in deal \d+, seating 0, round"):
        mirror(odd(habit), DEALS)


def test_death__that_does_not_happen_again_changes_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    one = odd("dies-once", batch=1, env={"MARK": str(mark)})
    played = mirror(one, 3, on_error="forfeit", batch=1)
    assert mark.exists() and not played.failures
    mark.unlink()
    again = odd("dies-once", batch=1, env={"MARK": str(mark)}, restarts=0)
    assert len(mirror(again, 3, on_error="forfeit", batch=1).failures) == 1


def test_deaths__without_an_answer_between_them_end_the_run() -> None:
    with pytest.raises(AgentError, match=r"is given up, since 10 in a row gave no valid answer; "):
        mirror(odd("never"), DEALS, on_error="forfeit")


@pytest.mark.parametrize(
    ("habit", "sentence"),
    [
        ("refuses", "doesn't play the rules [0-9a-f]{16}: only chess  .0m!$"),
        ("mute", "gave no answer for 0.5 s, when it was told the rules$"),
        ("old", "speaks protocol 0; it must be 1, when it was told the rules$"),
        ("unready", r"ended with exit code 1 \(no licence\), when it was told the rules$"),
    ],
)
def test_start__that_fails_is_one_sentence(habit: str, sentence: str) -> None:
    with pytest.raises(PluginError, match=f"^the process '.* {sentence}"):
        odd(habit, start_limit=0.5 if habit == "mute" else 10.0)


def test_log__is_capped_and_printable(capfd: pytest.CaptureFixture[str]) -> None:
    mirror(odd("chatty", log=1000), 2)
    said = capfd.readouterr().err
    assert said.count("thinking") in range(70, 80)
    assert "\x1b" not in said and said.endswith("(what the agent wrote after this was left out)\n")


def test_environment__is_what_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARED", "yes")
    monkeypatch.setenv("SECRET", "no")
    (tmp_path / "show.py").write_text(
        "import json, os\n"
        "open('seen.json', 'w').write(json.dumps(dict(os.environ)))\n"
        "print(json.dumps({'type': 'ready', 'protocol': 1}))\n"
    )
    command = [sys.executable, "-I", "show.py"]
    seat("process", command=command, folder=str(tmp_path), env={"A": "1"}, inherit=["SHARED"])
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen.pop("LC_CTYPE", "") in ("", "C.UTF-8")  # Python's own doing
    assert seen == {"A": "1", "SHARED": "yes"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"command": "node"}, "command is 'node'; it must be a list of texts"),
        ({"command": []}, "command is []; it must be a list of texts"),
        ({"command": ["no-such-bot"]}, "command names 'no-such-bot', which is no executable here"),
        ({"command": ["./bot"]}, "command names './bot', which is no executable here"),
        ({"folder": "nowhere"}, "folder is 'nowhere'; it must be a folder that is there"),
        ({"format": "xml"}, "format is 'xml'; it must be json or binary"),
        ({"env": {"A": 1}}, "env is a table; it must be a table of texts"),
        ({"inherit": ["NO_SUCH"]}, "inherit names 'NO_SUCH', which isn't set"),
        ({"batch": 0}, "batch is 0; it must be a whole number, 1 or more"),
        ({"restarts": True}, "restarts is true; it must be a whole number, 0 or more"),
        ({"decision_limit": 0}, "decision_limit is 0; it must be a number of seconds above 0"),
    ],
)
def test_options__are_refused_before_anything_runs(options: Any, sentence: str) -> None:
    with pytest.raises(PluginError) as caught:
        seat("process", **{"command": [sys.executable], **options})
    assert sentence in str(caught.value)


def test_close__ends_the_process_and_what_it_has_started() -> None:
    one = Process([sys.executable, "-I", str(ODD), "none"])
    one.prepare(BASE)
    assert one._child is not None
    process = one._child._process
    one.close()
    assert process.poll() == 0  # by itself, when told
    one.prepare(BASE)
    process = one._child._process
    del one  # without a word
    until = time.monotonic() + 5
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is not None


# --- the protocol --------------------------------------------------------------------------------

ECHO = """
import json, sys
for line in sys.stdin:
    open(sys.argv[1], "a").write(line)
    message = json.loads(line)
    if message["type"] == "bye":
        break
    answer = {"type": "ready", "protocol": 1}
    if message["type"] == "decisions":
        ids = [each["legal"][-1] for each in message["decisions"]]
        answer = {"type": "answers", "number": message["number"], "ids": ids}
    print(json.dumps(answer), flush=True)
    open(sys.argv[1], "a").write(json.dumps(answer) + "\\n")
"""


@pytest.mark.parametrize("name", PRESETS)
def test_messages__follow_the_schema_and_tell_what_a_plain_agent_sees(
    name: str, tmp_path: Path
) -> None:
    lines = tmp_path / "lines"
    game = Game.of(PRESETS[name])
    process = Process([sys.executable, "-I", "-c", ECHO, str(lines)])
    process.prepare(game)
    seen: list[dict[str, Any]] = []

    class Watching:
        def act(self, observation: Observation) -> int:
            seen.append(told(observation))
            return observation.legal_ids[-1]

    class Both:
        name = "both"

        def choose(self, batch: Any) -> Any:
            PlainSeat("watching", Watching(), game).choose(batch)
            return process.act_batch(batch), {}

    both = Both()
    Match(game, (both, both), seed=1).play(0, 3)
    process.close()
    messages = [json.loads(line) for line in lines.read_text().splitlines()]
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for message in messages:
        validator.validate(message)
    assert {message["type"] for message in messages} == {
        part["$ref"].rpartition("/")[2] for part in schema["oneOf"]
    }
    asked = [each for m in messages if m["type"] == "decisions" for each in m["decisions"]]
    assert asked == seen
    hello = messages[0]
    assert len(hello["moves"]) == game.moves and len(hello["responses"]) == game.responses


def told(observation: Observation) -> dict[str, Any]:
    """What the protocol says of an observation, from the object that plain agents get."""
    names = json.loads(SCHEMA.read_text())["$defs"]["decision"]["required"]
    found = {name: getattr(observation, name, None) for name in names}
    kinds = [kind.name for kind in observation.game.rules.kinds]
    return found | {
        "legal": observation.legal_ids,
        "word": f"{observation.word:016x}",
        "left": list(observation.left.values()),
        "their_left": list(observation.their_left.values()),
        "history": [
            [who, kinds.index(marker), None if move is None else int(move), answer]
            for who, marker, move, answer in observation.history
        ],
    }


BINARY = """
import json, struct, sys
read, write = sys.stdin.buffer, sys.stdout.buffer
view = json.loads(read.readline())["view"]
F, ROUND = view["size"], view["numbers"]["round"]
write.write(b'{"type":"ready","protocol":1}\\n'); write.flush()
while True:
    n, m, number = struct.unpack("<IIQ", read.read(16))
    if n == 0: break
    views = struct.unpack(f"<{n * F}i", read.read(4 * n * F))
    words = struct.unpack(f"<{n}Q", read.read(8 * n))
    ends = struct.unpack(f"<{n + 1}q", read.read(8 * n + 8))
    ids = struct.unpack(f"<{m}q", read.read(8 * m))
    assert all(views[i * F + ROUND] >= 1 for i in range(n))
    legal = [ids[ends[i] : ends[i + 1]] for i in range(n)]
    answers = [legal[i][words[i] % len(legal[i])] for i in range(n)]
    write.write(struct.pack(f"<Q{n}i", number, *answers)); write.flush()
"""


def test_binary__is_the_same_in_raw_arrays() -> None:
    command = [sys.executable, "-I", "-c", BINARY]
    theirs = mirror(seat("process", "odd", command=command, format="binary"), DEALS)
    ours = mirror(PlainSeat("odd", Good(), BASE), DEALS)
    assert np.array_equal(ours.moves["choice"], theirs.moves["choice"])
    assert ix.VIEW_SIZE == 400  # as docs/process-agents.md says


def test_page__explains_every_option() -> None:
    page = SCHEMA.with_name("process-agents.md").read_text()
    for name in options_of(Process):
        assert re.search(rf"^\| `{name}` \|", page, re.M), name


def test_run__is_the_same_whatever_the_workers(tmp_path: Path) -> None:
    command = [sys.executable, "-I", str(ODD)]
    bots = [
        {"name": habit, "agent": "process", "command": [*command, habit]}
        for habit in ("none", "dies")
    ]
    tables = {"name": "x", "games": 40, "agents": bots, "matchups": "round-robin",
              "on_error": "forfeit"}  # fmt: skip
    one, two = (
        hanamikoji.run(tables, tmp_path / str(workers), workers=workers).games().collect()
        for workers in (1, 2)
    )
    keys = ["cell", "deal", "seating"]
    assert one.sort(keys).equals(two.sort(keys)) and len(one) == 40
    assert (one["reason"] == "forfeit-error").any()
