"""``hanamikoji replay`` against the naive referee's account of the same games."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hst

from engine.drive import follow
from engine.seats import AskedBy, uniform
from engine.test_against_naive import ODD_RULES
from hanamikoji.engine import Match
from hanamikoji.engine.seat import Batch, Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.errors import ResultsError
from hanamikoji.experiment import AgentUse, build_experiment
from hanamikoji.plan import Cell
from hanamikoji.results import open_dataset
from hanamikoji.rules import PRESETS, Rules, load_rules
from hanamikoji.run import Options, run
from hanamikoji.tools import replay
from hanamikoji.tools.replay import replay_game
from modes import sized
from naive import playthrough
from strategies import rules as any_rules

SEED = 11
VARIANTS = {
    **PRESETS,
    **{name: load_rules({"preset": "base", **row}) for name, row in ODD_RULES.items()},
}


def cell_of(rules: Rules) -> Cell:
    """A cell of one random agent against another."""
    uses = [AgentUse(name=name, agent=name) for name in ("random", "random-move")]
    return Cell(3, "trial", rules, *uses, 2000)


def told_by_referee(cell: Cell, deal: int, seating: int) -> list[str]:
    """The game led along its recorded choices; roles in the text become seats."""
    match = replay.make_match(cell, SEED)
    moves = match.play(deal, deal + 1, record=["moves"]).moves
    choices = iter(moves["choice"][moves["seating"] == seating].tolist())
    names = (cell.agent_a.name, cell.agent_b.name)
    single = SingleGame(Game.of(cell.rules), names, SEED, deal, seating)
    referee = follow(single, lambda _single, _rng: next(choices), Random(0))
    seats = {"starter": "ab"[seating], "second": "ba"[seating]}
    text = re.sub(r"\b(starter|second)\b", lambda role: seats[role[0]], playthrough(referee, ""))
    return text.rstrip("\n").split("\n")[1:]


def assert_told_alike(rules: Rules, deal: int, seating: int) -> None:
    cell = cell_of(rules)
    lines = replay.narrate(cell, SEED, deal, seating)
    assert lines == told_by_referee(cell, deal, seating)


@pytest.mark.parametrize("name", VARIANTS)
def test_replay__tells_what_the_referee_tells(name: str) -> None:
    for deal in range(sized(6, 1)):
        assert_told_alike(VARIANTS[name], deal, deal % 2)


@settings(max_examples=sized(40, 5))
@given(any_rules(most_moves=300, most_rounds=3), hst.integers(0, 10**12), hst.integers(0, 1))
def test_replay__of_random_rules(rules: Rules, deal: int, seating: int) -> None:
    assert_told_alike(rules, deal, seating)


def test_replay__of_a_game_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told up to the failure, and then who failed; what came before is as it was without it."""

    def rarely_wrong(batch: Batch) -> np.ndarray:
        return np.where(batch.words % np.uint64(7) == 0, 10**6, uniform(batch))

    def told(choose: Any) -> list[str]:
        x, y = AskedBy("random", choose), AskedBy("random-move", uniform)
        game = Game.of(PRESETS["base"])
        monkeypatch.setattr(replay, "make_match", lambda _cell, seed: Match(game, (x, y), seed))
        return replay.narrate(cell_of(PRESETS["base"]), SEED, 4, 1)

    *lines, blank, sentence = told(rarely_wrong)
    assert blank == ""
    assert re.fullmatch(
        r"agent 'random' .*1000000.* deal 4, seating 1, round \d+, decision \d+", sentence
    )
    assert lines == told(uniform)[: len(lines)]
    assert len(lines) > 4


@pytest.mark.jit
def test_replay__of_a_run_ends_as_its_rows_say(tmp_path: Path) -> None:
    tables = {
        "name": "trial", "games": 40, "seed": 3,
        "agents": ["random", {"name": "other", "agent": "random-move"}],
        "matchups": [["random", "random"], ["random", "other"]], "rules": {"max_rounds": 2},
    }  # fmt: skip
    run(build_experiment(tables), tmp_path / "r", Options(workers=1))
    games = (
        open_dataset(tmp_path / "r")
        .scan()
        .select(
            pl.col("cell", "deal", "seating", "rounds", "lead_changes"),
            pl.col("outcome", "reason").cast(pl.String),
        )
    )
    for row in games.collect().iter_rows(named=True):
        text = replay_game(tmp_path / "r", row["cell"], row["deal"], row["seating"])
        won = "both win" if row["outcome"] == "shared" else f"{row['outcome']} wins"
        last = f"{won} after round {row['rounds']} by {row['reason']}, lead changes"
        assert text.startswith(f"cell {row['cell']} (trial: random - ")
        assert text.split("\n")[-1].startswith(f"{last} {row['lead_changes']}")
    for cell, seating in ((2, 0), (0, 1)):
        with pytest.raises(ResultsError):
            replay_game(tmp_path / "r", cell, 0, seating)
