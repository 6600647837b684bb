"""The agents: who beats whom, their ratings, and the share of luck."""

from __future__ import annotations

import math
from dataclasses import replace

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import (
    Block,
    Chart,
    Items,
    Mark,
    Paragraph,
    Section,
    Table,
    TableCell,
)
from hanamikoji.report.sections.labels import (
    CellLabels,
    cells_note,
    largest_edges,
    match_up,
    plot_note,
)
from hanamikoji.report.sections.seats import record_of
from hanamikoji.report.words import count, fixed, mean_text, name_list, percent, range_cell
from hanamikoji.stats import CellSummary, Rating, RatingTable, Score, Summary

_CHARTS = 4
_SQUARE = 14  # agents of a heat map


def match_ups_section(summary: Summary, labels: CellLabels, listed: int) -> Section | None:
    """Who beats whom, for cells of two different agents."""
    cells = [c for c in summary.cells if c.agent is not None]
    if not cells:
        return None
    shown = largest_edges(cells, listed)
    scores = _scores_table(shown, labels, cells_note(len(shown), len(cells)))
    charts: list[Block] = []
    variants = list(dict.fromkeys(c.variant for c in cells))
    for variant in variants[:_CHARTS]:
        here = [c for c in cells if c.variant == variant]
        if len({c.agent_a for c in here} | {c.agent_b for c in here}) > 2:
            charts.append(_heat(variant, here, scores, many=labels.variants))
            scores = replace(scores, rows=())  # later heat maps share the first one's table
    if charts and len(variants) > _CHARTS:
        others = name_list(variants[_CHARTS:])
        charts.append(Paragraph(f"No room for the charts of {others}; the table has all."))
    return Section("Who beats whom", (*(charts or [scores]), *_luck(shown, labels)))


def _scores_table(cells: list[CellSummary], labels: CellLabels, note: str) -> Table:
    def name(cell: CellSummary) -> str:
        agents = match_up(cell.agent_a, cell.agent_b)
        return f"{cell.variant} · {agents}" if labels.variants else agents

    def pentanomial(score: Score) -> str:
        return " / ".join(map(count, score.pentanomial))

    return table(
        [(c, c.agent) for c in cells if c.agent is not None],
        [
            text("cell", lambda row: name(row[0])),
            figure("pairs", lambda row: row[1].n),
            figure("first agent's score", lambda row: row[1], "%"),
            figure("95 % interval", lambda row: range_cell(row[1])),
            figure("as starter", lambda row: row[0].agent_as_starter, "%"),
            figure("as second", lambda row: row[0].agent_as_second, "%"),
            estimate("starting is worth (Elo)", lambda row: row[0].starter_elo, detail=True),
            figure("wins / shared / losses", lambda row: record_of(row[1])),
            figure("pairs scoring 0, ¼, ½, ¾, 1", lambda row: pentanomial(row[1]), detail=True),
        ],
        "The first-named agent's score over both seatings of each deal. What starting is worth in "
        "Elo does not depend on how unequal the agents are; the edge in points does." + note,
        brief=True,
    )


def _heat(variant: str, cells: list[CellSummary], scores_table: Table, *, many: bool) -> Chart:
    scores: dict[tuple[str, str], float] = {}
    for c in cells:
        if c.agent is not None:
            scores[c.agent_a, c.agent_b] = 100 * c.agent.value
            scores[c.agent_b, c.agent_a] = 100 - 100 * c.agent.value
    agents = list(dict.fromkeys(name for pair in scores for name in pair))
    average = {
        name: sum(s for (a, _), s in scores.items() if a == name)
        / max(sum(a == name for a, _ in scores), 1)
        for name in agents
    }
    agents.sort(key=lambda name: -average[name])
    agents = agents[:_SQUARE]
    best, worst = agents[0], agents[-1]
    return Chart(
        "heat",
        f"Scores of the row's agent, {variant}" if many else "Scores of the row's agent",
        f"Strongest first: {best} averages {average[best]:.1f} %, {worst} {average[worst]:.1f} %.",
        tuple(Mark(a, scores[a, b], series=b) for a in agents for b in agents if (a, b) in scores),
        "score of the row's agent, %",
        scores_table,
        middle=50.0,
        labels_axis="against",
    )


def _luck(cells: list[CellSummary], labels: CellLabels) -> tuple[Table, ...]:
    rows = [(c, c.luck) for c in cells if c.luck is not None]
    if not rows:
        return ()
    return (
        table(
            rows,
            [
                text("cell", lambda row: labels(row[0])),
                text("stronger agent", lambda row: row[1].stronger),
                figure("its wins", lambda row: row[1].stronger_wins, "%"),
                estimate("cards", lambda row: row[1].deal_share, "%"),
                estimate("skill", lambda row: row[1].skill_share, "%"),
                figure(
                    "rest", lambda row: TableCell(fixed(100 * row[1].rest, 1), row[1].rest), "%"
                ),
            ],
            "Skill and luck: the share of a game score's variance explained by the deal alone "
            "(cards, estimated from both seatings), by which agent holds which seat (skill), and "
            "the rest: chance in play and interactions.",
        ),
    )


def ratings_section(summary: Summary, listed: int) -> Section | None:
    """Each variant's agents on the Elo scale."""
    if not summary.ratings:
        return None
    rated = [t for t in summary.ratings if t.problem is None and t.ratings]
    many = len(rated) > 1
    blocks: list[Block] = [
        Paragraph(f"{t.variant}: no ratings, {t.problem}.", brief=True)
        for t in summary.ratings[:listed]
        if t.problem is not None
    ]
    if rated:
        blocks.append(_rating_chart(rated, many, listed))
        blocks += [Paragraph(_rating_text(t)) for t in rated[:_CHARTS]]
    cycles = [(t.variant, cycle) for t in rated for cycle in t.cycles]
    if cycles:
        listing = tuple(f"{v}: {' beats '.join((*c, c[0]))}." for v, c in cycles[:listed])
        blocks += [Paragraph("Cycles, which ratings cannot express:"), Items(listing)]
    return Section("Ratings", tuple(blocks))


def _rating_chart(rated: list[RatingTable], many: bool, listed: int) -> Chart:
    first = rated[0]
    best = first.ratings[0]
    where = f" in {first.variant}" if many else ""
    return Chart(
        "intervals",
        "Ratings",
        f"The strongest agent{where} is {best.agent}, {_elo(best.elo)} Elo above {first.anchor} "
        f"(95 % interval: {_elo_range(best)})."
        + plot_note(min(len(rated), _CHARTS), len(rated), "variants, the first ones"),
        tuple(
            Mark(
                r.agent,
                r.elo,
                None if r.interval is None else _finite(r.interval.low),
                None if r.interval is None else _finite(r.interval.high),
                series=t.variant if many else "",
            )
            for t in rated[:_CHARTS]
            for r in t.ratings
        ),
        f"Elo, {first.anchor} = 0",
        _rating_table(rated, listed),
        middle=0.0,
    )


def _elo(value: float) -> str:
    return fixed(value, 0)


def _elo_range(rating: Rating) -> str:
    found = rating.interval
    if found is None:
        return "anchor"
    if math.isinf(found.low) or math.isinf(found.high):
        low = "" if math.isinf(found.low) else f"above {_elo(found.low)}"
        return low or ("unknown" if math.isinf(found.high) else f"below {_elo(found.high)}")
    return f"{_elo(found.low)} to {_elo(found.high)}"


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


def _rating_table(rated: list[RatingTable], listed: int) -> Table:
    rows = [(t.variant, r) for t in rated for r in t.ratings]
    return table(
        rows[:listed],
        [
            text("variant", lambda row: row[0]),
            text("agent", lambda row: row[1].agent),
            figure("Elo", lambda row: TableCell(_elo(row[1].elo), row[1].elo)),
            figure("95 % interval", lambda row: _elo_range(row[1])),
            figure("games", lambda row: row[1].games),
            figure("mean score", lambda row: TableCell(percent(row[1].score), row[1].score), "%"),
        ],
        "Davidson's Bradley-Terry model with ties and a starter term; intervals from "
        f"{rated[0].replicates:,} bootstrap replicates over deals, joint for all match-ups. "
        "'Above': no game bounds the rating from the other side, as after a perfect record.",
        brief=True,
    )


def _rating_text(ratings: RatingTable) -> str:
    starting = ratings.starter_elo
    worth = "" if starting is None else f"starting is worth {mean_text(starting)} Elo. "
    if not ratings.fits:
        return f"{ratings.variant}: {worth}"
    worst = max(ratings.fits, key=lambda fit: abs(fit.observed - fit.predicted))
    return (
        f"{ratings.variant}: {worth}The model fits worst for "
        f"{match_up(worst.agent_a, worst.agent_b)}: {percent(worst.predicted)} % predicted, "
        f"{percent(worst.observed)} % observed."
    )
