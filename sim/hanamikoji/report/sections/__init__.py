"""A report's sections; each appears only if its data do."""

from __future__ import annotations

from hanamikoji.report.document import Document, Section
from hanamikoji.report.sections.actions import actions_section
from hanamikoji.report.sections.failures import failures_section
from hanamikoji.report.sections.games import endings_section, length_section, tension_section
from hanamikoji.report.sections.geishas import geishas_section
from hanamikoji.report.sections.labels import LISTED, labels_of
from hanamikoji.report.sections.origin import methods_section, origin_section
from hanamikoji.report.sections.seats import ladder_section, seats_section
from hanamikoji.report.sections.strength import match_ups_section, ratings_section
from hanamikoji.report.sections.sweep import sweep_section
from hanamikoji.report.sections.variants import variants_section
from hanamikoji.report.sections.verdict import headline, verdict_section
from hanamikoji.report.source import Origin
from hanamikoji.stats import Summary

__all__ = ["build_document"]


def build_document(summary: Summary, origins: tuple[Origin, ...], listed: int = LISTED) -> Document:
    """The whole report of one run, or of several that are compared.

    Args:
        summary: The estimates.
        origins: One for each run.
        listed: Maximum number of rows in a table with one row a cell.
    """
    labels = labels_of(summary)
    text, tone = headline(summary, origins)
    found: list[Section | None] = [
        verdict_section(summary, origins),
        seats_section(summary, labels, listed),
        ladder_section(summary),
        variants_section(summary, listed),
        sweep_section(summary, origins, listed),
        match_ups_section(summary, labels, listed),
        ratings_section(summary, listed),
        length_section(summary, labels, listed),
        endings_section(summary, labels, listed),
        geishas_section(summary, labels),
        actions_section(summary, labels),
        tension_section(summary, labels, listed),
        failures_section(summary, origins, labels, listed),
        methods_section(summary),
        *(origin_section(origin, many=len(origins) > 1) for origin in origins),
    ]
    return Document(summary.facts.name, text, tone, tuple(s for s in found if s is not None))
