from __future__ import annotations

from functools import partial

import pytest

from hanamikoji.solve import solving
from modes import JITTED


@pytest.fixture(autouse=not JITTED)
def _rough_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As plain Python a tree's size is estimated from a few paths."""
    monkeypatch.setattr(solving, "estimate_size", partial(solving.estimate_size, dives=20))
