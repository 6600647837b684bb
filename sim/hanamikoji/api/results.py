"""Finished games as objects: verdict, estimates, report and rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from hanamikoji.errors import ResultsError
from hanamikoji.report import FORMATS, Format, show_brief, write_report
from hanamikoji.results import open_dataset

if TYPE_CHECKING:
    import polars as pl

    from hanamikoji.report.document import Document
    from hanamikoji.report.source import Origin
    from hanamikoji.results import Dataset
    from hanamikoji.rules import Rules
    from hanamikoji.stats import Part, RunFacts, Summary

__all__ = ["Comparison", "Results", "compare", "open_results"]

_ROWS = 12  # of a table in a notebook
_SECTIONS = 4


class _Findings(ABC):
    """What games come to: shared by one run and by several that are compared."""

    @cached_property
    @abstractmethod
    def _found(self) -> tuple[Summary, tuple[Origin, ...]]:
        """The estimates, and where they come from."""

    def summary(self) -> Summary:
        """All estimates, typed: ``cells``, ``differences``, ``ratings`` and so on."""
        return self._found[0]

    @property
    def verdict(self) -> str:
        """The report's first line: which variants are balanced within the margin."""
        return self._document(_ROWS).headline

    def show(self) -> None:
        """Print the brief report."""
        show_brief(*self._found)

    def _document(self, rows: int) -> Document:
        from hanamikoji.report.sections import build_document

        return build_document(*self._found, rows)

    def _repr_html_(self) -> str:
        """The verdict and the first tables, as the report shows them.

        In a frame of its own, so that neither the notebook's style nor the report's reaches the
        other; everything inside is escaped by the report.
        """
        from hanamikoji.report.page import to_html

        page = to_html(_first_tables(self._document(_ROWS)))
        return (
            f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="Results" '
            'style="width: 100%; height: 30rem; border: 0; resize: vertical"></iframe>'
        )


class Results(_Findings):
    """A results folder: its verdict, its estimates, its report and its rows.

    Made by `run`, `open_results` and `merge`; in a notebook it shows the verdict and the first
    tables. An unfinished run is summarised as far as it has got.

    >>> import hanamikoji
    >>> results = hanamikoji.run({"name": "nb", "games": 100, "agents": ["random"]}, out="out")
    >>> results.finished, results.games().collect().height
    (True, 100)
    >>> results.verdict
    'Undecided at the level of random play, unfit for a verdict: base. Margin ±1 pp.'
    >>> [path.name for path in results.report(["md", "csv"])]
    ['report.md', 'report.csv']
    """

    def __init__(self, folder: Path, *, thorough: bool = True) -> None:
        self._dataset: Dataset = open_dataset(folder, thorough=thorough)

    def __repr__(self) -> str:
        return f"<Results {self.folder}: {self.verdict}>"

    @property
    def folder(self) -> Path:
        """Where the results are."""
        return self._dataset.folder

    @property
    def finished(self) -> bool:
        """Whether all games of the experiment have been played."""
        return self._dataset.finished

    @cached_property
    def _found(self) -> tuple[Summary, tuple[Origin, ...]]:
        from hanamikoji.report.source import read_source

        source = read_source(self.folder, thorough=False)
        return _assured(source.parts, source.facts, (source.origin,))

    def games(self) -> pl.LazyFrame:
        """One row per game, in the order of cells and deals.

        ``hanamikoji schema`` explains the columns.
        """
        return self._dataset.scan("games")

    def rounds(self) -> pl.LazyFrame:
        """One row per round.

        Raises:
            ResultsError: Rounds were not recorded (``record = ["rounds"]``).
        """
        return self._dataset.scan("rounds")

    def moves(self) -> pl.LazyFrame:
        """One row per decision; beside ``choice`` stands what it means.

        ``action`` is the action played or answered, ``groups`` the cards of an act (indices of
        geishas, group by group), ``taken`` the groups that a response took from the offer.

        Raises:
            ResultsError: Moves were not recorded (``record = ["moves"]``).
        """
        import polars as pl

        from hanamikoji.experiment import build_experiment

        moves = self._dataset.scan("moves").with_columns(pl.col("variant").cast(pl.String))
        variants = build_experiment(self._dataset.manifest.experiment).variants
        choices = pl.concat(_choices(name, rules) for name, rules in variants.items())
        return moves.join(
            choices.lazy(), on=["variant", "choice"], how="left", maintain_order="left"
        )

    def report(self, formats: Collection[Format] | None = None) -> list[Path]:
        """Write the report's files into the results folder.

        Args:
            formats: Of md, json, csv, parquet and html; by default all, but html, which takes
                seconds to draw, only from 100,000 games on.

        Returns:
            The files written.

        Raises:
            ResultsError: A format is unknown, or the folder can't be written to.
        """
        return write_report(self.folder, *self._found, formats)

    def replay(self, cell: int, deal: int, seating: int = 0) -> str:
        """A game of the run turn by turn, played again from its seed.

        Args:
            cell: Number of the cell.
            deal: Number of the deal.
            seating: 0: a starts; 1: b does.

        Raises:
            HanamikojiError: There is no such game, or an agent can't be had any more.
        """
        from hanamikoji.tools.replay import replay_game

        return replay_game(self.folder, cell, deal, seating)


class Comparison(_Findings):
    """Finished runs side by side, made by `compare`."""

    def __init__(self, folders: Sequence[Path], margin: float | None) -> None:
        self._folders = folders
        self._margin = margin
        _ = self._found  # what can't be compared is refused at once

    def __repr__(self) -> str:
        return f"<Comparison of {len(self._folders)} runs: {self.verdict}>"

    @cached_property
    def _found(self) -> tuple[Summary, tuple[Origin, ...]]:
        from hanamikoji.report.compare import merge
        from hanamikoji.report.source import read_source

        merged = merge([read_source(folder) for folder in self._folders], self._margin)
        return _assured(merged.parts, merged.facts, merged.origins)

    def report(self, out: str | Path, formats: Collection[Format] = FORMATS) -> list[Path]:
        """Write the report's files into the folder ``out``, which is created if missing.

        Raises:
            ResultsError: A format is unknown, or the folder can't be written to.
        """
        return write_report(Path(out), *self._found, formats)


def _assured(
    parts: tuple[Part, ...], facts: RunFacts, origins: tuple[Origin, ...]
) -> tuple[Summary, tuple[Origin, ...]]:
    """The estimates, with the verdicts that what else is known of the variants leaves."""
    from hanamikoji.report.assurances import assured
    from hanamikoji.stats import summarise_parts

    found = [each for origin in origins for each in origin.assurances]
    return assured(summarise_parts(parts, facts), found), origins


def _choices(variant: str, rules: Rules) -> pl.DataFrame:
    """What each move and response of a variant means, by id."""
    import polars as pl

    from hanamikoji.agents import Game
    from hanamikoji.agents.observation import describe_move

    game = Game.of(rules)
    moves = [describe_move(game, choice) for choice in range(game.moves + game.responses)]
    return pl.DataFrame(
        {
            "variant": pl.repeat(variant, len(moves), eager=True),
            "choice": pl.Series(range(len(moves)), dtype=pl.Int32),
            "action": [move.action for move in moves],
            "groups": pl.Series(
                [[list(group) for group in move.groups] for move in moves],
                dtype=pl.List(pl.List(pl.Int8)),
            ),
            "taken": pl.Series([list(move.taken) for move in moves], dtype=pl.List(pl.Int8)),
        }
    )


def open_results(folder: str | Path, *, thorough: bool = True) -> Results:
    """Open the results of a run, finished or not.

    Args:
        folder: A results folder.
        thorough: Compare each file with its checksum (1.8 GB/s), not only its size.

    Raises:
        ResultsError: It is not a results folder, or a file is not as it was written.

    >>> import hanamikoji
    >>> tables = {"name": "nb", "games": 100, "agents": ["random"], "record": ["rounds"]}
    >>> folder = hanamikoji.run(tables, out="out").folder
    >>> hanamikoji.open_results(folder).rounds().select("round").max().collect().item() >= 1
    True
    """
    return Results(Path(folder), thorough=thorough)


def compare(*runs: Results | str | Path, margin: float | None = None) -> Comparison:
    """Set finished runs side by side, paired by deal where they share deals.

    Differences are against the first run's baseline.

    Args:
        runs: Two runs or more, opened or by folder.
        margin: Of the verdicts, above 0 and below 0.5; needed only if the runs have different ones.

    Raises:
        ResultsError: The runs can't be compared, with the reason.

    >>> import hanamikoji
    >>> base = {"name": "base", "games": 100, "agents": ["random"]}
    >>> short = base | {"name": "short", "rules": {"max_rounds": 2}}
    >>> both = hanamikoji.compare(hanamikoji.run(base), hanamikoji.run(short))
    >>> [row.variant for row in both.summary().differences]
    ['short']
    """
    if len(runs) < 2:
        raise ResultsError("compare takes at least 2 folders")
    if margin is not None and not 0 < margin < 0.5:
        raise ResultsError(f"margin is {margin:g}; it must be above 0 and below 0.5")
    folders = [run.folder if isinstance(run, Results) else Path(run) for run in runs]
    return Comparison(folders, margin)


def _first_tables(document: Document) -> Document:
    """The sections of which a terminal shows something, charts as tables."""
    from dataclasses import replace

    from hanamikoji.report.document import Chart

    found = []
    for section in document.sections:
        blocks = [block.table if isinstance(block, Chart) else block for block in section.blocks]
        brief = tuple(block for block in blocks if block.brief)
        if brief:
            found.append(replace(section, blocks=brief))
    return replace(document, sections=tuple(found[:_SECTIONS]))
