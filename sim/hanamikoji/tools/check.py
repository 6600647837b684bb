"""The conformance check: what every agent must do, whoever wrote it.

An agent plays a few deals of each variant against `random` in both roles and against itself. All
its moves must be legal, and the same ones whatever the size of its batches, the order of the deals,
the process, and what its scratch memory holds; its arguments must come back unchanged.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hanamikoji.agents.loading import LoadedAgent, load_agent
from hanamikoji.agents.watch import WatchedSeat
from hanamikoji.engine import Match, codes
from hanamikoji.engine.match import BATCH
from hanamikoji.engine.seat import Game, Seat
from hanamikoji.errors import AgentError, HanamikojiError, PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.training import ensure_weights
from hanamikoji.rules import PRESETS, Action, Rules, load_rules
from hanamikoji.text import align

__all__ = ["CheckReport", "VariantCheck", "check_agent", "check_variants"]


def check_variants() -> dict[str, Rules]:
    """What agents are checked on: the presets, and rules that no agent was written for."""
    own = {
        action.name: action
        for action in (
            Action(name="blind offer", cards=4, face="down", groups=(1, 1, 2),
                   chooser="opponent", choose=1, chosen_to="opponent"),
            Action(name="peep", cards=3, face="down", chooser="chance", choose=2,
                   chosen_to="out", actor_sees=True),
            Action(name="swap", cards=1, face="up", exchange=True),
        )
    }  # fmt: skip
    return dict(PRESETS) | {
        "5 geishas": load_rules(
            {"charm": [1, 2, 3, 4, 5], "items": [4, 4, 4, 4, 5],
             "goals": {"charm": 8, "geishas": 3}}
        ),
        "9 geishas, a handicap": load_rules(
            {"charm": [1, 2, 2, 3, 3, 4, 4, 5, 5], "goals": {"charm": 15, "geishas": 5},
             "second_actions": "avoid-misfortune", "max_rounds": 4}
        ),
        "16 geishas": load_rules(
            {"charm": [1] * 8 + [2] * 8, "goals": {"charm": 13, "geishas": 9}}
        ),
        "own actions": load_rules(
            {"actions": ["blind offer", "peep", "swap", "swap"],
             "goals": {"charm": False, "geishas": 4}, "max_rounds": 3}, own
        ),
    }  # fmt: skip


@dataclass(frozen=True)
class VariantCheck:
    """What was seen of an agent on one variant.

    ``score`` against random (a win 1, a shared win 1/2) with its standard error, from few games;
    ``microseconds`` per decision, the median over calls. ``note``: why it was left out, else empty.
    """

    variant: str
    games: int = 0
    decisions: int = 0
    score: float = 0.0
    score_error: float = 0.0
    microseconds: float = 0.0
    note: str = ""

    def line(self) -> tuple[str, ...]:
        """The cells of its line in a table."""
        if self.note:
            return (self.variant, "-", "-", "-", "-", self.note)
        score = f"{self.score:.2f} +- {self.score_error:.2f}"
        return (
            self.variant, f"{self.games:,}", f"{self.decisions:,}", score,
            f"{self.microseconds:,.1f}", "",
        )  # fmt: skip


@dataclass(frozen=True)
class CheckReport:
    """An agent that passed; its text summarises what was measured."""

    agent: LoadedAgent
    variants: tuple[VariantCheck, ...]

    def __str__(self) -> str:
        agent = self.agent
        options = ", ".join(f"{key} = {value!r}" for key, value in agent.options.items())
        head = ("variant", "games", "decisions", "score vs random", "us/decision", "")
        rows = [head, *(variant.line() for variant in self.variants)]
        return "\n".join([
            f"agent '{agent.agent}', {agent.kind}, of {agent.distribution} {agent.version}"
            + (f", with {options}" if options else ""),
            "",
            *align(rows, right=range(1, 5)),
            "",
            "passed: only legal moves; the same ones in any batch, order and process; no argument "
            "modified",
        ])  # fmt: skip


def check_agent(
    agent: str | AgentUse,
    options: Mapping[str, Any] | None = None,
    *,
    variants: Mapping[str, Rules] | None = None,
    deals: int = 20,
    seed: int = 1,
    progress: Callable[[str], None] | None = None,
) -> CheckReport:
    """Check that an installed agent does what every agent has to do.

    It plays legal moves only, decides alike in any batch, order and process, and leaves alone what
    it is lent.

    Args:
        agent: The agent's entry point.
        options: Of the agent.
        variants: Rules by name to check it on; by default those of `check_variants`.
        deals: Of each variant: played in both seatings against random and once against itself,
            several times over.
        seed: Of the deals.
        progress: Called with what is checked next.

    Returns:
        What was seen of it, by variant; it prints as a table.

    Raises:
        PluginError: The agent can't be loaded, made, prepared or compiled.
        AgentError: It broke a rule; one sentence says which, and at which decision.

    >>> import hanamikoji
    >>> base = {"base": hanamikoji.PRESETS["base"]}
    >>> report = hanamikoji.check_agent("random", variants=base, deals=2)
    >>> report.variants[0].games
    6
    """
    if isinstance(agent, str):
        # Not validated: a name that can't be one is answered with those there are.
        agent = AgentUse.model_construct(name=agent, agent=agent, options=dict(options or {}))
    loaded = load_agent(agent)
    worlds = dict(check_variants() if variants is None else variants)
    tell = progress or (lambda _what: None)
    seen: list[VariantCheck] = []
    trials: dict[str, _Trial] = {}
    for name, rules in worlds.items():
        if loaded.training(rules):
            if variants is None:
                seen.append(VariantCheck(name, note="left out: it would have to be trained first"))
                continue
            tell(f"{name}, for which it is trained first")
            ensure_weights([loaded], rules)
        tell(name)
        trials[name], check = _check_variant(loaded, name, rules, deals, seed)
        seen.append(check)
    tell("another process")
    theirs = _elsewhere(agent, {name: worlds[name] for name in trials}, deals, seed)
    for name, trial in trials.items():
        _compare(loaded, name, trial.moves, theirs[name], "in another process")
    return CheckReport(loaded, tuple(seen))


# --- playing -------------------------------------------------------------------------------------

Moves = npt.NDArray[np.int64]
"""A row for each decision: match-up (0 against random, 1 the mirror), deal, seating, round, turn,
phase, role, decision, choice."""

_COLUMNS = ("deal", "seating", "round", "turn", "phase", "role", "decision", "choice")


@dataclass(frozen=True)
class _Trial:
    """What an agent did, and how it fared against random."""

    moves: Moves
    outcome: npt.NDArray[np.int8]
    seating: npt.NDArray[np.int8]


def _opponent(game: Game) -> Seat:
    return load_agent(AgentUse(name="the opponent", agent="random")).seat(game)


def _play(seat: Seat, game: Game, deals: int, seed: int, batch: int = BATCH) -> _Trial:
    matches = Match(game, (seat, _opponent(game)), seed), Match(game, (seat, seat), seed)
    played = [match.play(0, deals, record=("moves",), batch=batch) for match in matches]
    return _trial([[part.moves] for part in played], played[0].games)


def _play_backwards(seat: Seat, game: Game, deals: int, seed: int) -> _Trial:
    """Deal by deal, the last one first."""
    matches = Match(game, (seat, _opponent(game)), seed), Match(game, (seat, seat), seed)
    moves: list[list[dict[str, Any]]] = [[], []]
    for deal in reversed(range(deals)):
        for i, match in enumerate(reversed(matches)):
            played = match.play(deal, deal + 1, record=("moves",))
            moves[1 - i].insert(0, played.moves)
    return _trial(moves, played.games)


def _trial(moves: list[list[dict[str, Any]]], games: Mapping[str, Any]) -> _Trial:
    rows = [
        np.stack([np.full(len(part["deal"]), i), *(part[name] for name in _COLUMNS)], axis=1)
        for i, parts in enumerate(moves)
        for part in parts
    ]
    return _Trial(np.concatenate(rows).astype(np.int64), games["outcome"], games["seating"])


def _check_variant(
    loaded: LoadedAgent, name: str, rules: Rules, deals: int, seed: int
) -> tuple[_Trial, VariantCheck]:
    """Play one variant in several ways; all must come to the same."""
    game = Game.of(rules)
    try:
        watched = WatchedSeat(loaded.seat(game), game)
        trial = _play(watched, game, deals, seed)
        others = {"in batches of 7": _play(_again(loaded, game), game, deals, seed, 7)}
        if loaded.kind == "compiled":
            others["when it is called by the engine"] = _play(loaded.seat(game), game, deals, seed)
        used = _again(loaded, game)
        others["with the deals in another order"] = _play_backwards(used, game, deals, seed)
        watched.check_tables()
    except (AgentError, PluginError) as error:
        raise type(error)(f"{error}, under the rules '{name}'") from None
    for how, other in others.items():
        _compare(loaded, name, trial.moves, other.moves, how)
    won = np.where(trial.outcome > codes.WON_SECOND, 0.5, trial.outcome == trial.seating)
    pairs = won.reshape(-1, 2).mean(axis=1)
    return trial, VariantCheck(
        name,
        games=len(won) + deals,
        decisions=watched.decisions,
        score=float(pairs.mean()),
        score_error=float(pairs.std(ddof=1) / np.sqrt(deals)) if deals > 1 else float("nan"),
        microseconds=1e6 * float(np.median(watched.paces)),
    )


def _again(loaded: LoadedAgent, game: Game) -> WatchedSeat:
    """The agent as if new."""
    return WatchedSeat(loaded.seat(game), game)


def _compare(loaded: LoadedAgent, name: str, one: Moves, two: Moves, how: str) -> None:
    """Raise AgentError at the first decision that was another one."""
    n = min(len(one), len(two))
    differ = np.flatnonzero((one[:n] != two[:n]).any(axis=1))
    if not len(differ):
        return
    _, deal, seating, round_, _, _, _, decision, choice = one[differ[0]].tolist()
    raise AgentError(
        f"agent '{loaded.name}' doesn't always decide alike: under the rules '{name}', in deal "
        f"{deal}, seating {seating}, round {round_}, decision {decision} it chose {choice}, but "
        f"{two[differ[0], -1]} {how}; a decision may depend on nothing but its observation, its "
        "random word and the options"
    )


# --- another process -----------------------------------------------------------------------------


def _elsewhere(
    use: AgentUse, worlds: Mapping[str, Rules], deals: int, seed: int
) -> dict[str, Moves]:
    """The moves of each variant, as a new process with another hash seed plays them."""
    task = (use.model_dump(), {k: v.model_dump() for k, v in worlds.items()}, deals, seed)
    with tempfile.TemporaryDirectory(prefix="hanamikoji-check-") as folder:
        done = Path(folder) / "moves.pickle"
        hash_seed = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
        child = subprocess.run(
            [sys.executable, "-c", "from hanamikoji.tools.check import _child; _child()", done],
            input=pickle.dumps(task),
            capture_output=True,
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": hash_seed},
            check=False,
        )
        if not done.exists():
            last = (child.stderr.decode(errors="replace").strip().splitlines() or ["no word"])[-1]
            raise AgentError(f"agent '{use.name}' failed in another process: {last[:300]}")
        found: dict[str, Moves] = pickle.loads(done.read_bytes())
        return found


def _child() -> None:
    """What the other process does."""
    use, worlds, deals, seed = pickle.load(sys.stdin.buffer)
    loaded = load_agent(AgentUse(**use))
    moves = {}
    try:
        for name, table in worlds.items():
            game = Game.of(Rules(**table))
            moves[name] = _play(loaded.seat(game), game, deals, seed).moves
    except HanamikojiError as error:
        sys.exit(str(error))
    Path(sys.argv[1]).write_bytes(pickle.dumps(moves))
