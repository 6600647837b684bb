"""The verdict: the report's first line, and a sentence for each cell."""

from __future__ import annotations

from collections.abc import Sequence

from hanamikoji.report.document import Block, Items, Paragraph, Section, Tone
from hanamikoji.report.sections.labels import largest_edges, match_up
from hanamikoji.report.sections.probes import probe_blocks
from hanamikoji.report.source import Origin
from hanamikoji.report.words import count, margin_text, name_list, points, points_range
from hanamikoji.stats import CellSummary, Summary

_ORDER: tuple[Tone, ...] = ("unbalanced", "undecided", "balanced")
_SENTENCES = 12


def headline(summary: Summary) -> tuple[str, Tone]:
    """Which variants are balanced within the margin, in one line, and its colour."""
    if not summary.cells:
        return "No games have been played yet.", "none"
    by_tone: dict[Tone, list[str]] = {}
    variants = by_variant(summary)
    for variant, cells in variants.items():
        by_tone.setdefault(decision_of(cells), []).append(variant)
    parts = []
    for tone in ("balanced", "unbalanced", "undecided"):
        names = by_tone.get(tone, [])
        if names:
            if tone == "unbalanced":
                names = [_with_favour(name, variants[name]) for name in names]
            parts.append(f"{tone.capitalize()}: {name_list(names)}.")
    worst = next(tone for tone in _ORDER if tone in by_tone)
    return f"{' '.join(parts)} Margin {margin_text(summary.facts.margin)}.", worst


def _with_favour(variant: str, cells: Sequence[CellSummary]) -> str:
    """``three-round (second favoured)``, unless its cells favour different seats."""
    seats = {c.verdict.favours for c in cells} - {None}
    return f"{variant} ({seats.pop()} favoured)" if len(seats) == 1 else variant


def by_variant(summary: Summary) -> dict[str, list[CellSummary]]:
    """The cells of each variant."""
    found: dict[str, list[CellSummary]] = {}
    for cell in summary.cells:
        found.setdefault(cell.variant, []).append(cell)
    return found


def decision_of(cells: Sequence[CellSummary]) -> Tone:
    """Balanced only if all cells are; unbalanced if any is."""
    decisions = {c.verdict.decision for c in cells}
    return next(tone for tone in _ORDER if tone in decisions)


def verdict_section(summary: Summary, origins: tuple[Origin, ...]) -> Section:
    """What can be concluded about each cell."""
    blocks: list[Block] = []
    games = sum(c.games for c in summary.cells)
    requested = sum(origin.games for origin in origins)
    if any(origin.state != "finished" for origin in origins):
        blocks.append(
            Paragraph(
                f"This run is not finished: {count(games)} of {count(requested)} games have been "
                "played. All figures are for the games so far.",
                strong=True,
                brief=True,
            )
        )
    versions = {tuple(sorted(origin.versions.items())) for origin in origins}
    if len(versions) > 1:
        blocks.append(
            Paragraph(
                "These runs used different versions (see Origin), so differences may be due to the "
                "software.",
                strong=True,
                brief=True,
            )
        )
    blocks += [
        Paragraph(
            f"{origin.folder}: {origin.repeats:,} cells also in an earlier run, counted once.",
            brief=True,
        )
        for origin in origins
        if origin.repeats
    ]
    shown = largest_edges(summary.cells, _SENTENCES)
    blocks.append(Items(tuple(map(_sentence, shown))))
    if len(shown) < len(summary.cells):
        blocks.append(
            Paragraph(
                f"These {len(shown)} cells have the largest edges; the table below has all "
                f"{len(summary.cells):,}."
            )
        )
    if summary.cells:
        blocks.append(Paragraph(_meaning(summary.facts.margin)))
    blocks += probe_blocks(origins)
    return Section("Verdict", tuple(blocks))


def _sentence(cell: CellSummary) -> str:
    verdict = cell.verdict
    interval = verdict.narrow if verdict.decision == "balanced" else verdict.wide
    who = f"{cell.variant}, {match_up(cell.agent_a, cell.agent_b)}"
    edge = (
        f"the starter's edge is {points(verdict.edge, interval)} pp "
        f"({100 * interval.level:.0f} % interval {points_range(interval)}{_stopped(cell)})"
    )
    if verdict.decision == "balanced":
        return f"{who}: balanced; {edge}, inside the margin."
    if verdict.decision == "unbalanced":
        return f"{who}: unbalanced, favouring the {verdict.favours}; {edge}."
    if verdict.further_games is None:
        more = "the edge is too close to the margin for any feasible number of games to decide"
    else:
        more = f"about {_rounded(verdict.further_games)} more games would decide"
    return f"{who}: undecided; {edge}; {more}."


def _stopped(cell: CellSummary) -> str:
    return ", optionally stopped" if cell.stopping.optionally_stopped else ""


def _rounded(n: int) -> str:
    """A forecast's two significant digits."""
    digits = max(len(str(n)) - 2, 0)
    return count(round(n, -digits))


def _meaning(margin: float) -> str:
    return (
        "The starter's edge is its mean score (win 1, shared win 1/2) minus 1/2, in percentage "
        f"points (pp). Balanced: the 90 % interval lies inside {margin_text(margin)}. Unbalanced: "
        "the 95 % interval lies entirely outside. Otherwise undecided, which does not mean fair."
    )
