"""Variants against the baseline: paired differences, and what else changed."""

from __future__ import annotations

from hanamikoji.report.document import (
    Block,
    Cell,
    Chart,
    Column,
    Paragraph,
    Point,
    Section,
    Table,
    row,
)
from hanamikoji.report.sections.labels import PICTURED, match_up
from hanamikoji.report.words import (
    NONE,
    TIMES,
    count_cell,
    fixed,
    margin_text,
    p_text,
    points,
    points_range,
    points_text,
)
from hanamikoji.stats import Difference, Screen, ScreenRow, Summary

_FLAGS = 60
_WORDS = {"balanced": "same", "unbalanced": "different", "undecided": "undecided"}


def variants_section(summary: Summary, listed: int) -> Section | None:
    """Each variant's starter edge minus the baseline's."""
    found = summary.differences
    if not found:
        return None
    ordered = sorted(found, key=lambda d: -abs(d.difference))
    many = len({(d.agent_a, d.agent_b) for d in found}) > 1
    drawn, others = _drawn(ordered)
    table = _table(ordered[:listed], many, len(found))
    chart = Chart(
        "intervals",
        f"The starter's score minus that in {summary.facts.baseline}",
        _text(ordered, many) + others,
        tuple(
            Point(
                _name(d, many),
                100 * d.difference,
                100 * d.interval.low,
                100 * d.interval.high,
                tone=d.verdict,
            )
            for d in drawn
        ),
        "difference, pp",
        table,
        margin=100 * summary.facts.margin,
        middle=0.0,
    )
    blocks: list[Block] = [
        chart,
        Paragraph(
            "Paired by deal where the cells share deals: 'saved' is by what factor fewer games "
            "that took (below 1: it cost some). p is of the difference being 0, adjusted by Holm "
            "over the variants of a match-up. Same: as the baseline within "
            f"{margin_text(summary.facts.margin)}; different: by more than that, and "
            "significantly so."
        ),
    ]
    return Section(f"Against the baseline {summary.facts.baseline}", (*blocks, *_screens(summary)))


def _drawn(ordered: list[Difference]) -> tuple[list[Difference], str]:
    """The largest differences; of many, those of mirror match-ups."""
    mirrors = [d for d in ordered if d.agent_a == d.agent_b]
    shown = ordered if len(ordered) <= PICTURED or not mirrors else mirrors
    shown = shown[:PICTURED]
    if len(shown) == len(ordered):
        return shown, ""
    return shown, f" Drawn are {len(shown):,} of the {len(ordered):,} differences."


def _name(difference: Difference, many: bool) -> str:
    agents = match_up(difference.agent_a, difference.agent_b)
    return f"{difference.variant} · {agents}" if many else difference.variant


def _text(ordered: list[Difference], many: bool) -> str:
    largest = ordered[0]
    significant = sum(d.significant for d in ordered)
    return (
        f"{significant} of {len(ordered)} differences are significant. The largest is "
        f"{_name(largest, many)}: {points(largest.difference, largest.interval)} pp, 95 % interval "
        f"{points_range(largest.interval)}."
    )


def _table(shown: list[Difference], many: bool, there: int) -> Table:
    more = ""
    if len(shown) < there:
        more = f" Shown are the {len(shown):,} largest of {there:,}; report.json has all."
    return Table(
        (
            Column("variant"),
            Column("difference, pp", True),
            Column("95 % interval", True),
            Column("p (Holm)", True),
            Column("as the baseline"),
            Column("shared deals", True, detail=True),
            Column("correlation", True, detail=True),
            Column("saved", True),
        ),
        tuple(
            row(
                _name(d, many),
                Cell(points(d.difference, d.interval), d.difference, d.verdict),
                points_range(d.interval),
                Cell(p_text(d.p_holm), d.p_holm),
                Cell(_WORDS[d.verdict], None, d.verdict),
                count_cell(d.shared_deals),
                NONE if d.correlation is None else Cell(fixed(d.correlation, 3), d.correlation),
                NONE if d.saved is None else Cell(f"{fixed(d.saved, 2)} {TIMES}", d.saved),
            )
            for d in shown
        ),
        "The variant's starter score minus the baseline's, same match-up." + more,
        brief=True,
    )


def _screens(summary: Summary) -> list[Block]:
    """Exploratory comparisons; only what they flag."""
    if not summary.screens:
        return []
    looks = sum(len(s.rows) for s in summary.screens)
    flagged = [(s, r) for s in summary.screens for r in s.rows if r.flagged]
    text = (
        f"Exploratory: {looks:,} comparisons of single geishas and openings with the baseline, "
        f"false discovery rate 5 % within each variant (Benjamini-Hochberg): {len(flagged):,} "
        "flagged. Take them as hints for another run, not as findings."
    )
    if not flagged:
        return [Paragraph(text)]
    flagged.sort(key=lambda found: found[1].q)
    return [Paragraph(text), _screen_table(flagged)]


def _screen_table(flagged: list[tuple[Screen, ScreenRow]]) -> Table:
    more = ""
    if len(flagged) > _FLAGS:
        more = f" Shown are the {_FLAGS} with the smallest q; report.json has all."
    return Table(
        (
            Column("variant"),
            Column("what"),
            Column("measure"),
            Column("here %", True),
            Column("baseline %", True),
            Column("difference, pp (95 %)", True),
            Column("q", True),
        ),
        tuple(
            row(
                f"{s.variant} · {match_up(s.agent_a, s.agent_b)}",
                r.name,
                r.measure,
                Cell(fixed(100 * r.value, 2), r.value),
                Cell(fixed(100 * r.baseline_value, 2), r.baseline_value),
                Cell(
                    points_text(r.difference, r.interval),
                    r.difference,
                ),
                Cell(p_text(r.q), r.q),
            )
            for s, r in flagged[:_FLAGS]
        ),
        "Exploratory: what differs from the baseline." + more,
    )
