"""One game, decision by decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanamikoji.agents.observation import describe_move
from hanamikoji.api.variants import RulesSource
from hanamikoji.api.variants import rules as find_rules
from hanamikoji.engine.codes import REASONS, ROLE_OUTCOMES, ROLES
from hanamikoji.errors import AgentError, ExperimentError
from hanamikoji.experiment import AgentUse
from hanamikoji.experiment.agents import agent_uses
from hanamikoji.plan import Cell
from hanamikoji.results.schema import PHASES
from hanamikoji.rules import Rules
from hanamikoji.run.work import make_match
from hanamikoji.tools.replay import narrate

if TYPE_CHECKING:
    from hanamikoji.engine import Played
    from hanamikoji.engine.seat import Game

__all__ = ["Decision", "GameRecord", "play_game"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a game."""

    round: int
    """From 1."""
    turn: int
    """Of the round, from 0; both players' turns count."""
    player: str
    """Who decided, by its role in round 1: starter | second."""
    phase: str
    """act | respond."""
    action: str
    """The action played or answered, as set/marker."""
    groups: tuple[tuple[int, ...], ...]
    """Of an act: the cards played, as indices of geishas, group by group."""
    taken: tuple[int, ...]
    """Of a response: the numbers of the groups chosen from the offer."""
    choice: int
    """Id of the move or response in the rules' move table."""
    legal: int
    """How many choices were legal."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that was played: who, from which deal, every decision, and how it ended.

    ``str`` and ``print`` narrate it turn by turn.
    """

    rules: Rules
    agents: tuple[str, str]
    """The starter of round 1 and the second."""
    seed: int
    deal: int
    decisions: tuple[Decision, ...]
    outcome: str
    """starter | second | shared | unfinished."""
    reason: str
    """What decided, see ``hanamikoji schema``."""
    rounds: int
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        starter, second = self.agents
        return (
            f"<GameRecord {starter} - {second}: {self.outcome} by {self.reason}, "
            f"rounds {self.rounds}, decisions {len(self.decisions)}>"
        )


def play_game(
    rules: RulesSource,
    agents: Sequence[str | Mapping[str, Any]],
    seed: int = 1,
    *,
    deal: int = 0,
) -> GameRecord:
    """Play one game: the same one for the same arguments.

    Args:
        rules: As for `hanamikoji.rules`.
        agents: The starter of round 1 and the second: names of agents, or tables with options such
            as ``{"agent": "learned", "effort": "quick"}``.
        seed: Root seed, 0 or more.
        deal: Number of the deal under that seed, 0 or more.

    Raises:
        HanamikojiError: The rules or agents can't be had, or an agent failed.

    >>> import hanamikoji
    >>> game = hanamikoji.play_game("base", ["random", "greedy"], seed=7)
    >>> game.agents, game.decisions[0].player
    (('random', 'greedy'), 'starter')
    >>> print(game)  # doctest: +ELLIPSIS
    seed 7, deal 0: a is random and starts, b is greedy
    charm: A2 B2 C2 D3 E3 F4 G5
    ...
    """
    if seed < 0 or deal < 0:
        raise ExperimentError(f"seed is {seed} and deal {deal}; both must be 0 or more")
    cell = _cell(find_rules(rules), agents)
    match = make_match(cell, seed)
    played = match.play(deal, deal + 1, record=("moves",), on_error="forfeit")
    for failure in played.failures:
        if failure.seating == 0:
            raise AgentError(failure.sentence(), deal=deal, seating=0)
    result = {name: int(column[0]) for name, column in played.games.items()}
    starter, second = cell.agent_a.name, cell.agent_b.name
    title = f"seed {seed}, deal {deal}: a is {starter} and starts, b is {second}"
    return GameRecord(
        rules=cell.rules,
        agents=(starter, second),
        seed=seed,
        deal=deal,
        decisions=tuple(_decisions(match.game, played)),
        outcome=ROLE_OUTCOMES[result["outcome"]],
        reason=REASONS[result["reason"]],
        rounds=result["rounds"],
        text="\n".join([title, *narrate(cell, seed, deal, 0)]),
    )


def _cell(rules: Rules, agents: Sequence[str | Mapping[str, Any]]) -> Cell:
    uses = agent_uses(agents)
    if len(uses) != 2:
        raise ExperimentError(f"agents has {len(uses)} entries; a game is of two")
    starter, second = uses
    if starter.name == second.name and starter != second:
        second = AgentUse(name=f"{second.name}-2", agent=second.agent, options=second.options)
    return Cell(0, "game", rules, starter, second, 2)


def _decisions(game: Game, played: Played) -> Iterator[Decision]:
    moves = played.moves
    first = moves["seating"] == 0
    names = ("round", "turn", "role", "phase", "choice", "legal")
    columns = (moves[name][first].tolist() for name in names)
    for number, turn, role, phase, choice, legal in zip(*columns, strict=True):
        move = describe_move(game, choice)
        yield Decision(
            round=number,
            turn=turn,
            player=ROLES[role],
            phase=PHASES[phase],
            action=move.action,
            groups=move.groups,
            taken=move.taken,
            choice=choice,
            legal=legal,
        )
