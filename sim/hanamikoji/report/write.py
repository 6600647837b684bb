"""From estimates to the report, in each requested format."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from hanamikoji.errors import MachineError, ResultsError, disk_error, is_full
from hanamikoji.files import write_whole
from hanamikoji.report.document import Document
from hanamikoji.report.sections import build_document
from hanamikoji.report.source import Origin
from hanamikoji.stats import Summary

Format = Literal["md", "json", "csv", "parquet", "html"]
FILES: dict[Format, str] = {
    "md": "report.md",
    "json": "report.json",
    "csv": "report.csv",
    "parquet": "summary.parquet",
    "html": "report.html",
}
FORMATS: tuple[Format, ...] = tuple(FILES)

QUICK: tuple[Format, ...] = ("md", "json", "csv", "parquet")
"""Formats that cost no time. HTML takes 2 seconds, most of them to start the renderer."""

LARGE = 100_000
"""Games of a run from which HTML is written by default."""

_BRIEF_ROWS = 24


def get_ready() -> None:
    """Import and start what the HTML report needs: over a second, once per process."""
    from hanamikoji.report.charts import get_ready

    get_ready()


def show_brief(summary: Summary, origins: tuple[Origin, ...]) -> None:
    """Print the brief report."""
    from hanamikoji.report.terminal import show_document

    show_document(build_document(summary, origins, _BRIEF_ROWS))


def write_report(
    folder: Path,
    summary: Summary,
    origins: tuple[Origin, ...],
    formats: Collection[Format] | None = None,
) -> list[Path]:
    """Write the report's files, each whole or not at all.

    Args:
        folder: Created if missing.
        summary: The statistics' estimates.
        origins: Of the run, or of each of the runs.
        formats: Files to write; by default all, but HTML only for a large run.

    Returns:
        The files written.

    Raises:
        ResultsError: There is no such format, or the folder can't be written to.
        MachineError: The disk is full.
    """
    if formats is None:
        formats = FORMATS if sum(cell.games for cell in summary.cells) >= LARGE else QUICK
    for name in formats:
        if name not in FORMATS:
            raise ResultsError(f"format is {name!r}; it must be one of {', '.join(FORMATS)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(f"{folder} can't be written: {error.strerror}") from None
    document = build_document(summary, origins)
    written = []
    for name, file in FILES.items():
        if name in formats:
            _write(folder / file, _render(name, document, summary, origins))
            written.append(folder / file)
    return written


def _render(
    name: Format, document: Document, summary: Summary, origins: tuple[Origin, ...]
) -> bytes:
    """A file's bytes; each format's dependencies are imported only for it."""
    if name == "parquet":
        from hanamikoji.report.flat import to_parquet

        return to_parquet(summary, origins)
    if name == "md":
        from hanamikoji.report.markdown import to_markdown

        text = to_markdown(document)
    elif name == "json":
        from hanamikoji.report.schema import to_json

        text = to_json(document.headline, document.tone, summary, origins)
    elif name == "csv":
        from hanamikoji.report.flat import to_csv

        text = to_csv(summary, origins)
    else:
        from hanamikoji.report.page import to_html

        text = to_html(document)
    return text.encode("utf-8", "backslashreplace")


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        if is_full(error):
            sentence = disk_error(error, path.parent)
            raise MachineError(f"{sentence}; {path.name} is missing, the games are safe") from None
        raise ResultsError(f"{path} can't be written: {error.strerror}") from None
