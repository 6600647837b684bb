"""From a results folder to its report, in every form asked for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from hanamikoji.errors import ResultsError
from hanamikoji.report.document import Document
from hanamikoji.report.sections import build_document
from hanamikoji.report.source import Origin, read_source
from hanamikoji.stats import Summary, summarise_parts

Format = Literal["md", "json", "csv", "html"]
FORMATS: tuple[Format, ...] = ("md", "json", "csv", "html")

QUICK: tuple[Format, ...] = ("md",)
"""What costs too little to be asked for."""

_BRIEF_ROWS = 24


def write_report(
    folder: Path, formats: Collection[Format] | None = None, *, show: bool = True
) -> list[Path]:
    """Sum up a run: print the brief report, write the full one into the run's folder.

    Args:
        folder: A results folder; a run that isn't finished is reported as far as it has come.
        formats: Files to write, ``report.<format>``; None: those that ask for no patience.
        show: Print the brief report.

    Returns:
        The files written.

    Raises:
        ResultsError: There is no run, a file is not as it was written, or nothing can be written.
    """
    source = read_source(folder)
    summary = summarise_parts(source.parts, source.facts)
    if show:
        show_brief(summary, (source.origin,))
    return write_files(folder, summary, (source.origin,), QUICK if formats is None else formats)


def show_brief(summary: Summary, origins: tuple[Origin, ...]) -> None:
    """Print what fits a terminal."""
    from hanamikoji.report.terminal import show_document

    show_document(build_document(summary, origins, _BRIEF_ROWS))


def write_files(
    folder: Path, summary: Summary, origins: tuple[Origin, ...], formats: Collection[Format]
) -> list[Path]:
    """Write the report's files, each whole or not at all.

    Raises:
        ResultsError: The folder can't be written to.
    """
    document = build_document(summary, origins)
    written = []
    for name in FORMATS:
        if name in formats:
            path = folder / f"report.{name}"
            _write(path, _render(name, document, summary, origins))
            written.append(path)
    return written


def _render(name: Format, document: Document, summary: Summary, origins: tuple[Origin, ...]) -> str:
    """A file's text; what a format needs is imported only for it."""
    from hanamikoji.report.markdown import to_markdown

    return to_markdown(document)


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f"{path.name}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ResultsError(f"{path} can't be written: {error.strerror}") from None
