"""A cell's verdict: at which look it is taken, and whether its games can support one at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hanamikoji.stats import sequences
from hanamikoji.stats.counts import OUTCOMES, RESULTS
from hanamikoji.stats.estimates import Decision, Role, Score, Verdict
from hanamikoji.stats.facts import CellFacts, RunFacts, StopFacts
from hanamikoji.stats.intervals import bounded_score
from hanamikoji.stats.looks import Look
from hanamikoji.stats.scores import pentanomial, unit_score
from hanamikoji.stats.tables import Table, games_in, per_game
from hanamikoji.stats.verdicts import NARROW, WIDE, verdict

LOPSIDED = 0.25
"""Distance of an agent's score from 1/2 beyond which a starter's edge is less than 3/4 of what it
is between equals: a logistic curve is flatter there by 4 p (1 - p)."""

_KINDS = len(OUTCOMES)
_UNFINISHED = OUTCOMES.index("unfinished")


def look_of(cell: CellFacts, games: int, stop: StopFacts) -> Look:
    """What a look at a cell of so many games may spend."""
    if stop.rule in ("verdict", "sprt"):
        return "any"
    ended = cell.stopped not in (None, "still open")
    whole = cell.asked is None or games >= cell.asked or ended
    return "planned" if whole and not earlier_looks(cell, games) else "other"


def earlier_looks(cell: CellFacts, games: int) -> int:
    """How often the cell was looked at with fewer games."""
    return sum(looked_at < games for looked_at in cell.looks)


def judge(results: Table, cell: CellFacts, facts: RunFacts) -> Verdict:
    """The verdict on a cell's result table."""
    look = look_of(cell, games_in(results), facts.stop)
    found = score_verdict(unit_score(results, "starter"), facts, look)
    found = replace(found, look=1 + earlier_looks(cell, games_in(results)))
    reason = _undecidable(results, found, facts, look) or _one_sided(results, cell, found)
    if reason is None:
        return found
    return replace(found, decision="undecided", favours=None, further_games=None, withheld=reason)


def score_verdict(found: Score, facts: RunFacts, look: Look = "planned") -> Verdict:
    """The verdict on a starter's score, from the intervals that suit the stopping rule."""
    stop = facts.stop
    if not stop.sequence or stop.precision is None:
        return verdict(found, facts.margin, look)
    narrow, wide = (
        sequences.interval(found.pentanomial, level, stop.precision).shifted(-0.5)
        for level in (NARROW, WIDE)
    )
    return verdict(found, facts.margin, "any", (narrow, wide))


def is_lopsided(results: Table) -> bool:
    """Whether one of two agents is surely much the stronger."""
    if results.ndim == 1:
        return False
    found = bounded_score(pentanomial(results, "agent")).interval()
    return found.low > 0.5 + LOPSIDED or found.high < 0.5 - LOPSIDED


def _one_sided(results: Table, cell: CellFacts, found: Verdict) -> str | None:
    """A small edge between unequal agents may be a large one between equals."""
    if found.decision == "unbalanced" or not is_lopsided(results):
        return None
    share = bounded_score(pentanomial(results, "agent")).value
    agent = cell.agent_a if share > 0.5 else cell.agent_b
    return f"too one-sided to tell, {agent} scores {100 * max(share, 1 - share):.1f} %"


def _undecidable(results: Table, found: Verdict, facts: RunFacts, look: Look) -> str | None:
    """Games without a proper end could change the verdict, or keep it from ever being reached."""
    games = per_game(results)
    unfinished, forfeited = int(games[_UNFINISHED]), int(games[_KINDS:].sum())
    failed = unfinished + forfeited
    if not failed:
        return None
    at_worst = _at_worst(results, facts, look)
    hopeless = found.decision == "undecided" and failed / games_in(results) >= 2 * facts.margin
    if at_worst == {(found.decision, found.favours)} and not hopeless:
        return None
    kinds = {"unfinished": unfinished, "forfeited": forfeited}
    named = " and ".join(f"{n:,} {kind}" for kind, n in kinds.items() if n)
    return f"{named} of {games_in(results):,} games could change it"


def _at_worst(results: Table, facts: RunFacts, look: Look) -> set[tuple[Decision, Role | None]]:
    """The verdicts if the starter, or the second, had won all games without a proper end."""
    found: set[tuple[Decision, Role | None]] = set()
    for starter_wins in (True, False):
        changed = results
        for seating in range(results.ndim):
            winner = seating if starter_wins else 1 - seating
            code = np.arange(RESULTS)
            code[[_UNFINISHED, *range(_KINDS, RESULTS)]] = winner
            ends = np.eye(RESULTS, dtype=np.int64)[code]
            changed = np.moveaxis(np.tensordot(changed, ends, axes=(seating, 0)), -1, seating)
        changed_verdict = score_verdict(unit_score(changed, "starter"), facts, look)
        found.add((changed_verdict.decision, changed_verdict.favours))
    return found
