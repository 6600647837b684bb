"""Tables: how far from optimal they are, by a best response; that they are the same every time."""

from __future__ import annotations

import copy
import itertools
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from hanamikoji._jit import fixed, kernel, raw
from hanamikoji.engine import state as st
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.errors import PluginError
from hanamikoji.learning.table import book as bk
from hanamikoji.learning.table.keys import information_key
from hanamikoji.learning.table.play import table_seat
from hanamikoji.learning.table.size import information_sets
from hanamikoji.learning.table.store import suits_table
from hanamikoji.learning.table.strategy import Strategy, load_strategy, save_strategy
from hanamikoji.learning.table.trainer import TableTraining
from hanamikoji.moves import index as ix
from hanamikoji.rules import PRESETS, Rules, load_rules
from modes import sized

BRIBE = {
    "charm": [2, 3, 4],
    "items": [2, 2, 3],
    "hand": 2,
    "removed": 1,
    "actions": [
        {
            "name": "bribe",
            "cards": 3,
            "face": "down",
            "groups": [1, 2],
            "chooser": "opponent",
            "choose": 1,
            "chosen_to": "opponent",
            "rest_to": "actor",
        }
    ],
    "goals": {"charm": 5, "geishas": False},
    "max_rounds": 1,
}
"""One offer each, face down: without mixing it is given away which group is worth more."""

ROUNDS = sized(40_000, 10)


@cache
def rules() -> Rules:
    return load_rules(BRIBE)


@cache
def trained(seed: int = 1) -> Strategy:
    training = TableTraining(rules(), ROUNDS, seed)
    training.run()
    return training.strategy()


# --- best response by plain Python ---------------------------------------------------------------


@dataclass
class Node:
    """A decision, or the end of a game with what it is worth to role 0."""

    role: int
    view: npt.NDArray[np.int32]
    ids: list[int]
    children: list[Node]
    value: float = 0.0


@kernel
def _key(view, tables):  # type: ignore[no-untyped-def]
    return information_key(raw(view), fixed(tables))


def grow(game: SingleGame) -> Node:
    """The tree from a position on."""
    if game.finished:
        return Node(-1, game.view, [], [], (1.0, 0.0, 0.5)[game.result["outcome"]])
    node = Node(game.decider, game.view.copy(), game.legal.tolist(), [])
    for choice in node.ids:
        after = copy.deepcopy(game)
        assert after.decide(choice)
        node.children.append(grow(after))
    return node


@cache
def trees() -> list[Node]:
    """One for each order of the cards."""
    cards = [g for g, n in enumerate(rules().items) for _ in range(n)]
    start = SingleGame(Game.of(rules()), ("a", "b"), 1, 0)
    found = []
    for order in sorted(set(itertools.permutations(cards))):
        game = copy.deepcopy(start)
        game.state[st.DECK : st.DECK + len(order)] = order
        for role in range(2):
            hand = order[1 + 2 * role : 3 + 2 * role]
            held = (*hand, order[5]) if role == 0 else hand  # the starter has drawn
            at = st.VIEWS + role * ix.VIEW_SIZE + ix.HAND
            game.state[at : at + 3] = [held.count(g) for g in range(3)]
        game.look_again()
        found.append(grow(game))
    return found


class Table:
    """Chances of a strategy's choices, by view."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._tables = Game.of(rules()).tables

    def chances(self, node: Node) -> list[float]:
        s = self._strategy
        key = _key(node.view, self._tables)
        n = int(np.searchsorted(s.keys, key))
        if n == len(s.keys) or s.keys[n] != key:
            return [1 / len(node.ids)] * len(node.ids)
        begin, end = (int(s.ends[n - 1]) if n else 0), int(s.ends[n])
        parts = np.diff(s.chances[begin:end].astype(float), prepend=-1) / 65536
        by_id = dict(zip(s.ids[begin:end].tolist(), parts.tolist(), strict=True))
        assert set(by_id) <= set(node.ids)
        return [by_id.get(choice, 0.0) for choice in node.ids]


class Uniform:
    """All choices alike."""

    def chances(self, node: Node) -> list[float]:
        return [1 / len(node.ids)] * len(node.ids)


def best_response(strategy: Table | Uniform, role: int) -> float:
    """What the best answer in this role scores against a strategy in the other."""
    sets: dict[tuple[int, bytes], list[tuple[float, Node]]] = defaultdict(list)

    def reach(node: Node, chance: float) -> None:
        if node.role == role:
            sets[int(node.view[ix.DECISION]), node.view.tobytes()].append((chance, node))
            chances = [1.0] * len(node.ids)
        else:
            chances = strategy.chances(node) if node.ids else []
        for child, share in zip(node.children, chances, strict=True):
            reach(child, chance * share)

    best: dict[bytes, int] = {}

    def worth(node: Node) -> float:
        if not node.ids:
            return node.value if role == 0 else 1 - node.value
        if node.role == role:
            return worth(node.children[best[node.view.tobytes()]])
        shares = zip(node.children, strategy.chances(node), strict=True)
        return sum(share * worth(child) for child, share in shares if share)

    for tree in trees():
        reach(tree, 1.0)
    for (_, view), nodes in sorted(sets.items(), key=lambda one: -one[0][0]):
        totals = [
            sum(chance * worth(node.children[i]) for chance, node in nodes if chance)
            for i in range(len(nodes[0][1].ids))
        ]
        best[view] = totals.index(max(totals))
    return sum(map(worth, trees())) / len(trees())


def exploitability(strategy: Table | Uniform) -> float:
    """NashConv / 2."""
    return (best_response(strategy, 0) + best_response(strategy, 1) - 1) / 2


# --- training ------------------------------------------------------------------------------------


@pytest.mark.jit
def test_training__comes_near_an_equilibrium() -> None:
    assert exploitability(Uniform()) > 0.1
    assert exploitability(Table(trained())) < 0.005


@pytest.mark.jit
def test_training__is_the_same_for_a_seed() -> None:
    again = TableTraining(rules(), ROUNDS, 1)
    told: list[int] = []
    again.run(lambda training: told.append(training.done))
    assert again.strategy().hash == trained().hash != trained(2).hash
    assert told == sorted(told)
    assert told[-1] >= ROUNDS


def test_training__is_the_same_compiled_and_as_plain_python() -> None:
    training = TableTraining(rules(), 10, 1)
    training.run()
    assert training.strategy().hash == "03a7ba2861f3bcb5"


@pytest.mark.jit
def test_training__goes_on_in_a_larger_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the book had to grow, the table is the same."""
    from hanamikoji.learning.table import trainer

    monkeypatch.setattr(trainer, "_SLOTS", 1 << 6)
    monkeypatch.setattr(trainer, "_CHOICES", 1 << 6)
    small = TableTraining(rules(), ROUNDS, 1)
    small.run()
    assert small.book.slots > 1 << 6
    assert small.strategy().hash == trained().hash


def test_training__goes_on_in_a_full_book(monkeypatch: pytest.MonkeyPatch) -> None:
    from hanamikoji.learning.table import trainer

    monkeypatch.setattr(trainer, "_SLOTS", 1 << 5)
    monkeypatch.setattr(bk, "MOST_SLOTS", 1 << 5)
    full = TableTraining(rules(), sized(1000, 10), 1)
    full.run()
    assert full.book.used[bk.SLOTS_USED] == 28


@pytest.mark.jit
def test_size__counts_what_can_be_counted_and_guesses_the_rest() -> None:
    found = {(node.role, node.view.tobytes()) for tree in trees() for node in walk(tree)}
    assert information_sets(rules()) == len(found)
    assert suits_table(rules(), 1000)
    assert not suits_table(rules(), 10)
    assert not suits_table(PRESETS["base"], 1_000_000_000)


def walk(node: Node) -> list[Node]:
    below = [deeper for child in node.children for deeper in walk(child)]
    return [node, *below] if node.ids else below


# --- at play -------------------------------------------------------------------------------------


@pytest.mark.jit
def test_play__scores_the_value_of_the_game() -> None:
    low, high = 1 - best_response(Table(trained()), 1), best_response(Table(trained()), 0)
    game = Game.of(rules())
    seat = table_seat(trained(), game)
    outcome = Match(game, (seat, seat), 5).play(0, 200_000).games["outcome"]
    score = float(np.select([outcome == 0, outcome == 1], [1.0, 0.0], 0.5).mean())
    assert low - 0.005 < score < high + 0.005


# --- files ---------------------------------------------------------------------------------------


def test_file__is_the_same_again(tmp_path: Path) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    save_strategy(one, trained())
    save_strategy(two, load_strategy(one, rules()))
    assert one.read_bytes() == two.read_bytes()
    assert load_strategy(two, rules()).hash == trained().hash


def test_file__of_other_rules_or_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    with pytest.raises(PluginError, match="there is no weights file"):
        load_strategy(path, rules())
    path.write_bytes(b"PK")
    with pytest.raises(PluginError, match="damaged or not a weights file"):
        load_strategy(path, rules())
    save_strategy(path, trained())
    with pytest.raises(PluginError, match=f"not for {PRESETS['base'].hash}"):
        load_strategy(path, PRESETS["base"])


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("keys", 0, 2**63 - 1),  # out of order
        ("ends", 0, 0),  # no choice
        ("ends", -1, 10**6),  # beyond the choices
        ("ids", 0, -1),
        ("ids", 0, 10**6),
        ("chances", -1, 5),  # never reaches the whole
    ],
)
def test_file__that_makes_no_sense_is_refused(
    tmp_path: Path, name: str, place: int, value: int
) -> None:
    damaged = copy.deepcopy(trained())
    getattr(damaged, name)[place] = value
    save_strategy(tmp_path / "table.npz", damaged)
    with pytest.raises(PluginError, match="makes no sense"):
        load_strategy(tmp_path / "table.npz", rules())
