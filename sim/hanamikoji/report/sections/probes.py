"""Exploitability: how far the agents are known to be from optimal play."""

from __future__ import annotations

from hanamikoji.report.columns import figure, table, text
from hanamikoji.report.document import Block, Items, Paragraph, Table, TableCell
from hanamikoji.report.probes import QuotedProbe
from hanamikoji.report.source import Origin
from hanamikoji.report.words import count, name_list, percent, percent_range
from hanamikoji.results.probes import SEARCH, Attack, Probe
from hanamikoji.stats import Interval

_LISTED = 12
_LEVEL = (
    "Verdicts hold at this level of play: stronger play may favour a seat differently, and the "
    "failure of these attacks does not prove an agent optimal."
)
_CAPTION = (
    "Scores of attackers trained or searching against the agent (win 1, shared win 1/2). Each is a "
    "lower bound on its exploitability; the intervals of an agent's attacks hold jointly at 95 %."
)


def probe_blocks(origins: tuple[Origin, ...]) -> list[Block]:
    """The runs' probes, the most exploitable agent first, and the files that are not used."""
    quotes = sorted((q for o in origins for q in o.probes.quoted), key=lambda q: -q.bound)
    left_out = [sentence for o in origins for sentence in o.probes.left_out]
    blocks: list[Block] = []
    if quotes:
        blocks.append(Items(_cut([_finding(quote) for quote in quotes]), brief=True))
        blocks.append(Paragraph(_LEVEL, brief=True))
        blocks.append(_attacks_table(quotes[:_LISTED]))
    if left_out:
        blocks.append(Items(_cut(left_out), brief=True))
    return blocks


def _cut(texts: list[str]) -> tuple[str, ...]:
    more = len(texts) - _LISTED
    rest = [f"{count(more)} more; report.json has all."] if more > 0 else []
    return tuple(texts[:_LISTED] + rest)


def _finding(quote: QuotedProbe) -> str:
    best = quote.probe.best
    who = f"{name_list(quote.agents)} in {name_list(quote.variants)}"
    by = (
        f"a {best.how}, scores {percent(best.score, _interval(best))} % (95 % CI "
        f"{percent_range(_interval(best))}) in {count(best.games)} games after "
        f"{_budget(best, quote.probe)}"
    )
    if quote.bound <= 0.5:
        return f"{who}: no attack beats it. The best, {by}."
    bound = percent(quote.bound, _interval(best))
    return f"{who}: an attacker scores at least {bound} %. The best, {by}."


def _interval(attack: Attack) -> Interval:
    return Interval(attack.low, attack.high, 0.95, "")


def _budget(attack: Attack, probe: Probe) -> str:
    """What an attack cost before it was measured."""
    if attack.how == SEARCH:
        return f"{count(probe.rollouts)} rollouts per decision"
    return f"{count(probe.rounds)} rounds of training"


def _attacks_table(quotes: list[QuotedProbe]) -> Table:
    return table(
        [(quote, attack) for quote in quotes for attack in quote.probe.attacks],
        [
            text("agent", lambda row: name_list(row[0].agents)),
            text("variant", lambda row: name_list(row[0].variants)),
            text("attacker", lambda row: row[1].how),
            text("budget", lambda row: _budget(row[1], row[0].probe)),
            figure("games", lambda row: row[1].games),
            figure("score", lambda row: _score(row[1]), "%"),
            figure("95 % interval", lambda row: _range(row[1])),
        ],
        _CAPTION,
    )


def _score(attack: Attack) -> TableCell:
    return TableCell(percent(attack.score, _interval(attack)), attack.score)


def _range(attack: Attack) -> TableCell:
    return TableCell(percent_range(_interval(attack)), attack.low)
