from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from fake_engine import fake_games, fake_rounds
from hanamikoji.engine.codes import OUTCOMES, ROLE_OUTCOMES
from hanamikoji.results import CONVERTERS, TABLES, CellLabel, arrow_schema


def test_games__have_exactly_the_documented_columns(label: CellLabel) -> None:
    table = CONVERTERS["games"](label, fake_games(1, 0, 5, 2))
    assert table.schema == arrow_schema("games")
    assert table.column_names == [column.name for column in TABLES["games"]]
    table.validate(full=True)
    for column in TABLES["games"]:
        if not column.nullable:
            assert table[column.name].null_count == 0


def test_games__name_seats_by_seating(label: CellLabel) -> None:
    games = fake_games(1, 10, 60, 2)
    for row, source in zip(
        CONVERTERS["games"](label, games).to_pylist(), _rows(games), strict=True
    ):
        a, b = ("starter", "second") if source["seating"] == 0 else ("second", "starter")
        assert row["starter"] == ("a" if a == "starter" else "b")
        role = ROLE_OUTCOMES[source["outcome"]]
        assert row["outcome"] == {a: "a", b: "b"}.get(role, role)
        assert row["winner_role"] == (role if role in (a, b) else "none")
        for name in ("charm", "geishas", "favor"):
            assert row[f"{name}_a"] == source[f"{name}_{a}"]
            assert row[f"{name}_b"] == source[f"{name}_{b}"]
        for seat, by_role in (("a", a), ("b", b)):
            code = source[f"opening_{by_role}"]
            assert row[f"opening_{seat}"] == (None if code < 0 else label.kinds[code])
        assert (row["cell"], row["variant"]) == (3, "thr<ee")
        assert (row["agent_a"], row["agent_b"]) == ("Ann & co", "Bob")


def test_games__of_a_mirror_have_the_starter_in_seat_a(label: CellLabel) -> None:
    games = fake_games(1, 0, 50, 1)
    table = CONVERTERS["games"](label, games)
    assert set(table["starter"].to_pylist()) == {"a"}
    assert table["charm_a"].to_pylist() == games["charm_starter"].tolist()


def test_games__dictionaries_are_fixed(label: CellLabel) -> None:
    table = CONVERTERS["games"](label, fake_games(1, 0, 1, 1))
    assert table["outcome"].chunk(0).dictionary.to_pylist() == list(OUTCOMES)
    assert table["opening_a"].chunk(0).dictionary.to_pylist() == list(label.kinds)


def test_rounds__name_seats_and_orders(label: CellLabel) -> None:
    games = fake_games(2, 0, 20, 2)
    rounds = fake_rounds(games)
    table = CONVERTERS["rounds"](label, rounds)
    assert table.schema == arrow_schema("rounds")
    full = "base/secret > base/trade-off > base/gift > house"
    for row, source in zip(table.to_pylist(), _rows(rounds), strict=True):
        swapped = source["seating"] == 1
        assert row["round_starter"] == "ab"[source["round_starter"] ^ source["seating"]]
        second = full if source["round"] % 2 else "house > base/secret"
        assert row["order_a"] == (second if swapped else full)
        assert row["order_b"] == (full if swapped else second)
        assert row["decisions_a"] == (7 if swapped else 6)
        assert row["legal_b"] == (100 if swapped else 200)


def test_moves__name_the_seat(label: CellLabel) -> None:
    rows = 4
    moves = {
        "deal": np.arange(rows, dtype=np.int64),
        "seating": np.array([0, 0, 1, 1], np.int8),
        "round": np.ones(rows, np.int16),
        "turn": np.arange(rows, dtype=np.int8),
        "decision": np.arange(rows, dtype=np.int16),
        "role": np.array([0, 1, 0, 1], np.int8),
        "phase": np.array([0, 1, 0, 1], np.int8),
        "choice": np.array([5, 6, 7, 8], np.int32),
        "legal": np.array([9, 1, 2, 3], np.int32),
    }
    table = CONVERTERS["moves"](label, moves)
    assert table.schema == arrow_schema("moves")
    assert table["seat"].to_pylist() == ["a", "b", "b", "a"]
    assert table["phase"].to_pylist() == ["act", "respond"] * 2
    assert table["choice"].to_pylist() == [5, 6, 7, 8]


@pytest.mark.parametrize("table", ["games", "rounds"])
def test_tables__may_be_empty(label: CellLabel, table: str) -> None:
    games = fake_games(1, 0, 1, 2)
    arrays = {name: values[:0] for name, values in _source(table, games).items()}
    made = CONVERTERS[table](label, arrays)
    assert made.num_rows == 0
    assert made.schema == arrow_schema(table)
    assert isinstance(made, pa.Table)


def _source(table: str, games: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return games if table == "games" else fake_rounds(games)


def _rows(arrays: dict[str, np.ndarray]) -> list[dict[str, int]]:
    names = list(arrays)
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(arrays[name].tolist() for name in names), strict=True)
    ]


@pytest.mark.jit
def test_tables__are_made_and_counted_without_pandas(tmp_path: Path) -> None:
    """It takes half a second to import, and pyarrow does so wherever it happens to be installed."""
    code = (
        "import sys\n"
        "from hanamikoji.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        "    print('pandas' in sys.modules)\n"
    )
    arguments = ["run", "configs/base.toml", "--games", "64", "--out", str(tmp_path / "out")]
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
