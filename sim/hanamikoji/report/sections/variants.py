"""Variants against the baseline: paired differences, and exploratory comparisons."""

from __future__ import annotations

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import Block, Chart, Paragraph, Section, Table, TableCell
from hanamikoji.report.sections.labels import PLOTTED, cut_note, match_up, plot_note
from hanamikoji.report.words import (
    fixed,
    margin_text,
    p_text,
    percent_mark,
    points,
    points_range,
    points_text,
)
from hanamikoji.stats import Difference, Screen, ScreenRow, Summary

_FLAGS = 60
_DECISIONS = {"balanced": "same", "unbalanced": "different", "undecided": "undecided"}


def variants_section(summary: Summary, listed: int) -> Section | None:
    """Each variant's starter edge minus the baseline's."""
    found = summary.differences
    if not found:
        return None
    ordered = sorted(found, key=lambda d: -abs(d.difference))
    many = len({(d.agent_a, d.agent_b) for d in found}) > 1
    shown, note = _plotted(ordered)
    chart = Chart(
        "intervals",
        f"Starter's score minus that in {summary.facts.baseline}",
        _difference_text(ordered, many) + note,
        tuple(
            percent_mark(_name(d, many), d.difference, d.interval, tone=d.verdict) for d in shown
        ),
        "difference, pp",
        _differences_table(ordered[:listed], many, len(found)),
        margin=100 * summary.facts.margin,
        middle=0.0,
    )
    method = Paragraph(
        "Cells that share deals are compared deal by deal. p: for a difference of 0, "
        "Holm-adjusted over all differences. Same: equal to the baseline within "
        f"{margin_text(summary.facts.margin)}, at 5 % for each difference. Different: by more than "
        "that, at 5 % for all differences together." + _stopped(summary)
    )
    return Section(
        f"Against the baseline {summary.facts.baseline}", (chart, method, *_screens(summary))
    )


def _stopped(summary: Summary) -> str:
    if not any(c.stopping.rule == "sprt" for c in summary.cells):
        return ""
    return (
        " A test of strength ended these samples: p-values and verdicts hold at any look, "
        "intervals are too narrow."
    )


def _plotted(ordered: list[Difference]) -> tuple[list[Difference], str]:
    """The largest differences; of too many, those of mirror match-ups."""
    mirrors = [d for d in ordered if d.agent_a == d.agent_b]
    shown = ordered if len(ordered) <= PLOTTED or not mirrors else mirrors
    shown = shown[:PLOTTED]
    return shown, plot_note(len(shown), len(ordered), "differences")


def _name(difference: Difference, many: bool) -> str:
    agents = match_up(difference.agent_a, difference.agent_b)
    return f"{difference.variant} · {agents}" if many else difference.variant


def _difference_text(ordered: list[Difference], many: bool) -> str:
    largest = ordered[0]
    significant = sum(d.significant for d in ordered)
    return (
        f"{significant} of {len(ordered)} differences are significant. The largest is "
        f"{_name(largest, many)}: {points(largest.difference, largest.interval)} pp, 95 % interval "
        f"{points_range(largest.interval)}."
    )


def _differences_table(shown: list[Difference], many: bool, total: int) -> Table:
    return table(
        shown,
        [
            text("variant", lambda d: _name(d, many)),
            figure("difference", _difference_cell, "pp"),
            figure("95 % interval", lambda d: points_range(d.interval)),
            figure("p (Holm)", lambda d: TableCell(p_text(d.p_holm), d.p_holm)),
            text("as the baseline", lambda d: TableCell(_DECISIONS[d.verdict], None, d.verdict)),
            figure("shared deals", lambda d: d.shared_deals, detail=True),
            figure("correlation", _correlation, detail=True),
            estimate("games saved (factor)", lambda d: d.saved),
        ],
        "The starter's score in the variant minus that in the baseline, same match-up. Games "
        "saved: the factor by which comparing deal by deal reduces the games needed; below 1 it "
        "increases them." + cut_note(len(shown), total, "differences, the largest"),
        brief=True,
    )


def _difference_cell(found: Difference) -> TableCell:
    return TableCell(points(found.difference, found.interval), found.difference, found.verdict)


def _correlation(found: Difference) -> TableCell | None:
    if found.correlation is None:
        return None
    return TableCell(fixed(found.correlation, 3), found.correlation)


def _screens(summary: Summary) -> list[Block]:
    """Exploratory comparisons; only those that are flagged."""
    if not summary.screens:
        return []
    comparisons = sum(len(s.rows) for s in summary.screens)
    flagged = [(s, r) for s in summary.screens for r in s.rows if r.flagged]
    blocks: list[Block] = [
        Paragraph(
            f"Exploratory: {comparisons:,} comparisons of single geishas and openings with the "
            "baseline, at a false discovery rate of 5 % over all of them (Benjamini-Hochberg); "
            f"{len(flagged):,} flagged. Treat them as hypotheses for another run, not as findings."
        )
    ]
    if flagged:
        blocks.append(_screen_table(sorted(flagged, key=lambda row: row[1].q)))
    return blocks


def _screen_table(flagged: list[tuple[Screen, ScreenRow]]) -> Table:
    shown = flagged[:_FLAGS]
    return table(
        shown,
        [
            text("variant", lambda row: f"{row[0].variant} · {_agents(row[0])}"),
            text("item", lambda row: row[1].name),
            text("measure", lambda row: row[1].measure),
            figure("variant", lambda row: _percent_cell(row[1].value), "%"),
            figure("baseline", lambda row: _percent_cell(row[1].baseline_value), "%"),
            figure("difference", lambda row: _screen_difference(row[1]), "pp", interval=True),
            figure("q", lambda row: TableCell(p_text(row[1].q), row[1].q)),
        ],
        "Exploratory: differences from the baseline."
        + cut_note(len(shown), len(flagged), "flagged comparisons, those with the smallest q"),
    )


def _agents(screen: Screen) -> str:
    return match_up(screen.agent_a, screen.agent_b)


def _percent_cell(value: float) -> TableCell:
    return TableCell(fixed(100 * value, 2), value)


def _screen_difference(row: ScreenRow) -> TableCell:
    return TableCell(points_text(row.difference, row.interval), row.difference)
