"""A process agent that plays well but for one habit, which it has at about one decision in fifty.

It uses the standard library alone, as its environment is empty: ``python -I odd_process.py HABIT``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

INSTEAD = {"illegal": 1_000_000, "text": "gift", "float": 1.0, "bool": True, "huge": 10**30}
"""What it answers instead of a move's id."""


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def unlucky(decision: dict[str, Any]) -> bool:
    return int(decision["word"], 16) % 50 == 7


def choose(decision: dict[str, Any]) -> int:
    legal: list[int] = decision["legal"]
    return legal[int(decision["word"], 16) % len(legal)]


def misbehave(habit: str, number: int) -> bool:
    """What happens instead of an answer; False if nothing does."""
    if habit in ("none", "chatty", "dies-once", "never") or habit in INSTEAD:
        return False
    if habit == "dies":
        print("out of ideas", file=sys.stderr, flush=True)
        sys.exit(3)
    if habit == "aborts":
        os.abort()
    if habit == "hangs":
        time.sleep(600)
    if habit == "closes":
        os.close(1)
        time.sleep(600)
    if habit == "garbage":
        print("I'd rather not", flush=True)
    if habit == "other-bytes":
        os.write(1, b'{"type":"answers","\xff\xfe\n')
    if habit == "deep":
        print("[" * 900, flush=True)
    if habit == "endless":
        os.write(1, b"x" * 200_000)
        time.sleep(600)
    if habit == "other-type":
        say({"type": "moves", "number": number})
    if habit == "no-ids":
        say({"type": "answers", "number": number, "ids": "none"})
    if habit == "few":
        say({"type": "answers", "number": number, "ids": []})
    if habit == "other-number":
        say({"type": "answers", "number": number + 1, "ids": [1]})
    if habit == "twice":
        os.write(1, f'{{"type":"answers","number":{number},"ids":[0]}}\n{{}}\n'.encode())
    return True


def main(habit: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "bye":
            return
        if message["type"] == "hello":
            greet(habit)
            continue
        number, decisions = message["number"], message["decisions"]
        if habit == "dies-once" and not Path(os.environ["MARK"]).exists():
            Path(os.environ["MARK"]).touch()
            sys.exit(1)
        if habit == "chatty":
            print("\x1b[31mthinking" * 1000, file=sys.stderr, flush=True)
        ids: list[Any] = [choose(each) for each in decisions]
        if any(map(unlucky, decisions)) and misbehave(habit, number):
            continue
        if habit in INSTEAD:
            ids = [INSTEAD[habit] if unlucky(each) else choose(each) for each in decisions]
        if habit == "never":
            sys.exit(1)
        say({"type": "answers", "number": number, "ids": ids})


def greet(habit: str) -> None:
    if habit == "refuses":
        say({"type": "ready", "protocol": 1, "supports": False, "reason": "only chess\n\x1b[0m!"})
    elif habit == "mute":
        time.sleep(600)
    elif habit == "old":
        say({"type": "ready", "protocol": 0})
    elif habit == "unready":
        sys.exit("no licence")
    else:
        say({"type": "ready", "protocol": 1})


if __name__ == "__main__":
    main(sys.argv[1])
