"""[sweep] becomes variants, agents and match-ups, or one sentence."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from hanamikoji.errors import ExperimentError, HanamikojiError
from hanamikoji.experiment import Experiment, build_experiment, load_experiment
from hanamikoji.experiment.model import NAME_PATTERN
from hanamikoji.plan import make_plan
from hanamikoji.rules import ACTION_SETS, PRESETS, load_rules

GOALS = {"rules.goals.charm": [10, 11, 12], "rules.goals.geishas": [3, 4]}
MIXES = {
    f"rules.actions.{i}": [ACTION_SETS[name][i].name for name in ("base", "avoid-misfortune")]
    for i in range(4)
}


def swept(sweep: dict[str, Any], **tables: Any) -> Experiment:
    return load_experiment({"name": "x", "agents": ["random"], "sweep": sweep} | tables)


def cells(experiment: Experiment) -> list[tuple[str, str, str]]:
    return [(c.variant, c.agent_a.name, c.agent_b.name) for c in make_plan(experiment).cells]


def test_grid__is_every_value_with_every_other() -> None:
    found = swept({"grid": GOALS})
    assert list(found.variants) == [
        f"charm-{charm}_geishas-{geishas}" for charm in (10, 11, 12) for geishas in (3, 4)
    ]
    rules = found.variants["charm-12_geishas-3"]
    assert rules == load_rules({"goals": {"charm": 12, "geishas": 3}})
    assert found.points is not None
    assert found.points.variants["charm-12_geishas-3"] == {
        "rules.goals.charm": 12,
        "rules.goals.geishas": 3,
    }


def test_grid__sixteen_mixes_of_two_sets() -> None:
    found = swept({"grid": MIXES})
    assert len(found.variants) == len({rules.hash for rules in found.variants.values()}) == 16
    assert next(iter(found.variants)) == "secret_trade-off_gift_competition"
    assert list(found.variants)[-1] == "concede_gift_reveal_transmission"
    both = {name: PRESETS[name].hash for name in ("base", "avoid-misfortune")}
    assert found.variants["secret_trade-off_gift_competition"].hash == both["base"]
    assert found.variants["concede_gift_reveal_transmission"].hash == both["avoid-misfortune"]


def test_zip__keys_change_together() -> None:
    found = swept({"zip": {"rules.max_rounds": [3, 5], "rules.next_starter": ["loser", "winner"]}})
    assert list(found.variants) == [
        "max-rounds-3_next-starter-loser",
        "max-rounds-5_next-starter-winner",
    ]


def test_list__points_of_whatever_keys() -> None:
    found = swept(
        {"list": [{}, {"rules.max_rounds": 3}, {"rules.actions": "wealth", "rules.draw": 1}]}
    )
    assert list(found.variants) == ["base", "max-rounds-3", "actions-wealth_draw-1"]
    assert found.variants["actions-wealth_draw-1"].actions == ACTION_SETS["wealth"]
    assert found.baseline == "base"


def test_forms__are_combined_the_first_slowest() -> None:
    found = swept(
        {
            "zip": {"rules.min_rounds": [1, 2], "rules.max_rounds": [3, 4]},
            "grid": {"rules.preset": ["base", "wealth"]},
        }
    )
    assert list(found.variants) == [
        "min-rounds-1_max-rounds-3_base",
        "min-rounds-1_max-rounds-3_wealth",
        "min-rounds-2_max-rounds-4_base",
        "min-rounds-2_max-rounds-4_wealth",
    ]


def test_longer_keys__go_over_those_that_contain_them() -> None:
    found = swept(
        {"grid": {"rules.actions.0": ["base/secret"], "rules.actions": ["wealth", "base"]}}
    )
    names = [[action.name for action in rules.actions][:2] for rules in found.variants.values()]
    assert names == [["base/secret", "wealth/gift"], ["base/secret", "base/trade-off"]]


def test_own_actions__can_be_swept() -> None:
    bribe = {"cards": 3, "face": "up", "groups": [1, 2], "chooser": "opponent"}
    bribe |= {"chosen_to": "opponent"}
    found = swept(
        {"grid": {"actions.bribe.chosen_to": ["opponent", "out"]}},
        actions={"bribe": bribe},
        rules={"actions": ["base/secret", "base/trade-off", "bribe", "base/competition"]},
    )
    assert list(found.variants) == ["chosen-to-opponent", "chosen-to-out"]
    assert found.variants["chosen-to-out"].actions[2].chosen_to == "out"


def test_variants__each_meets_the_points_that_touch_it() -> None:
    tables = {"a": {}, "b": {"preset": "wealth"}}
    found = swept({"grid": {"rules.goals.charm": [10, 11]}}, variants=tables)
    assert list(found.variants) == ["a_charm-10", "b_charm-10", "a_charm-11", "b_charm-11"]
    assert found.variants["b_charm-10"].actions == ACTION_SETS["wealth"]
    assert found.points is not None
    assert found.points.variants["b_charm-10"] == {"variants": "b", "rules.goals.charm": 10}
    found = swept({"grid": {"variants.b.max_rounds": [2, 3]}}, variants=tables)
    assert list(found.variants) == ["a", "b_max-rounds-2", "b_max-rounds-3"]


def test_agents__an_option_makes_agents_and_no_variants() -> None:
    found = swept(
        {"grid": {"agents.1.budget": [10, 100], "rules.max_rounds": [3, 4]}},
        agents=["random", {"name": "search", "agent": "search"}],
    )
    assert list(found.variants) == ["max-rounds-3", "max-rounds-4"]
    assert [use.name for use in found.agents] == [
        "random",
        "search budget=10",
        "search budget=100",
    ]
    assert found.agents[2].options == {"budget": 100}
    # whom no key touches plays once in each variant
    assert cells(found) == [
        (variant, name, name)
        for variant in ("max-rounds-3", "max-rounds-4")
        for name in ("random", "search budget=10", "search budget=100")
    ]
    assert found.points is not None
    swept_agent = found.points.agents["search budget=100"]
    assert (swept_agent.family, swept_agent.values) == ("search", {"agents.1.budget": 100})


def test_agents__are_named_by_their_own_keys() -> None:
    found = swept(
        {"zip": {"agents.0.depth": [1, 2], "agents.1.width": [3, 4]}},
        agents=["one", "two"],
        matchups=[["one", "two"]],
    )
    assert [cell[1:] for cell in cells(found)] == [
        ("one depth=1", "two width=3"),
        ("one depth=2", "two width=4"),
    ]
    assert found.points is not None
    assert found.points.agents["two width=3"].values == {"agents.1.width": 3}


def test_agents__different_ones_need_no_other_names() -> None:
    found = swept({"grid": {"agents.0": ["random", "greedy"]}})
    assert [use.name for use in found.agents] == ["random", "greedy"]
    assert found.points is not None
    assert found.points.agents["greedy"].family == "agents.0"
    assert found.baseline == "base"


def test_agents__match_ups_go_by_the_names_of_the_file() -> None:
    found = swept(
        {"grid": {"agents.1.budget": [10, 100]}},
        agents=["random", "search"],
        matchups=[["random", "search"], ["search", "search"]],
    )
    assert [cell[1:] for cell in cells(found)] == [
        ("random", "search budget=10"),
        ("search budget=10", "search budget=10"),
        ("random", "search budget=100"),
        ("search budget=100", "search budget=100"),
    ]


def test_match_ups__are_played_where_their_point_is() -> None:
    found = swept(
        {"zip": {"matchups": ["mirror", "round-robin"], "rules.max_rounds": [3, 4]}},
        agents=["random", "greedy"],
    )
    assert cells(found) == [
        ("max-rounds-3", "random", "random"),
        ("max-rounds-3", "greedy", "greedy"),
        ("max-rounds-4", "random", "greedy"),
    ]
    assert found.pairs_of("max-rounds-4") == (("random", "greedy"),)


def test_baseline__is_what_the_file_says_without_its_sweep() -> None:
    assert swept({"grid": GOALS}).baseline == "charm-11_geishas-4"
    assert swept({"grid": GOALS}, baseline="charm-10_geishas-3").baseline == "charm-10_geishas-3"
    assert swept({"grid": {"rules.goals.charm": [9, 10]}}).baseline == "charm-9"
    with pytest.raises(ExperimentError, match=r"^baseline is 'charm-1', which is not a variant"):
        swept({"grid": {"rules.goals.charm": [9, 10]}}, baseline="charm-1")
    with pytest.raises(ExperimentError, match=r"it must be one of 99, such as max-rounds-1, max-"):
        swept({"grid": {"rules.max_rounds": list(range(1, 100))}}, baseline="?")


def test_impossible_point__stops_the_plan_by_name_and_fault() -> None:
    with pytest.raises(
        ExperimentError,
        match=r"^the sweep's point removed-2 is impossible: rules\.draw is 1; .* all 2 such points",
    ):
        swept({"grid": {"rules.removed": [0, 1, 2, 3]}})
    with pytest.raises(
        ExperimentError, match=r"matchups-us-random is impossible: matchups\.0 names 'us'"
    ):
        swept({"grid": {"matchups": ["mirror", [["us", "random"]]]}})


def test_impossible_point__is_left_out_and_listed_if_told_to() -> None:
    found = swept({"grid": {"rules.removed": [0, 1, 2, 3]}, "skip_invalid": True})
    assert list(found.variants) == ["removed-0", "removed-1"]
    assert found.points is not None
    assert list(found.points.skipped) == ["removed-2", "removed-3"]
    assert found.points.skipped["removed-3"].startswith("rules.draw is 1; 8 turns would draw")
    with pytest.raises(ExperimentError, match=r"^none of the sweep's points is possible; removed-"):
        swept({"grid": {"rules.removed": [2, 3]}, "skip_invalid": True})


def test_impossible_point__is_one_with_too_many_moves() -> None:
    big = {"name": "big", "cards": 8, "face": "up", "groups": [2, 2, 2, 2]}
    big |= {"chooser": "opponent", "chosen_to": "opponent"}
    rules = {"hand": 8, "removed": 0, "draw": 1, "actions": [big]}
    charm = [[4] * 5, [4] * 10]
    with pytest.raises(ExperimentError, match=r"actions\.0 is 'big', which has [\d,]+ distinct"):
        swept({"grid": {"rules.charm": charm}}, rules=rules)
    found = swept({"grid": {"rules.charm": charm}, "skip_invalid": True}, rules=rules)
    assert [len(each.charm) for each in found.variants.values()] == [5]


def test_impossible_point__is_not_blamed_for_the_rest_of_the_file() -> None:
    with pytest.raises(ExperimentError, match=r"^margin is 2; it must be"):
        swept({"grid": GOALS}, margin=2)
    with pytest.raises(ExperimentError, match=r"^agents\.0\.agent is missing"):
        swept({"grid": GOALS}, agents=[{}])


def test_names__values_that_make_no_text_are_numbered() -> None:
    tables = [{"charm": 10, "geishas": 4, "prevails": "geishas"}, {"charm": 12, "geishas": 5}]
    found = swept({"grid": {"rules.goals": tables}})
    assert list(found.variants) == ["goals-1", "goals-2"]
    assert list(swept({"grid": {"rules.cap_tiebreak": [[], ["charm"]]}}).variants) == [
        "cap-tiebreak-1",
        "cap-tiebreak-2",
    ]


def test_names__markers_of_one_name_are_told_apart_by_their_sets() -> None:
    found = swept({"grid": {"rules.actions.1": ["wealth/gift", "avoid-misfortune/gift"]}})
    assert list(found.variants) == ["wealth-gift", "avoid-misfortune-gift"]


def test_names__keys_are_as_long_as_it_takes() -> None:
    found = swept({"grid": {"rules.goals.charm": [9], "rules.charm": [[2, 2, 2, 3, 3, 4, 5]]}})
    assert list(found.variants) == ["goals.charm-9_charm-2-2-2-3-3-4-5"]


def test_names__that_would_be_too_long_are_numbers() -> None:
    grid = {
        "rules.max_rounds": [3, 4],
        "rules.min_rounds": [1, 2],
        "rules.cap_tiebreak.0": ["charm", "highest-geisha"],
        "rules.next_starter": ["alternate", "winner"],
        "rules.keep_markers": [True, False],
        "rules.goals.prevails": ["charm", "geishas"],
    }
    found = swept({"grid": grid}, rules={"cap_tiebreak": ["geishas"]})
    assert list(found.variants)[:2] == ["point-01", "point-02"]
    assert len(found.variants) == 64


FAULTS = [
    ({}, "sweep has no points; it must have grid, zip, list or sample"),
    ({"skip_invalid": True}, "sweep has no points"),
    ({"grid": {}}, "sweep.grid is empty; it must be a table such as"),
    ({"grid": {"games": [1]}}, "sweep.grid has the key 'games', which can't be swept; it must beg"),
    ({"grid": {"rules.": [1]}}, "'rules.' isn't a key; it must be dotted"),
    ({"grid": {"rules.hand": [5, 5]}}, "sweep.grid has points 0 and 1 (the first is 0) with the"),
    ({"list": []}, "sweep.list is []; it must have at least 1 point"),
    ({"list": [{}, {}]}, "sweep.list has points 0 and 1 (the first is 0) with the same values"),
    ({"list": [{"rules": {"hand": 5}}]}, "sweep.list.0.rules is a table; a dotted key must stand"),
    (
        {"grid": {"rules.hand": [5]}, "zip": {'rules."hand"': [6]}},
        "sweep.zip has the key 'rules.\"hand\"', which stands in sweep.grid too",
    ),
    ({"sample": {"points": 3}}, "sweep.sample has no key to sample;"),
    ({"sample": {"rules.hand": [5, 6]}}, "sweep.sample.points is missing; it must be a whole num"),
    ({"sample": {"points": 0, "rules.hand": [5]}}, "sweep.sample.points is 0; it must be a whole"),
    (
        {"sample": {"points": 3, "rules.hand": [5, 6]}},
        "sweep.sample.points is 3; it must be at most the number of different points that the "
        "values make, which is 2",
    ),
    (
        {"sample": {"points": 3, "rules.hand": [5, 5, 6]}},
        "sweep.sample.points is 3; it must be at most the number of different points that the "
        "values make, which is too few (2 found)",
    ),
    (
        {"sample": {"points": 3, "rules.hand": {"from": 6}}},
        "sweep.sample.'rules.hand'.to is missing;",
    ),
    ({"sample": {"points": 3, "rules": {"hand": [6]}}}, "sweep.sample.rules is a table without f"),
    (
        {"sample": {"points": 3, "rules.hand": {"from": 6, "to": 6}}},
        "sweep.sample.'rules.hand'.from is 6; it must be less than to, 6",
    ),
    (
        {"sample": {"points": 3, "rules.hand": {"from": 0, "to": 6, "scale": "log"}}},
        "sweep.sample.'rules.hand'.from is 0; it must be above 0",
    ),
    (
        {"sample": {"points": 3, "rules.hand": {"from": 0, "to": 6, "scale": "cubic"}}},
        "sweep.sample.'rules.hand'.scale is 'cubic'; it must be linear or log",
    ),
    (
        {"grid": {f"rules.{key}": list(range(1, 99)) for key in ("hand", "removed", "draw")}},
        "sweep makes 941192 points; it must be at most 100,000",
    ),
    (
        {"grid": {"rules.goals.charm": [10, 11], "rules.goals": [{"charm": 12}]}},
        "sweep has 'rules.goals.charm' and, at the same point, a value of 'rules.goals' that holds",
    ),
    ({"grid": {"agents.3.x": [1]}}, "the sweep's point x-1 is impossible: agents.3 can't be set"),
]


@pytest.mark.parametrize(("sweep", "sentence"), FAULTS)
def test_sweep__faults_are_one_sentence(sweep: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HanamikojiError, match="^" + re.escape(sentence)):
        swept(sweep)


def test_sweep__comes_back_from_json() -> None:
    sweep = {"grid": GOALS, "sample": {"points": 3, "agents.0.x": {"from": 0.5, "to": 2.5}}}
    found = swept(sweep, agents=["search"])
    assert build_experiment(json.loads(json.dumps(found.source))) == found


def test_digest__is_of_what_a_sweep_makes() -> None:
    def digest(sweep: dict[str, Any], **tables: Any) -> str:
        return swept(sweep, agents=["a", "b"], **tables).digest

    one = digest({"grid": {"rules.max_rounds": [3, 4]}})
    assert digest({"list": [{"rules.max_rounds": 3}, {"rules.max_rounds": 4}]}) == one
    assert digest({"grid": {"rules.max_rounds": [3, 5]}}) != one
    both = {"rules.max_rounds": [3, 4], "matchups": ["mirror", [["a", "b"]]]}
    assert digest({"zip": both}) != digest({"grid": both})


def test_sweep__ten_thousand_points_take_seconds() -> None:
    ties = [["geishas"], ["charm"], ["highest-geisha"], ["geishas", "charm"], []]
    grid = {
        "rules.goals.charm": list(range(5, 15)),
        "rules.goals.geishas": list(range(2, 7)),
        "rules.max_rounds": list(range(1, 11)),
        "rules.next_starter": ["alternate", "same", "winner", "loser"],
        "rules.cap_tiebreak": ties,
    }
    begun = time.perf_counter()
    plan = make_plan(swept({"grid": grid}))
    assert len(plan.cells) == 10_000
    assert time.perf_counter() - begun < 30  # 2 s where nothing else runs
    assert len(set(plan.experiment.variants)) == 10_000
    assert all(re.fullmatch(NAME_PATTERN, name) for name in plan.experiment.variants)
