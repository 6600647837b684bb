"""Ratings: Davidson's Bradley-Terry model with ties and a starter term.

With strengths t, starter term d and tie parameter nu, the starter i against the second j scores

    win : tie : loss  =  exp(u / 2) : nu : exp(-u / 2),   u = t_i - t_j + d

(Davidson 1970, JASA 65, for ties; Davidson & Beaver 1977, Biometrics 33, for the order effect).
It is a multinomial logit in (t, d, ln nu), hence concave: Newton's method finds the maximum. Half
a win and half a loss are added to each match-up, spread evenly over who starts (Jeffreys' prior
for a match-up alone; Firth 1993, Biometrika 80), so that a 100 % record has a finite rating.

Errors: Bayesian bootstrap (Rubin 1981, Ann. Stat. 9) over deals, jointly for all match-ups, since
a deal that favours the starter does so in each of them. It resamples batches of deals, which are
single deals if there are few. To each match-up it adds a deal whose outcome is one of K with weight
1/K each (Perks 1947), so that a 100 % record has a width too. How far such a record could be from
the truth nobody knows: an agent from which no chain of opponents has taken points has an interval
without an upper end, one that has taken none has no lower one (Ford 1957, Am. Math. Monthly 64).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hanamikoji.errors import ResultsError
from hanamikoji.stats.contrasts import Rating, RatingFit, RatingTable
from hanamikoji.stats.counts import CellCounts
from hanamikoji.stats.cycles import beat_cycles, connected_groups, reachable
from hanamikoji.stats.estimates import Interval, Mean
from hanamikoji.stats.facts import CellFacts, RunFacts
from hanamikoji.stats.intervals import FloatArray, bounded_score
from hanamikoji.stats.scores import pentanomial
from hanamikoji.stats.sprt import ELO

REPLICATES = 1000

_BOOTSTRAP = "Bayesian bootstrap over deals"

_SEED = 0x48414E41  # of the bootstrap: a fixed one, so that a report is the same each time
_PSEUDO = 0.25  # wins and losses added per ordered match-up: half of each per match-up
_PSEUDO_DRAWN = 0.01  # to a replicate, which has Perks's deals already
_STEPS = 100
_LONGEST_STEP = 3.0
_CONVERGED = 1e-10
# (starter's) win, tie, loss by result code in terms of seats, for each seating
_WTL = np.array([[0, 2, 1, 1] * 2, [2, 0, 1, 1] * 2])


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted parameters, maybe of many replicates: leading axes are those of the counts."""

    strength: FloatArray
    """(..., agents) log odds; the first agent's is 0."""
    starter: FloatArray
    """(...) log odds."""
    log_nu: FloatArray
    """(...) logarithm of the tie parameter; -inf without ties."""


def fit(
    starters: Sequence[int],
    seconds: Sequence[int],
    wtl: FloatArray,
    agents: int,
    pseudo: float = _PSEUDO,
) -> Fit:
    """Maximum of the (penalised) likelihood.

    Args:
        starters: (m,) number of the agent that starts, per ordered match-up.
        seconds: (m,) number of the other.
        wtl: (..., m, 3) games that the starter won, tied, lost; leading axes are fitted apart.
        agents: Number of agents; they must be connected by match-ups.
        pseudo: Wins and losses added to each ordered match-up.
    """
    counts = wtl + np.array([pseudo, 0.0, pseudo])
    ties = bool(wtl[..., 1].any())
    design = np.zeros((len(starters), agents))  # columns: agents 1.., starter term
    rows = np.arange(len(starters))
    design[rows, starters] += 1.0
    design[rows, seconds] -= 1.0
    design[:, 0] = 1.0  # agent 0 is the reference; its place takes the starter term
    theta = np.zeros((*wtl.shape[:-2], agents))
    log_nu = np.full(wtl.shape[:-2], 0.0 if ties else -np.inf)
    for _ in range(_STEPS):
        step = _newton_step(design, counts, theta, log_nu, ties)
        longest = np.abs(step).max(axis=-1, keepdims=True)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _CONVERGED))
        theta = theta + step[..., :agents]
        if ties:
            log_nu = log_nu + step[..., agents]
        if longest.max() < _CONVERGED:
            break
    starter = theta[..., 0].copy()
    theta[..., 0] = 0.0
    return Fit(theta, starter, log_nu)


def _probabilities(u: FloatArray, log_nu: FloatArray) -> FloatArray:
    """(..., m, 3) chances of a win, tie and loss."""
    logits = np.stack(
        [u / 2, np.broadcast_to(np.asarray(log_nu)[..., None], u.shape), -u / 2], axis=-1
    )
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _newton_step(
    design: FloatArray, counts: FloatArray, theta: FloatArray, log_nu: FloatArray, ties: bool
) -> FloatArray:
    """Gradient over curvature of the log likelihood, for parameters (theta, ln nu)."""
    p = _probabilities(theta @ design.T, log_nu)
    n = counts.sum(axis=-1, keepdims=True)
    excess = counts - n * p
    # Statistics of an outcome: half the sign for u, tie or not for ln nu.
    du = (excess[..., 0] - excess[..., 2]) / 2
    spread = n[..., 0] * ((p[..., 0] + p[..., 2]) / 4 - ((p[..., 0] - p[..., 2]) / 2) ** 2)
    gradient = du @ design
    curvature = np.einsum("mi,...m,mj->...ij", design, spread, design)
    if ties:
        tied = n[..., 0] * p[..., 1]
        mixed = -tied * (p[..., 0] - p[..., 2]) / 2
        gradient = np.concatenate([gradient, excess[..., 1].sum(axis=-1)[..., None]], axis=-1)
        border = (mixed @ design)[..., None]
        corner = (tied * (1 - p[..., 1])).sum(axis=-1)[..., None, None]
        top = np.concatenate([curvature, border], axis=-1)
        bottom = np.concatenate([np.swapaxes(border, -1, -2), corner], axis=-1)
        curvature = np.concatenate([top, bottom], axis=-2)
    return np.linalg.solve(curvature, gradient[..., None])[..., 0]


@dataclass(frozen=True, slots=True)
class _Schedule:
    """Who played whom, and each cell's deals by pair of outcomes."""

    agents: list[str]
    cells: list[CellFacts]
    outcomes: list[Any]
    """(3, 3) per cell: deals by the starter's win, tie, loss in seatings 0 and 1."""
    batches: list[Any]
    """(2, 3, batches) per cell: games by the starter's win, tie, loss in each seating."""

    def sides(self) -> tuple[list[int], list[int]]:
        """Starter and second of each ordered match-up: two per cell, seatings 0 and 1."""
        number = {name: i for i, name in enumerate(self.agents)}
        ends = [(number[c.agent_a], number[c.agent_b]) for c in self.cells]
        starters = [side for a, b in ends for side in (a, b)]
        seconds = [side for a, b in ends for side in (b, a)]
        return starters, seconds

    def wtl(self) -> FloatArray:
        """(2 cells, 3): games that the starter won, tied, lost, in each ordered match-up."""
        return np.concatenate([table.sum(axis=-1) for table in self.batches]).astype(np.float64)

    def took_points(self) -> list[tuple[str, str]]:
        """(x, y) where x has ever won or tied against y."""
        found = []
        for cell, table in zip(self.cells, self.batches, strict=True):
            (win0, tie0, loss0), (win1, tie1, loss1) = table.sum(axis=-1)
            ties = tie0 + tie1
            if win0 + loss1 + ties:
                found.append((cell.agent_a, cell.agent_b))
            if loss0 + win1 + ties:
                found.append((cell.agent_b, cell.agent_a))
        return found


def _schedule(
    counts: Mapping[int, CellCounts], facts: RunFacts, cells: Sequence[CellFacts]
) -> _Schedule:
    playing = [c for c in cells if not c.mirror and c.cell in counts]
    names = {name for c in playing for name in (c.agent_a, c.agent_b)}
    known = [a.name for a in facts.agents if a.name in names]
    agents = known + sorted(names - set(known))
    to_first, to_second = (np.eye(3)[codes] for codes in _WTL)
    outcomes = [to_first.T @ counts[c.cell].tables["result"] @ to_second for c in playing]
    win_tie_loss = [0, 2, 1]
    batches = [counts[c.cell].tables["batch outcomes"][:, win_tie_loss] for c in playing]
    return _Schedule(agents, playing, outcomes, batches)


def anchor_of(agents: Sequence[str], facts: RunFacts) -> str:
    """The agent whose rating is 0: the ``random`` one, else the first."""
    kind = {a.name: a.agent for a in facts.agents}
    return next((name for name in agents if kind.get(name, name) == "random"), agents[0])


def rate(
    counts: Mapping[int, CellCounts],
    facts: RunFacts,
    cells: Sequence[CellFacts],
    replicates: int = REPLICATES,
) -> RatingTable:
    """Ratings of the agents of one variant from its cells of two different agents.

    Raises:
        ResultsError: Some agents are not connected by match-ups.
    """
    schedule = _schedule(counts, facts, cells)
    groups = connected_groups([(c.agent_a, c.agent_b) for c in schedule.cells])
    if len(groups) > 1:
        listed = " and ".join("{" + ", ".join(group) + "}" for group in groups)
        raise ResultsError(f"no match-up connects {listed}")
    starters, seconds = schedule.sides()
    agents = schedule.agents
    best = fit(starters, seconds, schedule.wtl(), len(agents))
    drawn = fit(starters, seconds, _resample(schedule, replicates), len(agents), _PSEUDO_DRAWN)
    anchor = agents.index(anchor_of(agents, facts))
    elo = ELO * (best.strength - best.strength[anchor])
    spread = ELO * (drawn.strength - drawn.strength[:, anchor, None])
    return RatingTable(
        variant=cells[0].variant,
        anchor=agents[anchor],
        ratings=_ratings(schedule, elo, spread, anchor),
        starter_elo=_starter_elo(schedule, best, drawn),
        ties=float(np.exp(best.log_nu)),
        fits=_fits(schedule, best),
        cycles=beat_cycles(_beats(schedule, counts)),
        replicates=replicates,
    )


def _resample(schedule: _Schedule, replicates: int) -> FloatArray:
    """(replicates, 2 cells, 3) games by outcome."""
    rng = np.random.default_rng(_SEED)
    weights = rng.standard_gamma(1.0, size=(replicates, schedule.batches[0].shape[-1]))
    possible = np.ones(3, dtype=bool)
    possible[1] = any(table[:, 1].any() for table in schedule.batches)
    prior = np.outer(possible, possible) / possible.sum() ** 2
    drawn = []
    for table in schedule.batches:
        games = np.tensordot(weights, table, axes=(1, 2))
        pseudo = rng.gamma(prior, size=(replicates, 3, 3))
        games += np.stack([pseudo.sum(axis=2), pseudo.sum(axis=1)], axis=1)
        drawn.append(games * (table[0].sum() / games.sum(axis=2, keepdims=True)))
    return np.concatenate(drawn, axis=1)


def _percentiles(values: FloatArray, estimate: float) -> Interval:
    low, high = map(float, np.quantile(values, [0.025, 0.975]))
    return Interval(min(low, estimate), max(high, estimate), 0.95, _BOOTSTRAP)


def _interval(values: FloatArray, estimate: float, *, below: bool, above: bool) -> Interval:
    """A rating's interval; ``below``, ``above``: whether the games bound it on that side."""
    if below and above:
        return _percentiles(values, estimate)
    low, high = map(float, np.quantile(values, [0.05, 0.95]))
    return Interval(
        min(low, estimate) if below else -math.inf,
        max(high, estimate) if above else math.inf,
        0.95,
        _BOOTSTRAP,
    )


def _ratings(
    schedule: _Schedule, elo: FloatArray, spread: FloatArray, anchor: int
) -> tuple[Rating, ...]:
    points = dict.fromkeys(schedule.agents, 0.0)
    games = dict.fromkeys(schedule.agents, 0)
    for cell, table in zip(schedule.cells, schedule.outcomes, strict=True):
        first, second = table.sum(axis=1), table.sum(axis=0)
        a_points = first[0] + second[2] + (first[1] + second[1]) / 2
        played = 2 * int(table.sum())
        for name, won in ((cell.agent_a, a_points), (cell.agent_b, played - a_points)):
            points[name] += float(won)
            games[name] += played
    took = schedule.took_points()
    above = reachable(schedule.agents[anchor], took)
    below = reachable(schedule.agents[anchor], [(y, x) for x, y in took])
    rows = [
        Rating(
            name,
            float(elo[i]),
            None
            if i == anchor
            else _interval(spread[:, i], float(elo[i]), below=name in below, above=name in above),
            games[name],
            points[name] / games[name],
        )
        for i, name in enumerate(schedule.agents)
    ]
    return tuple(sorted(rows, key=lambda r: (-r.elo, r.agent)))


def _starter_elo(schedule: _Schedule, best: Fit, drawn: Fit) -> Mean:
    deals = int(sum(table.sum() for table in schedule.outcomes))
    value = ELO * float(best.starter)
    return Mean(value, deals, "pairs", _percentiles(ELO * drawn.starter, value))


def _fits(schedule: _Schedule, best: Fit) -> tuple[RatingFit, ...]:
    starters, seconds = schedule.sides()
    u = best.strength[starters] - best.strength[seconds] + best.starter
    p = _probabilities(u, best.log_nu)
    starter_score = p[:, 0] + p[:, 1] / 2
    fits = []
    for i, (cell, table) in enumerate(zip(schedule.cells, schedule.outcomes, strict=True)):
        first, second = table.sum(axis=1), table.sum(axis=0)
        deals = int(table.sum())
        observed = (first[0] + second[2] + (first[1] + second[1]) / 2) / (2 * deals)
        predicted = (starter_score[2 * i] + 1 - starter_score[2 * i + 1]) / 2
        fits.append(
            RatingFit(cell.agent_a, cell.agent_b, float(observed), float(predicted), deals, "pairs")
        )
    return tuple(fits)


def _beats(schedule: _Schedule, counts: Mapping[int, CellCounts]) -> list[tuple[str, str]]:
    """(winner, loser) where the pair score's 95 % interval excludes 1/2."""
    beats = []
    for cell in schedule.cells:
        found = bounded_score(pentanomial(counts[cell.cell].tables["result"], "agent")).interval()
        if found.low > 0.5:
            beats.append((cell.agent_a, cell.agent_b))
        elif found.high < 0.5:
            beats.append((cell.agent_b, cell.agent_a))
    return beats


def rating_tables(
    counts: Mapping[int, CellCounts], facts: RunFacts, replicates: int = REPLICATES
) -> tuple[RatingTable, ...]:
    """Ratings of every variant where different agents met; a problem is reported, not raised."""
    tables = []
    for variant in dict.fromkeys(c.variant for c in facts.cells):
        cells = [c for c in facts.cells if c.variant == variant and c.cell in counts]
        if all(c.mirror for c in cells):
            continue
        try:
            tables.append(rate(counts, facts, cells, replicates))
        except ResultsError as error:
            tables.append(RatingTable(variant, "", (), None, 0.0, (), (), replicates, str(error)))
    return tuple(tables)
