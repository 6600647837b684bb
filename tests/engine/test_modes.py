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
    states, status = np.zeros(st.SIZE, np.int32), np.zeros(2, np.int8)
    play.give_up(states, 0, status, 7)
    with pytest.raises(IndexError):
        play.give_up(states, 1, status, 7)
