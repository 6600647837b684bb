"""A run with something for every section of a report, with names as the test wants them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from hanamikoji.report.probes import FoundProbes, QuotedProbe
from hanamikoji.report.source import Origin, VariantOrigin
from hanamikoji.results import AgentRecord, FailureTally, Probe
from hanamikoji.results.probes import FRESH, SEARCH, Attack, How, SeatScore
from hanamikoji.stats import AgentFacts, Summary, summarise_parts
from stats.simulated import CHARM, KINDS, Games, cell_facts, detailed_games, run_facts

HOSTILE = (
    "<script>alert(1)</script>",
    "[bold red]x[/] :smile: {x}",
    "a|b `c` *d* _e_ ~f~ $g$ # h",
    "one\ntwo\r\x1b[31mred\x07",
    "\u202eright to left\u200b",
    '"><img src=x onerror=alert(1)>&amp;&lt;',
    "https://example.org www.example.org a@example.org",
    "=1+1",
    "' · \\ ' + datum.label",
)

_COMMAND = "hanamikoji run made-up.toml --seed 7"


@cache
def made_up(
    variants: tuple[str, ...] = ("base", "three-round"),
    agents: tuple[str, ...] = ("random", "greedy", "learned"),
    deals: int = 300,
) -> tuple[Summary, tuple[Origin, ...]]:
    """Mirrors and a round robin of all agents in all variants; a sweep of one numeric key."""
    rng = np.random.default_rng(11)
    games: list[Games] = []
    for variant in variants:
        for i, a in enumerate(agents):
            for b in agents[i:]:
                cell = len(games)
                made = detailed_games(rng, deals, cell=cell, variant=variant, a=a, b=b)
                games.append(_mirrored(made) if a == b else made)
    settings = {v: {"rules.goals.charm": 10 + i, "rules.hand": 6} for i, v in enumerate(variants)}
    facts = run_facts(*(g.cell for g in games), sweep=settings)
    facts = replace(
        facts,
        name=variants[0],
        agents=tuple(
            AgentFacts(name, "random" if i == 0 else name) for i, name in enumerate(agents)
        ),
    )
    summary = summarise_parts([g.part() for g in games], facts)
    found = origin(variants, agents, cells=len(games), games=deals * 2 * len(games))
    return summary, (replace(found, probes=probes_of(variants, agents)),)


def _mirrored(games: Games) -> Games:
    """Every other game, as a mirror plays them."""
    columns = {name: values[::2] for name, values in games.columns.items()}
    return replace(games, winner=games.winner[::2], columns=columns)


def attack(how: How, games: int, score: float, half: float) -> Attack:
    """An attack that scores four points more as starter than as second."""
    low, high = round(score - half, 6), round(score + half, 6)
    seats = (
        SeatScore(score + by, max(low + by - half, 0.0), min(high + by + half, 1.0))
        for by in (0.02, -0.02)
    )
    return Attack(how, games, score, low, high, *seats)


def probes_of(variants: tuple[str, ...], agents: tuple[str, ...]) -> FoundProbes:
    """A probe that found something, one that didn't, and one that is left out."""
    quoted = []
    for agent, low in ((agents[0], 0.612), (agents[-1], 0.471)):
        attacks = (
            attack(FRESH, 20_000, low - 0.03, 0.005),
            attack(SEARCH, 1000, low + 0.03, 0.03),
        )
        probe = Probe(agent, "1.0", {agent: agent}, "hash-0", 500_000, 400, 1, attacks)
        file = f"probe-{agent}.json"
        quoted.append(QuotedProbe(file, (agent,), variants[:1], probe.bound, probe))
    return FoundProbes(tuple(quoted), (f"probe-{agents[0]}.json is not used.",))


def with_rounds() -> tuple[Summary, tuple[Origin, ...]]:
    """Two pairs of games whose rounds were recorded."""
    games = Games(cell_facts(b="greedy"), np.array([0, 1, 0, 2]))
    games.columns = {"rounds": np.array([1, 2, 1, 1])}
    one, two = " > ".join(KINDS), " > ".join(KINDS[::-1])
    games.rounds = [
        {
            "deal": game // 2,
            "seating": game % 2,
            "round": number,
            "favor_a": 0b1000001,
            "favor_b": 0b0100010,
            "order_a": one,
            "order_b": two,
            "decisions_a": 6,
            "decisions_b": 6,
            "legal_a": 100 + game,
            "legal_b": 110,
        }
        for game, number in ((0, 1), (1, 1), (1, 2), (2, 1), (3, 1))
    ]
    summary = summarise_parts([games.part()], run_facts(games.cell))
    return summary, (replace(origin(("base",), ("random", "greedy")), record=("rounds",)),)


def origin(
    variants: Sequence[str], agents: Sequence[str], *, cells: int = 1, games: int = 4
) -> Origin:
    """Where made-up figures come from; names stand wherever an origin has names."""
    return Origin(
        folder=f"results/{agents[0]}",
        name=variants[0],
        state="finished",
        command=f"{_COMMAND} --set 'agents={agents[0]}'",
        identity="d1" * 32,
        seed=7,
        games=games,
        seconds=1.25,
        training_seconds=0.5,
        versions={"hanamikoji-sim": "0.1.0", agents[-1]: agents[-1]},
        platform={"python": "3.11"},
        record=(),
        variants=tuple(
            VariantOrigin(
                name, f"hash-{i}", {"actions": [{"name": k} for k in KINDS], "charm": list(CHARM)}
            )
            for i, name in enumerate(variants)
        ),
        agents=tuple(
            AgentRecord(name, name, "plain", name, "1.0", {name: name}) for name in agents
        ),
        failures=tuple(
            FailureTally(i % cells, name, "forfeit-error", 3, 17, 1, 1, 4, f"{name} said no")
            for i, name in enumerate(agents)
        ),
    )
