"""Measure every claim at full size and write docs/statistics.md: ``python -m stats.claims``."""

from __future__ import annotations

from pathlib import Path

from stats.claims import CLAIMS
from stats.claims.claim import Claim

_DOCS = Path(__file__).parents[3] / "docs" / "statistics.md"
_MARK = "<!-- The table is written by `python -m stats.claims` in tests/. -->"


def _row(claim: Claim) -> str:
    rate = claim.rate(claim.many)
    verdict = "" if claim.holds(rate, claim.many) else " (!)"
    print(f"{claim.quantity}: {100 * rate:.1f} %{verdict}", flush=True)
    claimed = f"{claim.bound} {100 * claim.claimed:g} %"
    return f"| {claim.quantity} | {claimed} | {100 * rate:.1f} %{verdict} | {claim.many:,} |"


def main() -> None:
    """Keep the text before the mark, and write the table after it."""
    head = ("| quantity | claimed | measured | replications |", "| --- | --- | --- | --- |")
    rows = [*head, *map(_row, CLAIMS)]
    before, _, _ = _DOCS.read_text().partition(_MARK)
    _DOCS.write_text(f"{before}{_MARK}\n\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
