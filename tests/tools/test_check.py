"""The check: good agents pass, each bad one gets a sentence that says what is wrong."""

from __future__ import annotations

import re

import pytest

from hanamikoji.errors import AgentError, HanamikojiError, PluginError
from hanamikoji.rules import PRESETS, load_rules
from hanamikoji.testing import check_agent
from hanamikoji.tools.check import check_variants

FEW = {"base": load_rules("base"), "serendipity": load_rules("serendipity")}

pytestmark = [pytest.mark.usefixtures("bad"), pytest.mark.jit]


def failing(agent: str, **options: object) -> str:
    with pytest.raises(HanamikojiError) as caught:
        check_agent(agent, options, variants=FEW, deals=8)
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert caught.value.exit_code == (3 if isinstance(caught.value, AgentError) else 2)
    return sentence


@pytest.mark.parametrize("agent", ["steady-plain", "steady-batched", "steady-compiled"])
def test_good_agents__pass(agent: str) -> None:
    report = check_agent(agent, {"shift": 2}, variants=FEW, deals=4)
    assert [row.variant for row in report.variants] == ["base", "serendipity"]
    for row in report.variants:
        assert row.games == 12 and row.decisions > 12 * 6
        assert 0 <= row.score <= 1 and row.microseconds > 0
    told = str(report)
    assert told.startswith(f"agent '{agent}', {agent[7:]}, of bad-agents 1.0, with shift = 2\n")
    assert re.search(r"^serendipity +12 +\d+ +\d\.\d\d \+- \d\.\d\d +[\d,.]+$", told, re.MULTILINE)


def test_check__plays_all_presets_and_5_to_16_geishas() -> None:
    variants = check_variants()
    assert set(PRESETS) < set(variants)
    sizes = {len(rules.charm) for rules in variants.values()}
    assert {5, 7, 9, 16} <= sizes
    report = check_agent("steady-compiled", deals=1)
    assert [row.variant for row in report.variants] == list(variants)


@pytest.mark.parametrize(
    ("agent", "what"),
    [
        ("illegal", "answered 1000000, which is no legal move, in deal .*"),
        ("text", "answered with str where a move's id belongs in deal .*"),
        ("raises", "raised ValueError: no idea at all in deal .*"),
        ("batch-short", r"answered with an array of int64 of shape \(0,\) .* in deal .*"),
        ("kernel-illegal", "answered 1000000, which is no legal move, in deal .*"),
        ("kernel-huge", "answered -1, which is no legal move, in deal .*"),
        ("kernel-raises", "raised an exception in deal .*"),
        ("scribbles", "wrote into its observation"),
        ("batch-scribbles", "wrote into its argument ids"),
        ("redraws", "wrote into the rules' tables"),
        ("kernel-scribbles", "wrote into its observation"),
        ("kernel-forgets", "wrote into its numbers, which are read-only"),
    ],
)
def test_bad_agents__are_told_on(agent: str, what: str) -> None:
    assert re.fullmatch(f"agent '{agent}' {what}, under the rules 'base'", failing(agent))


@pytest.mark.parametrize(
    ("agent", "how"),
    [
        ("remembers", "in batches of 7"),
        ("averages", "in batches of 7"),
        ("kernel-recalls", "in batches of 7"),
        ("hashes", "in another process"),
    ],
)
def test_memory__is_told_on(agent: str, how: str) -> None:
    sentence = failing(agent)
    start = f"agent '{agent}' doesn't always decide alike: under the rules "
    assert sentence.startswith(start)
    assert re.search(rf"in deal \d+, seating \d, .* it chose \d+, but \d+ {how};", sentence)


def test_tables__are_mended() -> None:
    """They are shared by all agents of the process."""
    failing("redraws")
    check_agent("steady-plain", variants=FEW, deals=2)


def test_unprepared__names_the_rules() -> None:
    assert failing("unprepared").endswith("nothing of the kind, under the rules 'base'")


def test_unknown__is_a_plugin_error() -> None:
    for name in ("gredy", " greedy", ""):
        with pytest.raises(PluginError, match=r"must be one of .*greedy"):
            check_agent(name)
