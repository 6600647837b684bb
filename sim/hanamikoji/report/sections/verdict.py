"""The verdict: the report's first line, and a sentence for each cell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from hanamikoji.report.assurances import DISAGREE
from hanamikoji.report.document import Block, Code, Items, Paragraph, Section, Tone
from hanamikoji.report.levels import counting, level_of, unfit_agents
from hanamikoji.report.sections.assurance import assurance_blocks, exact_sentence
from hanamikoji.report.sections.labels import largest_edges, match_up
from hanamikoji.report.sections.probes import probe_blocks
from hanamikoji.report.source import Origin
from hanamikoji.report.words import (
    count,
    joined,
    margin_text,
    mean_text,
    name_list,
    percent,
    points,
    points_range,
)
from hanamikoji.results import resume_line
from hanamikoji.stats import CellSummary, Summary

_ORDER: tuple[Tone, ...] = ("unbalanced", "undecided", "balanced")
_SENTENCES = 12
_MANY_LEVEL = 0.05  # share of games without a winner above which a verdict tells of it
_MANY_VERDICTS = 5  # from which on the first line tells their joint risk
_TIMES = {1: "once", 2: "twice"}


def headline(summary: Summary, origins: tuple[Origin, ...] = ()) -> tuple[str, Tone]:
    """Which variants are balanced, at which level of play, in one line, and its colour."""
    if not summary.cells:
        return "No games have been played yet.", "none"
    by_tone: dict[Tone, list[str]] = {}
    unfit = unfit_agents(summary)
    variants = {name: counting(cells, unfit) for name, cells in by_variant(summary).items()}
    for variant, cells in variants.items():
        by_tone.setdefault(decision_of(cells), []).append(variant)
    parts: list[str] = []
    for tone in ("balanced", "unbalanced", "undecided"):
        names = by_tone.get(tone, [])
        if names:
            if tone == "unbalanced":
                names = [_with_favour(name, variants[name]) for name in names]
            if tone == "undecided":
                names = [_with_reason(name, variants[name]) for name in names]
            level = "" if parts else f" {level_of(_all(variants), unfit)}"
            parts.append(f"{tone.capitalize()}{level}: {name_list(names)}.")
    worst = next(tone for tone in _ORDER if tone in by_tone)
    parts.append(f"Margin {margin_text(summary.facts.margin)}.")
    exact = exact_sentence(summary, origins)
    return " ".join(filter(None, (*parts, exact, *caveats(summary)))), worst


def _all(variants: Mapping[str, Sequence[CellSummary]]) -> list[CellSummary]:
    return [cell for cells in variants.values() for cell in cells]


def _with_reason(variant: str, cells: Sequence[CellSummary]) -> str:
    """``C (trained agents disagree)``, if its verdict is withheld."""
    reason = next((c.verdict.withheld for c in telling(cells) if c.verdict.withheld), None)
    return variant if reason is None else f"{variant} ({reason})"


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
    """Balanced only if all cells that can tell are; unbalanced if any is.

    Undecided where trainings disagree, whatever other cells say.
    """
    if any(c.verdict.withheld == DISAGREE for c in cells):
        return "undecided"
    decisions = {c.verdict.decision for c in telling(cells)}
    return next(tone for tone in _ORDER if tone in decisions)


def telling(cells: Sequence[CellSummary]) -> Sequence[CellSummary]:
    """The mirrors and the near-even match-ups; if there are none, all cells."""
    return [c for c in cells if not c.lopsided] or cells


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
        blocks += _advice(summary, origins)
        blocks.append(Paragraph(_meaning(summary.facts.margin)))
    blocks += assurance_blocks(summary, origins)
    blocks += probe_blocks(origins)
    return Section("Verdict", tuple(blocks))


def _sentence(cell: CellSummary) -> str:
    verdict = cell.verdict
    interval = verdict.narrow if verdict.decision == "balanced" else verdict.wide
    who = f"{cell.variant}, {match_up(cell.agent_a, cell.agent_b)}"
    edge = (
        f"the starter's edge is {points(verdict.edge, interval)} pp "
        f"({100 * interval.level:.0f} % interval {points_range(interval)}{_notes(cell)})"
    )
    if cell.lopsided and cell.starter_elo is not None:
        edge += f", or {mean_text(cell.starter_elo, 0)} Elo"
    edge += _level_games(cell)
    if verdict.withheld is not None:
        return f"{who}: undecided, {verdict.withheld}; {edge}."
    if verdict.decision == "balanced":
        return f"{who}: balanced; {edge}, inside the margin."
    if verdict.decision == "unbalanced":
        return f"{who}: unbalanced, favouring the {verdict.favours}; {edge}."
    if verdict.further_games is None:
        more = "the edge is too close to the margin for any feasible number of games to decide"
    else:
        more = f"about {_rounded(verdict.further_games)} more games would decide"
    return f"{who}: undecided; {edge}; {more}."


def _notes(cell: CellSummary) -> str:
    """What sets the sample apart from one of a fixed size that is looked at once."""
    notes = ""
    if cell.verdict.look > 1:
        extensions = cell.verdict.look - 1
        times = _TIMES.get(extensions, f"{extensions} times")
        notes += f", look {cell.verdict.look} of a run extended {times}"
    if cell.stopping.rule == "sprt":
        notes += ", ended by a test of strength"
    return notes


def _level_games(cell: CellSummary) -> str:
    """Shared and unfinished games, if they are more than a few."""
    kinds = {"shared": cell.shared, "unfinished": cell.unfinished}
    if sum(kind.value for kind in kinds.values()) <= _MANY_LEVEL:
        return ""
    named = (
        f"{percent(found.value)} % of games {name}" for name, found in kinds.items() if found.count
    )
    return f", with {joined(named)}"


def _rounded(n: int) -> str:
    """A forecast's two significant digits."""
    digits = max(len(str(n)) - 2, 0)
    return count(round(n, -digits))


def _meaning(margin: float) -> str:
    return (
        "The starter's edge is its mean score (win 1, shared win 1/2) minus 1/2, in percentage "
        f"points (pp). Balanced: the 90 % interval lies inside {margin_text(margin)}. Unbalanced: "
        "the 95 % interval lies entirely outside. Otherwise undecided, which does not mean fair. "
        "These intervals hold at all looks at the run together."
    )


def _advice(summary: Summary, origins: tuple[Origin, ...]) -> list[Block]:
    """The command that plays what would decide the undecided cells of a finished run."""
    more = [
        cell.games + cell.verdict.further_games
        for cell in summary.cells
        if cell.verdict.decision == "undecided" and cell.verdict.further_games
    ]
    if not more or len(origins) != 1 or origins[0].state != "finished":
        return []
    games = round_up(max(more))
    return [
        Paragraph(f"To decide, play {count(games)} games a cell:", brief=True),
        Code(extended(origins[0].command, games), brief=True),
    ]


def round_up(n: int) -> int:
    """The next number with two significant digits; even, as pairs of games need."""
    step = max(int(f"1{'0' * (len(str(n)) - 2)}"), 2)
    return -(-n // step) * step


def extended(command: str, games: int) -> str:
    """A run's command line for so many games, to go on with it."""
    words = shlex.split(command)
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if "--games" not in (before, word) and not word.startswith("--games=")
    ]
    return resume_line(shlex.join([*kept, "--games", str(games)]))


def caveats(summary: Summary) -> list[str]:
    """What the first line adds: verdicts after another rule's stop, and the risk of many."""
    notes = []
    if any(c.stopping.rule == "sprt" for c in summary.cells):
        notes.append("The samples were ended by a sequential test of strength.")
    verdicts = sum(c.verdict.withheld is None for c in summary.cells)
    if verdicts >= _MANY_VERDICTS:
        notes.append(
            f"{count(verdicts)} verdicts, each wrong with a probability of up to 5 %: "
            f"up to {0.05 * verdicts:.2g} wrong ones are to be expected."
        )
    return notes
