"""Agents' failures: what was forfeited or left unfinished, and the verdict without it."""

from __future__ import annotations

import shlex

from hanamikoji.report.document import Block, Code, Column, Paragraph, Section, Table, row
from hanamikoji.report.sections.labels import Labels, left_out
from hanamikoji.report.source import Failure, Origin
from hanamikoji.report.words import (
    count,
    count_cell,
    edge_cell,
    percent,
    share_cell,
    verdict_cell,
)
from hanamikoji.stats import CellSummary, Summary

_EXAMPLES = 8


def failures_section(
    summary: Summary, origins: tuple[Origin, ...], labels: Labels, listed: int
) -> Section | None:
    """Forfeits by kind and unfinished games; None if there are none."""
    forfeited = [(c, f) for c in summary.cells for f in c.forfeits]
    unfinished = [c for c in summary.cells if c.unfinished.count]
    if not forfeited and not unfinished:
        return None
    blocks: list[Block] = []
    if forfeited:
        blocks.append(
            Table(
                (
                    Column("cell"),
                    Column("agent"),
                    Column("kind"),
                    Column("games", True),
                    Column("% of games", True),
                ),
                tuple(
                    row(
                        labels(c), f.agent, f.reason, count_cell(f.games.count), share_cell(f.games)
                    )
                    for c, f in forfeited[:listed]
                ),
                "Games that an agent lost by failing. They stay in all figures above.",
                brief=True,
            )
        )
    for c in unfinished[:listed]:
        blocks.append(
            Paragraph(
                f"{labels(c)}: {count(c.unfinished.count)} games "
                f"({percent(c.unfinished.value, c.unfinished.interval)} %) reached the round limit "
                "unfinished; they count 1/2 to each side.",
                brief=True,
            )
        )
    if len(unfinished) > listed:
        blocks.append(Paragraph(left_out(listed, len(unfinished)).strip()))
    blocks += _without(summary.cells, labels, listed)
    blocks += _examples(origins)
    return Section("Failures", tuple(blocks))


def _without(cells: tuple[CellSummary, ...], labels: Labels, listed: int) -> list[Block]:
    """The sensitivity lines."""
    rows = []
    for c in cells:
        if c.clean_starter is None or c.clean_verdict is None:
            continue
        rows.append(
            row(
                labels(c),
                count_cell(c.clean_starter.games),
                edge_cell(c.clean_starter),
                verdict_cell(c.clean_verdict),
                verdict_cell(c.verdict),
            )
        )
    if not rows:
        return []
    return [
        Table(
            (
                Column("cell"),
                Column("games left", True),
                Column("starter's edge, pp (95 %)", True),
                Column("verdict without them"),
                Column("verdict with them"),
            ),
            tuple(rows[:listed]),
            "The verdict without forfeited and unfinished games (a pair goes whole).",
            brief=True,
        )
    ]


def _examples(origins: tuple[Origin, ...]) -> list[Block]:
    blocks: list[Block] = []
    for origin in origins:
        for failure in origin.failures[:_EXAMPLES]:
            blocks += _example(failure, origin.folder)
    return blocks


def _example(failure: Failure, folder: str) -> list[Block]:
    return [
        Paragraph(
            f"{failure.agent}, {failure.reason}, {count(failure.count)} times; first in cell "
            f"{failure.cell}, deal {failure.deal}, seating {failure.seating}, round "
            f"{failure.round}, decision {failure.decision}: {failure.message or 'no message'}"
        ),
        Code(
            f"hanamikoji replay {shlex.quote(folder)} --cell {failure.cell} --deal {failure.deal} "
            f"--seating {failure.seating}"
        ),
    ]
