"""The agents: who beats whom, their ratings, and how much is luck."""

from __future__ import annotations

from hanamikoji.report.document import (
    Block,
    Cell,
    Chart,
    Column,
    Items,
    Paragraph,
    Point,
    Section,
    Table,
    row,
)
from hanamikoji.report.sections.labels import Labels, left_out, match_up
from hanamikoji.report.words import (
    NONE,
    count,
    count_cell,
    fixed,
    mean_text,
    percent,
    score_cell,
    score_range_cell,
    share_cell,
    share_range_cell,
)
from hanamikoji.stats import CellSummary, RatingTable, Score, Summary

_CHARTS = 4
_SQUARE = 14  # agents of a heat map


def match_ups_section(summary: Summary, labels: Labels, listed: int) -> Section | None:
    """Who beats whom, for cells of two different agents."""
    cells = [c for c in summary.cells if c.agent is not None]
    if not cells:
        return None
    shown = cells[:listed]
    table = Table(
        (
            Column("cell"),
            Column("pairs", True),
            Column("first-named scores %", True),
            Column("95 % interval", True),
            Column("as starter %", True),
            Column("as second %", True),
            Column("wins / shared / losses", True),
            Column("pairs by score 0, ¼, ½, ¾, 1", True, detail=True),
        ),
        tuple(_match_up_row(c, c.agent, labels) for c in shown if c.agent is not None),
        "The first-named agent's score over both seatings of each deal."
        + left_out(len(shown), len(cells)),
        brief=True,
    )
    blocks: list[Block] = []
    for variant in list(dict.fromkeys(c.variant for c in cells))[:_CHARTS]:
        mine = [c for c in cells if c.variant == variant]
        if len({c.agent_a for c in mine} | {c.agent_b for c in mine}) > 2:
            blocks.append(_heat(variant, mine, table, many=labels.variants))
            table = _nothing(table)
    luck = _luck(shown, labels)
    return Section("Who beats whom", (*(blocks or [table]), *luck))


def _nothing(table: Table) -> Table:
    """Later heat maps share the first one's table."""
    return Table(table.columns, (), "")


def _match_up_row(cell: CellSummary, agent: Score, labels: Labels) -> tuple[Cell, ...]:
    first, second = cell.agent_as_starter, cell.agent_as_second
    name = match_up(cell.agent_a, cell.agent_b)
    return row(
        f"{cell.variant} · {name}" if labels.variants else name,
        count_cell(agent.n),
        score_cell(agent),
        score_range_cell(agent),
        NONE if first is None else score_cell(first),
        NONE if second is None else score_cell(second),
        f"{count(agent.wins)} / {count(agent.draws)} / {count(agent.losses)}",
        " / ".join(count(n) for n in agent.pentanomial),
    )


def _heat(variant: str, cells: list[CellSummary], table: Table, *, many: bool) -> Chart:
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
        f"Strongest first: {best} scores {average[best]:.1f} % on average, {worst} "
        f"{average[worst]:.1f} %.",
        tuple(Point(a, scores[a, b], series=b) for a in agents for b in agents if (a, b) in scores),
        "score of the row's agent, %",
        table,
        middle=50.0,
        labels_axis="against",
    )


def _luck(cells: list[CellSummary], labels: Labels) -> tuple[Table, ...]:
    rows = tuple(
        row(
            labels(c),
            c.luck.stronger,
            share_cell(c.luck.stronger_wins),
            share_range_cell(c.luck.deal_share),
            share_range_cell(c.luck.skill_share),
            Cell(fixed(100 * c.luck.rest, 1), c.luck.rest),
        )
        for c in cells
        if c.luck is not None
    )
    if not rows:
        return ()
    return (
        Table(
            (
                Column("cell"),
                Column("stronger agent"),
                Column("wins % of games", True),
                Column("cards, % (95 %)", True),
                Column("skill, % (95 %)", True),
                Column("rest, %", True),
            ),
            rows,
            "Skill and luck: shares of the variance of a game's score that the deal alone "
            "explains (from both seatings), that who plays which seat explains, and the rest: "
            "chance in play, and how the two mix.",
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
        told = tuple(f"{v}: {' beats '.join((*c, c[0]))}." for v, c in cycles[:listed])
        blocks += [Paragraph("Cycles, which no ladder can show:"), Items(told)]
    return Section("Ratings", tuple(blocks))


def _rating_chart(rated: list[RatingTable], many: bool, listed: int) -> Chart:
    first = rated[0]
    best = first.ratings[0]
    where = f" in {first.variant}" if many else ""
    return Chart(
        "intervals",
        "Ratings",
        f"Strongest{where} is {best.agent} at {_elo(best.elo)} Elo above {first.anchor}.",
        tuple(
            Point(
                r.agent,
                r.elo,
                None if r.interval is None else r.interval.low,
                None if r.interval is None else r.interval.high,
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


def _rating_table(rated: list[RatingTable], listed: int) -> Table:
    rows = [
        row(
            t.variant,
            r.agent,
            Cell(_elo(r.elo), r.elo),
            "anchor"
            if r.interval is None
            else f"{_elo(r.interval.low)} to {_elo(r.interval.high)}",
            count_cell(r.games),
            Cell(percent(r.score), r.score),
        )
        for t in rated
        for r in t.ratings
    ]
    return Table(
        (
            Column("variant"),
            Column("agent"),
            Column("Elo", True),
            Column("95 % interval", True),
            Column("games", True),
            Column("plain score %", True),
        ),
        tuple(rows[:listed]),
        "Davidson's Bradley-Terry model with ties and a starter term; intervals by "
        f"{rated[0].replicates:,} bootstrap replicates over deals.",
        brief=True,
    )


def _rating_text(ratings: RatingTable) -> str:
    starting = ratings.starter_elo
    worth = "" if starting is None else f"starting is worth {mean_text(starting)} Elo. "
    if not ratings.fits:
        return f"{ratings.variant}: {worth}"
    worst = max(ratings.fits, key=lambda fit: abs(fit.observed - fit.predicted))
    return (
        f"{ratings.variant}: {worth}The model is furthest off for "
        f"{match_up(worst.agent_a, worst.agent_b)}: {percent(worst.predicted)} % predicted, "
        f"{percent(worst.observed)} % seen."
    )
