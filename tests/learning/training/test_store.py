"""Weights on demand: trained once, then from the cache; and the command and its curve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hanamikoji.agents.loading import LoadedAgent, load_agent
from hanamikoji.cli.app import main
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.errors import PluginError
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.network import store
from hanamikoji.learning.network.agent import Learned
from hanamikoji.learning.network.store import cached_path, find_weights, shipped_weights
from hanamikoji.learning.network.weights import TRAINER, load_weights
from hanamikoji.learning.training import ensure_weights, train
from hanamikoji.learning.training.curve import Curve, draw_curve
from hanamikoji.rules import PRESETS, load_rules
from learning.scorer import Scorer

pytestmark = pytest.mark.jit

NINE = load_rules(
    {"preset": "base", "charm": [1, 2, 2, 3, 3, 3, 4, 4, 5], "goals": {"charm": 14, "geishas": 5}}
)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of weights of this test's own; compiled code stays where it is."""
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path)
    return tmp_path


def learned(effort: int, seed: int = 1) -> LoadedAgent:
    return load_agent(
        AgentUse(name="me", agent="learned", options={"effort": effort, "seed": seed})
    )


def test_find__never_trains_but_names_the_command(own_cache: Path) -> None:
    command = "hanamikoji train RULES --effort 1024 --seed 7"
    with pytest.raises(PluginError, match=command):
        find_weights(NINE, 1024, 7)
    with pytest.raises(PluginError, match=command):
        learned(1024, 7).seat(Game.of(NINE))
    assert not list(own_cache.iterdir())


def test_ensure__trains_once_and_tells_of_it(
    own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[tuple[str, int, int]] = []
    random = load_agent(AgentUse(name="random", agent="random"))
    ensure_weights([learned(1024), random], NINE, lambda *what: told.append(what))
    assert [what[:2] for what in told] == [("me", 1024)] * len(told)
    assert told[-1][2] >= 1024
    assert cached_path(NINE, 1024, 1).parent == own_cache / "learned"
    told.clear()
    ensure_weights([learned(1024), random], NINE, lambda *what: told.append(what))
    assert told == []
    assert find_weights(NINE, 1024).hash == train(NINE, 1024).hash
    assert capsys.readouterr() == ("", "")
    assert [path.name for path in (own_cache / "learned").iterdir()] == [
        cached_path(NINE, 1024, 1).name
    ]


def test_find__an_effort_is_never_served_by_another(own_cache: Path) -> None:
    uses = [(1024, 1), (2048, 1), (1024, 2)]
    ensure_weights([learned(*use) for use in uses], NINE)
    origins = [find_weights(NINE, *use).origin for use in uses]
    assert [(o.rounds, o.seed) for o in origins] == uses
    with pytest.raises(PluginError, match="1,024 rounds"):
        find_weights(PRESETS["base"], 1024)


def test_ensure__trains_again_where_the_cache_is_damaged(own_cache: Path) -> None:
    ensure_weights([learned(1024)], NINE)
    whole = find_weights(NINE, 1024)
    path = cached_path(NINE, 1024, 1)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(PluginError, match=r"damaged.*hanamikoji train RULES"):
        find_weights(NINE, 1024)
    ensure_weights([learned(1024)], NINE)
    assert load_weights(path).hash == whole.hash


@pytest.mark.parametrize("name", PRESETS)
def test_shipped__every_preset_has_weights_that_fit(name: str) -> None:
    weights = shipped_weights(PRESETS[name])
    assert weights is not None
    assert weights.origin.seed == 1
    assert find_weights(PRESETS[name]).hash == weights.hash


def test_shipped__weights_are_at_most_8_megabytes() -> None:
    folder = Path(store.__file__).parent / "shipped"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 8e6
    assert {path.stem for path in folder.glob("*.npz")} == {r.hash for r in PRESETS.values()}


def test_agent__plays_what_the_scorer_says(own_cache: Path) -> None:
    """Through the loader and the pointer: each move is the one that its random word draws."""
    agent = learned(1024)
    ensure_weights([agent], NINE)
    assert agent.kind == "compiled"
    game = Game.of(NINE)
    seat = agent.seat(game)
    random = load_agent(AgentUse(name="random", agent="random")).seat(game)
    played = Match(game, (seat, random), 1).play(0, 200)
    outcome, seating = played.games["outcome"], played.games["seating"]
    assert (outcome == seating).mean() > 0.55
    weights = find_weights(NINE, 1024)
    scorer, temperature = Scorer(game, weights), float(weights.temperature[0])
    single = SingleGame(game, (seat.name, seat.name), 1, 0)
    mirror = Match(game, (seat, seat), 1).play(0, 1, record={"moves"}).moves["choice"].tolist()
    for choice in mirror:
        assert scorer.drawn(single.view, temperature, single.word)[0] == choice
        single.decide(choice)
    assert single.finished


def test_facts__name_the_weights(own_cache: Path) -> None:
    ensure_weights([learned(1024)], NINE)
    facts = Learned(effort=1024).facts(NINE)
    assert facts == {
        "model": "network", "weights": find_weights(NINE, 1024).hash, "rounds": 1024, "seed": 1,
        "trainer": TRAINER,
    }  # fmt: skip


# --- the command ---------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0)


def test_train__writes_a_file_and_a_curve(
    own_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, picture = tmp_path / "mine.npz", tmp_path / "curve.svg"
    arguments = ["base", "--effort", "1024", "--out", str(out), "--curve", str(picture)]
    assert run("train", *arguments) == 0
    printed = capsys.readouterr().out
    assert "vs random" in printed
    assert "itself before" in printed
    assert load_weights(out).hash in printed
    assert load_weights(out).hash == train(PRESETS["base"], 1024).hash
    assert picture.read_text().startswith("<svg")
    assert Learned(weights=str(out)).weights(PRESETS["base"]).hash == load_weights(out).hash


def test_train__one_sentence_for_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("train", "base", "--effort", "hard") == 2
    assert "quick, standard, long" in capsys.readouterr().err
    assert run("train", "base", "--curve", "x.gif") == 2
    assert ".svg or .png" in capsys.readouterr().err


def test_curve__measures_and_draws(tmp_path: Path) -> None:
    lines: list[str] = []
    curve = Curve(PRESETS["base"], games=200, show=lines.append)
    train(PRESETS["base"], 2048, tell=curve)
    assert {point.opponent for point in curve.points} == {"random", "greedy", "itself before"}
    assert all(0 <= p.low <= p.score <= p.high <= 1 for p in curve.points)
    assert len(lines) == 1 + len({point.rounds for point in curve.points})
    draw_curve(curve.points, tmp_path / "curve.png", "title")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_small_and_large_rules__train_and_play() -> None:
    """From one geisha to sixteen, nothing fits a size that was thought of beforehand."""
    for table in (
        {
            "charm": [3],
            "items": [15],
            "hand": 2,
            "actions": ["base/secret", "base/gift"],
            "goals": {"charm": 3, "geishas": False},
        },
        {"charm": [2, 3, 4, 5, 6], "removed": 0, "goals": {"charm": 11, "geishas": 3}},
        {"charm": list(range(1, 17)), "items": [9] * 16, "goals": {"charm": 60, "geishas": 9}},
    ):
        rules = load_rules({"preset": "base", **table})
        weights = train(rules, 512)
        assert np.isfinite(weights.values).all()
        assert weights.rows.any()
