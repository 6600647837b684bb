"""What stands beside a verdict: levels, trainings, bands and exact values."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hanamikoji.report.assurances import DISAGREE, assured, find_assurances, renamed
from hanamikoji.report.document import Document, Items, Paragraph
from hanamikoji.report.flat import rows_of
from hanamikoji.report.schema import to_json
from hanamikoji.report.sections import build_document
from hanamikoji.results import (
    Assurance,
    ExactValue,
    Probe,
    SeatScore,
    TrainedMirror,
    Trainings,
    write_assurance,
    write_probe,
)
from hanamikoji.results.probes import FRESH, SEARCH
from hanamikoji.stats import AgentFacts, Summary, summarise_parts
from hanamikoji.stats.bands import SHORTFALL
from report.made_up import attack, origin
from stats.simulated import Games, cell_facts, run_facts


def summary_of(
    *mirrors: str, wins: float = 0.5, variant: str = "C", agents: tuple[AgentFacts, ...] = ()
) -> Summary:
    """Mirrors of agents in one variant, whose starter wins such a share of 100,000 games."""
    games = [
        Games(
            cell_facts(i, variant, name, name), (np.arange(100_000) >= wins * 100_000).astype(int)
        )
        for i, name in enumerate(mirrors)
    ]
    known = agents or tuple(AgentFacts(name, name) for name in mirrors)
    return summarise_parts(
        [g.part() for g in games], run_facts(*(g.cell for g in games), agents=known)
    )


def trained(seed: int, score: float, half: float = 0.007) -> TrainedMirror:
    return TrainedMirror(seed, f"w{seed}", 20_000, SeatScore(score, score - half, score + half))


def kept(folder: Path, *scores: float, exact: float | None = None, variant: str = "C") -> Assurance:
    """An assurance in a folder: of two trainings with such scores, and of an exact value."""
    trainings = (
        (Trainings("learned", trained(1, scores[0]), trained(2, scores[1]), 30.0),)
        if scores
        else ()
    )
    value = None if exact is None else ExactValue(exact - 1e-5, exact + 1e-5, 0.4)
    found = Assurance(f"hash-{variant}", value, "" if value else "too large", trainings)
    write_assurance(folder, found)
    return found


def reported(folder: Path, summary: Summary) -> tuple[Summary, Document]:
    found = find_assurances(folder, summary.facts)
    where = replace(origin(["C"], ["learned"]), assurances=found, failures=())
    told = assured(summary, found)
    return told, build_document(told, (where,))


def lines_of(document: Document) -> list[str]:
    return [
        text
        for block in document.sections[0].blocks
        if isinstance(block, Items | Paragraph)
        for text in (block.texts if isinstance(block, Items) else [block.text])
    ]


# --- levels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agents", "level"),
    [
        ([("learned", {})], "learned"),
        ([("learned", {}), ("search", {})], "learned and search"),
        ([("greedy", {}), ("learned", {})], "learned"),
        ([("search", {"guide": "none"}), ("learned", {})], "learned"),
        ([("search", {"guide": "none"})], "search play, unfit for a verdict"),
        ([("greedy", {})], "greedy play, unfit for a verdict"),
        ([("random", {}), ("greedy", {})], "random and greedy play, unfit for a verdict"),
    ],
)
def test_headline__names_the_levels_that_the_verdict_rests_on(agents, level) -> None:
    facts = tuple(AgentFacts(name, name, options=options) for name, options in agents)
    summary = summary_of(*(name for name, _ in agents), agents=facts)
    found = build_document(summary, (replace(origin(["C"], ["x"]), failures=()),))
    assert found.headline == f"Balanced at the level of {level}: C. Margin ±1 pp."


def test_headline__greedy_play_has_no_say_beside_learned() -> None:
    learned = summary_of("learned").cells[0]
    both = summary_of("learned", "greedy", wins=0.56)
    summary = replace(both, cells=(learned, both.cells[1]))
    found = build_document(summary, (replace(origin(["C"], ["x"]), failures=()),))
    assert (found.headline, found.tone) == (
        "Balanced at the level of learned: C. Margin ±1 pp.",
        "balanced",
    )
    assert any(
        line.startswith("Verdicts on greedy play are no verdicts") for line in lines_of(found)
    )


# --- trainings ------------------------------------------------------------------------------------


def test_trainings__that_disagree_leave_the_verdict_undecided(tmp_path: Path) -> None:
    kept(tmp_path, 0.422, 0.573)
    summary, document = reported(tmp_path, summary_of("learned", wins=0.422))
    (cell,) = summary.cells
    assert (cell.verdict.decision, cell.verdict.favours) == ("undecided", None)
    assert cell.verdict.withheld == DISAGREE
    assert document.headline == (
        f"Undecided at the level of learned: C ({DISAGREE}). Margin ±1 pp."
    )
    assert document.tone == "undecided"
    lines = lines_of(document)
    assert lines[0].startswith(f"C, learned: undecided, {DISAGREE}; the starter's edge is ")
    assert (
        "C, two independent trainings of learned: the starter scores 42.20 % (41.50 to 42.90) from "
        "seed 1 and 57.30 % (56.60 to 58.00) from seed 2 in 20,000 games each, +15.10 pp apart (95 "
        "% CI +14.11 to +16.09), beyond noise."
    ) in lines


def test_trainings__that_agree_change_nothing(tmp_path: Path) -> None:
    kept(tmp_path, 0.422, 0.424)
    before = summary_of("learned", wins=0.422)
    summary, document = reported(tmp_path, before)
    assert summary == before
    assert any(line.endswith("within noise.") for line in lines_of(document))


def test_trainings__another_one_may_contradict_the_runs_own_games(tmp_path: Path) -> None:
    """The two mirrors alone are within noise, but the run's many games are sure."""
    kept(tmp_path, 0.508, 0.514)
    summary, _ = reported(tmp_path, summary_of("learned", wins=0.5))
    assert summary.cells[0].verdict.withheld == DISAGREE


def test_trainings__a_search_beside_them_does_not_settle_it(tmp_path: Path) -> None:
    kept(tmp_path, 0.422, 0.573)
    _, document = reported(tmp_path, summary_of("learned", "search", wins=0.422))
    assert document.headline.startswith("Undecided at the level of learned and search: C (")


# --- bands and exact values -----------------------------------------------------------------------


def probe(agent: str, *attacks) -> Probe:
    return Probe(agent, "1", {}, "hash-C", 1000, 50, 1, attacks, "w1", 12.0)


def test_band__is_of_all_agents_that_were_attacked_under_the_rules(tmp_path: Path) -> None:
    kept(tmp_path)
    write_probe(tmp_path, probe("learned", attack(FRESH, 20_000, 0.6, 0.01)))
    write_probe(tmp_path, probe("absent", attack(SEARCH, 20_000, 0.52, 0.01)))
    other = replace(probe("elsewhere", attack(FRESH, 20_000, 0.5, 0.01)), rules="other")
    write_probe(tmp_path, other)
    (found,) = find_assurances(tmp_path, summary_of("learned").facts)
    assert found.attacked == ("absent", "learned")
    assert found.band.high == pytest.approx(0.52 + 0.02 + 0.02 + SHORTFALL)
    assert found.band.low == pytest.approx(1 - (0.52 - 0.02 + 0.02) - SHORTFALL)
    assert (found.attacks, found.attack_seconds) == (2, 24.0)
    _, document = reported(tmp_path, summary_of("learned"))
    assert (
        "C: under perfect play the starter scores 46 to 58 %, estimated by 2 attacks on absent, "
        "learned that took 24 s."
    ) in lines_of(document)


def test_exact_value__stands_instead_of_the_band_with_its_own_verdict(tmp_path: Path) -> None:
    kept(tmp_path, exact=0.5161)
    write_probe(tmp_path, probe("learned", attack(FRESH, 20_000, 0.6, 0.01)))
    _, document = reported(tmp_path, summary_of("learned"))
    assert document.headline == (
        "Balanced at the level of learned: C. Margin ±1 pp. Under perfect play, C is unbalanced "
        "(51.61 % for the starter)."
    )
    lines = lines_of(document)
    assert (
        "C: under perfect play the starter scores 51.61 % (solved in 0.4 s), outside the margin of "
        "±1 pp."
    ) in lines
    assert not any("estimated by 1 attack" in line for line in lines)


def test_report_files__carry_what_is_known(tmp_path: Path) -> None:
    kept(tmp_path, 0.5, 0.51, exact=0.5161)
    summary = summary_of("learned", "greedy")
    found = find_assurances(tmp_path, summary.facts)
    origins = (replace(origin(["C"], ["learned"]), assurances=found),)
    learned, greedy = rows_of(summary, origins)
    assert learned["fit_for_verdict"] and not greedy["fit_for_verdict"]
    assert (learned["value_known_by"], learned["value_verdict"]) == ("solving", "unbalanced")
    assert learned["value_low"] == pytest.approx(0.51609)
    assert learned["trainings_difference"] == pytest.approx(0.01)
    assert greedy["trainings_difference"] is None
    assert list(learned) == list(greedy)
    table = json.loads(to_json("verdict", "none", summary, origins))
    (about,) = table["origins"][0]["assurances"]
    assert about["exact"]["low"] == pytest.approx(0.51609)
    assert about["trainings"][0]["spread"]["difference"] == pytest.approx(0.01)


def test_rows__band_of_a_variant_that_is_not_solved(tmp_path: Path) -> None:
    write_probe(tmp_path, probe("learned", attack(FRESH, 20_000, 0.6, 0.01)))
    summary = summary_of("learned")
    found = find_assurances(tmp_path, summary.facts)
    (row,) = rows_of(summary, (replace(origin(["C"], ["learned"]), assurances=found),))
    assert (row["value_known_by"], row["value_verdict"]) == ("attacks", None)
    assert row["value_high"] == pytest.approx(0.64 + SHORTFALL)


def test_find_assurances__what_can_not_be_read_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "assurance-hash-C.json").write_text("{")
    (tmp_path / "probe-x.json").write_text("{")
    assert find_assurances(tmp_path, summary_of("learned").facts) == ()


def test_renamed__drops_variants_without_a_name(tmp_path: Path) -> None:
    kept(tmp_path, exact=0.5)
    found = find_assurances(tmp_path, summary_of("learned").facts)
    assert [each.variant for each in renamed(found, {"C": "C (one)"})] == ["C (one)"]
    assert renamed(found, {}) == ()
