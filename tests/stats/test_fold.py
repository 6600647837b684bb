"""One pass over parts: the same counts as by hand, whatever the chunks, and refusals."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.stats import Part
from hanamikoji.stats.counts import FIRST_FORFEIT, OUTCOMES, REASONS
from hanamikoji.stats.fold import count_part, fold, parts_of
from hanamikoji.stats.pairing import PairedScores, score_correlation
from stats.simulated import Games, cell_facts, detailed_games, mirror_games, pair_games, run_facts


def same_counts(one, two):
    assert one.tables.keys() == two.tables.keys()
    for name in one.tables:
        np.testing.assert_array_equal(one.tables[name], two.tables[name], err_msg=name)
    assert (one.deals, one.moments) == (two.deals, two.moments)


@pytest.mark.parametrize("names", [("random", "greedy"), ("random", "random")])
def test_fold__agrees_with_polars_on_every_table(names):
    games = detailed_games(np.random.default_rng(3), 500, a=names[0], b=names[1])
    if games.cell.mirror:  # keep one game a deal
        games.winner = games.winner[::2]
        games.columns = {name: values[::2] for name, values in games.columns.items()}
    frame = pl.from_arrow(games.table())
    counts, _ = count_part(games.part(), games.cell)
    n = frame.height

    def per_game(name):
        table = counts.tables[name]
        return table if table.ndim == 1 else table.sum(0) + table.sum(1)

    for code, outcome in enumerate(OUTCOMES):
        whole = frame.filter(pl.col("outcome").cast(pl.String) == outcome)
        forfeited = whole["reason"].cast(pl.String).str.starts_with("forfeit").sum()
        assert per_game("result")[4 + code] == forfeited
        assert per_game("result")[code] == whole.height - forfeited
    by_reason = per_game("route").reshape(len(REASONS), 3, 2)
    for code, reason in enumerate(REASONS):
        here = frame.filter(pl.col("reason").cast(pl.String) == reason)
        assert by_reason[code].sum() == here.height
        assert by_reason[code][:, 1].sum() == here["goal_conflict"].sum()
        for who, role in enumerate(("starter", "second", "none")):
            won = here.filter(pl.col("winner_role").cast(pl.String) == role).height
            assert by_reason[code][who].sum() == won
    for rounds in range(1, 8):
        assert per_game("length")[rounds] == (frame["rounds"] == rounds).sum()
    starts = frame["starter"].cast(pl.String) == "a"
    for seat, role in (("a", "starter"), ("b", "second")):
        mine, other = f"opening_{seat}", f"opening_{'b' if seat == 'a' else 'a'}"
        used = frame.select(pl.when(starts).then(mine).otherwise(other).cast(pl.String))
        for kind, name in enumerate(games.cell.kinds):
            counted = per_game(f"opening {role}").reshape(-1, 3)[kind].sum()
            assert counted == (used.to_series() == name).sum()
    for geisha in range(7):
        a, b = ((frame[f"favor_{seat}"].to_numpy() >> geisha) & 1 for seat in "ab")
        by_holder = per_game(f"geisha {geisha}").reshape(3, 3).sum(0)
        starter = np.where(starts.to_numpy(), a, b).sum()
        assert list(by_holder) == [n - (a | b).sum(), starter, (a | b).sum() - starter]
    assert counts.moments["rounds"].x == frame["rounds"].sum()
    assert counts.moments["charm margin"].x == (frame["charm_a"] - frame["charm_b"]).abs().sum()


def test_fold__does_not_depend_on_chunks_or_their_order():
    games = detailed_games(np.random.default_rng(4), 1000)
    facts = run_facts(games.cell)
    whole = fold([games.part()], facts)[0][0]
    same_counts(fold(list(reversed(games.chunks(64))), facts)[0][0], whole)
    same_counts(fold(games.chunks(333), facts)[0][0], whole)


def test_fold__plain_frame_in_any_order_counts_the_same():
    games = detailed_games(np.random.default_rng(4), 300)
    other = mirror_games(np.random.default_rng(5), 400, cell=1)
    facts = run_facts(games.cell, other.cell)
    frame = pl.concat([pl.from_arrow(g.table()) for g in (games, other)], how="vertical")
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1).lazy()
    found = fold(parts_of(shuffled, None, facts), facts)[0]
    for number, made in enumerate((games, other)):
        same_counts(found[number], fold([made.part()], facts)[0][number])


def test_fold__texts_and_other_integer_types_do_as_well():
    games = detailed_games(np.random.default_rng(4), 50)
    part = games.part()
    plain = part.games.with_columns(
        pl.col(pl.Categorical).cast(pl.String), pl.col("rounds", "seating").cast(pl.Int64)
    )
    same_counts(
        count_part(replace(part, games=plain), games.cell)[0], count_part(part, games.cell)[0]
    )


def test_fold__forfeits_are_the_reasons_that_say_so():
    assert [r.startswith("forfeit") for r in REASONS].index(True) == FIRST_FORFEIT


def test_fold__names_are_the_engines():
    codes = pytest.importorskip("hanamikoji.engine.codes")
    assert codes.OUTCOMES == OUTCOMES
    assert codes.REASONS == REASONS


def test_fold__unit_scores_are_the_starters_in_quarters():
    games = Games(cell_facts(b="greedy"), np.array([0, 0, 1, 1, 0, 2, 3, 1]))
    assert list(count_part(games.part(), games.cell)[1]) == [4, 0, 3, 1]
    mirror = Games(cell_facts(), np.array([0, 1, 2, 3]))
    assert list(count_part(mirror.part(), mirror.cell)[1]) == [4, 0, 2, 2]


def shared_sums(one, two, chunk_one, chunk_two, sweep=None):
    facts = run_facts(one.cell, two.cell, sweep=sweep)
    parts = one.chunks(chunk_one) + two.chunks(chunk_two)
    return fold(parts, facts)[1].between(one.cell.cell, two.cell.cell)


@pytest.mark.parametrize("sweep", [None, {}])
@pytest.mark.parametrize(("chunk_one", "chunk_two"), [(100, 100), (64, 63), (100, 37), (999, 10)])
def test_pairing__sums_over_shared_deals_whatever_the_chunks(chunk_one, chunk_two, sweep):
    rng = np.random.default_rng(8)
    one = pair_games(rng, 500, luck=0.3)
    two = pair_games(rng, 380, luck=0.3, cell=1, variant="other")
    x, y = (count_part(g.part(), g.cell)[1].astype(int) for g in (one, two))
    found = shared_sums(one, two, chunk_one, chunk_two, sweep)
    assert found.n == 380
    assert (found.x, found.y) == (x[:380].sum(), y.sum())
    assert (found.xx, found.xy, found.yy) == (
        (x[:380] ** 2).sum(),
        (x[:380] * y).sum(),
        (y * y).sum(),
    )


def test_pairing__reads_the_same_from_either_side():
    rng = np.random.default_rng(8)
    one, two = mirror_games(rng, 50), mirror_games(rng, 50, cell=1, variant="other", edge=0.2)
    facts = run_facts(one.cell, two.cell)
    paired = fold([one.part(), two.part()], facts)[1]
    there, back = paired.between(0, 1), paired.between(1, 0)
    assert (there.x, there.yy, there.xy) == (back.y, back.xx, back.xy)
    assert score_correlation(there) == pytest.approx(score_correlation(back))


def test_pairing__other_seeds_and_match_ups_share_no_deals():
    rng = np.random.default_rng(8)
    base = mirror_games(rng, 50)
    reseeded = mirror_games(rng, 50, cell=1, variant="other", seed=8)
    other = pair_games(rng, 50, cell=2, variant="other")
    paired = fold(
        [g.part() for g in (base, reseeded, other)],
        run_facts(base.cell, reseeded.cell, other.cell),
    )[1]
    assert not paired.sums


def test_pairing__holds_few_parts_at_a_time():
    rng = np.random.default_rng(8)
    cells = [mirror_games(rng, 640, cell=i, variant=f"v{i}") for i in range(12)]
    facts = run_facts(*(g.cell for g in cells))
    paired = PairedScores(facts)
    most = 0
    for part in paired.order(p for g in cells for p in g.chunks(64)):
        paired.add(part, count_part(part, facts.cells[part.cell])[1])
        most = max(most, sum(len(held) for held in paired._held.values()))
    assert most == 1
    assert all(paired.between(0, i).n == 640 for i in range(1, 12))


def test_pairing__holds_no_parts_of_match_ups_that_are_done_with():
    rng = np.random.default_rng(8)
    names = [f"agent {i}" for i in range(10)]
    cells = [
        mirror_games(rng, 64, cell=2 * i + j, variant=variant, a=name, b=name)
        for j, variant in enumerate(("base", "other"))
        for i, name in enumerate(names)
    ]
    facts = run_facts(*(g.cell for g in cells))
    by_number = {g.cell.cell: g.cell for g in cells}
    paired = PairedScores(facts)
    most = 0
    for part in paired.order(g.part() for g in cells):
        paired.add(part, count_part(part, by_number[part.cell])[1])
        most = max(most, sum(len(held) for held in paired._held.values()))
    assert most == 1
    assert all(paired.between(2 * i, 2 * i + 1).n == 64 for i in range(10))


def refused(part, facts, *words):
    with pytest.raises(ResultsError) as caught:
        fold(part if isinstance(part, list) else [part], facts)
    for word in words:
        assert word in str(caught.value)


def test_fold__refuses_parts_that_are_not_what_they_claim():
    games = pair_games(np.random.default_rng(1), 40)
    facts, part = run_facts(games.cell), games.part()
    refused(replace(part, last=41), facts, "cell 0", "deals 0 to 40")
    refused(replace(part, first=1), facts, "deals 1 to 39")
    refused(replace(part, games=part.games.reverse()), facts, "in order")
    refused(replace(part, games=part.games.drop("rounds")), facts, "rounds")
    odd = part.games.with_columns(pl.lit("draw").alias("outcome"))
    refused(replace(part, games=odd), facts, "cell 0, deals 0 to 39")
    refused(replace(part, cell=3), facts, "cell 3", "plan")


def test_fold__refuses_deals_that_are_there_twice():
    games = pair_games(np.random.default_rng(1), 40)
    again = replace(games, first=30)
    refused([games.part(), again.part()], run_facts(games.cell), "deals 30 to 39", "twice")


def test_fold__refuses_a_truncated_file(tmp_path):
    games = mirror_games(np.random.default_rng(1), 40)
    path = tmp_path / "games.parquet"
    pl.from_arrow(games.table()).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    refused(Part(0, 0, 40, pl.scan_parquet(path)), run_facts(games.cell), "can't read", "cell 0")
