"""Against OpenSpiel: its best responses and its CFR+ on the naive referee's tree of a tiny game."""

from __future__ import annotations

from typing import Any

import pytest

from hanamikoji.agents import load_agent
from hanamikoji.experiment import AgentUse
from hanamikoji.solve import exploitability, solve
from solve.naive_tree import CHANCE, Node, grow
from solve.test_against_naive import tiny_rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")

pytestmark = pytest.mark.jit

_RULES = tiny_rules("answered unseen")
_TYPE = pyspiel.GameType(
    short_name="hanamikoji_tiny",
    long_name="Hanamikoji, tiny",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
)


class TinyGame(pyspiel.Game):  # type: ignore[misc]
    """A tree as an OpenSpiel game; utilities are 2 score - 1."""

    def __init__(self, params: Any = None) -> None:
        self.root = grow(_RULES)
        info = pyspiel.GameInfo(
            num_distinct_actions=64,
            max_chance_outcomes=len(self.root.children),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=16,
        )
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> TinyState:
        return TinyState(self)


class TinyState(pyspiel.State):  # type: ignore[misc]
    """A node of the tree."""

    def __init__(self, game: TinyGame) -> None:
        super().__init__(game)
        self._node: Node = game.root

    def current_player(self) -> int:
        if self._node.player is None:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self._node.player == CHANCE else self._node.player

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self._node.children)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(enumerate(self._node.chances))

    def _apply_action(self, action: int) -> None:
        self._node = self._node.children[action]

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        return self._node.player is None

    def returns(self) -> list[float]:
        gain = 2 * self._node.score - 1
        return [gain, -gain] if self.is_terminal() else [0.0, 0.0]

    def information_state_string(self, player: int | None = None) -> str:
        return repr(self._node.key)

    def __str__(self) -> str:
        return self.history_str()


@pytest.fixture(scope="module")
def game() -> TinyGame:
    pyspiel.register_game(_TYPE, TinyGame)
    return TinyGame()


def test_exploitability__is_openspiels(game: TinyGame) -> None:
    from open_spiel.python import policy
    from open_spiel.python.algorithms.exploitability import nash_conv

    wanted = nash_conv(game, policy.UniformRandomPolicy(game), use_cpp_br=False)
    agent = load_agent(AgentUse(name="r", agent="random-move"))
    found = exploitability(solve(_RULES), agent, words=20_000)
    # utilities are twice as wide as scores, NashConv is a sum over both seats; 20,000 words
    assert found.exploitability == pytest.approx(wanted / 4, abs=0.003)


def test_value__is_that_of_openspiels_cfr(game: TinyGame) -> None:
    from open_spiel.python.algorithms import cfr, expected_game_score
    from open_spiel.python.algorithms.exploitability import nash_conv

    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    gap = nash_conv(game, average, use_cpp_br=False) / 2  # of scores, both seats
    assert gap < 0.01
    value, _ = expected_game_score.policy_value(game.new_initial_state(), [average, average])
    assert (value + 1) / 2 == pytest.approx(solve(_RULES).value, abs=gap)
