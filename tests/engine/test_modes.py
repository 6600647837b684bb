"""The three ways to run the tests are what they claim to be."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import config

from hanamikoji.engine import play
from hanamikoji.engine import state as st
from modes import JITTED


def test_kernels__are_compiled_unless_that_is_disabled() -> None:
    assert hasattr(play.run_slots, "py_func") == JITTED


@pytest.mark.skipif(not (JITTED and config.BOUNDSCHECK), reason="under NUMBA_BOUNDSCHECK=1")
def test_bounds__are_checked() -> None:
    """Everything goes through bare pointers, which would not notice."""
    slots = play.new_slots(2)._replace(states=np.zeros(st.SIZE, np.int32))
    play.give_up(slots, 0, 7)
    with pytest.raises(IndexError):
        play.give_up(slots, 1, 7)
