"""What the statistics claim of their intervals and verdicts, each with the simulation to show it.

``python -m stats.claims`` in tests/ measures all at full size and writes docs/statistics.md;
tests/stats/test_claims.py measures them at a small one.
"""

from __future__ import annotations

from stats.claims import comparisons, looks, small
from stats.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (*looks.CLAIMS, *comparisons.CLAIMS, *small.CLAIMS)
