"""Charts as inline SVG, by Altair and vl-convert.

Both take seconds to import and to start, so only the HTML report imports this module. Colours are
the page's CSS variables, which is how one picture serves light and dark. Names reach Vega as data
only, never as a field, an expression or a part of the specification.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import vl_convert

from hanamikoji.report.document import Chart, Point
from hanamikoji.report.words import plain

WIDTH = 340
"""Pixels, labels included: what a phone shows without shrinking."""

COLOURS = 8
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_TONES = ("none", "balanced", "unbalanced", "undecided")
_ROW = 14  # pixels of a mark with its share of the gap
_LABEL_ROW = 30  # pixels of a label of two lines
_LABEL_BREAK = " · "
_LETTERS = 40  # of all labels, as many as stand side by side


def draw(chart: Chart) -> str:
    """The chart as an SVG element, without ids, sizes or colours of its own."""
    layers = {"intervals": _intervals, "stack": _stack, "heat": _heat, "lines": _lines}
    picture = layers[chart.kind](chart).properties(width=WIDTH).configure(**_config())
    specification = picture.to_dict()
    specification["autosize"] = {"type": "fit-x", "contains": "padding"}
    svg: str = vl_convert.vegalite_to_svg(specification)
    return svg


def _config() -> dict[str, Any]:
    ink, faint = "var(--ink)", "var(--line)"
    text: dict[str, Any] = {
        "labelColor": ink,
        "titleColor": ink,
        "labelFontSize": 11,
        "titleFontSize": 11,
    }
    return {
        "aria": False,
        "background": "transparent",
        "font": "Arial, Helvetica, sans-serif",
        "padding": {"left": 12, "right": 4, "top": 4, "bottom": 2},
        "view": alt.ViewConfig(stroke=None),
        "axis": alt.AxisConfig(
            **text,
            titleFontWeight="normal",
            gridColor=faint,
            domainColor=faint,
            tickColor=faint,
            labelLimit=170,
        ),
        "legend": alt.LegendConfig(
            **text, orient="bottom", direction="horizontal", labelLimit=300, title=None
        ),
        "text": alt.MarkConfig(color=ink, fontSize=11),
    }


def _rows(points: tuple[Point, ...]) -> Any:
    return alt.InlineData(
        values=[
            {
                "label": plain(p.label),
                "series": plain(p.series),
                "value": p.value,
                "low": p.value if p.low is None else p.low,
                "high": p.value if p.high is None else p.high,
                "tone": p.tone,
            }
            for p in points
        ]
    )


def _series(chart: Chart) -> list[str]:
    return list(dict.fromkeys(plain(p.series) for p in chart.points))


def _labels(chart: Chart) -> list[str]:
    return list(dict.fromkeys(plain(p.label) for p in chart.points))


def _palette(count: int, kind: str = "c") -> list[str]:
    """The page's colours: c for kinds, r for a ramp."""
    return [f"var(--{kind}{i % COLOURS + 1})" for i in range(count)]


def _domain(chart: Chart) -> Any:
    """All intervals, the middle and the band of the margin."""
    ends = [v for p in chart.points for v in (p.low, p.high, p.value) if v is not None]
    ends += [] if chart.middle is None else [chart.middle]
    ends += [] if chart.margin is None else [-chart.margin, chart.margin]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    pad = (high - low) * 0.04 or 1.0
    return alt.Scale(domain=[low - pad, high + pad], nice=False, zero=False)


def _label_axis(**more: Any) -> Any:
    broken = f"split(datum.label, '{_LABEL_BREAK}')"
    return alt.Axis(title=None, labelExpr=broken, ticks=False, domain=False, grid=False, **more)


def _backdrop(chart: Chart, *, across: bool) -> list[Any]:
    """The margin's band and the middle's line; ``across``: values run from left to right."""
    start, end = ("x", "x2") if across else ("y", "y2")
    scale = _domain(chart)
    title = plain(chart.axis)
    layers = []
    if chart.margin is not None:
        band = alt.InlineData(values=[{"from": -chart.margin, "to": chart.margin}])
        channels: dict[str, Any] = {
            start: (alt.X if across else alt.Y)("from:Q", scale=scale, title=title),
            end: (alt.X2 if across else alt.Y2)("to:Q"),
        }
        layers.append(alt.Chart(band).mark_rect(color="var(--band)").encode(**channels))
    if chart.middle is not None:
        middle = alt.InlineData(values=[{"at": chart.middle}])
        channel = (alt.X if across else alt.Y)("at:Q", scale=scale, title=title)
        rule = alt.Chart(middle).mark_rule(color="var(--muted)", strokeDash=[4, 3])
        layers.append(rule.encode(**{start: channel}))
    return layers


def _intervals(chart: Chart) -> Any:
    """A row a label, a mark with its interval for each series."""
    names = _series(chart)
    rows: dict[str, Any] = {"y": alt.Y("label:N", sort=None, axis=_label_axis())}
    if len(names) > 1:
        rows["yOffset"] = alt.YOffset("series:N", sort=None)
        rows["color"] = _colour(names, columns=1)
    else:
        tones = [f"var(--{tone})" for tone in _TONES]
        scale = alt.Scale(domain=list(_TONES), range=tones)
        rows["color"] = alt.Color("tone:N", scale=scale, legend=None)
    base = alt.Chart(_rows(chart.points)).encode(**rows)
    value: dict[str, Any] = {"scale": _domain(chart), "title": plain(chart.axis)}
    step = max(_LABEL_ROW, _ROW * len(names))
    return alt.layer(
        *_backdrop(chart, across=True),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **value), x2="high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(x=alt.X("value:Q", **value)),
    ).properties(height=step * len(_labels(chart)))


def _colour(names: list[str], columns: int, kind: str = "c") -> Any:
    """A colour a series, with a legend if there is more than one."""
    scale = alt.Scale(domain=names, range=_palette(len(names), kind))
    legend = alt.Legend(columns=columns) if len(names) > 1 else None
    return alt.Color("series:N", sort=None, scale=scale, legend=legend)


def _stack(chart: Chart) -> Any:
    """A bar a label, cut into its series."""
    names = _series(chart)
    rows = _rows(chart.points)
    for i, row in enumerate(rows.values):
        row["order"] = i
    whole = alt.Scale(domain=[0, 100])
    return (
        alt.Chart(rows)
        .mark_bar(stroke="var(--paper)", strokeWidth=1)
        .encode(
            x=alt.X("value:Q", stack="zero", title=plain(chart.axis), scale=whole),
            y=alt.Y("label:N", sort=None, axis=_label_axis()),
            color=_colour(names, columns=2, kind="r" if chart.ordered else "c"),
            order=alt.Order("order:Q"),
        )
        .properties(height=_LABEL_ROW * len(_labels(chart)))
    )


def _heat(chart: Chart) -> Any:
    """A square a pair; the colour says which side of the middle, its strength how far."""
    middle = chart.middle or 0.0
    rows = _rows(chart.points)
    furthest = max((abs(p.value - middle) for p in chart.points), default=0.0) or 1.0
    for row in rows.values:
        row["side"] = "above" if row["value"] >= middle else "below"
        row["far"] = abs(row["value"] - middle) / furthest
        row["text"] = f"{row['value']:.1f}"
    names = _labels(chart)
    above = _label_axis(orient="top", labelAngle=-40)
    base = alt.Chart(rows).encode(
        x=alt.X("series:N", sort=names, axis=above),
        y=alt.Y("label:N", sort=None, axis=_label_axis()),
    )
    sides = alt.Scale(domain=["above", "below"], range=["var(--c1)", "var(--c2)"])
    strength = alt.Scale(domain=[0, 1], range=[0.05, 0.75])
    square = base.mark_rect(stroke="var(--paper)").encode(
        color=alt.Color("side:N", scale=sides, legend=None),
        opacity=alt.Opacity("far:Q", scale=strength, legend=None),
    )
    return alt.layer(square, base.mark_text().encode(text="text:N")).properties(
        height=_LABEL_ROW * len(names)
    )


def _lines(chart: Chart) -> Any:
    """A line a series through its points, each with its interval, side by side."""
    names, labels = _series(chart), _labels(chart)
    value: dict[str, Any] = {"scale": _domain(chart), "title": plain(chart.axis)}
    tilt = 0 if sum(map(len, labels)) < _LETTERS else -40
    axis = alt.Axis(labelAngle=tilt, labelLimit=90, grid=False)
    base = alt.Chart(_rows(chart.points)).encode(
        x=alt.X("label:N", sort=None, title=plain(chart.labels_axis) or None, axis=axis),
        xOffset=alt.XOffset("series:N", sort=None),
        color=_colour(names, columns=1),
    )
    shapes = alt.Scale(domain=names, range=[_SHAPES[i % len(_SHAPES)] for i in range(len(names))])
    shape = alt.Shape("series:N", sort=None, scale=shapes, legend=None)
    return alt.layer(
        *_backdrop(chart, across=False),
        base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=alt.Y("value:Q", **value)),
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **value), y2="high:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            y=alt.Y("value:Q", **value), shape=shape
        ),
    ).properties(height=220)
