"""What docs/statistics.md claims, simulated at a small size; and that it lists every claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from stats.claims import CLAIMS
from stats.claims.claim import Claim

_DOCS = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_claim__holds(claim: Claim) -> None:
    rate = claim.rate(claim.few)
    assert claim.holds(rate, claim.few), f"{rate} of {claim.few}"


def test_claim__can_fail() -> None:
    sure = Claim("never", "at least", 0.95, lambda _rng, _number: 0)
    assert not sure.holds(0.85, 200)
    assert sure.holds(0.93, 200)
    rare = Claim("always", "at most", 0.05, lambda _rng, number: number)
    assert not rare.holds(0.11, 200)
    assert rare.holds(0.07, 200)
    even = Claim("even", "about", 0.5, lambda _rng, number: number // 2)
    assert even.holds(0.45, 200)
    assert not even.holds(0.35, 200)
    assert not even.holds(0.65, 200)


def test_docs__list_every_claim() -> None:
    text = _DOCS.read_text()
    assert [claim.quantity for claim in CLAIMS if claim.quantity not in text] == []
