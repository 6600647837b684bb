"""Whether an agent decides the same when the same deals are played again.

The results of a run must not depend on workers, chunks or interruptions, so an agent may use its
observation, its random word and its options, and nothing else. One with a random source of its own,
or that remembers something from game to game, is found out when its first chunk is played twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hanamikoji.errors import AgentError

if TYPE_CHECKING:
    from hanamikoji.engine import Match, Played

BATCH = 37
"""Games under way at once the second time: other games stand beside each other than before."""


def compare(match: Match, first: Played, second: Played) -> None:
    """See that deals came out the same both times; both have their moves recorded.

    A game in which a decision took too long is left out.

    Raises:
        AgentError: They didn't; the sentence names the agent and its first decision that differs.
    """
    stalled = {(f.deal, f.seating) for f in (*first.failures, *second.failures) if _late(f.reason)}
    one, two = (_rows(played.moves, stalled) for played in (first, second))
    length = min(len(one["deal"]), len(two["deal"]))
    differ = np.zeros(length, bool)
    for name, column in one.items():
        differ |= column[:length] != two[name][:length]
    if not differ.any() and len(one["deal"]) == len(two["deal"]):
        return
    row = int(differ.argmax()) if differ.any() else length
    rows = one if row < len(one["deal"]) else two
    at = {name: int(column[row]) for name, column in rows.items()}
    seat = match.seats[at["role"] ^ at["seating"]]
    raise AgentError(
        f"agent '{seat.name}' can't be reproduced: it decided otherwise in deal {at['deal']}, "
        f"seating {at['seating']}, round {at['round']}, decision {at['decision']} when the same "
        "deals were played again in other batches; it may go by its observation, its random word "
        "and its options alone"
    )


def _late(reason: str) -> bool:
    return reason == "forfeit-stall"


def _rows(
    moves: Mapping[str, np.ndarray[Any, Any]], without: Iterable[tuple[int, int]]
) -> dict[str, np.ndarray[Any, Any]]:
    """The rows of moves without those of some games."""
    out = [2 * deal + seating for deal, seating in without]
    kept = ~np.isin(2 * moves["deal"].astype(np.int64) + moves["seating"], out)
    return {name: column[kept] for name, column in moves.items()}
