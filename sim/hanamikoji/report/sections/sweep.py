"""A sweep: all variants in one table, response curves, and effects of single keys."""

from __future__ import annotations

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import (
    Block,
    Chart,
    Items,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
)
from hanamikoji.report.sections.labels import cut_note, match_up, plot_note
from hanamikoji.report.source import Origin
from hanamikoji.report.words import (
    NONE,
    TIMES,
    joined,
    p_text,
    percent_mark,
    points,
    points_text,
    verdict_cell,
)
from hanamikoji.stats import Difference, Effect, ResponseCurve, Summary, Sweep, SweepRow

_EFFECTS = 60
_CURVES = 8
_LINES = 4


def sweep_section(summary: Summary, origins: tuple[Origin, ...], listed: int) -> Section | None:
    """The sweep's table, curves and effects."""
    sweep = summary.sweep
    if sweep is None:
        return None
    blocks: list[Block] = [_sweep_table(sweep, listed)]
    by_key: dict[str, list[ResponseCurve]] = {}
    for curve in sweep.curves:
        by_key.setdefault(curve.key, []).append(curve)
    blocks += [
        _curve_chart(key, curves, summary.facts.margin)
        for key, curves in list(by_key.items())[:_CURVES]
    ]
    blocks += [
        _effects_table(what, effects, min(listed, _EFFECTS))
        for what, effects in (
            ("Main effects", sweep.main),
            ("Two-way interactions", sweep.interactions),
        )
        if effects
    ]
    skipped = [f"{name}: {why}" for o in origins for name, why in o.skipped.items()]
    if skipped:
        blocks += [
            Paragraph(f"Left out as impossible: {len(skipped):,} points.", brief=True),
            Items(tuple(skipped[:listed])),
        ]
    return Section("Sweep", tuple(blocks))


def _sweep_table(sweep: Sweep, listed: int) -> Table:
    rows = sweep.rows[:listed]
    columns: list[TableColumn[SweepRow]] = [text("variant", lambda r: r.variant)]
    if len({(r.agent_a, r.agent_b) for r in sweep.rows}) > 1:
        columns.append(text("match-up", lambda r: match_up(r.agent_a, r.agent_b)))
    columns += map(_setting_column, dict.fromkeys(key for r in rows for key, _ in r.values))
    columns += [
        estimate("edge", lambda r: r.starter, "pp"),
        text("verdict", lambda r: verdict_cell(r.verdict)),
        figure("difference", lambda r: _difference(r.difference), "pp", interval=True),
        figure("p (Holm)", lambda r: _p_cell(r.difference.p_holm) if r.difference else None),
        estimate("rounds", lambda r: r.mean_rounds),
        figure("charm wins", lambda r: r.charm_wins, "%"),
        figure("geisha wins", lambda r: r.geisha_wins, "%"),
        figure("cap wins", lambda r: r.cap_wins, "%"),
        figure("shared", lambda r: r.shared, "%"),
        estimate("final charm difference", lambda r: r.charm_margin),
        figure("games with a lead change", lambda r: r.turned, "%"),
    ]
    return table(
        rows,
        columns,
        "All variants: the baseline first, then by size of the difference from it."
        + cut_note(len(rows), len(sweep.rows), "rows", "report.csv has"),
    )


def _setting_column(key: str) -> TableColumn[SweepRow]:
    def setting(row: SweepRow) -> TableCell:
        value = dict(row.values).get(key, NONE)
        try:
            return TableCell(value, float(value))
        except ValueError:
            return TableCell(value)

    return text(key, setting)


def _difference(found: Difference | None) -> TableCell:
    if found is None:
        return TableCell("baseline")
    return TableCell(points_text(found.difference, found.interval), found.difference)


def _p_cell(p: float) -> TableCell:
    return TableCell(p_text(p), p)


def _curve_chart(key: str, curves: list[ResponseCurve], margin: float) -> Chart:
    """One key's curves, a line a match-up."""
    lines = curves[:_LINES]
    first, last = lines[0].points[0], lines[0].points[-1]
    return Chart(
        "lines",
        f"Starter's edge by {' and '.join((key, *lines[0].together))}",
        f"{_agents(lines[0])}: from {first.x:g} to {last.x:g}, the edge goes from "
        f"{points(first.edge.value, first.edge.interval)} to "
        f"{points(last.edge.value, last.edge.interval)} pp."
        + plot_note(len(lines), len(curves), "match-ups"),
        tuple(
            percent_mark(f"{p.x:g}", p.edge.value, p.edge.interval, series=_agents(curve))
            for curve in lines
            for p in curve.points
        ),
        "starter's edge, pp",
        _curve_table(key, curves),
        margin=100 * margin,
        middle=0.0,
        labels_axis=key,
    )


def _agents(curve: ResponseCurve) -> str:
    return match_up(curve.agent_a, curve.agent_b)


def _curve_table(key: str, curves: list[ResponseCurve]) -> Table:
    return table(
        [(curve, point) for curve in curves for point in curve.points],
        [
            text("match-up", lambda row: _agents(row[0])),
            figure(key, lambda row: TableCell(f"{row[1].x:g}", row[1].x)),
            estimate("edge", lambda row: row[1].edge, "pp"),
            estimate("rounds", lambda row: row[1].mean_rounds),
        ],
        f"Response to {key}{_averaged_over(curves)}.",
    )


def _averaged_over(curves: list[ResponseCurve]) -> str:
    """What else a curve covers: keys that change with it, settings that it is averaged over."""
    together = joined(dict.fromkeys(key for curve in curves for key in curve.together))
    settings, left_out = curves[0].settings, max(curve.left_out for curve in curves)
    clauses = ""
    if together:
        clauses += f", confounded with {together}, which change together with it"
    if settings > 1 or left_out:
        clauses += f", averaged over {settings:,} settings of the sweep's other keys"
    if left_out:
        clauses += f" (left out: {left_out:,} settings not played with all of its values)"
    return clauses


_MEANINGS = {
    "Main effects": "the mean edge at this value minus the grand mean",
    "Two-way interactions": "what remains at both values after their main effects",
}


def _effects_table(what: str, effects: tuple[Effect, ...], most: int) -> Table:
    """Main effects or interactions, in order of significance."""
    ordered = sorted(effects, key=lambda e: (e.p, -abs(e.difference.value)))
    return table(
        ordered[:most],
        [
            text("match-up", lambda e: match_up(e.agent_a, e.agent_b)),
            text("key", lambda e: f" {TIMES} ".join(e.keys)),
            text("value", lambda e: f" {TIMES} ".join(e.values)),
            estimate("effect", lambda e: e.difference, "pp"),
            figure("p (Holm)", lambda e: _p_cell(e.p_holm)),
            estimate("effect on rounds", lambda e: e.rounds, detail=True),
        ],
        f"{what} on the starter's edge, in pp, and on the number of rounds: {_MEANINGS[what]}."
        + cut_note(min(most, len(ordered)), len(ordered), "effects, those with the smallest p"),
        brief=True,
    )
