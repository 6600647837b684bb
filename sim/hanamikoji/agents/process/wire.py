"""The messages of the protocol, version 1, that docs/process-agents.md describes."""

from __future__ import annotations

import json
import struct
from typing import Any, Protocol

import numpy as np

from hanamikoji.agents.asked import DecisionError, choice_of
from hanamikoji.agents.observation import describe_move
from hanamikoji.engine.seat import Batch, Game, Int64
from hanamikoji.moves import index as ix
from hanamikoji.rules.sentences import show
from hanamikoji.rules.table import describe_rules

PROTOCOL = 1
BYE = b'{"type":"bye"}\n'

_HEADER = struct.Struct("<IIQ")  # decisions, legal ids, number
_NUMBERS = (
    "phase", "round", "turn", "role", "first", "decision", "deck", "hand_size", "their_hand_size",
    "charm", "their_charm", "favor", "their_favor", "offer_kind", "offer_move",
)  # fmt: skip
_COUNTS = (
    "markers", "hand", "mine", "theirs", "out", "down_mine", "down_theirs", "down_out", "blind",
    "under",
)  # fmt: skip


class Wire(Protocol):
    """How questions and answers are written; the hello and its answer are lines in any case."""

    name: str
    bye: bytes

    def question(self, batch: Batch, number: int) -> bytes:
        """The message that asks for a batch's decisions."""

    def size(self, decisions: int) -> int | None:
        """Bytes of an answer. Returns None if it is a line."""

    def answer(self, message: bytes, decisions: int, number: int) -> Int64:
        """The ids in an answer.

        Raises:
            DecisionError: It is none, or one to another question.
        """


def hello(game: Game, wire: Wire) -> bytes:
    """The first line that a process reads: the rules in words and numbers, and all moves."""
    rules = game.rules
    moves = [describe_move(game, number) for number in range(game.moves + game.responses)]
    kinds = [kind.name for kind in rules.kinds]
    made = [kinds.index(move.action) for move in moves]
    message = {
        "type": "hello",
        "protocol": PROTOCOL,
        "format": wire.name,
        "rules_hash": rules.hash,
        "text": describe_rules("the rules", rules, [made[: game.moves].count(k) for k in
                                                    range(len(kinds))]),
        "rules": rules.model_dump(mode="json"),
        "kinds": [kind.model_dump(mode="json") for kind in rules.kinds],
        "moves": [[made[i], moves[i].groups] for i in range(game.moves)],
        "responses": [[made[i], moves[i].taken] for i in range(game.moves, len(moves))],
    }  # fmt: skip
    if wire.name == "binary":
        message["view"] = {
            "size": ix.VIEW_SIZE,
            "numbers": {name: getattr(ix, name.upper()) for name in _NUMBERS},
            "blocks": {name: [at, shape] for name, (at, shape) in ix.VIEW_BLOCKS.items()},
        }
    return _line(message)


def refusal(message: bytes) -> str | None:
    """Why a process that answered a hello does not play these rules. Returns None if it does.

    Raises:
        DecisionError: It is no answer to a hello.
    """
    found = _parse(message, "ready")
    if found.get("protocol") != PROTOCOL:
        raise DecisionError(f"speaks protocol {show(found.get('protocol'))}; it must be {PROTOCOL}")
    supports = found.get("supports", True)
    if not isinstance(supports, bool):
        raise DecisionError(f"answered with supports {show(supports)}; it must be true or false")
    return None if supports else str(found.get("reason", "no reason given"))


class JsonWire:
    """A line of JSON each way."""

    name = "json"
    bye = BYE

    def question(self, batch: Batch, number: int) -> bytes:
        """See `Wire`."""
        rules = batch.game.rules
        ids, ends = batch.ids.tolist(), batch.offsets.tolist()
        kinds = [len(kind.groups) for kind in rules.kinds]
        rows = zip(batch.views.tolist(), batch.words.tolist(), strict=True)
        decisions = [
            _decision(view, len(rules.charm), kinds)
            | {"word": f"{word:016x}", "legal": ids[ends[i] : ends[i + 1]]}
            for i, (view, word) in enumerate(rows)
        ]
        return _line({"type": "decisions", "number": number, "decisions": decisions})

    def size(self, decisions: int) -> int | None:
        """See `Wire`."""
        return None

    def answer(self, message: bytes, decisions: int, number: int) -> Int64:
        """See `Wire`."""
        found = _parse(message, "answers")
        _check_number(found.get("number"), number)
        ids = found.get("ids")
        if not isinstance(ids, list) or len(ids) != decisions:
            what = f"{len(ids)} ids" if isinstance(ids, list) else show(ids)
            raise DecisionError(f"answered with {what} where {decisions} ids belong")
        return np.array([choice_of(each) for each in ids], np.int64)


class BinaryWire:
    """The raw arrays, little-endian: no JSON but in the hello and its answer."""

    name = "binary"
    bye = _HEADER.pack(0, 0, 0)

    def question(self, batch: Batch, number: int) -> bytes:
        """See `Wire`."""
        return b"".join(
            (
                _HEADER.pack(len(batch.words), len(batch.ids), number),
                batch.views.astype("<i4").tobytes(),
                batch.words.astype("<u8").tobytes(),
                batch.offsets.astype("<i8").tobytes(),
                batch.ids.astype("<i8").tobytes(),
            )
        )

    def size(self, decisions: int) -> int | None:
        """See `Wire`."""
        return 8 + 4 * decisions

    def answer(self, message: bytes, decisions: int, number: int) -> Int64:
        """See `Wire`."""
        _check_number(int.from_bytes(message[:8], "little"), number)
        return np.frombuffer(message, "<i4", decisions, 8).astype(np.int64)


WIRES: dict[str, Wire] = {wire.name: wire for wire in (JsonWire(), BinaryWire())}


def _decision(view: list[int], geishas: int, kinds: list[int]) -> dict[str, Any]:
    """A view in the words of `hanamikoji.agents.Observation`; ``kinds`` has groups of each."""
    groups = kinds[view[ix.OFFER_KIND] - 1] if view[ix.OFFER_MOVE] else 0
    offers = range(ix.OFFER, ix.OFFER + groups * ix.MOST_GEISHAS, ix.MOST_GEISHAS)
    found: dict[str, Any] = {
        "responding": view[ix.PHASE] == ix.RESPOND,
        "round": view[ix.ROUND],
        "turn": view[ix.TURN],
        "role": "second" if view[ix.ROLE] else "starter",
        "first": bool(view[ix.FIRST]),
        "deck": view[ix.DECK],
        "their_hand_size": view[ix.THEIR_HAND_SIZE],
        "charm": view[ix.CHARM],
        "their_charm": view[ix.THEIR_CHARM],
        "offer": [view[at : at + geishas] for at in offers],
        "left": view[ix.LEFT : ix.LEFT + len(kinds)],
        "their_left": view[ix.THEIR_LEFT : ix.THEIR_LEFT + len(kinds)],
        "history": _history(view),
    }
    for name in _COUNTS:
        at = ix.VIEW_BLOCKS[name][0]
        found[name] = view[at : at + geishas]
    return found


def _history(view: list[int]) -> list[list[Any]]:
    turns = []
    for at in range(ix.HISTORY, ix.VIEW_SIZE, ix.HISTORY_WIDTH):
        actor, kind, move, answer = view[at : at + ix.HISTORY_WIDTH]
        if not actor:
            break
        who = "me" if actor == ix.ONESELF else "opponent"
        turns.append([who, kind - 1, move - 1 if move else None, answer - 1 if answer else None])
    return turns


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _parse(message: bytes, kind: str) -> dict[str, Any]:
    """The object in a line, of the type ``kind``."""
    try:
        found = json.loads(message.decode("utf-8"))
    except (ValueError, RecursionError):
        text = show(message[:200].decode("utf-8", "backslashreplace").rstrip("\n"))
        raise DecisionError(f"answered {text}, which isn't JSON in UTF-8,") from None
    if not isinstance(found, dict) or found.get("type") != kind:
        what = show(found.get("type")) if isinstance(found, dict) else show(found)
        raise DecisionError(f"answered with {what} where a message of type '{kind}' belongs")
    return found


def _check_number(found: object, number: int) -> None:
    if type(found) is not int or found != number:
        raise DecisionError(f"answered question {show(found)} where {number} was asked")
