"""How strong agents are: `learned` trained, the shipped agents rated, any agent attacked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanamikoji.api.experiments import Progress, run
from hanamikoji.api.results import Results
from hanamikoji.api.variants import RulesSource
from hanamikoji.api.variants import rules as find_rules
from hanamikoji.experiment import AgentUse
from hanamikoji.tools.ladder import ladder_tables

if TYPE_CHECKING:
    from hanamikoji.learning.network.weights import Weights
    from hanamikoji.learning.table.strategy import Strategy
    from hanamikoji.results import Attack, Probe

__all__ = ["ladder", "probe", "train"]


def train(
    rules: RulesSource,
    effort: str | int = "standard",
    seed: int = 1,
    *,
    model: str | None = None,
    out: str | Path | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Weights | Strategy:
    """Train `learned` for some rules by self-play, and cache the weights where it looks for them.

    Called again after an interruption, the training of a network continues where it stopped.

    Args:
        rules: As for `hanamikoji.rules`.
        effort: quick, standard, long, or a number of rounds of self-play.
        seed: Of the training, 0 or more.
        model: "table" or "network"; by default what suits the rules, see `Learned`.
        out: File to write the weights to as well.
        progress: Called after every step; ``done`` of its argument are the rounds played.

    Raises:
        HanamikojiError: The rules can't be loaded, or the effort is unknown.

    >>> import hanamikoji
    >>> weights = hanamikoji.train({"max_rounds": 2}, effort=2000)
    >>> weights.origin.rounds
    2000
    """
    from hanamikoji.learning.network.agent import Learned
    from hanamikoji.learning.network.store import rounds_of
    from hanamikoji.learning.network.weights import save_weights
    from hanamikoji.learning.table.store import train_table
    from hanamikoji.learning.table.strategy import save_strategy
    from hanamikoji.learning.training import train_to_cache

    found, rounds = find_rules(rules), rounds_of(effort)
    if Learned(effort, seed, model=model).model(found) == "table":
        strategy = train_table(found, rounds, seed, progress)
        if out is not None:
            save_strategy(Path(out), strategy)
        return strategy
    weights = train_to_cache(found, rounds, seed, progress)
    if out is not None:
        save_weights(Path(out), weights)
    return weights


def ladder(
    rules: str | Path = "base",
    games: int = 1000,
    seed: int = 1,
    *,
    without: Collection[str] = (),
    out: str | Path | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: Progress = None,
    command: str | None = None,
) -> Results:
    """Rate the shipped agents from random play upward on any variant: all play against all.

    Args:
        rules: A preset's name, or a TOML file with variants.
        games: Per match-up.
        seed: Of the deals.
        without: Agents to leave out, of random, greedy, flatmc, learned-50k, learned-quick,
            learned and search.
        out: The results folder; by default ``results/ladder-NAME``.
        workers: As for `run`, like the rest.
        resume: Go on with an unfinished ladder.
        progress: True for a bar, or a function.
        command: The command that the manifest records.

    Raises:
        HanamikojiError: As `run`; or ``without`` names no rung, or leaves fewer than two.

    >>> import hanamikoji
    >>> most = ["flatmc", "learned-50k", "learned-quick", "learned", "search"]
    >>> rated = hanamikoji.ladder("base", games=100, without=most, out="out").summary().ratings[0]
    >>> [each.agent for each in rated.ratings]
    ['greedy', 'random']
    """
    experiment = ladder_tables(str(rules), games, seed, without)
    return run(experiment, out, workers=workers, resume=resume, progress=progress, command=command)


def probe(
    agent: str,
    rules: RulesSource = "base",
    *,
    options: Mapping[str, Any] | None = None,
    effort: str | int = "quick",
    games: int = 20_000,
    search_games: int = 1000,
    rollouts: int = 400,
    seed: int = 1,
    progress: Callable[[str, float], None] | None = None,
    on_attack: Callable[[Attack], None] | None = None,
) -> Probe:
    """Attack a compiled agent with opponents that know it, for a lower bound of exploitability.

    Args:
        agent: The agent's entry point.
        rules: As for `hanamikoji.rules`.
        options: Of the agent.
        effort: Of the training of each attacking network: quick, standard, long, or rounds.
        games: To measure each network with.
        search_games: To measure the attacking search with.
        rollouts: Of the search, per decision.
        seed: Of the training, 0 or more.
        progress: Called with what is being done, and the share of it that is done.
        on_attack: Called with each attack as soon as it has been measured.

    Returns:
        Each attack's score with its interval, in all and from each seat; ``bound`` is the score
        reached at least (95 %).

    Raises:
        HanamikojiError: The rules or the agent can't be had, or it isn't compiled.

    >>> import hanamikoji
    >>> little = {"effort": 2000, "games": 200, "search_games": 4, "rollouts": 4}
    >>> hanamikoji.probe("random", **little).bound > 0.7
    True
    """
    from hanamikoji.agents import load_agent
    from hanamikoji.learning.attack.probe import Effort
    from hanamikoji.learning.attack.probe import probe as attack
    from hanamikoji.learning.network.store import rounds_of

    # Not validated: an impossible name is reported like an unknown one.
    use = AgentUse.model_construct(name=agent, agent=agent, options=dict(options or {}))
    loaded = load_agent(use)
    spent = Effort(rounds_of(effort), games, search_games, rollouts, seed)
    return attack(loaded, find_rules(rules), spent, progress, on_attack)
