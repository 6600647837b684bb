"""Estimates as text: numbers, shares, intervals, verdicts and lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hanamikoji.report.document import Mark, TableCell, Tone
from hanamikoji.stats import Interval, Mean, Proportion, Score, Verdict

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
NONE = "\N{EN DASH}"
"""Stands in for a missing figure."""
_MOST_DIGITS = 4


def digits_for(half_width: float) -> int:
    """Decimals that show an interval's half width with two significant digits; 0 to 4."""
    if not 0 < half_width < math.inf:
        return _MOST_DIGITS
    return min(max(1 - math.floor(math.log10(half_width)), 0), _MOST_DIGITS)


def fixed(value: float, digits: int, *, sign: bool = False) -> str:
    """A number with a typographic minus sign; never a negative zero."""
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def count(n: int) -> str:
    """1,000,000."""
    return f"{n:,}".replace("-", MINUS)


def points(value: float, interval: Interval | None = None, *, sign: bool = True) -> str:
    """A difference of shares in percentage points, without the unit."""
    digits = 2 if interval is None else digits_for(100 * interval.half_width)
    return fixed(100 * value, digits, sign=sign)


def points_range(interval: Interval) -> str:
    """``-0.10 to +0.12``, in percentage points."""
    return f"{points(interval.low, interval)} to {points(interval.high, interval)}"


def percent(value: float, interval: Interval | None = None) -> str:
    """A share in per cent, without the unit."""
    return points(value, interval, sign=False)


def percent_range(interval: Interval) -> str:
    """``49.90 to 50.12``, in per cent."""
    return f"{percent(interval.low, interval)} to {percent(interval.high, interval)}"


def share(value: float, n: int) -> str:
    """A share of ``n`` games in per cent.

    It has as many digits as a share of 1/2 would have, so that the shares in a table line up.
    """
    return fixed(100 * value, max(digits_for(98 / math.sqrt(max(n, 1))), 1))


def margin_text(margin: float) -> str:
    """``±1 pp``."""
    return f"±{100 * margin:g} pp"


def p_text(p: float) -> str:
    """A p-value."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def name_list(names: Sequence[str], most: int = 6) -> str:
    """``a, b and 3 more``."""
    listed = ", ".join(names[:most])
    return f"{listed} and {count(len(names) - most)} more" if len(names) > most else listed


def joined(words: Iterable[str]) -> str:
    """``a, b and c``."""
    listed = list(words)
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)


def percent_mark(
    label: str, value: float, interval: Interval, *, series: str = "", tone: Tone = "none"
) -> Mark:
    """A chart's mark for a share or a difference of shares, in per cent or percentage points."""
    return Mark(label, 100 * value, 100 * interval.low, 100 * interval.high, series, tone)


def count_cell(n: int) -> TableCell:
    """A count."""
    return TableCell(count(n), n)


def share_cell(proportion: Proportion) -> TableCell:
    """A share in per cent."""
    return TableCell(share(proportion.value, proportion.n), proportion.value)


def score_cell(score: Score) -> TableCell:
    """A score in per cent."""
    return TableCell(percent(score.value, score.interval), score.value)


def range_cell(score: Score) -> TableCell:
    """A score's 95 % interval in per cent, sorted by the score."""
    return TableCell(percent_range(score.interval), score.value)


def mean_text(mean: Mean, digits: int | None = None) -> str:
    """An average with its interval, in its own unit; a dash if too few units have one."""
    if math.isinf(mean.interval.half_width):
        return NONE
    if digits is None:
        digits = digits_for(mean.interval.half_width)
    low, high = fixed(mean.interval.low, digits), fixed(mean.interval.high, digits)
    return f"{fixed(mean.value, digits)} ({low} to {high})"


def mean_cell(mean: Mean, digits: int | None = None) -> TableCell:
    """An average with its interval, in its own unit."""
    if math.isinf(mean.interval.half_width):
        return TableCell(NONE)
    short = fixed(mean.value, digits_for(mean.interval.half_width) if digits is None else digits)
    return TableCell(mean_text(mean, digits), mean.value, short=short)


def percent_mean_cell(mean: Mean | Proportion) -> TableCell:
    """A share in per cent with its interval."""
    text = f"{percent(mean.value, mean.interval)} ({percent_range(mean.interval)})"
    return TableCell(text, mean.value, short=percent(mean.value, mean.interval))


def edge_cell(score: Score) -> TableCell:
    """A score's distance from 1/2 in percentage points, with its interval."""
    short = points(score.edge, score.edge_interval)
    return TableCell(points_text(score.edge, score.edge_interval), score.edge, short=short)


def points_text(value: float, interval: Interval) -> str:
    """A difference of shares in percentage points with its interval, without the unit."""
    return f"{points(value, interval)} ({points_range(interval)})"


def points_cell(mean: Mean) -> TableCell:
    """An average difference of shares in percentage points, with its interval."""
    return TableCell(points_text(mean.value, mean.interval), mean.value)


def verdict_cell(verdict: Verdict) -> TableCell:
    """The decision, and the role it favours."""
    favours = f", {verdict.favours} favoured" if verdict.favours else ""
    return TableCell(f"{verdict.decision}{favours}", None, verdict.decision)
