"""``hanamikoji report`` and ``hanamikoji compare``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import say

if TYPE_CHECKING:
    from hanamikoji.report import Format

Html = Annotated[bool, typer.Option("--html", help="Write report.html: charts, for a browser.")]
Md = Annotated[bool, typer.Option("--md", help="Write report.md.")]
Json = Annotated[bool, typer.Option("--json", help="Write report.json: every number.")]
Csv = Annotated[bool, typer.Option("--csv", help="Write report.csv and summary.parquet.")]
Open = Annotated[bool, typer.Option("--open", help="Open report.html in a browser.")]


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")],
    *,
    html: Html = False,
    md: Md = False,
    json: Json = False,
    csv: Csv = False,
    show: Open = False,
) -> None:
    """Sum up a run: in the terminal, and in the files asked for; by default in all of them."""
    from hanamikoji.report import FORMATS, write_report

    chosen = _formats(html=html or show, md=md, json=json, csv=csv)
    if show and not (html or md or json or csv):
        chosen = FORMATS
    _tell(write_report(folder, chosen or FORMATS), show)


@app.command()
def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR DIR...", help="Results folders.")],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the files there; by default none.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Of the verdicts, if the runs have different ones.")
    ] = None,
    html: Html = False,
    md: Md = False,
    json: Json = False,
    csv: Csv = False,
    show: Open = False,
) -> None:
    """Set finished runs side by side, paired by deal where they share deals.

    Differences are against the first run's baseline.
    """
    from hanamikoji.errors import ResultsError
    from hanamikoji.report import FORMATS
    from hanamikoji.report import compare as compare_runs

    if margin is not None and not 0 < margin < 0.5:
        raise ResultsError(f"--margin is {margin:g}; it must be a number above 0 and below 0.5")
    chosen = _formats(html=html or show, md=md, json=json, csv=csv)
    if chosen and out is None:
        raise ResultsError("compare writes files to --out DIR, which is not given")
    written = compare_runs(folders, out, chosen or (FORMATS if out else ()), margin=margin)
    _tell(written, show)


def sum_up(folder: Path) -> None:
    """What the end of a run shows and writes."""
    from hanamikoji.report import write_report

    written = write_report(folder)
    _tell(written, show=False)
    if not any(path.suffix == ".html" for path in written):
        say(f"with charts, for a browser: {shlex.join(['hanamikoji', 'report', str(folder)])}")


def _formats(*, html: bool, md: bool, json: bool, csv: bool) -> tuple[Format, ...]:
    chosen: list[Format] = []
    chosen += ["md"] if md else []
    chosen += ["json"] if json else []
    chosen += ["csv", "parquet"] if csv else []
    chosen += ["html"] if html else []
    return tuple(chosen)


def _tell(written: list[Path], show: bool) -> None:
    """Name the files written, and open the page if that is wanted."""
    if written:
        say(f"\nwritten: {', '.join(str(path) for path in written)}")
    page = next((path for path in written if path.suffix == ".html"), None)
    if show and page is not None:
        typer.launch(page.resolve().as_uri())
