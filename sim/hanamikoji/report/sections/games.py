"""The games: how long they last, how they end, and how the lead changes."""

from __future__ import annotations

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import (
    Chart,
    Mark,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
)
from hanamikoji.report.sections.labels import (
    DETAILED,
    CellLabels,
    cells_note,
    largest_edges,
    plotted,
)
from hanamikoji.report.words import digits_for, fixed, mean_cell, percent, share
from hanamikoji.stats import CellSummary, Proportion, Shape, Summary

_ROUNDS = 6  # rounds with a column of their own; the last one is "or more"
_ENDINGS = {
    "charm": "charm goal",
    "geishas": "geisha goal",
    "cap-geishas": "cap: more geishas",
    "cap-charm": "cap: more charm",
    "cap-highest-geisha": "cap: highest geisha",
    "shared": "shared",
    "round-limit": "unfinished",
    "forfeit-error": "forfeit: error",
    "forfeit-illegal": "forfeit: illegal move",
    "forfeit-stall": "forfeit: stall",
}


def length_section(summary: Summary, labels: CellLabels, listed: int) -> Section | None:
    """In which round games end."""
    if not summary.cells:
        return None
    shown = largest_edges(summary.cells, listed)
    longest = max(b.rounds for c in shown for b in c.shape.length)
    bins = list(range(1, min(longest, _ROUNDS) + 1))
    names = [f"round {n}" if n < _ROUNDS or n == longest else f"round {n}+" for n in bins]
    cells, note = plotted(summary.cells)
    chart = Chart(
        "stack",
        "Games by final round",
        _length_text(cells, labels) + note,
        tuple(
            Mark(labels(c), 100 * value, series=name)
            for c in cells
            for name, value in zip(names, _length_shares(c.shape, len(bins)), strict=True)
        ),
        "% of games",
        _length_table(shown, labels, names, cells_note(len(shown), len(summary.cells))),
        ordered=True,
    )
    return Section("Length", (chart,))


def _length_table(
    cells: list[CellSummary], labels: CellLabels, names: list[str], note: str
) -> Table:
    digits = min(digits_for(c.shape.mean_rounds.interval.half_width) for c in cells)

    def column(place: int) -> TableColumn[CellSummary]:
        def ending(cell: CellSummary) -> TableCell:
            value = _length_shares(cell.shape, len(names))[place]
            return TableCell(share(value, cell.shape.mean_rounds.n), value)

        return figure(names[place], ending, "%")

    return table(
        cells,
        [
            text("cell", labels),
            figure("mean rounds", lambda c: mean_cell(c.shape.mean_rounds, digits), interval=True),
            *map(column, range(len(names))),
        ],
        "Rounds per game, and the % of games that end in each round. Games that were unfinished at "
        "the round limit or forfeited count with the rounds they had." + note,
        brief=True,
    )


def _length_shares(shape: Shape, bins: int) -> list[float]:
    shares = [0.0] * bins
    for found in shape.length:
        shares[min(found.rounds, bins) - 1] += found.share.value
    return shares


def _length_text(cells: list[CellSummary], labels: CellLabels) -> str:
    ordered = sorted(cells, key=lambda c: c.shape.mean_rounds.value)
    low, high = ordered[0], ordered[-1]
    if low is high:
        return f"A game lasts {fixed(low.shape.mean_rounds.value, 2)} rounds on average."
    return (
        f"The mean number of rounds ranges from {fixed(low.shape.mean_rounds.value, 2)} "
        f"({labels(low)}) to {fixed(high.shape.mean_rounds.value, 2)} ({labels(high)})."
    )


def endings_section(summary: Summary, labels: CellLabels, listed: int) -> Section | None:
    """How games end."""
    if not summary.cells:
        return None
    shown = largest_edges(summary.cells, listed)
    cells, note = plotted(summary.cells)
    reasons = _reasons_seen(cells)
    chart = Chart(
        "stack",
        "Games by how they end",
        _charm_text(cells, labels) + note,
        tuple(
            Mark(labels(c), 100 * _share_value(c, reason), series=_ENDINGS[reason])
            for c in cells
            for reason in reasons
        ),
        "% of games",
        _endings_table(shown, labels, cells_note(len(shown), len(summary.cells))),
    )
    return Section("How games end", (chart, _ending_scores(summary, labels)))


def _endings_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    def column(reason: str) -> TableColumn[CellSummary]:
        return figure(
            _ENDINGS[reason],
            lambda c: (
                found if (found := _share_of(c, reason)) and found.count else TableCell("0", 0.0)
            ),
            "%",
        )

    return table(
        cells,
        [
            text("cell", labels),
            *map(column, _reasons_seen(cells)),
            figure("prevailing goal decisive", lambda c: c.shape.goal_conflict, "%"),
        ],
        "How games end, as % of all games. A winner who meets the prevailing goal is counted "
        "there, whether or not the other goal is met too. 'Prevailing goal decisive': each player "
        "met one of the goals (in the base game, 11 charm beats 4 geishas)." + note,
        brief=True,
    )


def _reasons_seen(cells: list[CellSummary]) -> list[str]:
    seen = {r.reason for c in cells for r in c.shape.routes if r.share.count}
    return [reason for reason in _ENDINGS if reason in seen]


def _share_of(cell: CellSummary, reason: str) -> Proportion | None:
    return next((r.share for r in cell.shape.routes if r.reason == reason), None)


def _share_value(cell: CellSummary, reason: str) -> float:
    found = _share_of(cell, reason)
    return 0.0 if found is None else found.value


def _charm_text(cells: list[CellSummary], labels: CellLabels) -> str:
    shares = [f"{labels(c)}: {percent(_share_value(c, 'charm'))} %" for c in cells[:4]]
    return f"Games won by the charm goal: {'; '.join(shares)}."


def _ending_scores(summary: Summary, labels: CellLabels) -> Table:
    cells = largest_edges(summary.cells, DETAILED)
    return table(
        [(c, r) for c in cells for r in c.shape.routes if r.share.count],
        [
            text("cell", lambda row: labels(row[0])),
            text("ending", lambda row: _ENDINGS.get(row[1].reason, row[1].reason)),
            figure("games", lambda row: row[1].share.count),
            estimate("games", lambda row: row[1].share, "%"),
            estimate("starter's score", lambda row: row[1].starter_score, "%"),
        ],
        "The starter's score by how games end." + cells_note(len(cells), len(summary.cells)),
    )


def tension_section(summary: Summary, labels: CellLabels, listed: int) -> Section | None:
    """Lead changes, comebacks, margins and choices."""
    if not summary.cells:
        return None
    cells = largest_edges(summary.cells, listed)
    recorded = any(c.shape.legal_moves is not None for c in cells)
    columns: list[TableColumn[CellSummary]] = [
        text("cell", labels),
        figure("games", lambda c: c.games),
        figure("games with a lead change", lambda c: c.shape.turned, "%"),
        estimate("lead changes per game", lambda c: c.shape.mean_lead_changes),
        estimate("final charm difference", lambda c: c.shape.charm_margin),
    ]
    caption = (
        "Games with a lead change: of games of two or more rounds, those in which the charm lead "
        "passes from one player to the other."
    )
    if recorded:
        columns += [
            figure("comebacks after round 1", lambda c: c.shape.comebacks, "%"),
            figure("comebacks in the last round", lambda c: c.shape.late_comebacks, "%"),
            estimate("legal moves per decision", lambda c: c.shape.legal_moves),
        ]
        caption += (
            " Comebacks: of decided games of two or more rounds with a leader in charm after round "
            "1, or after the last round but one, those won by the other player."
        )
    caption += cells_note(len(cells), len(summary.cells))
    missing = dict.fromkeys(m for c in summary.cells for m in c.shape.missing)
    notes = tuple(Paragraph(f"Not shown: {sentence}.") for sentence in missing)
    return Section("Tension", (table(cells, columns, caption), *_swings(summary, labels), *notes))


def _swings(summary: Summary, labels: CellLabels) -> tuple[Table, ...]:
    cells = [c for c in largest_edges(summary.cells, DETAILED) if c.shape.swings]
    if not cells:
        return ()
    return (
        table(
            [(c, s) for c in cells for s in c.shape.swings],
            [
                text("cell", lambda row: labels(row[0])),
                text("round", lambda row: f"{row[1].round}+" if row[1].last else f"{row[1].round}"),
                figure("times reached", lambda row: row[1].swing.n),
                estimate("change of the charm lead", lambda row: row[1].swing),
            ],
            "How far each round moves the charm lead, over games that reach the round. A dash: too "
            "few deals for an interval." + cells_note(len(cells), len(summary.cells)),
        ),
    )
