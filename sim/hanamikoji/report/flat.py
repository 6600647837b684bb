"""report.csv and summary.parquet: one row a cell, for spreadsheets and data frames."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections.abc import Mapping
from typing import Any

from hanamikoji.report.assurances import VariantAssurance
from hanamikoji.report.levels import unfit_agents
from hanamikoji.report.source import Origin
from hanamikoji.stats import CellSummary, Difference, Interval, Mean, Proportion, Score, Summary
from hanamikoji.stats.bands import exact_decision
from hanamikoji.text import escape_terminal

Value = str | int | float | bool | None
Row = dict[str, Value]

_FORMULA = ("=", "+", "-", "@")


def rows_of(summary: Summary, origins: tuple[Origin, ...] = ()) -> list[Row]:
    """The cells as flat rows with the same keys in the same order.

    Scores, shares and edges are fractions of 1; ``*_low`` and ``*_high`` are their 95 % intervals.
    Route shares are of all games. A sweep's keys are columns ``set:<key>``. ``agent_*_exploited``
    is the lower bound that a probe found on the score against an agent; empty without a probe.
    ``value_*`` are the bounds of the starter's score under perfect play, ``trainings_*`` the
    difference between the mirrors of a second training and the first.
    """
    against = {d.cell: d for d in summary.differences}
    reasons = list(dict.fromkeys(r.reason for c in summary.cells for r in c.shape.routes))
    longest = max((b.rounds for c in summary.cells for b in c.shape.length), default=0)
    settings = _settings(summary)
    keys = list(dict.fromkeys(key for values in settings.values() for key in values))
    bounds = {key: bound for o in origins for key, bound in o.probes.bounds().items()}
    known = {each.variant: each for o in origins for each in o.assurances}
    unfit = unfit_agents(summary)
    return [
        _identity(cell)
        | {f"set:{key}": settings.get(cell.cell, {}).get(key) for key in keys}
        | _fairness(cell)
        | _exploited(cell, bounds)
        | _assured(cell, known.get(cell.variant), unfit)
        | _shape(cell, reasons, longest)
        | _contrast(against.get(cell.cell))
        for cell in summary.cells
    ]


def _settings(summary: Summary) -> dict[int, dict[str, Value]]:
    """Each cell's values of the sweep's keys: numbers for purely numeric keys."""
    if summary.sweep is None:
        return {}
    texts: dict[str, list[str]] = {}
    for found in summary.sweep.rows:
        for key, text in found.values:
            texts.setdefault(key, []).append(text)
    kinds = {key: _kind_of(values) for key, values in texts.items()}
    return {
        found.cell: {key: kinds[key](text) for key, text in found.values}
        for found in summary.sweep.rows
    }


def _kind_of(texts: list[str]) -> type[int | float | str]:
    """The narrowest type that all texts can be converted to."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            for text in texts:
                kind(text)
            return kind
    return str


def _identity(cell: CellSummary) -> Row:
    return {
        "cell": cell.cell,
        "variant": cell.variant,
        "rules_hash": cell.rules_hash,
        "agent_a": cell.agent_a,
        "agent_b": cell.agent_b,
        "mirror": cell.mirror,
        "deals": cell.deals,
        "games": cell.games,
        "unit": cell.starter.unit,
        "units": cell.starter.n,
    }


def _fairness(cell: CellSummary) -> Row:
    verdict = cell.verdict
    return {
        **_score("starter_score", cell.starter),
        "starter_edge": verdict.edge,
        "edge_low_90": verdict.narrow.low,
        "edge_high_90": verdict.narrow.high,
        "margin": verdict.margin,
        "verdict": verdict.decision,
        "favours": verdict.favours,
        "further_games": verdict.further_games,
        "no_verdict_because": verdict.withheld,
        "look": verdict.look,
        "verdict_without_failures": None
        if cell.clean_verdict is None
        else cell.clean_verdict.decision,
        "wins": cell.starter.wins,
        "losses": cell.starter.losses,
        **_estimate("shared", cell.shared),
        **_estimate("unfinished", cell.unfinished),
        "forfeited_games": sum(f.games.count for f in cell.forfeits),
        **_score("agent_a_score", cell.agent),
        "lopsided": cell.lopsided,
        **_estimate("starter_elo", cell.starter_elo),
        "stopping": cell.stopping.outcome,
        "optionally_stopped": cell.stopping.optionally_stopped,
    }


def _exploited(cell: CellSummary, bounds: Mapping[tuple[str, str], float]) -> Row:
    return {
        "agent_a_exploited": bounds.get((cell.agent_a, cell.variant)),
        "agent_b_exploited": bounds.get((cell.agent_b, cell.variant)),
    }


def _assured(cell: CellSummary, found: VariantAssurance | None, unfit: frozenset[str]) -> Row:
    """What is known beside the games; empty where nothing is."""
    row: Row = dict.fromkeys(
        ("value_low", "value_high", "value_known_by", "value_verdict", "trainings_difference",
         "trainings_difference_low", "trainings_difference_high")
    )  # fmt: skip
    row = {"fit_for_verdict": not {cell.agent_a, cell.agent_b} & unfit} | row
    if found is None:
        return row
    if found.band is not None:
        row |= _ends(found.band.low, found.band.high, "attacks")
    if found.exact is not None:
        row |= _ends(found.exact.low, found.exact.high, "solving")
        row["value_verdict"] = exact_decision(found.exact.value, cell.verdict.margin)
    for training in found.trainings:
        if cell.mirror and training.agent == cell.agent_a:
            row["trainings_difference"] = training.spread.difference
            row |= _range("trainings_difference", training.spread.interval)
    return row


def _ends(low: float, high: float, known_by: str) -> Row:
    return {"value_low": low, "value_high": high, "value_known_by": known_by}


def _shape(cell: CellSummary, reasons: list[str], longest: int) -> Row:
    shape = cell.shape
    routes = {route.reason: route.share for route in shape.routes}
    ends = {found.rounds: found.share.value for found in shape.length}
    found: Row = dict(_estimate("mean_rounds", shape.mean_rounds))
    found |= {f"ends_in_round_{n}": ends.get(n, 0.0) for n in range(1, longest + 1)}
    for reason in reasons:
        found |= _estimate(f"route_{reason}", routes.get(reason))
    for name, estimate in (
        ("goal_conflict", shape.goal_conflict),
        ("lead_changes", shape.mean_lead_changes),
        ("turned", shape.turned),
        ("comebacks", shape.comebacks),
        ("late_comebacks", shape.late_comebacks),
        ("charm_margin", shape.charm_margin),
        ("starter_charm_lead", shape.starter_charm_lead),
        ("legal_moves", shape.legal_moves),
    ):
        found |= _estimate(name, estimate)
    return found


def _contrast(difference: Difference | None) -> Row:
    """Columns about the baseline; all empty for the baseline itself."""
    if difference is None:
        empty: Row = dict.fromkeys(("baseline", "difference", "difference_low", "difference_high"))
        return empty | dict.fromkeys(("p", "p_holm", "correlation", "saved", "shared_deals"))
    return {
        "baseline": difference.baseline,
        "difference": difference.difference,
        **_range("difference", difference.interval),
        "p": difference.p,
        "p_holm": difference.p_holm,
        "correlation": difference.correlation,
        "saved": None if difference.saved is None else difference.saved.value,
        "shared_deals": difference.shared_deals,
    }


def _score(name: str, score: Score | None) -> Row:
    if score is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: score.value, **_range(name, score.interval)}


def _estimate(name: str, estimate: Proportion | Mean | None) -> Row:
    if estimate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: estimate.value, **_range(name, estimate.interval)}


def _range(name: str, interval: Interval) -> Row:
    ends = {f"{name}_low": interval.low, f"{name}_high": interval.high}
    return {key: end if math.isfinite(end) else None for key, end in ends.items()}


def to_csv(summary: Summary, origins: tuple[Origin, ...] = ()) -> str:
    """report.csv's text.

    A name that a spreadsheet would read as a formula is prefixed with an apostrophe, which marks it
    as text; summary.parquet has the names verbatim.
    """
    rows = rows_of(summary, origins)
    out = io.StringIO()
    if rows:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([_safe(name) for name in rows[0]])
        writer.writerows([_safe(value) for value in row.values()] for row in rows)
    return out.getvalue()


def _safe(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    text = escape_terminal(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def to_parquet(summary: Summary, origins: tuple[Origin, ...] = ()) -> bytes:
    """summary.parquet's bytes: the same rows."""
    import polars as pl

    rows = rows_of(summary, origins)
    frame = pl.DataFrame(rows, schema=_types(rows)) if rows else pl.DataFrame()
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def _types(rows: list[Row]) -> dict[str, Any]:
    """Column types inferred from the values; empty columns are floats."""
    import polars as pl

    types: dict[str, Any] = {}
    for name in rows[0]:
        kinds = {type(row[name]) for row in rows} - {type(None)}
        if kinds <= {float} or kinds == {int, float}:
            types[name] = pl.Float64
        else:
            types[name] = {bool: pl.Boolean, int: pl.Int64, str: pl.String}[kinds.pop()]
    return types
