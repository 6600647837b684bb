"""Forfeited and unfinished games, and the verdict without them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import Block, Code, Paragraph, Section, Table
from hanamikoji.report.sections.labels import CellLabels, cells_note
from hanamikoji.report.source import Origin
from hanamikoji.report.words import count, percent, verdict_cell
from hanamikoji.results import FailureTally
from hanamikoji.stats import CellSummary, Forfeits, Summary

_EXAMPLES = 8


def failures_section(
    summary: Summary, origins: tuple[Origin, ...], labels: CellLabels, listed: int
) -> Section | None:
    """Forfeits by kind, and unfinished games. Returns None if there are none."""
    forfeits = [(c, f) for c in summary.cells for f in c.forfeits]
    unfinished = [c for c in summary.cells if c.unfinished.count]
    clean = [c for c in summary.cells if c.clean_verdict is not None]
    if not forfeits and not unfinished:
        return None
    blocks: list[Block] = []
    if forfeits:
        blocks.append(_forfeits_table(forfeits[:listed], labels))
    blocks += [_unfinished(c, labels) for c in unfinished[:listed]]
    if len(unfinished) > listed:
        blocks.append(Paragraph(cells_note(listed, len(unfinished)).strip()))
    if clean:
        blocks.append(_sensitivity_table(clean[:listed], labels))
    for origin in origins:
        for failure in origin.failures[:_EXAMPLES]:
            blocks += _example(failure, origin.folder)
    return Section("Failures", tuple(blocks))


def _forfeits_table(forfeits: list[tuple[CellSummary, Forfeits]], labels: CellLabels) -> Table:
    return table(
        forfeits,
        [
            text("cell", lambda row: labels(row[0])),
            text("agent", lambda row: row[1].agent),
            text("failure", lambda row: row[1].reason),
            figure("games", lambda row: row[1].games.count),
            figure("games", lambda row: row[1].games, "%"),
        ],
        "Games forfeited by a failing agent. All figures above include them.",
        brief=True,
    )


def _unfinished(cell: CellSummary, labels: CellLabels) -> Paragraph:
    games = cell.unfinished
    return Paragraph(
        f"{labels(cell)}: {count(games.count)} games ({percent(games.value, games.interval)} %) "
        "reached the round limit unfinished and count 1/2 for each side.",
        brief=True,
    )


def _sensitivity_table(cells: list[CellSummary], labels: CellLabels) -> Table:
    return table(
        cells,
        [
            text("cell", labels),
            figure("games left", lambda c: c.clean_starter and c.clean_starter.games),
            estimate("starter's edge", lambda c: c.clean_starter, "pp"),
            text("verdict without", lambda c: verdict_cell(c.clean_verdict or c.verdict)),
            text("verdict with", lambda c: verdict_cell(c.verdict)),
        ],
        "Sensitivity: the verdict without and with forfeited and unfinished games. If one game of "
        "a pair is left out, so is the other.",
        brief=True,
    )


def _example(failure: FailureTally, folder: str) -> Iterator[Block]:
    """The first failure of its kind, and the command that replays it."""
    yield Paragraph(
        f"{failure.agent}: {failure.reason} in {count(failure.count)} games, first in cell "
        f"{failure.cell}, deal {failure.deal}, seating {failure.seating}, round {failure.round}, "
        f"decision {failure.decision}: {failure.message or 'no message'}"
    )
    yield Code(
        f"hanamikoji replay {shlex.quote(folder)} --cell {failure.cell} --deal {failure.deal} "
        f"--seating {failure.seating}"
    )
