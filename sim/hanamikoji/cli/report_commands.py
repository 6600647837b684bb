"""``hanamikoji report`` and ``hanamikoji compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import Folder
from hanamikoji.cli.text import echo
from hanamikoji.errors import ResultsError
from hanamikoji.text import escape_terminal, shell_line

if TYPE_CHECKING:
    from hanamikoji import Results
    from hanamikoji.report import Format

Html = Annotated[bool, typer.Option("--html", help="Write report.html, with charts.")]
Md = Annotated[bool, typer.Option("--md", help="Write report.md.")]
Json = Annotated[bool, typer.Option("--json", help="Write report.json: every number.")]
Csv = Annotated[bool, typer.Option("--csv", help="Write report.csv and summary.parquet.")]
Open = Annotated[bool, typer.Option("--open", help="Open report.html in a browser.")]


@app.command()
def report(
    folder: Folder,
    *,
    html: Html = False,
    md: Md = False,
    json: Json = False,
    csv: Csv = False,
    show: Open = False,
) -> None:
    """Print a run's summary and write its report: the files asked for, or all of them."""
    import hanamikoji
    from hanamikoji.report import FORMATS

    chosen = _formats(html=html, md=md, json=json, csv=csv)
    results = hanamikoji.open_results(folder)
    written = results.report(_with_page(chosen, show) or FORMATS)
    results.show()
    _announce(written, show)


@app.command()
def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR DIR...", help="Results folders.")],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to write files to; by default none.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Margin of the verdicts, if the runs' margins differ.")
    ] = None,
    html: Html = False,
    md: Md = False,
    json: Json = False,
    csv: Csv = False,
    show: Open = False,
) -> None:
    """Compare finished runs side by side, paired by deal where they share deals.

    Differences are against the baseline of the first run.
    """
    import hanamikoji
    from hanamikoji.report import FORMATS

    chosen = _with_page(_formats(html=html, md=md, json=json, csv=csv), show)
    if (chosen or show) and out is None:
        raise ResultsError("files are written to --out DIR, which is missing")
    comparison = hanamikoji.compare(*folders, margin=margin)
    written = comparison.report(out, chosen or FORMATS) if out else []
    comparison.show()
    _announce(written, show)


def summarise(results: Results) -> None:
    """Write and print what the end of a run does."""
    written = results.report()
    results.show()
    _announce(written)
    if not any(path.suffix == ".html" for path in written):
        command = shell_line(["hanamikoji", "report", str(results.folder)])
        echo(f"charts, for a browser: {command}")


def _formats(*, html: bool, md: bool, json: bool, csv: bool) -> tuple[Format, ...]:
    chosen: list[Format] = []
    chosen += ["md"] if md else []
    chosen += ["json"] if json else []
    chosen += ["csv", "parquet"] if csv else []
    chosen += ["html"] if html else []
    return tuple(chosen)


def _with_page(chosen: tuple[Format, ...], show: bool) -> tuple[Format, ...]:
    """The formats, with the page that is to be shown; none chosen means all of them."""
    return (*chosen, "html") if show and chosen and "html" not in chosen else chosen


def _announce(written: list[Path], show: bool = False) -> None:
    """Name the files written, and open the page if that is wanted."""
    if written:
        echo(f"\nwritten: {', '.join(escape_terminal(str(path)) for path in written)}")
    page = next((path for path in written if path.suffix == ".html"), None)
    if show and page is not None:
        typer.launch(page.resolve().as_uri())
