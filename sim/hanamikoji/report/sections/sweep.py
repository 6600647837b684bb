"""A sweep: all variants in one table, response curves, effects of single keys."""

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
from hanamikoji.report.sections.labels import match_up
from hanamikoji.report.source import Origin
from hanamikoji.report.words import (
    NONE,
    TIMES,
    edge_cell,
    joined,
    mean_cell,
    p_text,
    points,
    points_cell,
    points_text,
    share_cell,
    verdict_cell,
)
from hanamikoji.stats import Curve, Effect, Summary, Sweep, SweepRow

_EFFECTS = 60
_CURVES = 8
_LINES = 4


def sweep_section(summary: Summary, origins: tuple[Origin, ...], listed: int) -> Section | None:
    """The sweep's table, curves and effects."""
    sweep = summary.sweep
    if sweep is None:
        return None
    many = len({(r.agent_a, r.agent_b) for r in sweep.rows}) > 1
    blocks: list[Block] = [_rows_table(sweep, many, listed)]
    by_key: dict[str, list[Curve]] = {}
    for curve in sweep.curves:
        by_key.setdefault(curve.key, []).append(curve)
    blocks += [
        _curve_chart(key, curves, summary.facts.margin)
        for key, curves in list(by_key.items())[:_CURVES]
    ]
    most = min(listed, _EFFECTS)
    for what, effects in (
        ("Main effects", sweep.main),
        ("Two-way interactions", sweep.interactions),
    ):
        if effects:
            blocks.append(_effects(what, effects, most))
    skipped = [f"{name}: {why}" for o in origins for name, why in o.skipped.items()]
    if skipped:
        blocks += [
            Paragraph(f"Left out as impossible: {len(skipped):,} points.", brief=True),
            Items(tuple(skipped[:listed])),
        ]
    return Section("Sweep", tuple(blocks))


def _rows_table(sweep: Sweep, many: bool, listed: int) -> Table:
    shown = sweep.rows[:listed]
    keys = list(dict.fromkeys(key for r in shown for key, _ in r.values))
    more = ""
    if len(shown) < len(sweep.rows):
        more = f" Shown are {len(shown):,} of {len(sweep.rows):,} rows; report.csv has all."
    return Table(
        (
            Column("variant"),
            *((Column("match-up"),) if many else ()),
            *(Column(key) for key in keys),
            Column("edge, pp (95 %)", True),
            Column("verdict"),
            Column("difference, pp (95 %)", True),
            Column("p (Holm)", True),
            Column("rounds (95 %)", True),
            Column("charm wins %", True),
            Column("geisha wins %", True),
            Column("cap wins %", True),
            Column("shared %", True),
            Column("final charm gap (95 %)", True),
            Column("lead changed hands %", True),
        ),
        tuple(_sweep_row(r, keys, many) for r in shown),
        "Every variant: the baseline, then the largest difference from it first." + more,
    )


def _sweep_row(found: SweepRow, keys: list[str], many: bool) -> tuple[Cell, ...]:
    values = dict(found.values)
    difference = found.difference
    return row(
        found.variant,
        *((match_up(found.agent_a, found.agent_b),) if many else ()),
        *(_value_cell(values.get(key, NONE)) for key in keys),
        edge_cell(found.starter),
        verdict_cell(found.verdict),
        "baseline"
        if difference is None
        else Cell(
            points_text(difference.difference, difference.interval),
            difference.difference,
        ),
        NONE if difference is None else Cell(p_text(difference.p_holm), difference.p_holm),
        mean_cell(found.mean_rounds),
        share_cell(found.charm_wins),
        share_cell(found.geisha_wins),
        share_cell(found.cap_wins),
        share_cell(found.shared),
        mean_cell(found.charm_margin),
        share_cell(found.turned),
    )


def _value_cell(text: str) -> Cell:
    try:
        return Cell(text, float(text))
    except ValueError:
        return Cell(text)


def _curve_chart(key: str, curves: list[Curve], margin: float) -> Chart:
    """One key's curves, a line a match-up."""
    drawn = curves[:_LINES]
    first, last = drawn[0].points[0], drawn[0].points[-1]
    return Chart(
        "lines",
        f"The starter's edge along {_name(drawn[0])}",
        f"{_who(drawn[0])}: from {first.x:g} to {last.x:g} the edge goes from "
        f"{points(first.edge.value, first.edge.interval)} to "
        f"{points(last.edge.value, last.edge.interval)} pp."
        + (f" Drawn are {len(drawn)} of {len(curves)} match-ups." if drawn != curves else ""),
        tuple(
            Point(
                f"{p.x:g}",
                100 * p.edge.value,
                100 * p.edge.interval.low,
                100 * p.edge.interval.high,
                series=_who(curve),
            )
            for curve in drawn
            for p in curve.points
        ),
        "starter's edge, pp",
        _curve_table(key, curves),
        margin=100 * margin,
        middle=0.0,
        labels_axis=key,
    )


def _name(curve: Curve) -> str:
    return " and ".join((curve.key, *curve.together))


def _who(curve: Curve) -> str:
    return match_up(curve.agent_a, curve.agent_b)


def _curve_table(key: str, curves: list[Curve]) -> Table:
    return Table(
        (
            Column("match-up"),
            Column(key, True),
            Column("edge, pp (95 %)", True),
            Column("rounds (95 %)", True),
        ),
        tuple(
            row(_who(curve), Cell(f"{p.x:g}", p.x), points_cell(p.edge), mean_cell(p.mean_rounds))
            for curve in curves
            for p in curve.points
        ),
        f"Response to {key}{_beside(curves)}.",
    )


def _beside(curves: list[Curve]) -> str:
    """What else is behind a curve: keys that change with it, settings that it is averaged over."""
    together = joined(dict.fromkeys(key for curve in curves for key in curve.together))
    settings, left_out = curves[0].settings, max(curve.left_out for curve in curves)
    told = f", which changes together with {together}: their effects can't be told apart" * bool(
        together
    )
    if settings > 1 or left_out:
        told += f", averaged over {settings:,} settings of the sweep's other keys"
    if left_out:
        told += f" ({left_out:,} more, which not all its values were played with, are left out)"
    return told


_MEANINGS = {
    "Main effects": "the mean edge at this value minus the grand mean",
    "Two-way interactions": "what is left at both values after their main effects",
}


def _effects(what: str, effects: tuple[Effect, ...], most: int) -> Table:
    """Main effects or interactions, the clearest first."""
    ordered = sorted(effects, key=lambda e: (e.p, -abs(e.difference.value)))
    more = f" Shown are the {most} with the smallest p." if len(ordered) > most else ""
    return Table(
        (
            Column("match-up"),
            Column("key"),
            Column("value"),
            Column("effect, pp (95 %)", True),
            Column("p (Holm)", True),
            Column("on rounds (95 %)", True, detail=True),
        ),
        tuple(_effect_row(e) for e in ordered[:most]),
        f"{what} on the starter's edge, in pp, and on a game's length: {_MEANINGS[what]}.{more}",
        brief=True,
    )


def _effect_row(effect: Effect) -> tuple[Cell, ...]:
    mean = effect.difference
    return row(
        match_up(effect.agent_a, effect.agent_b),
        f" {TIMES} ".join(effect.keys),
        f" {TIMES} ".join(effect.values),
        points_cell(mean),
        Cell(p_text(effect.p_holm), effect.p_holm),
        mean_cell(effect.rounds),
    )
