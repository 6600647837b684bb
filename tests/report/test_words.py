from __future__ import annotations

import pytest

from hanamikoji.report.words import (
    count,
    digits_for,
    fixed,
    joined,
    name_list,
    p_text,
    percent,
    points,
    points_range,
    share,
)
from hanamikoji.stats import Interval


@pytest.mark.parametrize(
    ("half_width", "digits"),
    [(0.011, 3), (0.1, 2), (0.99, 2), (1.0, 1), (9.9, 1), (10, 0), (1e9, 0), (1e-9, 4), (0, 4)],
)
def test_digits_for__two_significant_ones_of_the_half_width(half_width, digits):
    assert digits_for(half_width) == digits


def test_fixed__true_minus_sign_and_no_negative_zero():
    assert fixed(-1234.5, 1) == "\N{MINUS SIGN}1,234.5"
    assert fixed(-0.001, 2) == fixed(0.001, 2) == "0.00"
    assert fixed(0.001, 2, sign=True) == fixed(-0.001, 2, sign=True) == "0.00"
    assert fixed(0.25, 1, sign=True) == "+0.2"


def test_points__in_percentage_points_with_the_digits_of_the_interval():
    interval = Interval(-0.0012, 0.0032, 0.95, "made up")
    assert points(0.001, interval) == "+0.10"
    assert points_range(interval) == "\N{MINUS SIGN}0.12 to +0.32"
    assert percent(0.501, interval) == "50.10"


def test_share__digits_by_the_number_of_games_only():
    assert [share(p, 2000) for p in (0.5, 0.001)] == ["50.0", "0.1"]
    assert share(0.5, 20_000_000) == "50.000"


def test_lists_and_counts():
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert name_list(["a", "b", "c"], 2) == "a, b and 1 more"
    assert count(1234567) == "1,234,567"
    assert [p_text(p) for p in (0.00001, 0.0123, 0.5)] == ["< 0.0001", "0.0123", "0.50"]
