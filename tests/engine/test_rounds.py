"""The end of a round in the kernels: the goal check over all marker states, against the referee."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hanamikoji._jit import fixed, kernel, raw
from hanamikoji.engine import codes, rounds
from hanamikoji.engine import state as st
from hanamikoji.moves import build_tables
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from modes import sized
from naive.score import SHARED, end_check

OWNER = {1: 0, -1: 1, 0: None}


@kernel
def end_round(state, tables, keys):
    rounds.end_round(raw(state), fixed(tables), raw(keys))


def ended(rules: Rules, markers: tuple[int, ...], played: int = 1) -> tuple[int, int, int] | None:
    """Outcome, reason and conflict after a round that changed nothing; None if the game goes on."""
    tables = build_tables(rules)
    state = np.zeros(st.SIZE, np.int32)
    keys = np.zeros(st.KEYS, np.uint64)
    state[st.ROUND] = played
    for role, sign in enumerate((1, -1)):
        at = st.VIEWS + role * ix.VIEW_SIZE + ix.MARKERS
        state[at : at + len(markers)] = sign * np.array(markers)
    end_round(state, tables, keys)
    if state[st.PHASE] != ix.FINISHED:
        return None
    return int(state[st.OUTCOME]), int(state[st.REASON]), int(state[st.CONFLICT])


def wanted(rules: Rules, markers: tuple[int, ...], played: int = 1) -> tuple[int, int, int] | None:
    verdict = end_check(rules, [OWNER[marker] for marker in markers], played)
    if verdict is None:
        return None
    if isinstance(verdict, str):
        return codes.UNFINISHED, codes.ROUND_LIMIT, 0
    outcome = codes.SHARED if verdict.winner == SHARED else verdict.winner
    return outcome, codes.REASONS.index(verdict.reason), int(verdict.goal_conflict)


STATES = list(product((1, -1, 0), repeat=7))


def test_goals__known_counts_of_marker_states() -> None:
    assert len(STATES) == 2187
    assert sum(ended(PRESETS["base"], markers) is None for markers in STATES) == 1249


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"goals": {"prevails": "geishas"}},
        {"goals": {"charm": 6, "geishas": 2}},
        {"goals": {"charm": 6, "geishas": 2, "prevails": "geishas"}},
        {"goals": {"charm": 5, "geishas": False}},
        {"goals": {"charm": False, "geishas": 2}},
        {"max_rounds": 1},
        {"max_rounds": 1, "goals": {"charm": 21}, "cap_tiebreak": ["charm"]},
        {"max_rounds": 1, "goals": {"charm": 21}, "cap_tiebreak": ["highest-geisha"]},
        {"max_rounds": 1, "goals": {"charm": 21}, "cap_tiebreak": ["charm", "highest-geisha"]},
        {"max_rounds": 1, "goals": {"charm": 21}, "cap_tiebreak": []},
        {"round_limit": 1},
        {"min_rounds": 2},
    ],
    ids=str,
)
def test_end_of_round__agrees_in_every_marker_state(changes: dict[str, object]) -> None:
    rules = load_rules({"preset": "base", **changes})
    for markers in STATES[:: sized(1, 7)]:
        assert ended(rules, markers) == wanted(rules, markers), markers
