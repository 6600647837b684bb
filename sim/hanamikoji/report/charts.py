"""Charts as inline SVG, by Altair and vl-convert.

Both take seconds to import and to start, so only the HTML report imports this module. Colours are
the page's CSS variables, so one picture serves light and dark. Names reach Vega as data and as
values of scales, never as fields or in expressions.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import vl_convert

from hanamikoji.report.document import Chart
from hanamikoji.text import escape_terminal

WIDTH = 340
"""Pixels, labels included: fits a phone without scaling."""

COLOURS = 8
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_TONES = ("none", "balanced", "unbalanced", "undecided")
_ROW = 14  # pixels of a mark with its share of the gap
_LABEL_ROW = 30  # pixels of a label of two lines
_LABEL_BREAK = " · "
_SHORT = 10  # letters of a legend's entries that stand two in a line
_LETTERS = 40  # of all labels, as many as stand side by side


def get_ready() -> None:
    """Start the renderer, which takes longer than drawing a chart."""
    vl_convert.vegalite_to_svg({"mark": "point", "data": {"values": []}, "encoding": {}})


def draw(chart: Chart) -> str:
    """The chart as an SVG element, without ids, sizes or colours of its own."""
    layers = {"intervals": _intervals, "stack": _stack, "heat": _heat, "lines": _lines}
    # Altair would check each specification against its schema, which takes as long as drawing it.
    specification = layers[chart.kind](chart).properties(width=WIDTH).to_dict(validate=False)
    specification["config"] |= _CONFIG
    specification["datasets"] = {"points": _rows(chart), "backdrop": [_frame(chart)]}
    specification["autosize"] = {"type": "fit-x", "contains": "padding"}
    svg: str = vl_convert.vegalite_to_svg(specification)
    return svg


_TEXT = {
    "labelColor": "var(--ink)",
    "titleColor": "var(--ink)",
    "labelFontSize": 11,
    "titleFontSize": 11,
}
_CONFIG = {
    "aria": False,
    "background": "transparent",
    "font": "Arial, Helvetica, sans-serif",
    "padding": {"left": 12, "right": 4, "top": 4, "bottom": 2},
    "view": {"stroke": None},
    "axis": {
        **_TEXT,
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelLimit": 170,
    },
    "legend": {
        **_TEXT,
        "orient": "bottom",
        "direction": "horizontal",
        "labelLimit": 150,
        "title": None,
    },
    "text": {"color": "var(--ink)", "fontSize": 11},
}


# Altair copies what it is given many times over, so the data join the specification last.
_MARKS = alt.NamedData("points")
_FRAME = alt.NamedData("backdrop")


def _rows(chart: Chart) -> list[dict[str, Any]]:
    """A row for each mark; for heat maps, its side of and distance from the reference value."""
    middle = chart.middle or 0.0
    furthest = max((abs(p.value - middle) for p in chart.points), default=0.0) or 1.0
    return [
        {
            "order": i,
            "label": _lines_of(p.label),
            "series": escape_terminal(p.series),
            "value": p.value,
            "low": p.value if p.low is None else p.low,
            "high": p.value if p.high is None else p.high,
            "tone": p.tone,
            "side": "above" if p.value >= middle else "below",
            "far": abs(p.value - middle) / furthest,
            "text": f"{p.value:.1f}",
        }
        for i, p in enumerate(chart.points)
    ]


def _frame(chart: Chart) -> dict[str, float | None]:
    margin = chart.margin
    return {"from": None if margin is None else -margin, "to": margin, "at": chart.middle}


def _lines_of(label: str) -> str:
    """A cell's name in two lines."""
    return escape_terminal(label).replace(_LABEL_BREAK, "\n", 1)


def _series(chart: Chart) -> list[str]:
    return list(dict.fromkeys(escape_terminal(p.series) for p in chart.points))


def _labels(chart: Chart) -> list[str]:
    return list(dict.fromkeys(_lines_of(p.label) for p in chart.points))


def _palette(count: int, kind: str = "c") -> list[str]:
    """The page's colours: c for categories, r for a ramp."""
    return [f"var(--{kind}{i % COLOURS + 1})" for i in range(count)]


def _domain(chart: Chart) -> Any:
    """A scale that covers all intervals, the reference line and the margin."""
    ends = [v for p in chart.points for v in (p.low, p.high, p.value) if v is not None]
    ends += [] if chart.middle is None else [chart.middle]
    ends += [] if chart.margin is None else [-chart.margin, chart.margin]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    pad = (high - low) * 0.04 or 1.0
    return alt.Scale(domain=[low - pad, high + pad], nice=False, zero=False)


def _label_axis(**more: Any) -> Any:
    """An axis of labels of several lines."""
    lines = "split(datum.label, '\\n')"
    return alt.Axis(title=None, labelExpr=lines, ticks=False, domain=False, grid=False, **more)


def _backdrop(chart: Chart, *, across: bool) -> list[Any]:
    """The margin's band and the reference line; ``across``: the value axis is horizontal."""
    start, end = ("x", "x2") if across else ("y", "y2")
    scale = _domain(chart)
    title = escape_terminal(chart.axis)
    layers = []
    if chart.margin is not None:
        channels: dict[str, Any] = {
            start: (alt.X if across else alt.Y)("from:Q", scale=scale, title=title),
            end: (alt.X2 if across else alt.Y2)("to:Q"),
        }
        layers.append(alt.Chart(_FRAME).mark_rect(color="var(--band)").encode(**channels))
    if chart.middle is not None:
        channel = (alt.X if across else alt.Y)("at:Q", scale=scale, title=title)
        rule = alt.Chart(_FRAME).mark_rule(color="var(--muted)", strokeDash=[4, 3])
        layers.append(rule.encode(**{start: channel}))
    return layers


def _intervals(chart: Chart) -> Any:
    """A row for each label, with a mark and its interval for each series."""
    names = _series(chart)
    rows: dict[str, Any] = {"y": alt.Y("label:N", sort=None, axis=_label_axis())}
    if len(names) > 1:
        rows["yOffset"] = alt.YOffset("series:N", sort=None)
        rows["color"] = _colour(names, columns=1)
    else:
        tones = [f"var(--{tone})" for tone in _TONES]
        scale = alt.Scale(domain=list(_TONES), range=tones)
        rows["color"] = alt.Color("tone:N", scale=scale, legend=None)
    base = alt.Chart(_MARKS).encode(**rows)
    value: dict[str, Any] = {"scale": _domain(chart), "title": escape_terminal(chart.axis)}
    step = max(_LABEL_ROW, _ROW * len(names))
    return alt.layer(
        *_backdrop(chart, across=True),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **value), x2="high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(x=alt.X("value:Q", **value)),
    ).properties(height=step * len(_labels(chart)))


def _colour(names: list[str], columns: int, kind: str = "c", **more: Any) -> Any:
    """A colour for each series, with a legend if there are several."""
    scale = alt.Scale(domain=names, range=_palette(len(names), kind))
    legend = alt.Legend(columns=columns, **more) if len(names) > 1 else None
    return alt.Color("series:N", sort=None, scale=scale, legend=legend)


def _legend_columns(names: list[str]) -> int:
    """Columns of a legend that fit under the chart."""
    return 2 if max(map(len, names), default=0) < _SHORT else 1


def _stack(chart: Chart) -> Any:
    """A stacked bar for each label."""
    names = _series(chart)
    whole = alt.Scale(domain=[0, 100])
    return (
        alt.Chart(_MARKS)
        .mark_bar(stroke="var(--paper)", strokeWidth=1)
        .encode(
            x=alt.X("value:Q", stack="zero", title=escape_terminal(chart.axis), scale=whole),
            y=alt.Y("label:N", sort=None, axis=_label_axis()),
            color=_colour(
                names, columns=_legend_columns(names), kind="r" if chart.ordered else "c"
            ),
            order=alt.Order("order:Q"),
        )
        .properties(height=_LABEL_ROW * len(_labels(chart)))
    )


def _heat(chart: Chart) -> Any:
    """A square for each pair; colour: side of the reference value, opacity: distance from it."""
    names = _labels(chart)
    above = _label_axis(orient="top", labelAngle=-40, labelLimit=80)
    base = alt.Chart(_MARKS).encode(
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
    """A line for each series through its marks and their intervals, dodged."""
    names, labels = _series(chart), _labels(chart)
    value: dict[str, Any] = {"scale": _domain(chart), "title": escape_terminal(chart.axis)}
    tilt = 0 if sum(map(len, labels)) < _LETTERS else -40
    axis = alt.Axis(labelAngle=tilt, labelLimit=90, grid=False)
    base = alt.Chart(_MARKS).encode(
        x=alt.X("label:N", sort=None, title=escape_terminal(chart.labels_axis) or None, axis=axis),
        xOffset=alt.XOffset("series:N", sort=None),
        color=_colour(names, columns=1, labelLimit=260),
    )
    shapes = alt.Scale(domain=names, range=[_SHAPES[i % len(_SHAPES)] for i in range(len(names))])
    shape = alt.Shape("series:N", sort=None, scale=shapes, legend=None)
    return alt.layer(
        *_backdrop(chart, across=False),
        base.mark_line(strokeWidth=1.5, strokeOpacity=0.6).encode(y=alt.Y("value:Q", **value)),
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **value), y2="high:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            y=alt.Y("value:Q", **value), shape=shape
        ),
    ).properties(height=220)
