"""What a report says: the verdict first, and each section only where its data are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hanamikoji.report.document import Chart, Code, Document, Items, Paragraph, Section, Table
from hanamikoji.report.sections import build_document
from hanamikoji.report.sections.verdict import extended, round_up
from hanamikoji.report.source import Origin
from hanamikoji.stats import Summary, summarise_parts
from report.made_up import made_up, origin, with_rounds
from stats.simulated import Games, cell_facts, mirror_games, pair_games, run_facts

ALWAYS = ["Verdict", "Starter and second", "Length", "How games end", "Geishas", "Actions"]


def tables_of(section: Section) -> list[Table]:
    """All tables of a section, those of charts included."""
    blocks = (b.table if isinstance(b, Chart) else b for b in section.blocks)
    return [block for block in blocks if isinstance(block, Table)]


def words(document: Document) -> str:
    """All text of a document, for what must be said somewhere."""
    found = [document.headline]
    for section in document.sections:
        found.append(section.title)
        for block in section.blocks:
            if isinstance(block, Paragraph | Code):
                found.append(block.text)
            elif isinstance(block, Items):
                found += block.texts
            elif isinstance(block, Chart):
                found += [block.title, block.text]
        for table in tables_of(section):
            found.append(table.caption)
            found += [cell.text for row in table.rows for cell in row]
    return "\n".join(found)


def report_of(*games: Games, margin: float = 0.01, origins=None) -> Document:
    facts = run_facts(*(g.cell for g in games), margin=margin)
    summary = summarise_parts([g.part() for g in games], facts)
    names = [g.cell.variant for g in games]
    return build_document(summary, origins or (replace(origin(names, ["random"]), failures=()),))


def edge_of(wins: int, games: int, **facts: object) -> Games:
    return Games(cell_facts(**facts), (np.arange(games) >= wins).astype(np.int64))


@pytest.mark.parametrize(
    ("wins", "headline", "tone"),
    [
        (50_000, "Balanced at the level of x: base. Margin ±1 pp.", "balanced"),
        (
            53_000,
            "Unbalanced at the level of x: base (starter favoured). Margin ±1 pp.",
            "unbalanced",
        ),
        (
            47_000,
            "Unbalanced at the level of x: base (second favoured). Margin ±1 pp.",
            "unbalanced",
        ),
        (51_000, "Undecided at the level of x: base. Margin ±1 pp.", "undecided"),
    ],
)
def test_headline__says_the_verdict(wins, headline, tone):
    found = report_of(edge_of(wins, 100_000, a="x", b="x"))
    assert (found.headline, found.tone) == (headline, tone)


def test_headline__a_variant_is_balanced_only_at_every_level_of_play():
    cells = [
        edge_of(50_000, 100_000, cell=0, variant="fair", a="x", b="x"),
        edge_of(50_001, 100_000, cell=1, variant="fair", a="y", b="y"),
        edge_of(50_000, 100_000, cell=2, variant="mixed", a="x", b="x"),
        edge_of(46_000, 100_000, cell=3, variant="mixed", a="y", b="y"),
    ]
    found = report_of(*cells)
    assert found.headline == (
        "Balanced at the level of x and y: fair. Unbalanced: mixed (second favoured). Margin ±1 pp."
    )
    assert found.tone == "unbalanced"
    items, levels = (b for b in found.sections[0].blocks if isinstance(b, Items))
    assert levels.texts[0].startswith("fair: the starter's score by level of play: x 50.00 % (")
    assert levels.texts[0].endswith("these agree within noise, which proves nothing.")
    assert levels.texts[1].endswith("these differ beyond noise.")
    assert items.texts[3].startswith("mixed, y: unbalanced, favouring the second; the starter's ")
    assert "\N{MINUS SIGN}4.0" in items.texts[3]


def test_headline__says_why_there_is_no_verdict():
    found = report_of(Games(cell_facts(), np.full(6000, 3)))
    assert found.headline == (
        "Undecided at the level of random play, unfit for a verdict: base (6,000 unfinished of "
        "6,000 games could change it). Margin ±1 pp."
    )
    assert "would decide" not in words(found)
    assert not any(isinstance(b, Code) for b in found.sections[0].blocks)


def test_headline__rests_on_near_even_cells():
    rng = np.random.default_rng(1)
    even = edge_of(50_000, 100_000, cell=0, a="x", b="x")
    unequal = pair_games(rng, 20_000, skill=0.45, cell=1, a="x", b="y")
    found = report_of(even, unequal)
    assert found.headline == "Balanced at the level of x: base. Margin ±1 pp."
    assert "x vs y: undecided, too one-sided to tell, x scores 9" in words(found)
    assert "Elo" in words(found)
    alone = report_of(replace(unequal, cell=replace(unequal.cell, cell=0)))
    level = "at the level of x and y"
    assert alone.headline.startswith(f"Undecided {level}: base (too one-sided to tell, x scores 9")


def test_headline__of_many_verdicts_tells_their_risk():
    cells = [edge_of(50_000, 100_000, cell=i, variant=f"v{i}") for i in range(6)]
    assert "6 verdicts, each wrong with a probability of up to 5 %: up to 0.3 wrong" in (
        report_of(*cells).headline
    )
    assert "verdicts, each" not in report_of(*cells[:4]).headline


def test_verdict__tells_of_many_games_without_a_winner():
    games = mirror_games(np.random.default_rng(1), 5000, shared=0.08)
    assert "% of games shared" in words(report_of(games))
    few = mirror_games(np.random.default_rng(1), 5000, shared=0.02)
    assert "% of games shared" not in words(report_of(few))


def test_verdict__advises_the_command_to_type():
    undecided = edge_of(508, 1000)
    made = replace(origin(["base"], ["random"]), failures=())
    for state, advised in (("finished", 1), ("interrupted", 0)):
        found = report_of(undecided, origins=(replace(made, state=state),))
        codes = [b.text for b in found.sections[0].blocks if isinstance(b, Code)]
        assert len(codes) == advised
    assert extended("hanamikoji run x.toml --games 50 --out 'a b'", 400) == (
        "hanamikoji run x.toml --out 'a b' --games 400 --resume"
    )
    assert (
        extended("hanamikoji run x.toml --games=50", 6)
        == "hanamikoji run x.toml --games 6 --resume"
    )
    assert [round_up(n) for n in (7, 23, 100, 101, 45_671)] == [8, 24, 100, 110, 46_000]


def test_seats__unfinished_games_are_not_shared_ones():
    games = Games(cell_facts(), np.array([0, 1, 2, 2, 3, 3, 3, 0]))
    assert "2 / 2 / 1 + 3" in words(report_of(games))


def test_actions__no_score_is_named_that_rests_on_few_games():
    rng = np.random.default_rng(1)
    few = words(report_of(mirror_games(rng, 80)))
    assert "too few to name the highest score" in few
    many = words(report_of(mirror_games(rng, 800)))
    assert "games, the opening base/secret goes with the highest score" in many


def test_verdict__undecided_says_how_many_more_games():
    (items,) = (b for b in report_of(edge_of(508, 1000)).sections[0].blocks if isinstance(b, Items))
    assert "undecided" in items.texts[0]
    assert "more games would decide" in items.texts[0]


def test_document__of_one_mirror_has_no_section_without_data():
    rng = np.random.default_rng(1)
    titles = [s.title for s in report_of(mirror_games(rng, 500)).sections]
    assert titles == [*ALWAYS, "Tension", "Methods", "Origin"]


def test_document__of_everything_has_all_sections():
    titles = [s.title for s in build_document(*made_up()).sections]
    assert titles == [
        "Verdict",
        "Starter and second",
        "Levels of play",
        "Against the baseline base",
        "Sweep",
        "Who beats whom",
        "Ratings",
        "Length",
        "How games end",
        "Geishas",
        "Actions",
        "Tension",
        "Failures",
        "Methods",
        "Origin",
    ]


def test_document__of_no_games():
    facts = run_facts(cell_facts())
    empty = Summary(facts, (), (), (), (), (), None)
    found = build_document(empty, (origin(["base"], ["random"]),))
    assert (found.headline, found.tone) == ("No games have been played yet.", "none")


def test_document__what_needs_rounds_says_what_to_record():
    rng = np.random.default_rng(1)
    without = words(report_of(mirror_games(rng, 50)))
    assert 'record = ["rounds"]' in without
    recorded = words(build_document(*with_rounds()))
    assert 'record = ["rounds"]' not in recorded
    for text in ("Round 1: how often", "base/secret > base/trade-off", "moves the charm lead"):
        assert text in recorded
        assert text not in without


def test_document__an_unfinished_run_says_so():
    rng = np.random.default_rng(1)
    going: Origin = replace(origin(["base"], ["random"]), state="interrupted", games=1000)
    found = report_of(mirror_games(rng, 50), origins=(going,))
    first = found.sections[0].blocks[0]
    assert isinstance(first, Paragraph)
    assert first.text.startswith("This run is not finished: 50 of 1,000 games")


def test_failures__tally_sensitivity_and_replay():
    rng = np.random.default_rng(1)
    games = pair_games(rng, 200)
    games.columns = {"reason": np.where(np.arange(400) % 40 == 0, 7, 0)}
    failed = origin(["base"], ["random", "greedy"])
    found = report_of(games, origins=(failed,))
    (section,) = (s for s in found.sections if s.title == "Failures")
    tally, without = tables_of(section)
    kinds = {row[2].text for row in tally.rows}
    assert kinds == {"forfeit-error"}
    assert sum(int(row[3].text) for row in tally.rows) == 10
    assert "verdict without" in [c.title for c in without.columns]
    assert "hanamikoji replay results/random --cell 0 --deal 17 --seating 1" in words(found)


def test_failures__unfinished_games_are_told():
    games = mirror_games(np.random.default_rng(1), 100)
    games.winner[:7] = 3
    assert "7 games (7.0 %) reached the round limit" in words(report_of(games))


def test_variants__difference_and_pairing():
    rng = np.random.default_rng(5)
    base = mirror_games(rng, 2000)
    flipped = base.winner.copy()
    flipped[:100] = 0
    other = Games(cell_facts(cell=1, variant="other"), flipped)
    found = report_of(base, other)
    (section,) = (s for s in found.sections if s.title.startswith("Against"))
    (table, *_) = tables_of(section)
    gained = (flipped == 0).mean() - (base.winner == 0).mean()
    assert table.rows[0][0].text == "other"
    assert table.rows[0][1].key == pytest.approx(gained)
    assert table.rows[0][5].text == "2,000"
    saved = table.rows[0][7]
    assert saved.key is not None
    assert saved.key > 10


def test_lists__of_many_cells_are_cut_and_say_so():
    summary, origins = made_up(tuple(f"v{i}" for i in range(40)), ("random",), 40)
    found = build_document(summary, origins, listed=10)
    (section,) = (s for s in found.sections if s.title == "Starter and second")
    (table,) = tables_of(section)
    assert len(table.rows) == 10
    assert "Shown: 10 of 40 cells, those with the largest edges" in table.caption
    edges = sorted((abs(c.starter.edge) for c in summary.cells), reverse=True)
    assert sorted((abs(r[2].key - 0.5) for r in table.rows), reverse=True) == pytest.approx(
        edges[:10]
    )


def test_charts__have_points_text_and_a_table():
    for section in build_document(*made_up()).sections:
        for block in section.blocks:
            if isinstance(block, Chart):
                assert block.points, block.title
                assert block.text.endswith(".")
                assert isinstance(block.table, Table)
                assert all(
                    p.low is None or p.high is None or p.low <= p.value <= p.high
                    for p in block.points
                )


def test_tables__rows_fit_their_columns():
    for document in (build_document(*made_up()), build_document(*with_rounds())):
        for section in document.sections:
            for table in tables_of(section):
                assert {len(row) for row in table.rows} <= {len(table.columns)}


def test_ladder__orders_agents_and_tells_the_trend():
    cells = [
        edge_of(50_000, 100_000, cell=0, a="weak", b="weak"),
        edge_of(54_000, 100_000, cell=1, a="strong", b="strong"),
    ]
    found = report_of(*cells)
    (section,) = (s for s in found.sections if s.title == "Levels of play")
    (chart,) = (b for b in section.blocks if isinstance(b, Chart))
    assert [p.label for p in chart.points] == ["weak", "strong"]
    assert "goes from 0.00 to +4.00 pp, further from fair as play improves" in chart.text
