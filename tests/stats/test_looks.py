"""Looks: bounds by hand, and the error rates of runs that are looked at again and again."""

import math

import numpy as np
import pytest

from hanamikoji.stats import StopFacts
from hanamikoji.stats.intervals import two_sided_p
from hanamikoji.stats.judging import look_of
from hanamikoji.stats.looks import critical_z, p_value
from stats.simulated import cell_facts


def test_critical_z__by_hand():
    # four fifths of 5 % and of 10 %, on two sides
    assert critical_z(0.95, "planned", 1, 1) == pytest.approx(2.0537, abs=1e-4)
    assert critical_z(0.90, "planned", 1, 1) == pytest.approx(1.7507, abs=1e-4)
    # ratio 9: sqrt(10 / 9 (ln 10 + 2 ln 20))
    assert critical_z(0.95, "any", 1, 3) == pytest.approx(3.0357, abs=1e-4)
    # a fifth of 5 %: 2 ln 100
    assert critical_z(0.95, "other", 1, 3) == pytest.approx(
        math.sqrt(10 / 9 * (math.log(10) + 2 * math.log(100))), abs=1e-4
    )


@pytest.mark.parametrize("look", ["other", "any", "planned"])
def test_p_value__is_the_level_whose_bound_the_estimate_is_on(look):
    for level in (0.9, 0.95, 0.999):
        z = critical_z(level, look, 1, 3)
        assert p_value(z, two_sided_p(z), look, 1, 3) == pytest.approx(1 - level)
    assert p_value(0, 1, look, 1, 3) == 1


def test_look_of__only_the_whole_run_at_its_first_size_is_planned():
    fixed = StopFacts()
    assert look_of(cell_facts(), 100, fixed) == "planned"
    assert look_of(cell_facts(asked=100), 100, fixed) == "planned"
    assert look_of(cell_facts(asked=100), 60, fixed) == "other"
    assert look_of(cell_facts(asked=200, looks=(100,)), 200, fixed) == "other"
    precise = StopFacts("precision", precision=0.01)
    ended = cell_facts(asked=100, stopped="precision reached")
    assert look_of(ended, 60, precise) == "planned"
    assert look_of(cell_facts(asked=100, stopped="still open"), 60, precise) == "other"
    # it ended before the run was looked at
    early = cell_facts(asked=200, looks=(100,), stopped="precision reached")
    assert look_of(early, 60, precise) == "planned"
    for rule in ("sprt", "verdict"):
        assert look_of(cell_facts(asked=100, looks=(50,)), 100, StopFacts(rule)) == "any"


def test_critical_z__grows_slowly():
    at = [critical_z(0.9, "any", 0.01 / math.sqrt(r), 0.01) for r in (5, 10, 100, 1000)]
    assert np.ptp(at) < 1
    assert min(at) > 2.6
