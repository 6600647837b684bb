"""Tables from columns: headings with units, alignment, and how each kind of value is shown."""

from __future__ import annotations

import pytest

from hanamikoji.report.columns import estimate, figure, table, text
from hanamikoji.report.document import TableCell
from hanamikoji.stats import Interval, Mean, Proportion, Score

HALF = Interval(0.45, 0.55, 0.95, "made up")
SHARE = Proportion(0.25, 500, 2000, "games", HALF)
MEAN = Mean(0.5, 2000, "games", HALF)
SCORE = Score(0.5, 2000, "games", 2000, 0.25, HALF, 900, 900, 200, 0, (900, 0, 200, 0, 900))


def shown(column) -> TableCell:
    return column.value("row")


@pytest.mark.parametrize(
    ("column", "title"),
    [
        (text("cell", str), "cell"),
        (figure("games", len), "games"),
        (figure("wins", len, "%"), "wins (%)"),
        (estimate("rounds", lambda _: MEAN), "rounds (95 % CI)"),
        (estimate("edge", lambda _: SCORE, "pp"), "edge (pp, 95 % CI)"),
    ],
)
def test_title__heading_unit_and_interval(column, title):
    assert column.title == title


def test_table__rows_in_order_texts_left_and_figures_right():
    found = table(["ab", "c"], [text("name", str), figure("letters", len, detail=True)], "Names.")
    assert [[cell.text for cell in row] for row in found.rows] == [["ab", "2"], ["c", "1"]]
    assert [column.number for column in found.columns] == [False, True]
    assert [column.detail for column in found.columns] == [False, True]
    assert (found.caption, found.brief) == ("Names.", False)


@pytest.mark.parametrize(
    ("value", "shows", "key"),
    [
        (1234, "1,234", 1234),
        (SHARE, "25.0", 0.25),
        (SCORE, "50.0", 0.5),
        ("1 / 2", "1 / 2", None),
        (None, "\N{EN DASH}", None),
        (TableCell("x", 3), "x", 3),
    ],
)
def test_figure__counts_shares_scores_and_dashes(value, shows, key):
    cell = shown(figure("heading", lambda _: value))
    assert (cell.text, cell.key) == (shows, key)


@pytest.mark.parametrize(
    ("value", "unit", "shows"),
    [
        (MEAN, "", "0.500 (0.450 to 0.550)"),
        (MEAN, "%", "50.0 (45.0 to 55.0)"),
        (MEAN, "pp", "+50.0 (+45.0 to +55.0)"),
        (SHARE, "%", "25.0 (45.0 to 55.0)"),
        (SCORE, "pp", "0.0 (\N{MINUS SIGN}5.0 to +5.0)"),
        (None, "pp", "\N{EN DASH}"),
    ],
)
def test_estimate__value_with_its_interval_in_the_unit(value, unit, shows):
    assert shown(estimate("heading", lambda _: value, unit)).text == shows
