"""How far the agents are from optimal: what the verdict's play is worth."""

from __future__ import annotations

from hanamikoji.report.document import Block, Cell, Column, Items, Paragraph, Table, row
from hanamikoji.report.probes import QuotedProbe
from hanamikoji.report.source import Origin
from hanamikoji.report.words import count, count_cell, named, percent, percent_range
from hanamikoji.results.probes import SEARCH, Attack, Probe
from hanamikoji.stats import Interval

_QUOTED = 12
_LEVEL = (
    "A verdict holds for this level of play: better players may find another edge for a seat, and "
    "that nothing tried beats an agent does not prove it optimal."
)
_MEANING = (
    "What attackers who know the agent scored against it (win 1, shared win 1/2), each a lower "
    "bound of how far it can be exploited; the intervals of its attacks hold together with 95 %."
)


def probe_blocks(origins: tuple[Origin, ...]) -> list[Block]:
    """The probes of the runs, the most exploitable agent first, and those that are left out."""
    quotes = sorted((q for o in origins for q in o.probes.quoted), key=lambda q: -q.bound)
    left_out = [sentence for o in origins for sentence in o.probes.left_out]
    blocks: list[Block] = []
    if quotes:
        blocks.append(Items(_cut([_finding(quote) for quote in quotes]), brief=True))
        blocks.append(Paragraph(_LEVEL, brief=True))
        blocks.append(_attacks(quotes[:_QUOTED]))
    if left_out:
        blocks.append(Items(_cut(left_out), brief=True))
    return blocks


def _cut(texts: list[str]) -> tuple[str, ...]:
    more = len(texts) - _QUOTED
    rest = [f"And {count(more)} more; report.json has all."] if more > 0 else []
    return tuple(texts[:_QUOTED] + rest)


def _finding(quote: QuotedProbe) -> str:
    best = quote.probe.best
    who = f"{named(quote.agents)} in {named(quote.variants)}"
    found = (
        f"{percent(best.score, _interval(best))} % (95 %: {percent_range(_interval(best))}) in "
        f"{count(best.games)} games, after {_spent(best, quote.probe)}"
    )
    if quote.bound <= 0.5:
        return f"{who}: no probe beats it; the best, a {best.how}, scores {found}."
    bound = percent(quote.bound, _interval(best))
    return f"{who}: can be beaten with at least {bound} %; a {best.how} scores {found}."


def _interval(attack: Attack) -> Interval:
    return Interval(attack.low, attack.high, 0.95, "")


def _spent(attack: Attack, probe: Probe) -> str:
    """What an attack cost before it was measured."""
    if attack.how == SEARCH:
        return f"{count(probe.rollouts)} rollouts a decision"
    return f"{count(probe.rounds)} rounds of training"


def _attacks(quotes: list[QuotedProbe]) -> Table:
    return Table(
        (
            Column("agent"),
            Column("variant"),
            Column("attacker"),
            Column("spent"),
            Column("games", True),
            Column("scores %", True),
            Column("95 % interval", True),
        ),
        tuple(
            row(
                named(quote.agents),
                named(quote.variants),
                attack.how,
                _spent(attack, quote.probe),
                count_cell(attack.games),
                Cell(percent(attack.score, _interval(attack)), attack.score),
                Cell(percent_range(_interval(attack)), attack.low),
            )
            for quote in quotes
            for attack in quote.probe.attacks
        ),
        _MEANING,
    )
