from __future__ import annotations

import json
from pathlib import Path

import pytest

import hanamikoji
from cli.conftest import Cli
from hanamikoji import report as reporting


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("report", "nowhere"), "nowhere is not a results folder: there is no manifest.json"),
        (("compare", "nowhere"), "compare takes at least 2 folders"),
        (("compare", "x", "y"), "x is not a results folder: there is no manifest.json"),
        (("compare", "x", "y", "--md"), "files are written to --out DIR, which is missing"),
        (
            ("compare", "x", "y", "--margin", "0.5"),
            "margin is 0.5; it must be above 0 and below 0.5",
        ),
    ],
)
def test_report_and_compare__refuse_in_one_sentence(cli: Cli, arguments, sentence) -> None:
    said = cli(*arguments)
    assert (said.code, said.out, said.err) == (2, "", f"{sentence}\n")
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("flags", "formats"),
    [
        ((), reporting.FORMATS),
        (("--md",), ("md",)),
        (("--csv", "--json"), ("json", "csv", "parquet")),
        (("--html",), ("html",)),
        (("--open", "--md"), ("md", "html")),
        (("--open",), reporting.FORMATS),
    ],
)
def test_report__writes_what_the_flags_name(cli: Cli, monkeypatch, flags, formats) -> None:
    asked = []

    class Opened:
        def report(self, formats: tuple[str, ...]) -> list[Path]:
            asked.append(formats)
            return [Path("results/x/report.html")]

        def show(self) -> None:
            print("the summary")

    opened: list[str] = []
    monkeypatch.setattr(hanamikoji, "open_results", lambda _folder: Opened())
    monkeypatch.setattr("typer.launch", opened.append)
    said = cli("report", "results/x", *flags)
    assert said.code == 0
    assert asked == [formats]
    assert said.out == "the summary\n\nwritten: results/x/report.html\n"
    assert [url.endswith("/results/x/report.html") for url in opened] == ["--open" in flags] * len(
        opened
    )
    assert bool(opened) == ("--open" in flags)


def test_schema__of_report_json(cli: Cli) -> None:
    said = cli("schema", "--report")
    assert said.code == 0
    assert json.loads(said.out)["title"] == "Report"
