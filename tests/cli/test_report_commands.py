from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli
from hanamikoji import report as reporting


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("report", "nowhere"), "nowhere is not a results folder: there is no manifest.json"),
        (("compare", "nowhere"), "compare takes at least 2 folders"),
        (("compare", "x", "y"), "x is not a results folder: there is no manifest.json"),
        (("compare", "x", "y", "--md"), "compare writes files to --out DIR, which is not given"),
        (
            ("compare", "x", "y", "--margin", "0.5"),
            "--margin is 0.5; it must be a number above 0 and below 0.5",
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

    def write(folder: Path, formats: tuple[str, ...]) -> list[Path]:
        asked.append((folder, formats))
        return [folder / "report.html"]

    opened: list[str] = []
    monkeypatch.setattr(reporting, "write_report", write)
    monkeypatch.setattr("typer.launch", opened.append)
    said = cli("report", "results/x", *flags)
    assert said.code == 0
    assert asked == [(Path("results/x"), formats)]
    assert said.out.endswith("written: results/x/report.html\n")
    assert [url.endswith("/results/x/report.html") for url in opened] == ["--open" in flags] * len(
        opened
    )
    assert bool(opened) == ("--open" in flags)


def test_schema__of_report_json(cli: Cli) -> None:
    said = cli("schema", "--report")
    assert said.code == 0
    assert json.loads(said.out)["title"] == "Report"
