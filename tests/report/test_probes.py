"""Probes beside the verdict: which are quoted, in which words, and what becomes of the others."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from hanamikoji.report.compare import merge
from hanamikoji.report.document import Items, Paragraph, Table
from hanamikoji.report.markdown import to_markdown
from hanamikoji.report.page import to_html
from hanamikoji.report.probes import FoundProbes, find_probes
from hanamikoji.report.schema import to_json
from hanamikoji.report.sections import build_document
from hanamikoji.report.sections.probes import probe_blocks
from hanamikoji.report.source import Source
from hanamikoji.report.terminal import show_document
from hanamikoji.results import Probe, write_probe
from hanamikoji.results.probes import FRESH, SEARCH, WARM
from hanamikoji.stats import AgentFacts, RunFacts
from report.made_up import attack, made_up, origin, probes_of
from stats.simulated import cell_facts, mirror_games, run_facts

FOUND = Probe(
    "learned",
    "0.1.0",
    {"effort": "quick"},
    "hash-base",
    500_000,
    400,
    1,
    (
        attack(FRESH, 20_000, 0.45, 0.01),
        attack(WARM, 20_000, 0.55, 0.01),
        attack(SEARCH, 1000, 0.61, 0.03),
    ),
    "a1b2",
)
WEIGHTS = {("learned-quick", name): "a1b2" for name in ("base", "same")} | {
    ("learned-quick", "other"): "c3d4"
}


def facts(**changes: object) -> RunFacts:
    """Two agents, one of them learned, in two variants with the same rules and one with others."""
    cells = (
        cell_facts(0, "base", "greedy", "learned-quick"),
        cell_facts(1, "same", "learned-quick", "learned-quick", rules_hash="hash-base"),
        cell_facts(2, "other", "learned-quick", "learned-quick"),
        cell_facts(3, "greedy's", "greedy", "greedy"),
    )
    learned = AgentFacts("learned-quick", "learned", "0.1.0", {"effort": "quick"})
    return run_facts(*cells, agents=(AgentFacts("greedy", "greedy"), replace(learned, **changes)))


def test_find_probes__quotes_what_is_of_this_run(tmp_path: Path) -> None:
    path = write_probe(tmp_path, FOUND)
    path.rename(tmp_path / "probe.json")
    (tmp_path / "manifest.json").touch()
    found = find_probes(tmp_path, facts(), WEIGHTS)
    assert found.left_out == ()
    (quote,) = found.quoted
    assert (quote.file, quote.bound, quote.probe) == ("probe.json", 0.58, FOUND)
    assert (quote.agents, quote.variants) == (("learned-quick",), ("base", "same"))


@pytest.mark.parametrize(
    ("probe", "changes"),
    [
        ({"rules": "hash-greedy's"}, {}),
        ({"agent": "search"}, {}),
        ({"weights": "c3d4"}, {}),
        ({"weights": ""}, {}),
        ({}, {"version": "0.2.0"}),
        ({}, {"options": {"effort": "long"}}),
    ],
)
def test_find_probes__other_agents_count_for_the_band_alone(tmp_path, probe, changes) -> None:
    path = write_probe(tmp_path, replace(FOUND, **probe))
    found = find_probes(tmp_path, facts(**changes), WEIGHTS)
    assert found.quoted == ()
    (sentence,) = found.left_out
    assert sentence.startswith(f"{path.name} counts for the band alone: ")


def test_find_probes__leaves_out_other_rules(tmp_path: Path) -> None:
    path = write_probe(tmp_path, replace(FOUND, rules="hash-of-nothing-here"))
    found = find_probes(tmp_path, facts(), WEIGHTS)
    assert (found.quoted, found.left_out) == (
        (),
        (f"{path.name} is not used: nothing is played by its rules in this run.",),
    )


def test_bounds__are_the_highest_of_each_agent_and_variant(tmp_path: Path) -> None:
    write_probe(tmp_path, FOUND)
    attacks = (attack(SEARCH, 1000, 0.66, 0.03),)
    write_probe(tmp_path, FOUND).rename(tmp_path / "probe-2.json")
    write_probe(tmp_path, replace(FOUND, attacks=attacks))
    bounds = find_probes(tmp_path, facts(), WEIGHTS).bounds()
    assert bounds == {("learned-quick", "base"): 0.63, ("learned-quick", "same"): 0.63}


def test_find_probes__damaged_files_do_not_stop_the_others(tmp_path: Path) -> None:
    write_probe(tmp_path, FOUND)
    (tmp_path / "probe-cut.json").write_text('{"format": 2, "agent"')
    (tmp_path / "probe-x\x1b[31m.json").mkdir()
    found = find_probes(tmp_path, facts(), WEIGHTS)
    assert len(found.quoted) == 1
    cut, folder = found.left_out
    assert cut.endswith(
        "probe-cut.json is damaged, or was not written by hanamikoji probe; not used."
    )
    assert folder.endswith("can't be read: not a plain file; not used.")
    (*_, items) = probe_blocks((replace(origin(["base"], ["learned-quick"]), probes=found),))
    assert items == Items((cut, folder), brief=True)


def test_probe_blocks__give_bound_interval_budget_and_meaning(tmp_path: Path) -> None:
    write_probe(tmp_path, FOUND)
    found = find_probes(tmp_path, facts(), WEIGHTS)
    items, level, table = probe_blocks((replace(origin(["base"], ["x"]), probes=found),))
    assert items == Items(
        (
            "learned-quick in base, same: an attacker scores at least 58.0 %. The best, a "
            "search that knows the agent, scores 61.0 % (95 % CI 58.0 to 64.0) in 1,000 "
            "games after 400 rollouts per decision.",
        ),
        brief=True,
    )
    assert isinstance(level, Paragraph) and level.brief
    assert level.text.startswith("Verdicts hold at this level of play: ")
    assert isinstance(table, Table) and not table.brief
    assert [[cell.text for cell in row[2:]] for row in table.rows] == [
        [FRESH, "500,000 rounds of training", "20,000", "45.0", "44.0 to 46.0"],
        [WARM, "500,000 rounds of training", "20,000", "55.0", "54.0 to 56.0"],
        [SEARCH, "400 rollouts per decision", "1,000", "61.0", "58.0 to 64.0"],
    ]


def test_probe_blocks__nothing_found_is_not_called_optimal() -> None:
    weak = replace(FOUND, attacks=(attack(WARM, 400, 0.49, 0.05),))
    (quote, *_) = probes_of(("base",), ("learned",)).quoted
    quoted = (replace(quote, bound=weak.bound, probe=weak),)
    items, level, _ = probe_blocks(
        (replace(origin(["base"], ["learned"]), probes=FoundProbes(quoted)),)
    )
    assert items.texts == (
        "learned in base: no attack beats it. The best, a warm-started network, scores 49.0 "
        "% (95 % CI 44.0 to 54.0) in 400 games after 500,000 rounds of training.",
    )
    assert "does not prove an agent optimal" in level.text


def test_probe_blocks__the_most_exploitable_comes_first_and_many_are_cut() -> None:
    found = probes_of(("base",), ("a", "b"))
    assert [q.bound for q in found.quoted] == [0.612, 0.5]
    backwards = FoundProbes(found.quoted[::-1] * 10, found.left_out * 20)
    items, _, table, left_out = probe_blocks((replace(origin(["base"], ["a"]), probes=backwards),))
    assert [text[:9] for text in items.texts[:11]] == ["a in base"] * 10 + ["b in base"]
    assert items.texts[12:] == ("8 more; report.json has all.",)
    assert len(table.rows) == 24
    assert left_out.texts[12:] == ("8 more; report.json has all.",)


def test_probe_blocks__none_without_probes() -> None:
    assert probe_blocks((origin(["base"], ["random"]),)) == []


def test_report__quotes_probes_in_every_form_beside_the_verdict() -> None:
    summary, origins = made_up()
    document = build_document(summary, origins)
    out = io.StringIO()
    show_document(document, Console(file=out, width=300, highlight=False, markup=False))
    finding = "random in base: an attacker scores at least 61.2 %. The best, a "
    for text in (out.getvalue(), to_markdown(document), to_html(document)):
        assert finding in text
        assert text.index("Verdict") < text.index(finding) < text.rindex("Starter and second")
    assert "500,000 rounds of training" not in out.getvalue()
    report = json.loads(to_json("verdict", "none", summary, origins))
    quoted, unbeaten = report["origins"][0]["probes"]["quoted"]
    assert (quoted["agents"], quoted["variants"], quoted["bound"]) == (["random"], ["base"], 0.612)
    assert quoted["probe"]["attacks"][1]["low"] == 0.612
    assert unbeaten["bound"] == 0.5


def test_merge__quotes_variants_by_their_new_names() -> None:
    def source(name: str, seed: int) -> Source:
        cell = cell_facts(seed=seed)
        found = replace(origin(["base"], ["random"]), folder=name, failures=())
        found = replace(found, probes=probes_of(("base",), ("random",)))
        games = replace(mirror_games(np.random.default_rng(seed), 10), cell=cell)
        return Source(replace(run_facts(cell), name=name), (games.part(),), found)

    merged = merge([source("one", 1), source("two", 2)])
    assert [o.probes.quoted[0].variants for o in merged.origins] == [
        ("base (one)",),
        ("base (two)",),
    ]
