"""One game at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

import hanamikoji
from hanamikoji import AgentError, ExperimentError

pytestmark = pytest.mark.jit


def test_play_game__has_every_decision() -> None:
    game = hanamikoji.play_game("base", ["random", "greedy"], seed=7, deal=3)
    assert game.outcome in ("starter", "second", "shared")
    last = game.decisions[-1]
    assert last.round == game.rounds
    acts = [each for each in game.decisions if each.phase == "act"]
    assert len(acts) == 8 * game.rounds
    for each in game.decisions:
        assert bool(each.groups) is (each.phase == "act")
        assert bool(each.taken) is (each.phase == "respond")
        assert each.legal >= 1
        assert each.action in str(game)
    winner = {"starter": "a wins", "second": "b wins", "shared": "both win"}[game.outcome]
    assert str(game).splitlines()[-1].startswith(f"{winner} after round {game.rounds} by ")


def test_play_game__is_the_game_of_a_run(tmp_path: Path) -> None:
    tables = {"name": "x", "seed": 7, "games": 10, "agents": ["random", "greedy"],
              "matchups": "round-robin", "record": ["moves"]}  # fmt: skip
    moves = hanamikoji.run(tables, tmp_path).moves().filter(deal=3, seating=0).collect()
    game = hanamikoji.play_game("base", ["random", "greedy"], seed=7, deal=3)
    assert [each.choice for each in game.decisions] == moves["choice"].to_list()
    assert [each.legal for each in game.decisions] == moves["legal"].to_list()


def test_play_game__of_one_agent_with_two_options() -> None:
    game = hanamikoji.play_game(
        {"max_rounds": 1}, ["random", {"agent": "random", "name": "other"}], seed=2
    )
    assert game.agents == ("random", "other")
    assert game == hanamikoji.play_game(
        {"max_rounds": 1}, ["random", {"agent": "random", "name": "other"}], seed=2
    )
    assert hanamikoji.play_game("base", ["greedy", "greedy"]).agents == ("greedy", "greedy")


@pytest.mark.parametrize(
    ("agents", "seed", "sentence"),
    [
        (["random"], 1, "agents has 1 entries"),
        (["random", "random"], -1, "seed is -1"),
        (["random", 5], 1, "agents.1 is 5"),
    ],
)
def test_play_game__bad_input(agents: list[str], seed: int, sentence: str) -> None:
    with pytest.raises(ExperimentError, match=sentence):
        hanamikoji.play_game("base", agents, seed)


@pytest.mark.usefixtures("bad")
def test_play_game__of_an_agent_that_fails() -> None:
    with pytest.raises(AgentError, match=r"agent 'illegal' .* deal \d+, seating 0") as caught:
        for deal in range(100):
            hanamikoji.play_game("base", ["illegal", "random"], deal=deal)
    assert f"deal {caught.value.deal}, seating 0" in str(caught.value)
