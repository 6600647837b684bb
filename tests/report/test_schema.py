from __future__ import annotations

import json
import math
from dataclasses import replace

import jsonschema
import pytest

from hanamikoji.report import json_schema
from hanamikoji.report.schema import to_json
from report.made_up import HOSTILE, made_up, with_rounds


@pytest.mark.parametrize("data", [made_up(), with_rounds(), made_up(HOSTILE[:2], HOSTILE[2:4])])
def test_to_json__keeps_to_the_schema(data):
    report = json.loads(to_json("verdict", "none", *data))
    jsonschema.Draft202012Validator(json_schema()).validate(report)


def test_to_json__every_estimate_has_its_interval_and_denominator():
    report = json.loads(to_json("verdict", "none", *made_up()))
    cell = report["summary"]["cells"][0]
    for estimate in (cell["starter"], cell["shared"], cell["shape"]["mean_rounds"]):
        assert {"value", "n", "unit", "interval"} <= set(estimate)
        assert estimate["interval"]["low"] <= estimate["value"] <= estimate["interval"]["high"]
        assert estimate["n"] > 0


def test_to_json__numbers_are_not_rounded():
    summary, origins = made_up()
    report = json.loads(to_json("verdict", "none", summary, origins))
    assert report["summary"]["cells"][3]["starter"]["value"] == summary.cells[3].starter.value


def test_to_json__what_is_not_finite_is_null():
    summary, origins = made_up()
    luckless = replace(summary.cells[1], luck=replace(summary.cells[1].luck, rest=math.nan))
    summary = replace(summary, cells=(luckless,))
    text = to_json("verdict", "none", summary, origins)
    assert (
        json.loads(text, parse_constant=pytest.fail)["summary"]["cells"][0]["luck"]["rest"] is None
    )


def test_json_schema__has_the_meanings_that_the_estimates_document():
    score = json_schema()["$defs"]["Score"]["properties"]
    assert score["variance"]["description"] == "Of one unit's score, regularised: never zero."
    assert json_schema()["properties"]["verdict"]["description"] == "The report's first line."


def test_json_schema__refuses_what_is_no_report():
    report = json.loads(to_json("verdict", "none", *with_rounds()))
    report["schema_version"] = 2
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema()).validate(report)
