"""The columns of a dataset, in one place: name, type and meaning; `hanamikoji schema` prints it."""

from __future__ import annotations

from dataclasses import dataclass

from hanamikoji.engine.codes import OUTCOMES, REASONS

SEATS = ("a", "b")
WINNER_ROLES = ("starter", "second", "none")
PHASES = ("act", "respond")


@dataclass(frozen=True)
class Column:
    """One column of a table.

    ``kind`` is an integer type, ``bool``, ``enum`` (a fixed set of texts, see ``values``) or
    ``text`` (names; stored once per file). Only ``nullable`` columns contain nulls.
    """

    name: str
    kind: str
    meaning: str
    values: tuple[str, ...] = ()
    nullable: bool = False


def _game_key(seating: str) -> tuple[Column, ...]:
    return (
        Column("cell", "int32", "number of the cell: one variant and one match-up"),
        Column("variant", "text", "name of the variant"),
        Column("deal", "int64", "number of the deal, from 0; all cells share deals"),
        Column("seating", "int8", seating),
        Column("agent_a", "text", "name of the agent in seat a, the first named of the match-up"),
        Column("agent_b", "text", "name of the agent in seat b"),
    )


_SEATING = "0: a starts the game; 1: b does (a mirror match-up has only seating 0)"

GAMES = (
    *_game_key(_SEATING),
    Column("starter", "enum", "the seat that acts first in round 1", SEATS),
    Column("outcome", "enum", "the seat that won, or how nobody did", OUTCOMES),
    Column("winner_role", "enum", "the winner's role in round 1", WINNER_ROLES),
    Column(
        "reason",
        "enum",
        "what decided: charm whenever the winner holds the charm goal and it prevails; "
        "geishas: the geisha goal; cap-…: the tie-break after the last round; shared: level after "
        "all tie-breaks; round-limit: unfinished; forfeit-…: an agent failed",
        REASONS,
    ),
    Column("rounds", "int16", "rounds played, the last one included"),
    Column("charm_a", "int16", "charm of the geishas that a holds at the end"),
    Column("charm_b", "int16", "the same for b"),
    Column("geishas_a", "int8", "number of geishas that a holds at the end"),
    Column("geishas_b", "int8", "the same for b"),
    Column(
        "favor_a", "int32", "bit mask of the geishas that a holds at the end: bit 0 is the first"
    ),
    Column("favor_b", "int32", "the same for b"),
    Column(
        "lead_changes",
        "int16",
        "how often the charm lead after a round passed to the other seat, level ignored",
    ),
    Column(
        "goal_conflict",
        "bool",
        "one seat held the charm goal and the other the geisha goal, so that prevails decided",
    ),
    Column("opening_a", "text", "a's first action, as set/marker; null: none was taken", (), True),
    Column("opening_b", "text", "the same for b", (), True),
)

ROUNDS = (
    *_game_key(_SEATING),
    Column("round", "int16", "number of the round, from 1"),
    Column("round_starter", "enum", "the seat that acted first in this round", SEATS),
    Column("favor_a", "int32", "bit mask of the geishas that a holds after this round"),
    Column("favor_b", "int32", "the same for b"),
    Column("order_a", "text", "a's actions in this round in order, joined by ' > '"),
    Column("order_b", "text", "the same for b"),
    Column("decisions_a", "int16", "decisions that a took in this round, responses included"),
    Column("decisions_b", "int16", "the same for b"),
    Column("legal_a", "int32", "legal moves that a had, summed over those decisions"),
    Column("legal_b", "int32", "the same for b"),
)

MOVES = (
    *_game_key(_SEATING),
    Column("round", "int16", "number of the round, from 1"),
    Column("turn", "int8", "number of the turn in the round, from 0; both players' turns count"),
    Column("decision", "int16", "number of the decision in the round, from 0"),
    Column("seat", "enum", "the seat that decided", SEATS),
    Column("phase", "enum", "act: took an action; respond: chose from an offer", PHASES),
    Column("choice", "int32", "number of the move or response in the rules' move table"),
    Column("legal", "int32", "how many moves were legal"),
)

TABLES: dict[str, tuple[Column, ...]] = {"games": GAMES, "rounds": ROUNDS, "moves": MOVES}
"""The tables of a dataset; ``games`` always, the others by ``record`` in the experiment."""


def describe(column: Column) -> str:
    """A column's type as text for people, the values of an enum included."""
    if column.kind == "enum":
        return "enum: " + " | ".join(column.values)
    return f"{column.kind}, may be null" if column.nullable else column.kind
