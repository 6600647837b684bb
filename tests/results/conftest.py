from __future__ import annotations

import pytest

from hanamikoji.results import CellLabel

KINDS = ("base/secret", "base/trade-off", "base/gift", "house")


@pytest.fixture
def label() -> CellLabel:
    return CellLabel(3, "thr<ee", "Ann & co", "Bob", KINDS)
