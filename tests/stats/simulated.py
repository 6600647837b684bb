"""Cells made up by a known law, with the exact columns and types of the games and rounds tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
import pyarrow as pa

from hanamikoji.stats import AgentFacts, CellFacts, Part, RunFacts, StopFacts
from hanamikoji.stats.counts import OUTCOMES, REASONS

CHARM = (2, 2, 2, 3, 3, 4, 5)
KINDS = ("base/secret", "base/trade-off", "base/gift", "base/competition")


def cell_facts(cell: int = 0, variant: str = "base", a: str = "random", b: str = "random", **more):
    known = {"rules_hash": f"hash-{variant}", "charm": CHARM, "kinds": KINDS, "seed": 7}
    return CellFacts(cell, variant, a, b, **(known | more))


def run_facts(*cells: CellFacts, margin: float = 0.01, stop: StopFacts | None = None, **more):
    names = dict.fromkeys(name for c in cells for name in (c.agent_a, c.agent_b))
    known = {
        "name": "made-up",
        "seed": 7,
        "baseline": cells[0].variant,
        "agents": tuple(AgentFacts(name, name) for name in names),
    }
    return RunFacts(margin=margin, cells=cells, stop=stop or StopFacts(), **(known | more))


@dataclass
class Games:
    """Games of one cell as arrays in terms of roles, sorted by deal and seating."""

    cell: CellFacts
    winner: np.ndarray
    """0 starter, 1 second, 2 shared, 3 unfinished."""
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    first: int = 0
    rounds: list[dict[str, object]] | None = None

    @property
    def seatings(self) -> int:
        return 1 if self.cell.mirror else 2

    @property
    def deals(self) -> int:
        return len(self.winner) // self.seatings

    def table(self) -> pa.Table:
        n = len(self.winner)
        seating = np.tile(np.arange(self.seatings), self.deals)
        outcome = np.where(self.winner < 2, self.winner ^ seating, self.winner)

        def role(name: str, default: np.ndarray) -> dict[str, np.ndarray]:
            ends = [self.columns.get(f"{name}_{who}", default) for who in ("starter", "second")]
            a, b = (
                np.where(seating == 0, ends[0], ends[1]),
                np.where(seating == 0, ends[1], ends[0]),
            )
            return {f"{name}_a": a, f"{name}_b": b}

        zero = np.zeros(n, np.int64)
        reason = self.columns.get("reason", np.array([0, 0, 5, 6])[self.winner])
        opening = role("opening", zero)
        charm, geishas, favor = (role(x, zero) for x in ("charm", "geishas", "favor"))
        same = np.zeros(n, np.int32)
        return pa.table(
            {
                "cell": pa.array(np.full(n, self.cell.cell), pa.int32()),
                "variant": _texts(same, [self.cell.variant]),
                "deal": pa.array(self.first + np.arange(n) // self.seatings, pa.int64()),
                "seating": pa.array(seating, pa.int8()),
                "agent_a": _texts(same, [self.cell.agent_a]),
                "agent_b": _texts(same, [self.cell.agent_b]),
                "starter": _enum(seating, ("a", "b")),
                "outcome": _enum(outcome, OUTCOMES),
                "winner_role": _enum(np.minimum(self.winner, 2), ("starter", "second", "none")),
                "reason": _enum(reason, REASONS),
                "rounds": pa.array(self.columns.get("rounds", zero + 1), pa.int16()),
                "charm_a": pa.array(charm["charm_a"], pa.int16()),
                "charm_b": pa.array(charm["charm_b"], pa.int16()),
                "geishas_a": pa.array(geishas["geishas_a"], pa.int8()),
                "geishas_b": pa.array(geishas["geishas_b"], pa.int8()),
                "favor_a": pa.array(favor["favor_a"], pa.int32()),
                "favor_b": pa.array(favor["favor_b"], pa.int32()),
                "lead_changes": pa.array(self.columns.get("lead_changes", zero), pa.int16()),
                "goal_conflict": pa.array(self.columns.get("goal_conflict", zero).astype(bool)),
                "opening_a": _texts(opening["opening_a"], list(self.cell.kinds)),
                "opening_b": _texts(opening["opening_b"], list(self.cell.kinds)),
            }
        )

    def rounds_table(self) -> pa.Table | None:
        if self.rounds is None:
            return None
        types = {"deal": pa.int64(), "seating": pa.int8(), "round": pa.int16()}
        columns = {name: [row[name] for row in self.rounds] for name in self.rounds[0]}
        arrays = {
            name: pa.array(values, types.get(name, pa.int32()))
            if not isinstance(values[0], str)
            else pa.array(values, pa.string()).dictionary_encode()
            for name, values in columns.items()
        }
        cell = pa.array(np.full(len(self.rounds), self.cell.cell), pa.int32())
        return pa.table({"cell": cell} | arrays)

    def part(self) -> Part:
        return Part(
            self.cell.cell,
            self.first,
            self.first + self.deals,
            pl.from_arrow(self.table()).lazy(),
            None if self.rounds is None else pl.from_arrow(self.rounds_table()).lazy(),
        )

    def chunks(self, size: int) -> list[Part]:
        """The same games as several parts of ``size`` deals."""
        assert self.rounds is None
        parts = []
        for low in range(0, self.deals, size):
            here = slice(low * self.seatings, (low + size) * self.seatings)
            columns = {name: values[here] for name, values in self.columns.items()}
            piece = replace(self, winner=self.winner[here], columns=columns, first=self.first + low)
            parts.append(piece.part())
        return parts


def _enum(codes: np.ndarray, names: tuple[str, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(names))


def _texts(codes: np.ndarray, names: list[str]) -> pa.Array:
    missing = codes < 0
    numbers = pa.array(codes, pa.int32(), mask=missing if missing.any() else None)
    return pa.DictionaryArray.from_arrays(numbers, pa.array(names, pa.string()))


def mirror_games(
    rng: np.random.Generator, deals: int, edge: float = 0.0, shared: float = 0.0, **more
) -> Games:
    """Independent games; the starter's score is 1/2 + ``edge``."""
    p = np.array([0.5 + edge - shared / 2, 0.5 - edge - shared / 2, shared])
    winner = rng.choice(3, size=deals, p=p)
    return Games(cell_facts(**more), winner)


def pair_games(
    rng: np.random.Generator,
    deals: int,
    *,
    skill: float = 0.0,
    edge: float = 0.0,
    luck: float = 0.0,
    **more,
) -> Games:
    """Pairs of games: P(starter wins) = 1/2 + edge + skill (a starts) or - skill (b starts) + deal.

    The deal's part is +luck or -luck, evenly; the same in both seatings.
    """
    cards = rng.choice([-luck, luck], size=deals)
    seat = np.array([skill, -skill])
    p = 0.5 + edge + seat[None, :] + cards[:, None]
    winner = (rng.random((deals, 2)) >= p).astype(np.int64).ravel()
    return Games(cell_facts(**({"b": "greedy"} | more)), winner)


def detailed_games(rng: np.random.Generator, deals: int, **more) -> Games:
    """Games with every column filled by chance, within what the schema allows."""
    games = pair_games(rng, deals, edge=0.02, luck=0.2, **more)
    n = len(games.winner)
    games.winner = np.where(rng.random(n) < 0.05, rng.integers(2, 4, n), games.winner)
    rounds = rng.geometric(0.5, n)
    favor = rng.integers(0, 128, n)
    reason = np.array([0, 0, 5, 6])[games.winner]
    decided = games.winner < 2
    reason = np.where(decided, rng.choice([0, 0, 0, 1, 2, 3, 4, 7, 8], n), reason)
    games.columns = {
        "rounds": rounds,
        "reason": reason,
        "goal_conflict": (rng.random(n) < 0.1) & decided,
        "lead_changes": np.where(rounds > 1, rng.binomial(np.maximum(rounds - 1, 0), 0.3), 0),
        "charm_starter": rng.integers(0, 22, n),
        "charm_second": rng.integers(0, 22, n),
        "favor_starter": favor,
        "favor_second": rng.integers(0, 128, n) & ~favor,
        "opening_starter": rng.integers(-1, 4, n),
        "opening_second": rng.integers(0, 4, n),
    }
    return games
