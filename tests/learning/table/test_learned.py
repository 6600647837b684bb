"""The `learned` agent with a table: when it has one, where from, and how it says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hanamikoji.agents.loading import load_agent
from hanamikoji.cli.app import main
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import Game
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.network import store as network_store
from hanamikoji.learning.network.agent import Learned
from hanamikoji.learning.search.agent import Search
from hanamikoji.learning.table import store
from hanamikoji.learning.table.strategy import TRAINER, load_strategy
from hanamikoji.rules import PRESETS, Rules, load_rules

pytestmark = pytest.mark.jit

SHOW_ONE: Rules = load_rules(
    {
        "charm": [1, 1, 1],
        "items": [2, 2, 2],
        "hand": 1,
        "removed": 0,
        "actions": [{"name": "show", "cards": 1, "face": "up"}],
        "goals": {"charm": False, "geishas": 2},
    }
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of tables and weights of this test's own; compiled code stays where it is."""
    for module in (store, network_store):
        monkeypatch.setattr(module, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_learned__takes_a_table_where_there_are_few_information_sets() -> None:
    assert Learned().model(SHOW_ONE) == "table"
    assert Learned().model(PRESETS["base"]) == "network"
    assert Learned(100).model(SHOW_ONE) == "network"  # would visit each too seldom
    assert Learned(model="network").model(SHOW_ONE) == "network"
    with pytest.raises(PluginError, match="it can be table or network"):
        Learned(model="tree")


def test_learned__trains_once_and_tells_what_it_plays() -> None:
    agent = Learned(20_000)
    assert agent.training(SHOW_ONE) == 20_000
    with pytest.raises(PluginError, match="train it with: hanamikoji train RULES --effort 20000"):
        agent.prepare(Game.of(SHOW_ONE))
    agent.train(SHOW_ONE)
    assert agent.training(SHOW_ONE) == 0
    assert Learned(20_000, seed=2).training(SHOW_ONE) == 20_000
    assert agent.facts(SHOW_ONE) == {
        "model": "table", "weights": store.find_table(SHOW_ONE, 20_000, 1).hash, "rounds": 20_000,
        "seed": 1, "trainer": TRAINER,
    }  # fmt: skip


def test_learned__plays_its_table() -> None:
    game = Game.of(SHOW_ONE)
    learned, other = (
        load_agent(AgentUse(name=name, agent=name, options=options))
        for name, options in (("learned", {"effort": 20_000}), ("random", {}))
    )
    learned.train(SHOW_ONE)
    games = Match(game, (learned.seat(game), other.seat(game)), 3).play(0, 20_000).games
    starter = np.select([games["outcome"] == 0, games["outcome"] == 1], [1.0, 0.0], 0.5)
    assert np.where(games["seating"] == 0, starter, 1 - starter).mean() > 0.55


def test_learned__trains_again_where_the_cached_table_is_damaged() -> None:
    Learned(20_000).train(SHOW_ONE)
    whole = store.find_table(SHOW_ONE, 20_000, 1).hash
    store.table_path(SHOW_ONE, 20_000, 1).write_bytes(b"PK")
    assert Learned(20_000).training(SHOW_ONE) == 20_000
    with pytest.raises(PluginError, match="is damaged"):
        store.find_table(SHOW_ONE, 20_000, 1)
    Learned(20_000).train(SHOW_ONE)
    assert store.find_table(SHOW_ONE, 20_000, 1).hash == whole


def test_search__is_guided_by_a_network_all_the_same(tmp_path: Path) -> None:
    search = Search(effort=1024)
    assert search.training(SHOW_ONE) == 1024
    search.train(SHOW_ONE)
    assert search.facts(SHOW_ONE)["model"] == "network"
    assert search.prepare(Game.of(SHOW_ONE)).memory > 1
    Learned(20_000).train(SHOW_ONE)
    table = str(store.table_path(SHOW_ONE, 20_000, 1))
    with pytest.raises(PluginError, match="are a table's, not a network's"):
        Search(weights=table).prepare(Game.of(SHOW_ONE))


def test_train__writes_a_table_that_learned_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, out = tmp_path / "rules.toml", tmp_path / "table.npz"
    rules.write_text(
        'name = "show"\nagents = ["learned"]\ngames = 10\n[rules]\ncharm = [1, 1, 1]\n'
        "items = [2, 2, 2]\nhand = 1\nremoved = 0\ngoals = { charm = false, geishas = 2 }\n"
        'actions = ["show"]\n[actions.show]\ncards = 1\nface = "up"\n'
    )
    arguments = ["train", str(rules), "--effort", "20000", "--out", str(out)]
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert not end.value.code
    printed = capsys.readouterr().out
    table = load_strategy(out, SHOW_ONE)
    assert table.hash in printed
    assert "information sets" in printed
    assert Learned(weights=str(out)).weights(SHOW_ONE).hash == table.hash
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--curve", str(tmp_path / "curve.svg")])
    assert end.value.code
    assert "add --model network" in capsys.readouterr().err
