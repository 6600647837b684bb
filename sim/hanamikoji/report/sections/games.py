"""The games: how long they last, how they are won, how they swing."""

from __future__ import annotations

from hanamikoji.report.document import Cell, Chart, Column, Paragraph, Point, Section, Table, row
from hanamikoji.report.sections.labels import DETAILED, Labels, left_out, most_telling, pictured
from hanamikoji.report.words import (
    NONE,
    digits_for,
    fixed,
    mean_cell,
    mean_score_cell,
    percent,
    percent_range,
    share,
    share_cell,
)
from hanamikoji.stats import CellSummary, Proportion, Shape, Summary

_LENGTHS = 6  # rounds with a column of their own; the last one is "or more"
_ROUTE_NAMES = {
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


def length_section(summary: Summary, labels: Labels, listed: int) -> Section | None:
    """In which round games end."""
    if not summary.cells:
        return None
    shown = most_telling(summary.cells, listed)
    longest = max(b.rounds for c in shown for b in c.shape.length)
    digits = min(digits_for(c.shape.mean_rounds.interval.half_width) for c in shown)
    ends = list(range(1, min(longest, _LENGTHS) + 1))
    titles = [f"{n}" if n < _LENGTHS or n == longest else f"{n}+" for n in ends]
    table = Table(
        (
            Column("cell"),
            Column("mean rounds (95 %)", True),
            *(Column(f"round {title} %", True) for title in titles),
        ),
        tuple(
            row(labels(c), mean_cell(c.shape.mean_rounds, digits), *_length_cells(c.shape, ends))
            for c in shown
        ),
        "Rounds played, and the % of games that end in each round."
        + left_out(len(shown), len(summary.cells)),
        brief=True,
    )
    bars, others = pictured(summary.cells)
    chart = Chart(
        "stack",
        "Games by the round they end in",
        _longest_text(bars, labels) + others,
        tuple(
            Point(labels(c), 100 * value, series=f"round {title}")
            for c in bars
            for title, value in zip(titles, _length_shares(c.shape, ends), strict=True)
        ),
        "% of games",
        table,
        ordered=True,
    )
    return Section("Length", (chart,))


def _length_shares(shape: Shape, ends: list[int]) -> list[float]:
    shares = [0.0] * len(ends)
    for found in shape.length:
        shares[min(found.rounds, ends[-1]) - 1] += found.share.value
    return shares


def _length_cells(shape: Shape, ends: list[int]) -> list[Cell]:
    n = shape.mean_rounds.n
    return [Cell(share(value, n), value) for value in _length_shares(shape, ends)]


def _longest_text(cells: list[CellSummary], labels: Labels) -> str:
    ordered = sorted(cells, key=lambda c: c.shape.mean_rounds.value)
    low, high = ordered[0], ordered[-1]
    if low is high:
        return f"A game lasts {fixed(low.shape.mean_rounds.value, 2)} rounds on average."
    return (
        f"On average a game lasts from {fixed(low.shape.mean_rounds.value, 2)} rounds "
        f"({labels(low)}) to {fixed(high.shape.mean_rounds.value, 2)} ({labels(high)})."
    )


def routes_section(summary: Summary, labels: Labels, listed: int) -> Section | None:
    """How games are won."""
    if not summary.cells:
        return None
    shown = most_telling(summary.cells, listed)
    seen = _routes_seen(shown)
    table = Table(
        (
            Column("cell"),
            *(Column(f"{_ROUTE_NAMES.get(reason, reason)} %", True) for reason in seen),
            Column("prevailing goal decided %", True),
        ),
        tuple(
            row(
                labels(c),
                *(_share_of(c, reason) for reason in seen),
                share_cell(c.shape.goal_conflict),
            )
            for c in shown
        ),
        "How games end, in % of all games. A winner with the goal that prevails counts there, "
        "with the other goal or without; 'prevailing goal decided': one player held it and the "
        "other the other goal (in the base game: 11 charm over 4 geishas)."
        + left_out(len(shown), len(summary.cells)),
        brief=True,
    )
    bars, others = pictured(summary.cells)
    seen = _routes_seen(bars)
    chart = Chart(
        "stack",
        "Games by what decided them",
        _routes_text(bars, labels) + others,
        tuple(
            Point(labels(c), 100 * _value_of(c, reason), series=_ROUTE_NAMES.get(reason, reason))
            for c in bars
            for reason in seen
        ),
        "% of games",
        table,
    )
    return Section("Ways to win", (chart, *_route_scores(summary, labels)))


def _routes_seen(cells: list[CellSummary]) -> list[str]:
    seen = dict.fromkeys(
        r.reason
        for c in cells
        for r in c.shape.routes
        if r.share.count and r.reason in _ROUTE_NAMES
    )
    return [reason for reason in _ROUTE_NAMES if reason in seen]


def _route(cell: CellSummary, reason: str) -> Proportion | None:
    return next((r.share for r in cell.shape.routes if r.reason == reason), None)


def _share_of(cell: CellSummary, reason: str) -> Cell:
    found = _route(cell, reason)
    return Cell("0", 0.0) if found is None or not found.count else share_cell(found)


def _value_of(cell: CellSummary, reason: str) -> float:
    found = _route(cell, reason)
    return 0.0 if found is None else found.value


def _routes_text(cells: list[CellSummary], labels: Labels) -> str:
    told = [f"{labels(c)}: {percent(_value_of(c, 'charm'))} %" for c in cells[:4]]
    return "Won with the charm goal: " + "; ".join(told) + "."


def _route_scores(summary: Summary, labels: Labels) -> tuple[Table, ...]:
    cells = most_telling(summary.cells, DETAILED)
    rows = tuple(
        row(
            labels(c),
            _ROUTE_NAMES.get(r.reason, r.reason),
            Cell(f"{r.share.count:,}", r.share.count),
            Cell(
                f"{percent(r.share.value, r.share.interval)} ({percent_range(r.share.interval)})",
                r.share.value,
            ),
            mean_score_cell(r.starter_score),
        )
        for c in cells
        for r in c.shape.routes
        if r.share.count
    )
    return (
        Table(
            (
                Column("cell"),
                Column("decided by"),
                Column("games", True),
                Column("% of games (95 %)", True),
                Column("starter's score % then (95 %)", True),
            ),
            rows,
            "Who profits from each way to end." + left_out(len(cells), len(summary.cells)),
        ),
    )


def drama_section(summary: Summary, labels: Labels, listed: int) -> Section | None:
    """Leads, comebacks, margins, choices."""
    if not summary.cells:
        return None
    shown = most_telling(summary.cells, listed)
    detailed = any(c.shape.legal_moves is not None for c in shown)
    more = ("comebacks %", "legal moves a decision (95 %)") if detailed else ()
    table = Table(
        (
            Column("cell"),
            *(
                Column(title, True)
                for title in (
                    "lead changed hands %",
                    "lead changes a game (95 %)",
                    "final charm gap (95 %)",
                    *more,
                )
            ),
        ),
        tuple(row(labels(c), *_drama_cells(c.shape, detailed)) for c in shown),
        "Lead changed hands: of games of two rounds or more, those in which the charm lead passed "
        "to the other player."
        + (
            " Comebacks: of decided games that went on after a round with a leader, those won by "
            "the other."
            if detailed
            else ""
        )
        + left_out(len(shown), len(summary.cells)),
    )
    missing = dict.fromkeys(m for c in summary.cells for m in c.shape.missing)
    notes = tuple(Paragraph(f"Not shown: {text}.") for text in missing)
    return Section("Tension", (table, *_swings(summary, labels), *notes))


def _drama_cells(shape: Shape, detailed: bool) -> list[Cell]:
    cells = [
        share_cell(shape.turned),
        mean_cell(shape.mean_lead_changes),
        mean_cell(shape.charm_margin),
    ]
    if detailed:
        none = Cell(NONE)
        cells.append(none if shape.comebacks is None else share_cell(shape.comebacks))
        cells.append(none if shape.legal_moves is None else mean_cell(shape.legal_moves))
    return cells


def _swings(summary: Summary, labels: Labels) -> tuple[Table, ...]:
    cells = [c for c in most_telling(summary.cells, DETAILED) if c.shape.swings]
    if not cells:
        return ()
    return (
        Table(
            (Column("cell"), Column("round"), Column("swing, charm (95 %)", True)),
            tuple(
                row(labels(c), f"{s.round}+" if s.last else f"{s.round}", mean_cell(s.swing))
                for c in cells
                for s in c.shape.swings
            ),
            "By how much a round moves the charm lead, over the games that reach it.",
        ),
    )
