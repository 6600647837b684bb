from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hanamikoji.errors import ResultsError
from hanamikoji.report.compare import merge
from hanamikoji.report.document import Paragraph
from hanamikoji.report.sections import build_document
from hanamikoji.report.source import Source, VariantOrigin
from hanamikoji.stats import summarise_parts
from report.made_up import origin
from stats.simulated import Games, cell_facts, mirror_games, run_facts


def source(games: Games, folder: str, *, margin: float = 0.01, **more) -> Source:
    cell = games.cell
    facts = replace(run_facts(cell, margin=margin), name=folder)
    found = replace(
        origin([cell.variant], [cell.agent_a], games=len(games.winner)),
        folder=folder,
        failures=(),
        variants=(VariantOrigin(cell.variant, cell.rules_hash, {"actions": [], "charm": []}),),
    )
    return Source(facts, (games.part(),), replace(found, **more))


def two(**second) -> tuple[Games, Games]:
    """Two cells over the same deals, in which the second's starter wins a few games more."""
    one = mirror_games(np.random.default_rng(3), 4000)
    winner = one.winner.copy()
    winner[:200] = 0
    return one, Games(cell_facts(**({"variant": "other"} | second)), winner)


def test_merge__pairs_the_runs_by_deal():
    one, other = two()
    merged = merge([source(one, "first"), source(other, "second")])
    summary = summarise_parts(merged.parts, merged.facts)
    (difference,) = summary.differences
    assert (difference.baseline, difference.variant) == ("base", "other")
    gained = (other.winner == 0).mean() - (one.winner == 0).mean()
    assert difference.difference == pytest.approx(gained)
    assert difference.shared_deals == 4000
    assert difference.saved.value > 10
    assert [o.folder for o in merged.origins] == ["first", "second"]
    assert merged.facts.name == "first and second"


def test_merge__other_seeds_share_no_deals():
    one, other = two(seed=8)
    merged = merge([source(one, "first"), source(other, "second")])
    (difference,) = summarise_parts(merged.parts, merged.facts).differences
    assert difference.shared_deals == 0
    assert difference.correlation is None


def test_merge__one_variant_from_two_seeds_stands_side_by_side():
    one, other = two(variant="base", seed=8)
    merged = merge([source(one, "first"), source(other, "second")])
    assert [c.variant for c in merged.facts.cells] == ["base (first)", "base (second)"]
    assert merged.facts.baseline == "base (first)"


@pytest.mark.parametrize(
    ("second", "more", "complaint"),
    [
        (
            {"variant": "base"},
            {},
            "second has only cells and deals of the runs before",
        ),
        ({"rules_hash": "hash-base"}, {}, "second has only cells and deals of"),
        ({}, {"state": "interrupted"}, "second is not finished; finish it with: hanamikoji run"),
        ({"a": "x", "b": "x"}, {}, "the runs have no match-up in common: first has random"),
    ],
)
def test_merge__refuses_with_a_reason(second, more, complaint):
    one, other = two(**second)
    with pytest.raises(ResultsError) as caught:
        merge([source(one, "first"), source(other, "second", **more)])
    assert complaint in str(caught.value)


def test_merge__one_name_for_two_sets_of_rules_is_told_apart_by_run():
    one, other = two(variant="base", rules_hash="new")
    merged = merge([source(one, "first"), source(other, "second")])
    assert [c.variant for c in merged.facts.cells] == ["base (first)", "base (second)"]
    (difference,) = summarise_parts(merged.parts, merged.facts).differences
    assert difference.shared_deals == 4000


def test_merge__counts_what_two_runs_have_in_common_once():
    one, other = two()
    both = source(other, "second")
    again = replace(one.cell, cell=1)
    both = replace(
        both,
        facts=replace(both.facts, cells=(*both.facts.cells, again)),
        parts=(*both.parts, replace(one.part(), cell=1)),
    )
    merged = merge([source(one, "first"), both])
    assert [(c.cell, c.variant) for c in merged.facts.cells] == [(0, "base"), (1, "other")]
    assert [o.repeats for o in merged.origins] == [0, 1]
    summary = summarise_parts(merged.parts, merged.facts)
    assert [c.games for c in summary.cells] == [4000, 4000]
    document = build_document(summary, merged.origins)
    texts = [b.text for s in document.sections for b in s.blocks if isinstance(b, Paragraph)]
    assert "second: 1 cells also in an earlier run, counted once." in texts


def test_merge__refuses_one_name_for_two_agents():
    one, other = two()
    first, second = source(one, "first"), source(other, "second")
    changed = replace(second.origin.agents[0], options={"depth": 2})
    second = replace(second, origin=replace(second.origin, agents=(changed,)))
    with pytest.raises(
        ResultsError,
        match=r"random is random of .* in first and random of .* with depth = 2 in second",
    ):
        merge([first, second])


def test_merge__other_margins_need_a_choice():
    one, other = two()
    runs = [source(one, "first"), source(other, "second", margin=0.02)]
    with pytest.raises(ResultsError, match=r"have the margins 0\.01 and 0\.02; choose one with"):
        merge(runs)
    assert merge(runs, margin=0.05).facts.margin == 0.05
